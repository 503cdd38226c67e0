package bundle

import (
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/mapping"
)

// part is a component of an Observation.
func part(code string, value m) m { return m{"code": concept(code)}.With(value) }

func panel(code string, about m, parts ...m) m {
	list := l{}
	for _, p := range parts {
		list = append(list, p)
	}
	return m{"resourceType": "Observation", "status": "final", "code": concept(code), "component": list}.With(about)
}

func TestAnAmountInTwoComponentsIsAddedUp(t *testing.T) {
	for name, c := range map[string]struct {
		of    m
		field string
		want  string
	}{
		"weeks and days":                  {panel("11884-4", about("Patient/child"), part("11884-4", quantity(39, "wk")), part("11884-4", quantity(4, "d"))), "gestational_age_days", "4"},
		"weeks, of weeks and days":        {panel("11884-4", about("Patient/child"), part("11884-4", quantity(39, "wk")), part("11884-4", quantity(4, "d"))), "gestational_age_weeks", "39"},
		"days and weeks":                  {panel("11884-4", about("Patient/child"), part("11884-4", quantity(4, "d")), part("11884-4", quantity(39, "wk"))), "gestational_age_weeks", "39"},
		"pounds and ounces":               {panel("8339-4", about("Patient/child"), part("8339-4", quantity(7, "[lb_av]")), part("8339-4", quantity(9, "[oz_av]"))), "birth_weight_g", "3430"},
		"feet and inches":                 {panel("8302-2", about("Patient/mother"), part("8302-2", quantity(5, "[ft_i]")), part("8302-2", quantity(7, "[in_i]"))), "mother_height_in", "67"},
		"17 ounces":                       {panel("8339-4", about("Patient/child"), part("8339-4", quantity(7, "[lb_av]")), part("8339-4", quantity(17, "[oz_av]"))), "birth_weight_g", ""},
		"half a pound and ounces":         {panel("8339-4", about("Patient/child"), part("8339-4", quantity(7.5, "[lb_av]")), part("8339-4", quantity(3, "[oz_av]"))), "birth_weight_g", ""},
		"pounds twice":                    {panel("8339-4", about("Patient/child"), part("8339-4", quantity(7, "[lb_av]")), part("8339-4", quantity(9, "[lb_av]"))), "birth_weight_g", ""},
		"pounds and grams":                {panel("8339-4", about("Patient/child"), part("8339-4", quantity(7, "[lb_av]")), part("8339-4", quantity(9, "g"))), "birth_weight_g", ""},
		"pounds, and ounces that are not": {panel("8339-4", about("Patient/child"), part("8339-4", quantity(7, "[lb_av]")), part("8339-4", m{"dataAbsentReason": concept("unknown")})), "birth_weight_g", ""},
		"a value of its own as well":      {panel("8339-4", about("Patient/child").With(quantity(3420, "g")), part("8339-4", quantity(7, "[lb_av]")), part("8339-4", quantity(9, "[oz_av]"))), "birth_weight_g", "3420"},
		"pounds as its value, and ounces": {panel("8339-4", about("Patient/child").With(quantity(7, "[lb_av]")), part("8339-4", quantity(9, "[oz_av]"))), "birth_weight_g", ""},
		"of the wrong child":              {panel("8339-4", about("Patient/gone"), part("8339-4", quantity(7, "[lb_av]")), part("8339-4", quantity(9, "[oz_av]"))), "birth_weight_g", ""},
	} {
		require.Equal(t, c.want, stated(courseOf(t, c.of), c.field), name)
	}
}

