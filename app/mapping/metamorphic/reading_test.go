package metamorphic

import (
	"cmp"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
	"birthregistry/app/mapping/bundle"
	"birthregistry/app/mapping/uscore"
)

// reading is what the registry read, line by line: "mother_family_name" → `"Okonkwo"`,
// "child[0].birth_weight_g" → "3420", "outcome" → "accepted".
type reading map[string]string

// readBundle reads a Bundle and masks its courses. The lines of a batch's courses begin with
// "1/", "2/" and so on.
func readBundle(t testing.TB, mapper bundle.Reader, body string) reading {
	t.Helper()
	r := reading{}
	if err := fhir.Scan(strings.NewReader(body)); err != nil {
		r["outcome"] = "refused"
		return r
	}
	var items []mapping.Item
	require.NoError(t, mapper.ReadWhole([]byte(body), func(i mapping.Item) error {
		items = append(items, i)
		return nil
	}))
	for n, i := range items {
		prefix := ""
		if len(items) > 1 {
			prefix = fmt.Sprintf("%d/", n+1)
		}
		require.Empty(t, i.Panic, "the mapper failed")
		r.addItem(prefix, i)
	}
	return r
}

func (r reading) addItem(prefix string, i mapping.Item) {
	r.set(prefix+"chart", i.Chart)
	switch {
	case i.Problem != nil:
		r[prefix+"outcome"] = "rejected: " + i.Problem.Code
		return
	case i.Retraction:
		r[prefix+"outcome"] = "retraction"
		return
	}
	r[prefix+"outcome"] = "accepted"
	d := birth.Mask(*i.Draft).Draft()
	if !d.Stamp.IsZero() {
		r[prefix+"stamp"] = d.Stamp.UTC().Format("2006-01-02T15:04:05Z")
	}
	r.set(prefix+"ig_version", d.IGVersion)
	r[prefix+"consent_granted"] = fmt.Sprint(d.Consent.Granted)
	r.set(prefix+"consent_datetime", d.Consent.DateTime)
	r.addDraft(prefix, d)
}

func (r reading) addDraft(prefix string, d birth.Draft) {
	r.addValues(prefix, d.Mother)
	r.addValues(prefix, d.Care)
	for i, child := range d.Children {
		r.addValues(fmt.Sprintf("%schild[%d].", prefix, i), child)
	}
	r[prefix+"children"] = fmt.Sprint(len(d.Children))
	for i, p := range d.Providers {
		stated := strings.Join([]string{p.Key, p.NPI, p.Name, p.Credentials, string(p.Role)}, " | ")
		if p.Attending {
			stated += " | attending"
		}
		r[fmt.Sprintf("%sprovider[%d]", prefix, i)] = stated
	}
	for i, tr := range d.Transfers {
		stated := []string{tr.Type, tr.Direction, tr.Urgency, tr.Who, tr.DateTime, tr.Reason}
		r[fmt.Sprintf("%stransfer[%d]", prefix, i)] = strings.TrimSpace(strings.Join(stated, " | "))
	}
}

func (r reading) addValues(prefix string, values birth.Values) {
	for _, s := range values {
		r[prefix+s.Field.Name] = string(s.Value.JSON(s.Field.Kind))
	}
}

func (r reading) set(line, stated string) {
	if stated != "" {
		r[line] = stated
	}
}

// fieldOf returns the field that a line of a reading is about.
func fieldOf(line string) string {
	line = line[strings.LastIndexByte(line, '/')+1:]
	if _, field, ok := strings.Cut(line, "]."); ok {
		return field
	}
	name, _, _ := strings.Cut(line, "[")
	return name
}

// states reports whether a reading states a field of anybody.
func (r reading) states(field string) bool {
	for line := range r {
		if fieldOf(line) == field {
			return true
		}
	}
	return false
}

// accepts reports whether a course, or a chart, was read at all.
func (r reading) accepts() bool {
	if !r.states("outcome") {
		return true // a chart is never refused
	}
	for line, stated := range r {
		if fieldOf(line) == "outcome" && stated == "accepted" {
			return true
		}
	}
	return false
}

// readChart reads a chart, {"at": …, "encounter": …, "base": …, "resources": […], "partial":
// […]}, in the role that it seems to have or that the clinician chooses. The line "hint FIELD"
// holds the number of hints at a field; one line holds all notices.
func readChart(t testing.TB, chart object, as uscore.Role) reading {
	t.Helper()
	at, err := time.Parse(time.RFC3339, textAt(chart, "at"))
	require.NoError(t, err)
	var c fhir.Chart
	for _, kind := range listAt(chart, "partial") {
		c.Partial = append(c.Partial, kind.(string))
	}
	for _, resource := range objectsAt(chart, "resources") {
		_ = c.Add(jsontext.Value(write(resource, nil))) // a resource of the wrong shape is left out
	}
	got := uscore.Read(c, uscore.Launch{At: at, Encounter: textAt(chart, "encounter"), Base: textAt(chart, "base")})
	if as == "" {
		as = got.Role
	}
	filled := got.As[as]
	r := reading{"role": string(got.Role), "notices": strings.Join(filled.Notices, "\n")}
	r.addDraft("", filled.Draft)
	delete(r, "children")
	hints := map[string]int{}
	for _, h := range filled.Hints {
		hints["hint "+cmp.Or(h.At.Field, h.At.List)]++
	}
	for line, n := range hints {
		r[line] = fmt.Sprint(n)
	}
	return r
}
