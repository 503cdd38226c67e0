package mapping_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
	"birthregistry/app/mapping"
	"birthregistry/app/mapping/bundle"
	"birthregistry/app/mapping/form"
	"birthregistry/app/mapping/mappingtest"
	"birthregistry/app/mapping/sheet"
)

// A fact that is not stated stays unstated in every reader: it is null, never false and never
// 1.

// pushed reads and masks a Bundle of a mother, a child and these resources.
func pushed(t *testing.T, resources ...mappingtest.M) (record birth.Draft) {
	t.Helper()
	const profiles = "http://hl7.org/fhir/us/vr-common-library/StructureDefinition/"
	entries := mappingtest.L{}
	for _, resource := range append([]mappingtest.M{
		{"resourceType": "Patient", "id": "mother", "meta": mappingtest.M{"profile": mappingtest.L{profiles + "Patient-mother-vr"}}},
		{"resourceType": "Patient", "id": "child", "meta": mappingtest.M{"profile": mappingtest.L{profiles + "Patient-child-vr"}}},
	}, resources...) {
		entries = append(entries, mappingtest.M{"resource": resource})
	}
	doc := mappingtest.Text(t, mappingtest.M{"resourceType": "Bundle", "type": "document", "entry": entries})
	require.NoError(t, bundle.Reader{}.ReadWhole([]byte(doc), func(i mapping.Item) error {
		require.Nil(t, i.Problem)
		record = birth.Mask(*i.Draft).Draft()
		return nil
	}))
	return record
}

func observation(code string, value mappingtest.M) mappingtest.M {
	return mappingtest.M{
		"resourceType": "Observation", "status": "final", "code": mappingtest.M{"coding": mappingtest.L{mappingtest.M{"code": code}}},
	}.With(value)
}

// rows reads the courses of a spreadsheet.
func rows(t *testing.T, file string) (all []*sheet.Course) {
	t.Helper()
	header := func(sheet.Header) error { return nil }
	require.NoError(t, sheet.Format{Encoding: sheet.UTF8}.Read(strings.NewReader(file), header, func(c *sheet.Course) error {
		all = append(all, c)
		return nil
	}))
	return all
}

func TestAConsentThatNobodyWasAskedForIsNotRecordedFromAnySource(t *testing.T) {
	column := slices.Index(sheet.Format{}.Names(), "consent_granted")
	for _, c := range []struct {
		cell    string
		consent birth.Consent
	}{
		{"", birth.Consent{}},
		{"no", birth.Consent{Recorded: true}},
		{"yes", birth.Consent{Recorded: true, Granted: true}},
	} {
		entered := url.Values{"mother_family_name": {"Okonkwo"}, "child.0.birth_date": {"2026-03-02"}, "consent.granted": {c.cell}}
		typed := form.Read(entered, nil).Draft
		require.Equal(t, c.consent, typed.Consent, "the form")
		require.Equal(t, c.cell, form.Values(typed).Get("consent.granted"), "the form again")
		require.Equal(t, c.cell, sheet.Format{}.Rows(typed, nil)[0][column], "the export")
		course := rows(t, "mother_family_name,birth_date,consent_granted\nOkonkwo,2026-03-02,"+c.cell+"\n")[0]
		require.Equal(t, c.consent, course.Draft.Consent, "the import")
		again, problem := course.Amend(birth.Draft{Children: []birth.Values{nil}})
		require.Nil(t, problem)
		require.Equal(t, c.consent, again.Consent, "the import over a record without one")
	}
}

func TestARowWithoutAPluralityIsNotASingleBirth(t *testing.T) {
	one := rows(t, "chart_number,mother_family_name,birth_date\nA,Okonkwo,2026-03-02\n")[0]
	require.Empty(t, mappingtest.StatedBy(*one.Draft, "plurality"))
	two := rows(t, "chart_number,mother_family_name,birth_date\nA,Okonkwo,2026-03-02\nA,Okonkwo,2026-03-02\n")[0]
	require.Equal(t, "2", mappingtest.StatedBy(*two.Draft, "plurality"), "two rows are two newborns")

	record := pushed(t)
	require.Empty(t, mappingtest.StatedBy(record, "plurality"))
	again, problem := one.Amend(record)
	require.Nil(t, problem)
	require.Empty(t, mappingtest.StatedBy(*again, "plurality"), "nor does a row over what was pushed say so")
}

func TestAPluralityLeftEmptyOnANewFormIsTheNumberOfNewbornsAndOnARecordNothing(t *testing.T) {
	entered := url.Values{"mother_family_name": {"Okonkwo"}, "child.0.birth_date": {"2026-03-02"}}
	require.Equal(t, "1", mappingtest.StatedBy(form.Read(entered, nil).Draft, "plurality"))

	record := pushed(t, observation("9274-2", mappingtest.M{"valueInteger": 9}))
	typed := form.Values(record)
	require.Empty(t, mappingtest.StatedBy(form.Read(typed, &record).Draft, "plurality"), "nobody said so when the record was looked at")
	typed.Set("plurality", "1")
	require.Equal(t, "1", mappingtest.StatedBy(form.Read(typed, &record).Draft, "plurality"))
	typed.Set("plurality", "")
	typed.Set("child.1.birth_date", "2026-03-02")
	require.Equal(t, "2", mappingtest.StatedBy(form.Read(typed, &record).Draft, "plurality"), "a newborn was added")
}

func TestRegistryCodesForUnknownAreNullFromEverySource(t *testing.T) {
	for column, cells := range map[string][]string{
		"birth_weight_g": {"9999", "888888"}, "apgar_five_minute": {"99", "88"}, "cigarettes_per_day_pre": {"99"}, "mother_height_in": {"999"},
		"mother_birth_date": {"9999-09-09", "99/99/9999", "9999-99-99", "99999999", "9/9/9999"}, "birth_datetime": {"9999-12-31T23:59:00Z", "99/99/9999 99:99"},
		"mother_postal_code": {"99999"}, "mother_family_name": {"UNKNOWN"}, "mother_married": {"U", "unknown"}, "attendant_type": {"unk"},
	} {
		for _, cell := range cells {
			course := rows(t, "mother_given_names,gravida,"+column+"\nZora,2,"+cell+"\n")[0]
			require.Empty(t, course.Wrong, "%s %s", column, cell)
			require.Empty(t, mappingtest.StatedBy(*course.Draft, column), "%s %s", column, cell)
			require.Equal(t, "2", mappingtest.StatedBy(*course.Draft, "gravida"))
			at := column
			if birth.Must(column).About == birth.Child {
				at = "child.0." + column
			}
			typed := form.Read(url.Values{"mother_given_names": {"Zora"}, at: {cell}}, nil)
			require.Empty(t, mappingtest.StatedBy(birth.Mask(typed.Draft).Draft(), column), "the form: %s %s", column, cell)
		}
	}
	record := pushed(t, observation("8339-4", mappingtest.M{"valueQuantity": mappingtest.M{"value": 9999, "unit": "g"}}), observation("9274-2", mappingtest.M{"valueInteger": 99}), observation("8665-2", mappingtest.M{"valueDateTime": "9999-09-09"}))
	for _, field := range []string{"birth_weight_g", "apgar_five_minute", "last_menstrual_period"} {
		require.Empty(t, mappingtest.StatedBy(record, field), field)
	}
}
