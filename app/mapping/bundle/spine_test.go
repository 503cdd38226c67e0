package bundle

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
	"birthregistry/app/mapping"
)

// stating is one way to state a field by an Observation, and the value that is kept.
type stating struct {
	value m
	want  string
}

// statings lists every way in which an Observation with this code can state a field: every
// finding, every option under each of its codes, and every form of a number, a date or a yes.
func statings(f *birth.Field, code string) []stating {
	own := code == f.Name
	switch f.Kind {
	case birth.Int, birth.Decimal:
		all := findings(f, "1", "0")
		if !slices.Contains(mapping.CategoryCodes, code) {
			all = append(all, numbers(f, own)...)
		}
		return all
	case birth.Bool:
		all := findings(f, "true", "false")
		if len(f.Yes) == 0 || own {
			all = append(all, answers()...)
		}
		return all
	case birth.Code, birth.Codes:
		return options(f, own, slices.Contains(mapping.CategoryCodes, code))
	case birth.Date:
		return []stating{{m{"valueDateTime": "2018-05-18"}, `"2018-05-18"`}, {m{"valueDateTime": "2018-05"}, `"2018-05"`}}
	case birth.Text:
		return []stating{{m{"valueString": " South  Hospital"}, `"South Hospital"`}}
	case birth.DateTime:
		return []stating{{m{"valueDateTime": "2018-05-18T10:00:00-07:00"}, `"2018-05-18T10:00:00-07:00"`}}
	}
	return nil
}

func findings(f *birth.Field, yes, no string) (all []stating) {
	for _, c := range f.Yes {
		all = append(all, stating{coded(c.Code), yes})
	}
	for _, c := range f.No {
		all = append(all, stating{coded(c.Code), no})
	}
	return all
}

func numbers(f *birth.Field, own bool) (all []stating) {
	n := f.Max
	want := string(birth.Value{Number: n}.JSON(f.Kind))
	all = []stating{{quantity(n, f.Unit), want}, {quantity(want, f.Unit), want}}
	bare := want
	if slices.Contains([]string{"g", "[lb_av]", "[in_i]", "cm", "mL"}, f.Unit) && !own { // 82 may be kg
		bare = ""
	}
	for _, value := range []m{
		{"valueInteger": n}, {"valueString": want}, {"valueInteger": want}, {"valueQuantity": m{"value": n}},
	} {
		all = append(all, stating{value, bare})
	}
	return all
}

func answers() (all []stating) {
	for want, codes := range map[string][]string{
		"true": {"Y", "373066001", "LA33-6"}, "false": {"N", "373067005", "LA32-8"},
	} {
		all = append(all, stating{m{"valueBoolean": want == "true"}, want}, stating{m{"valueString": want}, want})
		word := map[string]string{"true": "Yes", "false": "No"}[want]
		all = append(all, stating{m{"valueString": word}, want}, stating{m{"valueString": strings.ToUpper(word)}, want}, stating{coded(word), ""})
		for _, code := range codes {
			all = append(all, stating{coded("x", code), want}, stating{m{"valueString": code}, want})
		}
	}
	return all
}

func options(f *birth.Field, own, category bool) (all []stating) {
	for _, o := range f.Options {
		codes := []birth.Coding{{Code: o.Code}}
		codes = append(codes, o.Codings...)
		if own {
			codes = append(codes, o.Drugs...)
		}
		want := `"` + o.Code + `"`
		if f.Kind == birth.Codes {
			want = `["` + o.Code + `"]`
		}
		if category && (o.Code == "other" || o.Code == "unknown" || o.Code == "none" && len(o.Codings) == 0) {
			want = ""
		}
		for _, c := range codes {
			all = append(all, stating{coded("x", c.Code), want}, stating{m{"valueString": " " + c.Code + " "}, want})
		}
		if word := strings.ToUpper(o.Code[:1]) + o.Code[1:]; word != o.Code {
			all = append(all, stating{m{"valueString": word}, want}, stating{coded(word), ""})
		}
	}
	return all
}

