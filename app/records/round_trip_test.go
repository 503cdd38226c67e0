package records_test

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/changes"
	"birthregistry/app/mapping/form"
	"birthregistry/store"
)

// statement is a birth that states one value of one field, in addition to who the mother is
// and when the child was born. Its chart number names it.
type statement struct {
	chart string
	field *birth.Field
	value birth.Value
}

// statements returns a birth for every value that a field of the spine can have: every option,
// yes and no, the ends of a range, a text, a date and a time.
func statements() (all []statement) {
	for _, f := range birth.Spine {
		if f.Derived || strings.HasPrefix(f.Name, "attendant_") { // these follow from other values or from the people present
			continue
		}
		for n, value := range valuesOf(f) {
			all = append(all, statement{fmt.Sprintf("%s %d", f.Name, n), f, value})
		}
	}
	return all
}

func valuesOf(f *birth.Field) (all []birth.Value) {
	switch f.Kind {
	case birth.Bool:
		return []birth.Value{{Flag: true}, {Flag: false}}
	case birth.Int, birth.Decimal:
		return []birth.Value{{Number: f.Min}, {Number: f.Max}}
	case birth.Date:
		if f.Name == "last_menstrual_period" { // it is of this pregnancy only if it is months before the birth
			return []birth.Value{{Text: "2025-05-26"}}
		}
		return []birth.Value{{Text: "2026-03-02"}}
	case birth.DateTime:
		return []birth.Value{{Text: "2026-03-02T04:18:00-05:00"}, {Text: "2026-03-02"}}
	case birth.Text:
		return []birth.Value{{Text: "South Hospital"}}
	}
	for _, o := range f.Options {
		all = append(all, birth.Value{Text: o.Code, Set: []string{o.Code}})
	}
	for i := range all {
		if f.Kind == birth.Code {
			all[i].Set = nil
		} else {
			all[i].Text = ""
		}
	}
	return all
}

// typed returns the statement as a person fills in the form.
func (s statement) typed() url.Values {
	d := birth.Draft{Chart: s.chart, Children: make([]birth.Values, 1)}
	state(&d.Mother, "mother_family_name", birth.Value{Text: s.chart})
	state(&d.Children[0], "birth_date", birth.Value{Text: "2026-03-02"})
	state(s.about(&d), s.field.Name, s.value)
	return form.Values(d)
}

// pushed returns the statement as a Bundle with an Observation from the service's own code
// system.
func (s statement) pushed(t *testing.T) string {
	observation := map[string]any{
		"resourceType": "Observation", "status": "final",
		"code": map[string]any{"coding": []any{map[string]any{"system": birth.OwnSystem, "code": s.field.Name}}},
	}
	switch s.field.Kind {
	case birth.Bool:
		observation["valueBoolean"] = s.value.Flag
	case birth.Int, birth.Decimal:
		observation["valueQuantity"] = map[string]any{"value": s.value.Number, "unit": s.field.Unit}
	case birth.Date, birth.DateTime:
		observation["valueDateTime"] = s.value.Text
	case birth.Text:
		observation["valueString"] = s.value.Text
	default:
		code := s.value.Text + strings.Join(s.value.Set, "")
		observation["valueCodeableConcept"] = map[string]any{"coding": []any{map[string]any{"system": birth.OwnSystem, "code": code}}}
	}
	doc, err := json.Marshal(observation)
	require.NoError(t, err)
	return fmt.Sprintf(`{"resource":{"resourceType":"Bundle","type":"document","identifier":{"value":%q},"entry":[
		{"resource":{"resourceType":"Patient","id":"m","meta":{"profile":["urn:Patient-mother-vr"]},"name":[{"family":%q}]}},
		{"resource":{"resourceType":"Patient","id":"c","meta":{"profile":["urn:Patient-child-vr"]},"birthDate":"2026-03-02"}},
		{"resource":%s}]}}`, s.chart, s.chart, doc)
}

// about returns the values of a draft about the statement's subject.
func (s statement) about(d *birth.Draft) *birth.Values {
	return map[birth.Subject]*birth.Values{birth.Mother: &d.Mother, birth.Care: &d.Care, birth.Child: &d.Children[0]}[s.field.About]
}

// stands requires that the record in a practice states the value.
func (s statement) stands(d *session, p store.PracticeID, where string) {
	record, err := d.records.Find(context.Background(), p, s.chart)
	require.NoError(d.T, err, "%s %s", where, s.chart)
	base, err := d.App.Changes.BaseVersion(context.Background(), p, record.UUID)
	require.NoError(d.T, err)
	value, stated := s.about(&base.Draft).Get(s.field.Name)
	require.True(d.T, stated, "%s %s", where, s.chart)
	require.True(d.T, value.Equal(s.value), "%s %s: %+v", where, s.chart, value)
}