func TestTwoPartsOfOneAmountInTwoObservationsStateNothing(t *testing.T) {
	weight := func(n float64, unit string, more ...m) m {
		return obs("8339-4", append([]m{quantity(n, unit)}, more...)...)
	}
	height := func(n float64, unit string) m { return obs("8302-2", quantity(n, unit)) }
	for name, c := range map[string]struct {
		field string
		want  string
		of    []m
	}{
		"pounds and ounces":             {"birth_weight_g", "", []m{weight(7, "[lb_av]"), weight(9, "[oz_av]")}},
		"ounces and pounds":             {"birth_weight_g", "", []m{weight(9, "oz"), weight(7, "lb")}},
		"and grams":                     {"birth_weight_g", "3430", []m{weight(7, "[lb_av]"), weight(9, "[oz_av]"), weight(3430, "g")}},
		"pounds, and all of it as well": {"birth_weight_g", "3175", []m{weight(7, "[lb_av]"), weight(121, "[oz_av]")}},
		"pounds with a fraction":        {"birth_weight_g", "3430", []m{weight(7.5625, "[lb_av]"), weight(9, "[oz_av]")}},
		"ounces that are none":          {"birth_weight_g", "3175", []m{weight(7, "[lb_av]"), weight(0, "[oz_av]")}},
		"ounces that were withdrawn":    {"birth_weight_g", "3175", []m{weight(7, "[lb_av]"), weight(9, "[oz_av]", m{"status": "entered-in-error"})}},
		"feet and inches":               {"mother_height_in", "", []m{height(5, "[ft_i]"), height(7, "[in_i]")}},
		"weeks, which are completed":    {"gestational_age_weeks", "39", []m{obs("11884-4", quantity(39, "wk")), obs("11884-4", quantity(4, "d"))}},
		"next to a panel with a value":  {"birth_weight_g", "3175", []m{weight(7, "[lb_av]"), panel("x", quantity(9, "oz"), part("9274-2", integer(9)))}},
	} {
		require.Equal(t, c.want, stated(courseOf(t, c.of...), c.field), name)
	}
	d := masked(t, bundle(mother(), twin(1), twin(2), weight(7, "lb", about("Patient/a")), weight(9, "oz", about("Patient/b"))))
	require.Equal(t, []string{"3175", "255"}, weights(d), "of two children")
}

func TestAComponentCountsLikeAnObservationOfItsOwn(t *testing.T) {
	apgars := []m{part("9272-6", integer(7)), part("9274-2", integer(9)), part("9271-8", m{"dataAbsentReason": concept("not-performed")})}
	d := courseOf(t, panel("48334-7", about("Patient/child"), apgars...))
	require.Equal(t, []string{"7", "9", ""}, []string{stated(d, "apgar_one_minute"), stated(d, "apgar_five_minute"), stated(d, "apgar_ten_minute")})

	for name, c := range map[string]struct {
		of   m
		want string
	}{
		"of the child":              {panel("48334-7", about("Patient/child"), apgars...), "9"},
		"with the child in focus":   {panel("48334-7", about("Patient/mother").With(focus("Patient/child")), apgars...), "9"},
		"of the mother":             {panel("48334-7", about("Patient/mother"), apgars...), ""},
		"of nobody":                 {panel("48334-7", m{}, apgars...), ""},
		"of somebody else":          {panel("48334-7", about("Patient/gone"), apgars...), ""},
		"withdrawn":                 {panel("48334-7", about("Patient/child").With(m{"status": "entered-in-error"}), apgars...), ""},
		"with a modifier":           {panel("48334-7", about("Patient/child").With(m{"modifierExtension": l{m{"url": "urn:x"}}}), apgars...), ""},
		"with a modifier of a part": {panel("48334-7", about("Patient/child"), part("9274-2", integer(9)).With(m{"modifierExtension": l{m{"url": "urn:x"}}})), ""},
		"twice in one panel":        {panel("48334-7", about("Patient/child"), part("9274-2", integer(9)), part("9274-2", integer(6))), ""},
		"years before":              {panel("48334-7", about("Patient/child").With(m{"effectiveDateTime": "2019-01-01"}), apgars...), ""},
		"of another system":         {panel("48334-7", about("Patient/child"), m{"code": m{"coding": l{m{"system": "urn:x", "code": "9274-2"}}}}.With(integer(9))), ""},
		"with two values":           {panel("48334-7", about("Patient/child"), part("9274-2", integer(9).With(m{"valueString": "8"}))), ""},
		"of a wrong type":           {panel("48334-7", about("Patient/child"), part("9274-2", m{"valueInteger": l{9}})), ""},
		"with a reason for none":    {panel("48334-7", about("Patient/child"), part("9274-2", m{"valueInteger": 0, "_valueInteger": extended(extension(absent, m{"valueCode": "unknown"}))})), ""},
		"in words":                  {panel("48334-7", about("Patient/child"), part("9274-2", m{"valueString": "9"})), "9"},
		"with the code of the part": {panel("9274-2", about("Patient/child"), part("9274-2", integer(9))), "9"},
		"beside a value of its own": {panel("9274-2", about("Patient/child").With(integer(8)), part("9274-2", integer(9))), "8"},
		"out of range":              {panel("48334-7", about("Patient/child"), part("9274-2", integer(12))), ""},
	} {
		require.Equal(t, c.want, stated(masked(t, bundle(mother(), child(m{"birthDate": "2026-03-02"}), c.of)), "apgar_five_minute"), name)
	}
}

