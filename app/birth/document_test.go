package birth_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"birthregistry/app/birth"
)

func TestACourseIsKeptAsTwoDocuments(t *testing.T) {
	d := care(
		map[string]string{"mother_family_name": `O'Brien "X"`, "birth_date": "2019-02-12", "birth_setting": "home_planned"},
		map[string]float64{"birth_weight_g": 3400, "mother_height_in": 66.14},
	)
	d.Mother.Set(birth.Must("risk_factors"), birth.Value{Set: []string{"eclampsia"}, Source: birth.Manual})
	d.Children[0].Set(birth.Must("live_birth"), birth.Value{Flag: true, Source: birth.FHIRPush})
	d.Transfers = []birth.Transfer{{Type: "neonatal", Who: "child", Source: birth.FHIRPush, Reason: "jaundice"}}
	d.Consent = birth.Consent{Granted: true, DateTime: "2019-02"}
	c := birth.Mask(d)
	require.JSONEq(t, `{
		"mother": {
			"mother_height_in": {"value": 66.1, "source": "fhir_push"},
			"risk_factors": {"value": ["eclampsia"], "source": "manual"}
		},
		"care": {"birth_setting": {"value": "home_planned", "source": "fhir_push"}},
		"children": [{
			"birth_month": {"value": "2019-02", "source": "fhir_push"},
			"birth_weight_g": {"value": 3400, "source": "fhir_push"},
			"live_birth": {"value": true, "source": "fhir_push"}
		}],
		"transfers": [{"type": "neonatal", "who": "child", "source": "fhir_push"}],
		"consent": {"granted": true, "date_time": "2019-02"}
	}`, string(c.Clinical()))
	require.JSONEq(t, `{
		"mother": {"mother_family_name": {"value": "O'Brien \"X\"", "source": "fhir_push"}},
		"care": {},
		"children": [{"birth_date": {"value": "2019-02-12", "source": "fhir_push"}}],
		"transfers": [{"reason": "jaundice"}]
	}`, string(c.Patient()))
}

func TestWhetherAConsentWasRecordedIsKept(t *testing.T) {
	for _, c := range []birth.Consent{
		{}, {Recorded: true}, {Recorded: true, Granted: true}, {Recorded: true, DateTime: "2019-02"}, {Recorded: true, Granted: true, DateTime: "2019"},
	} {
		kept := birth.Mask(birth.Draft{Consent: c})
		restored, err := birth.Restore(kept.Clinical(), kept.Patient())
		require.NoError(t, err)
		require.Equal(t, c, restored.Draft().Consent)
	}
	for doc, want := range map[string]birth.Consent{ // as earlier versions stored them
		`{"consent":{"granted":false}}`:                       {},
		`{"consent":{"granted":true}}`:                        {Recorded: true, Granted: true},
		`{"consent":{"granted":false,"date_time":"2019-02"}}`: {Recorded: true, DateTime: "2019-02"},
	} {
		old, err := birth.Restore([]byte(doc), nil)
		require.NoError(t, err)
		require.Equal(t, want, old.Draft().Consent, doc)
	}
}

func TestWithoutThePatientDocumentSealedFieldsAreAbsent(t *testing.T) {
	c := birth.Mask(care(map[string]string{"mother_family_name": "Quinn", "birth_setting": "hospital"}, nil))
	half, err := birth.Restore(c.Clinical(), nil)
	require.NoError(t, err)
	require.Equal(t, "hospital", half.Draft().Care.Text("birth_setting"))
	require.False(t, half.Draft().Mother.Has("mother_family_name"))
	half, err = birth.Restore(nil, c.Patient())
	require.NoError(t, err)
	require.Equal(t, "Quinn", half.Draft().Mother.Text("mother_family_name"))
	require.False(t, half.Draft().Care.Has("birth_setting"))
}

func TestAFieldThatHasLeftTheSpineIsSkipped(t *testing.T) {
	c, err := birth.Restore([]byte(`{"mother":{"star_sign":{"value":"leo","source":"csv"},"gravida":{"value":2,"source":"csv"}}}`), nil)
	require.NoError(t, err)
	require.Len(t, c.Draft().Mother, 1)
	gravida, _ := c.Draft().Mother.Get("gravida")
	require.Equal(t, birth.Value{Number: 2, Source: birth.CSV}, gravida)
}