// An Observation under a field's own name, or under any of its codes, can push every field of
// the spine that is neither derived nor demographic.
func TestEveryFieldIsReadFromItsObservations(t *testing.T) {
	for _, f := range birth.Spine {
		if f.Derived || f.Demographic {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			for _, code := range append([]string{f.Name}, f.Codes...) {
				if code == "73765-0" {
					continue // a question of its own: see "home birth intended"
				}
				ways := statings(f, code)
				require.NotEmpty(t, ways, code)
				for _, way := range ways {
					d := courseOf(t, obs(code, way.value))
					require.Equal(t, way.want, stated(d, f.Name), "%s %s", code, text(t, way.value))
					value, ok := valuesAbout(d, f).Get(f.Name)
					require.Equal(t, way.want != "", ok)
					if ok {
						require.Equal(t, birth.FHIRPush, value.Source)
					}
				}
				silent := courseOf(t, obs(code), obs(code, coded("no-such-code")))
				require.Empty(t, stated(silent, f.Name), "silence is null, never false")
				if f.Kind != birth.Text {
					require.Empty(t, stated(courseOf(t, obs(code, m{"valueString": "no such thing"})), f.Name))
				}
			}
		})
	}
}

func TestHomeBirthIntendedStatesTheSettingOnlyIfItIsTrue(t *testing.T) {
	for want, values := range map[string][]m{
		`"home"`: {{"valueBoolean": true}, coded("Y"), {"valueString": "true"}, {"valueString": "True"}},
		"":       {{"valueBoolean": false}, coded("N"), coded("UNK"), {}},
	} {
		for _, value := range values {
			require.Equal(t, want, stated(courseOf(t, obs("73765-0", value)), "planned_birth_setting"), text(t, value))
		}
	}
}

// everything returns a course that states every demographic field, and every value from which
// others are derived.
func everything() m {
	return bundle(
		mother(
			names(m{"use": "official", "family": "Quinn", "given": l{"Jada", "Ann"}}),
			m{"birthDate": "1985-01-15", "address": l{m{"use": "home", "postalCode": "84116"}}},
			extended(extension(race, extended(categoriesOf("1002-5")...)), extension(ethnicity, extended(categoriesOf("2186-5")...))),
		),
		child(
			names(m{"family": "Quinn", "given": l{"Baby"}}), extended(extension(birthsex, m{"valueCode": "F"})),
			m{
				"birthDate": "2019-02-12", "multipleBirthInteger": 1,
				"_birthDate": extended(extension(birthTime, m{"valueDateTime": "2019-02-12T13:00:00-07:00"})),
			},
		),
		obs("68497-7", m{"valueInteger": 1}), obs("73762-7", coded("700000006")),
		staff("p", m{
			"name":          l{m{"given": l{"Avery"}, "family": "Jones", "suffix": l{"CNM"}}},
			"qualification": l{m{"code": m{"text": "Nurse-Midwife", "coding": l{m{"code": "445521000124102"}}}}},
		}),
		encounter(attended("Practitioner/p"), located("South Hospital", "22232009")),
	)
}

// The fields that do not come from Observations. The test below fails for a new demographic or
// derived field that is missing here.
var elsewhere = map[string]string{
	"mother_family_name": `"Quinn"`, "mother_given_names": `"Jada Ann"`, "mother_birth_date": `"1985-01-15"`,
	"mother_age_years": "34", "mother_postal_code": `"84116"`, "mother_race": `["american_indian_alaska_native"]`,
	"mother_ethnicity": `"not_hispanic"`, "child_family_name": `"Quinn"`, "child_given_names": `"Baby"`, "child_sex": `"female"`,
	"birth_datetime": `"2019-02-12T13:00:00-07:00"`, "birth_date": `"2019-02-12"`, "birth_month": `"2019-02"`,
	"attendant_type": `"midwife"`, "attendant_title": `"cnm_cm"`,
	"attendant_name": `"Avery Jones"`, "attendant_credentials": `"CNM, Nurse-Midwife"`, "vbac": "true", "birth_order": "1",
	"live_birth": "true",
}

func TestEveryOtherFieldIsReadFromItsResource(t *testing.T) {
	d := masked(t, everything())
	for _, f := range birth.Spine {
		if !f.Derived && !f.Demographic {
			continue
		}
		want, known := elsewhere[f.Name]
		require.True(t, known, "where is %s read from?", f.Name)
		require.Equal(t, want, stated(d, f.Name), f.Name)
		value, _ := valuesAbout(d, f).Get(f.Name)
		require.Equal(t, birth.FHIRPush, value.Source, f.Name)
	}
	require.Equal(t, `"hospital"`, stated(d, "birth_setting"))
}

func TestADemographicOrDerivedFieldIsNotReadFromAnObservation(t *testing.T) {
	for name := range elsewhere {
		d := courseOf(t, obs(name, m{"valueString": "2001-02-03", "valueInteger": 9, "valueBoolean": false}, coded("cesarean", "midwife", "md")))
		want := map[string]string{"live_birth": "true"}[name]
		require.Equal(t, want, stated(d, name), name)
	}
}