// imported imports a whole file into another practice, for which all of it is new.
func (d *session) imported(p store.PracticeID, file []byte) {
	d.T.Helper()
	carla := d.carla
	carla.Practice = store.Practice{ID: p}
	i, err := d.App.Imports.Upload(context.Background(), carla, "all.csv", bytes.NewReader(file))
	require.NoError(d.T, err)
	require.Equal(d.T, i.About.Preview.Rows, i.About.Preview.New, "%+v", i.About.Preview)
	require.NoError(d.T, d.App.Imports.Confirm(context.Background(), carla, i.ID, false))
	require.Eventually(d.T, func() bool {
		i, err = d.App.Imports.Import(context.Background(), carla, i.ID)
		return err == nil && i.Status == store.Completed
	}, 3*time.Minute, 20*time.Millisecond)
}

func TestEveryValueOfTheSpineSurvivesTheFormThePushTheExportAndTheImport(t *testing.T) {
	d := open(t)
	pushing, importing := d.AddPractice("Pushing"), d.AddPractice("Importing")
	onForm := map[string]bool{}
	for _, f := range form.Fields() {
		onForm[f.Name] = true
	}
	all, entries := statements(), []string{}
	for _, s := range all {
		require.True(t, onForm[s.field.Name], "%s isn't on the form", s.field.Name)
		reading := form.Read(s.typed(), nil)
		require.Empty(t, reading.Problems, s.chart)
		require.False(t, birth.Blocked(birth.Check(reading.Draft, time.Now())), "%s: %v", s.chart, birth.Check(reading.Draft, time.Now()))
		_, err := d.App.Changes.Save(d.carla, changes.Form{Draft: reading.Draft})
		require.NoError(t, err, s.chart)
		s.stands(d, d.Practice, "form")
		if !s.field.Demographic {
			entries = append(entries, s.pushed(t))
		}
	}
	key := d.Mint(pushing, string(auth.IngestWrite), string(auth.IngestRead))
	d.Push(`{"resourceType":"Bundle","type":"batch","entry":[`+strings.Join(entries, ",")+`]}`, "Authorization", "Bearer "+key)
	file, _, _ := d.export(store.Practice{ID: d.Practice}, store.Filter{})
	d.imported(importing, file)
	for _, s := range all {
		if !s.field.Demographic {
			s.stands(d, pushing, "push")
		}
		s.stands(d, importing, "import")
	}
}

func TestATransferKeepsItsMainReasonAndItsModeFromTheFormToTheImportOfAnExport(t *testing.T) {
	d := open(t)
	importing := d.AddPractice("Importing")
	var all []birth.Draft
	for i, reason := range birth.TransferReasons {
		mode := birth.TransferModes[i%len(birth.TransferModes)]
		given := birth.Draft{Chart: reason.Code + mode.Code, Children: make([]birth.Values, 1), Transfers: []birth.Transfer{{
			Type: "intrapartum", Direction: "out", Urgency: "non_urgent", Who: "mother", Mode: mode.Code, ReasonCode: reason.Code,
			DateTime: "2026-03-01T23:10:00", Reason: "Asked for an epidural",
		}}}
		state(&given.Mother, "mother_family_name", birth.Value{Text: given.Chart})
		state(&given.Children[0], "birth_date", birth.Value{Text: "2026-03-02"})
		reading := form.Read(form.Values(given), nil)
		require.Empty(t, reading.Problems)
		require.False(t, birth.Blocked(birth.Check(reading.Draft, time.Now())))
		_, err := d.App.Changes.Save(d.carla, changes.Form{Draft: reading.Draft})
		require.NoError(t, err)
		given.Transfers[0].Source = birth.Manual
		record := d.Record(given.Chart)
		require.Equal(t, given.Transfers[0], record.Transfers[0].Transfer)
		require.Contains(t, record.Transfers[0].Text(), strings.ToLower(mode.Label)+", "+strings.ToLower(reason.Label)+", Asked")
		all = append(all, given)
	}
	require.Equal(t, len(all), d.again().Unchanged)
	file, _, _ := d.export(store.Practice{ID: d.Practice}, store.Filter{})
	d.imported(importing, file)
	for _, given := range all {
		record, err := d.records.Find(t.Context(), importing, given.Chart)
		require.NoError(t, err)
		base, err := d.App.Changes.BaseVersion(t.Context(), importing, record.UUID)
		require.NoError(t, err)
		given.Transfers[0].Source = birth.CSV
		require.Equal(t, given.Transfers, base.Draft.Transfers)
	}
}
