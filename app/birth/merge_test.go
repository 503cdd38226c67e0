package birth_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"birthregistry/app/birth"
)

func number(values *birth.Values, field string, n float64, source birth.Source) {
	values.Set(birth.Must(field), birth.Value{Number: n, Source: source})
}

func written(values *birth.Values, field, text string, source birth.Source) {
	values.Set(birth.Must(field), birth.Value{Text: text, Source: source})
}

// two returns two records of one birth: one that the EHR pushed and one that a person typed.
func two() (pushed, typed birth.Draft) {
	pushed.Children, typed.Children = make([]birth.Values, 1), make([]birth.Values, 1)
	written(&pushed.Mother, "mother_family_name", "Okonkwo", birth.FHIRPush)
	written(&typed.Mother, "mother_family_name", "Okonkwo", birth.Manual)
	written(&pushed.Mother, "mother_birth_date", "1994-05-17", birth.FHIRPush)
	number(&typed.Mother, "gravida", 3, birth.Manual)
	written(&pushed.Children[0], "birth_date", "2026-03-02", birth.FHIRPush)
	written(&typed.Children[0], "birth_date", "2026-03-02", birth.Manual)
	written(&typed.Children[0], "birth_datetime", "2026-03-02T04:18:00", birth.Manual)
	number(&pushed.Children[0], "birth_weight_g", 3420, birth.FHIRPush)
	number(&typed.Children[0], "birth_weight_g", 3240, birth.Manual)
	typed.Providers = []birth.Provider{{Key: "lee", Name: "Lee", Role: birth.RoleMidwife, Attending: true, Source: birth.Manual}}
	return birth.Mask(pushed).Draft(), birth.Mask(typed).Draft()
}

func keysOf(parts []birth.Part, keep func(birth.Part) bool) (keys []string) {
	for _, p := range parts {
		if keep(p) {
			keys = append(keys, p.Key)
		}
	}
	return keys
}

func TestThePartsOfAMergeAreWhatEitherRecordStates(t *testing.T) {
	pushed, typed := two()
	parts := birth.Parts(pushed, typed)
	differing := func(p birth.Part) bool { return !p.Same }
	require.Equal(t, []string{
		"mother.mother_birth_date", "mother.gravida", "child.0.birth_date", "child.0.birth_weight_g", "people",
	}, keysOf(parts, differing))
	same := keysOf(parts, func(p birth.Part) bool { return p.Same })
	require.Equal(t, []string{"mother.mother_family_name", "consent"}, same, "the source makes no difference")
}

func TestAMergeTakesEveryPartFromOneRecordWithItsSource(t *testing.T) {
	pushed, typed := two()
	merged := birth.Mask(birth.Combine(pushed, typed, map[string]bool{"mother.gravida": true, "child.0.birth_date": true, "people": true})).Draft()
	gravida, _ := merged.Mother.Get("gravida")
	require.Equal(t, birth.Value{Number: 3, Source: birth.Manual}, gravida)
	at, _ := merged.Children[0].Get("birth_datetime")
	require.Equal(t, birth.Manual, at.Source)
	weight, _ := merged.Children[0].Get("birth_weight_g")
	require.Equal(t, birth.Value{Number: 3420, Source: birth.FHIRPush}, weight)
	require.Equal(t, "midwife", merged.Care.Text("attendant_type"), "the attendant's role comes with the people")
	require.Equal(t, "1994-05-17", merged.Mother.Text("mother_birth_date"))
	require.Equal(t, typed.Providers, merged.Providers)
	require.False(t, pushed.Mother.Has("gravida"), "neither record changes")
}

func TestDatesThatBelongTogetherAreNeverTakenFromBoth(t *testing.T) {
	pushed, typed := two()
	merged := birth.Combine(typed, pushed, map[string]bool{"child.0.birth_date": true})
	require.False(t, merged.Children[0].Has("birth_datetime"), "the other one states no time")
	require.Equal(t, "2026-03-02", merged.Children[0].Text("birth_date"))
}

func twins(weights ...float64) (d birth.Draft) {
	for n, weight := range weights {
		d.Children = append(d.Children, nil)
		written(&d.Children[n], "birth_date", "2026-03-02", birth.Manual)
		number(&d.Children[n], "birth_weight_g", weight, birth.Manual)
	}
	return d
}

func TestTwinsInAnotherOrderAreRecognized(t *testing.T) {
	stays, goes := twins(2400, 2600), twins(2600, 2400)
	number(&goes.Children[0], "apgar_five_minute", 9, birth.Manual)
	for _, p := range birth.Parts(stays, goes) {
		if !p.Same {
			require.Equal(t, "child.1.apgar_five_minute", p.Key)
		}
	}
	merged := birth.Combine(stays, goes, map[string]bool{"child.1.apgar_five_minute": true})
	require.True(t, merged.Children[1].Has("apgar_five_minute"))
	require.False(t, merged.Children[0].Has("apgar_five_minute"))
}

func TestIfTheNumbersOfNewbornsDifferTheyAreTakenTogether(t *testing.T) {
	stays, goes := twins(2400), twins(2600, 2400)
	number(&stays.Care, "plurality", 1, birth.Manual)
	number(&goes.Care, "plurality", 2, birth.Manual)
	require.Contains(t, keysOf(birth.Parts(stays, goes), func(p birth.Part) bool { return !p.Same }), birth.NewbornsPart)
	merged := birth.Combine(stays, goes, map[string]bool{birth.NewbornsPart: true})
	require.Len(t, merged.Children, 2)
	plurality, _ := merged.Care.Get("plurality")
	require.EqualValues(t, 2, plurality.Number, "their number comes with them")
	require.Len(t, birth.Combine(stays, goes, nil).Children, 1)
}

func TestAMergeThatTakesNothingIsTheSurvivorAndOneThatTakesEverythingIsTheOther(t *testing.T) {
	fields := slices.DeleteFunc(slices.Clone(birth.Spine), func(f *birth.Field) bool {
		return f.Kind != birth.Int || f.Derived || f.Name == "plurality" || f.Name == "cord_clamping_seconds"
	})
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) (d birth.Draft) {
			d.Children = make([]birth.Values, 2)
			for _, f := range rapid.SliceOfDistinct(rapid.SampledFrom(fields), func(f *birth.Field) string { return f.Name }).Draw(t, name) {
				values := map[birth.Subject]*birth.Values{birth.Mother: &d.Mother, birth.Care: &d.Care, birth.Child: &d.Children[0]}[f.About]
				values.Set(f, birth.Value{Number: float64(int(f.Min) + rapid.IntRange(0, 3).Draw(t, f.Name)), Source: birth.Manual})
			}
			return birth.Mask(d).Draft()
		}
		stays, goes := draw("stays"), draw("goes")
		all := map[string]bool{}
		for _, p := range birth.Parts(stays, goes) {
			all[p.Key] = true
		}
		require.Equal(t, string(birth.Mask(stays).Clinical()), string(birth.Mask(birth.Combine(stays, goes, nil)).Clinical()))
		merged := birth.Mask(birth.Combine(stays, goes, all)).Draft()
		for _, p := range birth.Parts(merged, goes) {
			require.True(t, p.Same, p.Key)
		}
	})
}
