package form

import (
	"bytes"
	"fmt"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"birthregistry/app/birth"
	"birthregistry/app/mapping"
	"birthregistry/app/mapping/bundle"
	"birthregistry/app/mapping/mappingtest"
)

// asKept returns the part of a draft that is kept, without its stamp: a person's own changes have none.
func asKept(d birth.Draft) birth.Draft {
	d.Stamp = time.Time{}
	return birth.Mask(d).Draft()
}

// same requires that two drafts say the same; an empty list counts as no list.
func same(t require.TestingT, want, got birth.Draft, why string) {
	a, b := birth.Mask(want), birth.Mask(got)
	require.Equal(t, string(a.Clinical()), string(b.Clinical()), why)
	require.Equal(t, string(a.Patient()), string(b.Patient()), why)
	require.Equal(t, a.Chart(), b.Chart(), why)
	require.Equal(t, a.Draft().IGVersion, b.Draft().IGVersion, why)
	require.ElementsMatch(t, a.Draft().Providers, b.Draft().Providers, why)
}

func TestAnUntouchedFormStatesTheDraftThatFilledIt(t *testing.T) {
	courses := 0
	for name, body := range mappingtest.Samples(t) {
		require.NoError(t, bundle.Reader{}.Read(bytes.NewReader(body), func(i mapping.Item) error {
			if i.Draft == nil {
				return nil
			}
			courses++
			onFile := asKept(*i.Draft)
			form := Read(Values(onFile), &onFile)
			require.Empty(t, form.Problems, name)
			same(t, onFile, form.Draft, name)
			for _, f := range birth.Check(form.Draft, now) {
				require.False(t, f.Blocks, "%s: %s", name, f.Text)
			}
			return nil
		}))
	}
	require.Greater(t, courses, 5)
}

// This holds for any draft, not only for the samples.
func TestAFormReproducesAnyDraft(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		onFile := asKept(anyDraft(t))
		form := Read(Values(onFile), &onFile)
		require.Empty(t, form.Problems)
		same(t, onFile, form.Draft, "with the basis")
		bare := Read(Values(onFile), nil)
		require.Equal(t, Values(onFile), Values(bare.Draft), "without it, but for the sources")
	})
}

func TestAValueFillsItsFieldLikeATypedOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := asKept(anyDraft(t))
		read := func(p birth.Path, s birth.Stated, of func(birth.Draft) birth.Values) {
			filled := ValueAt(p, s.Value)
			if !onForm(s.Field) {
				require.Empty(t, filled, s.Field.Name)
				return
			}
			form := Read(filled, nil)
			require.Empty(t, form.Problems, s.Field.Name)
			v, stated := of(form.Draft).Get(s.Field.Name)
			require.True(t, stated && v.Equal(s.Value), s.Field.Name)
		}
		for _, s := range d.Mother {
			read(birth.At(s.Field.Name), s, func(d birth.Draft) birth.Values { return d.Mother })
		}
		for _, s := range d.Care {
			read(birth.At(s.Field.Name), s, func(d birth.Draft) birth.Values { return d.Care })
		}
		for _, s := range d.Children[0] {
			read(birth.Of(birth.ChildList, 0, s.Field.Name), s, func(d birth.Draft) birth.Values { return d.Children[0] })
			require.Empty(t, ValueAt(birth.At(s.Field.Name), s.Value), "a newborn's is nobody else's")
		}
	})
	require.Equal(t, url.Values{"chart_number": {"7"}}, ValueAt(birth.At("chart_number"), birth.Value{Text: "7"}))
	require.Empty(t, ValueAt(birth.At("source"), birth.Value{Text: "ehr_pull"}))
}

func anyDraft(t *rapid.T) birth.Draft {
	word := rapid.StringMatching(`[A-Za-zé'’<>"&;=א日🙂 .-]{1,12}[a-z]`)
	d := birth.Draft{Chart: word.Draw(t, "chart"), IGVersion: "2.0.0"}
	d.Mother, d.Care = anyValues(t, birth.Mother), anyValues(t, birth.Care)
	for range rapid.IntRange(1, 3).Draw(t, "children") {
		d.Children = append(d.Children, anyValues(t, birth.Child))
	}
	d.Care.Set(birth.Must("plurality"), birth.Value{Number: float64(len(d.Children)), Source: birth.CSV})
	for n := range rapid.IntRange(0, 3).Draw(t, "people") {
		d.Providers = append(d.Providers, birth.Provider{
			Key: fmt.Sprint("staff-", n), Name: rapid.SampledFrom([]string{"", "Maren", "maren", "Zoë 🙂"}).Draw(t, "name"),
			Credentials: word.Draw(t, "credentials"),
			Role:        rapid.SampledFrom([]birth.Role{birth.RoleMidwife, birth.RoleDoula, birth.RoleOther}).Draw(t, "role"), Attending: rapid.Bool().Draw(t, "attending"), Source: birth.FHIRPush,
		})
	}
	for range rapid.IntRange(0, 2).Draw(t, "transfers") {
		d.Transfers = append(d.Transfers, birth.Transfer{
			Type: rapid.SampledFrom(birth.TransferTypes).Draw(t, "type"), Who: "child", Source: birth.CSV,
			DateTime: anyDateTime().Draw(t, "at"), Reason: word.Draw(t, "reason"),
		})
	}
	d.Consent = birth.Consent{Granted: rapid.Bool().Draw(t, "granted"), DateTime: anyDateTime().Draw(t, "consent")}
	return d
}