func TestADocumentThatIsNotReadableIsAnErrorThatQuotesNothing(t *testing.T) {
	for _, doc := range []string{
		`{"mother":{"mother_family_name":{"value":"Secret"`, `["Secret"]`, `{"mother":"Secret"}`, `{"consent":{"granted":"Secret"}}`,
	} {
		_, err := birth.Restore([]byte(doc), nil)
		require.Error(t, err, doc)
		require.NotContains(t, err.Error(), "Secret")
	}
}

func TestAMaskedCourseIsRestoredValueByValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		masked := birth.Mask(drawDraft(t))
		want := masked.Draft()
		restored, err := birth.Restore(masked.Clinical(), masked.Patient())
		require.NoError(t, err)
		got := restored.Draft()
		same(t, want.Mother, got.Mother)
		same(t, want.Care, got.Care)
		require.Len(t, got.Children, len(want.Children))
		for i := range want.Children {
			same(t, want.Children[i], got.Children[i])
		}
		require.Equal(t, len(want.Transfers), len(got.Transfers))
		for i := range want.Transfers {
			require.Equal(t, want.Transfers[i], got.Transfers[i])
		}
		require.Equal(t, want.Consent, got.Consent)

		again := birth.Mask(got)
		require.Equal(t, string(masked.Clinical()), string(again.Clinical()), "what is masked stays as it is")
		require.Equal(t, string(masked.Patient()), string(again.Patient()))
		for _, f := range birth.Spine {
			name := `"` + f.Name + `":`
			require.False(t, f.Sealed && strings.Contains(string(masked.Clinical()), name), f.Name)
			require.False(t, !f.Sealed && strings.Contains(string(masked.Patient()), name), f.Name)
		}
	})
}

func same(t *rapid.T, want, got birth.Values) {
	require.Equal(t, len(want), len(got))
	for i := range want {
		require.Equal(t, want[i].Field.Name, got[i].Field.Name)
		require.Equal(t, want[i].Value, got[i].Value)
	}
}

func drawDraft(t *rapid.T) birth.Draft {
	d := birth.Draft{
		Mother: drawValues(t), Care: drawValues(t),
		Children: rapid.SliceOfN(rapid.Custom(drawValues), 0, 3).Draw(t, "children"),
		Consent:  birth.Consent{Granted: rapid.Bool().Draw(t, "granted"), DateTime: drawText(t)},
	}
	for range rapid.IntRange(0, 2).Draw(t, "transfers") {
		d.Transfers = append(d.Transfers, birth.Transfer{
			Type:   rapid.SampledFrom(append(birth.TransferTypes, "", "x")).Draw(t, "type"),
			Who:    rapid.SampledFrom(append(birth.TransferSubjects, "")).Draw(t, "who"),
			Source: birth.FHIRPush, DateTime: drawText(t), Reason: drawText(t),
		})
	}
	for range rapid.IntRange(0, 2).Draw(t, "providers") {
		d.Providers = append(d.Providers, birth.Provider{
			Key: "k", Name: drawText(t), Role: birth.RoleDoula, Attending: rapid.Bool().Draw(t, "attending"), Source: birth.FHIRPush,
		})
	}
	return d
}

// drawValues states random fields of the spine, of any subject, mostly with values that the
// field accepts.
func drawValues(t *rapid.T) birth.Values {
	var values birth.Values
	for _, f := range rapid.SliceOfN(rapid.SampledFrom(birth.Spine), 0, 20).Draw(t, "fields") {
		v := birth.Value{
			Text:   drawText(t),
			Number: rapid.Float64Range(f.Min-1, f.Max+1).Draw(t, "number"),
			Flag:   rapid.Bool().Draw(t, "flag"),
			Source: rapid.SampledFrom([]birth.Source{birth.Manual, birth.CSV, birth.FHIRPush, birth.EHRPull}).Draw(t, "source"),
		}
		if f.Kind == birth.Int {
			v.Number = float64(int(v.Number))
		}
		for _, o := range f.Options {
			if rapid.Bool().Draw(t, "option") {
				v.Text, v.Set = o.Code, append(v.Set, o.Code)
			}
		}
		values.Set(f, v)
	}
	return values
}

func drawText(t *rapid.T) string {
	return rapid.OneOf(
		rapid.String(),
		rapid.SampledFrom([]string{
			"2019", "2019-02", "2019-02-12", "1990-03-11", "2019-02-12T13:00:00-07:00", "2019-02-12T13:00:00.5", "2019-02-30",
			"a\"b\\c\u2028</script>", "\xff", strings.Repeat("é ", 120),
		}),
	).Draw(t, "text")
}
