package bundle

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

// retractions yields the retraction entries of a Bundle and of the Bundles in
// it. Those of an inner one are reported under the submitted Bundle's entry,
// within, which is "" for the submitted one itself.
func (b entries) retractions(within string, depth int, yield func(mapping.Item) error) error {
	_, err := b(func(e *fhir.Entry) error {
		at := within
		if at == "" {
			at = e.Place.String()
		}
		switch {
		case e.Method == "DELETE":
			return yield(retraction(e, at))
		case e.Kind == "Bundle" && depth < maxNesting && namesDelete(e.Resource):
			return entries(e.ReadBundle).retractions(at, depth+1, yield)
		}
		return nil
	})
	return err
}

// The method DELETE stands in a document in letters, or with one of them escaped.
var deleteWord, escape = []byte("DELETE"), []byte(`\u00`)

// namesDelete reports whether a document may name the method.
func namesDelete(doc []byte) bool {
	if bytes.Contains(doc, deleteWord) {
		return true
	}
	for {
		at := bytes.Index(doc, escape)
		if at < 0 {
			return false
		}
		doc = doc[at+len(escape):]
		if bytes.HasPrefix(doc, []byte("4")) || bytes.HasPrefix(doc, []byte("54")) { // D, E, L or T
			return true
		}
	}
}

// mayRetract reports whether a document can have retraction entries at all,
// without decoding it: most have none, and need not be read twice.
func mayRetract(r io.Reader) (bool, error) {
	const overlap = len("DELETE") - 1
	window, kept := make([]byte, 4<<10), 0
	for {
		n, err := r.Read(window[kept:])
		seen := window[:kept+n]
		if namesDelete(seen) {
			return true, nil
		}
		kept = copy(window, seen[max(0, len(seen)-overlap):])
		switch {
		case errors.Is(err, io.EOF):
			return false, nil
		case err != nil:
			return false, fmt.Errorf("%w: %w", fhir.ErrUnreadable, err)
		}
	}
}

// retraction reads an entry with request.method DELETE. The record is named by
// chart number alone, by the first of these that is there (decision 25): the
// identifier of the resource, identifier=[system|]value in request.url, the id
// in Bundle/<id> or Composition/<id>, a bare or urn:uuid: url, the last segment
// of such a fullUrl. A DELETE of any other type names a resource of the
// sender's: Observation/4711 is not chart 4711.
func retraction(e *fhir.Entry, at string) mapping.Item {
	item := mapping.Item{Accepted: at, Rejected: at, Retraction: true, ChartAt: e.Place.String() + ".request.url"}
	if e.Shape != nil {
		return misshapen(at, e.Shape)
	}
	if fhir.Weight(e.Resource) > maxElements {
		return rejection(at, fhir.TooManyElements, at)
	}
	chart, err := identifierOf(e)
	if err != nil {
		return misshapen(at, err)
	}
	target := targetOf(e)
	for _, named := range []struct {
		at     string
		charts []string
	}{
		{".resource.identifier", []string{chart}},
		{".request.url", target.inURL(e.URL)},
		{".fullUrl", target.inFullURL(e.FullURL)},
	} {
		charts, ok := distinct(named.charts)
		switch {
		case !ok:
			return rejection(at, fhir.BadChartNumber, e.Place.String()+named.at)
		case len(charts) > 0:
			item.ChartAt, item.Chart = e.Place.String()+named.at, charts[0]
			item.Others = append(item.Others, charts[1:]...)
			return item
		}
	}
	return item
}

// distinct tidies the ways in which a chart number can be read, each once; false
// when one cannot be a chart number.
func distinct(charts []string) (all []string, ok bool) {
	for _, chart := range charts {
		if chart, ok = birth.Chart(chart); !ok {
			return nil, false
		}
		if chart != "" && !slices.Contains(all, chart) {
			all = append(all, chart)
		}
	}
	return all, true
}

// target is the type of resource that an entry deletes, "" when nothing says so.
type target string

// targetOf reads it from the url, else from the resource, else from fullUrl.
func targetOf(e *fhir.Entry) target {
	path, query, conditional := strings.Cut(e.URL, "?")
	if kind, _, found := idOf(path); found {
		return target(kind)
	}
	if conditional && query != "" {
		path = strings.TrimSuffix(path, "/")
		if kind := path[strings.LastIndexByte(path, '/')+1:]; kind != "" {
			return target(kind)
		}
	}
	if e.Kind != "" {
		return target(e.Kind)
	}
	kind, _, _ := idOf(e.FullURL)
	return target(kind)
}