func anyDateTime() *rapid.Generator[string] {
	return rapid.SampledFrom([]string{
		"2026", "2026-03", "2026-03-02", "2026-03-02T04:18:00", "2026-03-02T04:18:30", "2026-03-02T23:59:00-05:00",
		"2026-03-02T04:18:00Z", "2026-03-03T00:00:00+05:30", "2026-03-02T12:00:00",
	})
}

func anyValues(t *rapid.T, about birth.Subject) (values birth.Values) {
	for _, f := range Fields() {
		if f.About != about || rapid.IntRange(0, 2).Draw(t, "stated") == 0 {
			continue
		}
		v := birth.Value{Source: rapid.SampledFrom([]birth.Source{birth.CSV, birth.FHIRPush, birth.Manual}).Draw(t, "source")}
		switch f.Kind {
		case birth.Text:
			v.Text = rapid.StringMatching(`[A-Za-zé'"<>&=א日🙂 ]{1,20}[a-z]`).Draw(t, f.Name)
		case birth.Date:
			v.Text = rapid.SampledFrom([]string{"1990", "1990-02", "1990-02-28", "2026-03-02"}).Draw(t, f.Name)
		case birth.DateTime:
			v.Text = anyDateTime().Draw(t, f.Name)
		case birth.Int:
			v.Number = float64(rapid.IntRange(int(f.Min), int(f.Max)).Draw(t, f.Name))
		case birth.Decimal:
			v.Number = float64(rapid.IntRange(int(f.Min)*10, int(f.Max)*10).Draw(t, f.Name)) / 10
		case birth.Bool:
			v.Flag = rapid.Bool().Draw(t, f.Name)
		case birth.Code:
			v.Text = rapid.SampledFrom(f.Options).Draw(t, f.Name).Code
		case birth.Codes:
			v.Set = []string{rapid.SampledFrom(f.Options).Draw(t, f.Name).Code, f.Options[0].Code}
		}
		values.Set(f, v)
	}
	return values
}

func TestNamesThatAreNotFieldsOfTheFormAreIgnored(t *testing.T) {
	typed := url.Values{"gravida": {"2"}, "child.0.birth_date": {"2026-03-02"}, "person.0.name": {"Maren Lindqvist"}}
	want := Read(typed, nil)
	for _, name := range []string{
		"source", "gravida.source", "mother.source", "version", "practice", "uuid", "id", "user", "stamp", "ig_version", "state",
		"vbac", "birth_month", "attendant_type", "attendant_name", "attendant_credentials", "suspected", "merged_into",
		"person.0.key", "person.0.npi", "person.0.source", "child.0.source", "transfer.source", "child.-1.birth_date",
		"child.01.birth_date", "child.1e1.birth_date", "child.9999.birth_date", "child.1", "x_unknown", "", "consent", "ingestion",
	} {
		typed.Set(name, "fhir_push")
		require.Equal(t, want, Read(typed, nil), name)
		typed.Del(name)
	}
	for _, s := range want.Draft.Mother {
		require.Equal(t, birth.Manual, s.Value.Source)
	}
}

func TestSilenceIsNotNo(t *testing.T) {
	typed := url.Values{}
	for _, f := range Fields() {
		name := f.Name
		if f.About == birth.Child {
			name = "child.0." + name
		}
		typed[name] = []string{"", " "}
	}
	form := Read(typed, nil)
	require.Empty(t, form.Problems)
	require.Empty(t, form.Draft.Mother)
	require.Len(t, form.Draft.Children, 1)
	require.Empty(t, form.Draft.Children[0])
	require.False(t, form.Draft.Consent.Granted)
	require.Len(t, form.Draft.Care, 1, "the plurality, which is counted")
}

// now is a time some months after the births of the tests.
var now = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