func TestAComponentIsOfTheTimeOfItsPanelsStay(t *testing.T) {
	stay := func(day string) m {
		return encounter(about("Patient/mother"), m{"id": "stay", "period": m{"start": day, "end": day}})
	}
	weighed := panel("57060-6", about("Patient/mother").With(m{"encounter": m{"reference": "Encounter/stay"}}), part("69461-2", quantity(150, "[lb_av]")))
	of := func(day string) string {
		return stated(masked(t, bundle(mother(), child(m{"birthDate": "2026-03-02"}), stay(day), weighed)), "delivery_weight_lb")
	}
	require.Equal(t, "150", of("2026-03-02"))
	require.Empty(t, of("2014-05-01"))
}

func TestThePartsOfAMothersPanelAreHers(t *testing.T) {
	d := courseOf(t, panel("57060-6", about("Patient/mother"), part("11996-6", integer(3)), part("11977-6", integer(1)),
		part("73775-9", m{"valueCodeableConcept": concept("11687002")}), part("73775-9", m{"valueCodeableConcept": concept("48194001")})))
	require.Equal(t, "3", stated(d, "gravida"))
	require.Equal(t, "1", stated(d, "parity"))
	require.Equal(t, `["diabetes_gestational","hypertension_gestational"]`, stated(d, "risk_factors"), "findings add up")
	negative := m{"interpretation": l{concept("NEG")}}
	d = courseOf(t, panel("57060-6", about("Patient/mother"), part("72519-2", coded("15628003").With(negative)), part("72519-2", coded("76272004"))))
	require.Equal(t, `["syphilis"]`, stated(d, "infections"), "a component has an interpretation of its own")
}

func TestEachComponentIsKeptOrDroppedForAReason(t *testing.T) {
	doc := bundle(mother(), child(), panel("48334-7", about("Patient/child"), part("9272-6", integer(7)), part("9274-2", integer(12)), part("32401-2", integer(2))))
	i := item(t, doc, Reader{Traced: true})
	kept, dropped := i.Trace.Report(i.Draft)
	at := map[string]mapping.Reason{}
	for _, e := range dropped {
		at[e.At] = e.Why
	}
	require.Equal(t, mapping.OutOfRange, at["Bundle.entry[2].resource.component[1]"])
	require.Equal(t, mapping.NoField, at["Bundle.entry[2].resource.component[2]"])
	require.NotContains(t, at, "Bundle.entry[2].resource")
	for _, k := range kept {
		if k.Name == "apgar_one_minute" {
			require.Equal(t, "Bundle.entry[2].resource.component[0]", k.From[0].At)
		}
	}
}