// isRecord reports whether the target's own id is the record's: that of the
// document or of its Composition.
func (t target) isRecord() bool { return t == "" || t == "Bundle" || t == "Composition" }

// isNumbered reports whether an identifier of the target may be a chart number:
// those of the record, and of the patient whose chart it is. What identifies an
// Observation or an Encounter numbers that alone.
func (t target) isNumbered() bool { return t.isRecord() || t == "Patient" }

// identifierOf returns the first identifier of the resource that is to be
// deleted: one object in a Bundle, a list elsewhere.
func identifierOf(e *fhir.Entry) (string, error) {
	if e.Kind == "" || !target(e.Kind).isNumbered() {
		return "", nil
	}
	if e.Kind == "Bundle" {
		var bundle struct {
			Identifier fhir.Identifier `json:"identifier"`
		}
		err := e.Decode(&bundle)
		return bundle.Identifier.Value, err
	}
	var resource struct {
		Identifier fhir.Identifiers `json:"identifier"`
	}
	if err := e.Decode(&resource); err != nil {
		return "", err
	}
	for _, id := range resource.Identifier {
		if strings.TrimSpace(id.Value) != "" {
			return id.Value, nil
		}
	}
	return "", nil
}

func (t target) inURL(raw string) []string {
	path, query, _ := strings.Cut(raw, "?")
	if query == "" {
		return t.chartsIn(path)
	}
	values, err := url.ParseQuery(query)
	if tokens := values["identifier"]; err == nil && t.isNumbered() && len(tokens) == 1 { // of two it has to have both
		return []string{tokenValue(tokens[0])}
	}
	return nil // a conditional delete by something else names no record
}

// tokenValue returns the value of a FHIR search token, [system|]value: behind the
// first bar that is not escaped, and without the escapes of \|, \, \$ and \\.
func tokenValue(token string) string {
	value := make([]byte, 0, len(token))
	for i, inSystem := 0, true; i < len(token); i++ {
		switch c := token[i]; {
		case c == '\\' && i+1 < len(token) && strings.IndexByte(`|,$\`, token[i+1]) >= 0:
			i++
			value = append(value, token[i])
		case c == '|' && inSystem:
			value, inSystem = value[:0], false
		default:
			value = append(value, c)
		}
	}
	return string(value)
}

// inFullURL is the last segment of an address, or what is none as a url would
// be read.
func (t target) inFullURL(full string) []string {
	_, path, address := strings.Cut(full, "://")
	if !address {
		return t.chartsIn(full)
	}
	if kind, id, found := idOf(path); found && target(kind).isRecord() && t.isRecord() {
		return []string{id}
	} else if found || !t.isRecord() {
		return nil
	}
	path = strings.TrimSuffix(path, "/")
	return []string{unescaped(path[strings.LastIndexByte(path, '/')+1:])}
}

// chartsIn reads a url without a query: the id of Bundle/<id>, else the whole of
// it, as it is written and then without what a urn puts before it. A slash alone
// makes no reference: 2026/17 is a chart number, and not 17.
func (t target) chartsIn(path string) []string {
	if !t.isRecord() {
		return nil
	}
	if kind, id, found := idOf(path); found && target(kind).isRecord() {
		return []string{id}
	} else if found {
		return nil
	}
	all := []string{unescaped(path)}
	if bare, isURN := strings.CutPrefix(path, "urn:uuid:"); isURN {
		all = append(all, bare)
	}
	return all
}

// typeName is how the names of resource types look, those of later versions of
// FHIR as well. In a relative url only a type of R4 makes a reference, since a
// chart number may have a word before a slash.
var typeName = regexp.MustCompile(`^[A-Z][A-Za-z]+$`)

// idOf returns the type and the id of Type/id, at the end of a longer address as
// well, with or without a version behind it.
func idOf(path string) (kind, id string, found bool) {
	path, _, _ = strings.Cut(path, "/_history/")
	segments := strings.Split(strings.TrimSuffix(path, "/"), "/")
	n := len(segments)
	if n < 2 {
		return "", "", false
	}
	if kind = segments[n-2]; !fhir.IsType(kind) && (n == 2 || !typeName.MatchString(kind)) {
		return "", "", false
	}
	return kind, unescaped(segments[n-1]), true
}

// unescaped returns a part of a url as it was meant; a broken escape is taken
// as it is.
func unescaped(part string) string {
	if meant, err := url.PathUnescape(part); err == nil {
		part = meant
	}
	return part
}
