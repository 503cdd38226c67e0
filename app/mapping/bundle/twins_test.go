package bundle

import (
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
	"birthregistry/app/mapping/mappingtest"
)

func weights(d birth.Draft) []string { return across(d, "birth_weight_g") }

// across returns a field's value for each child.
func across(d birth.Draft, field string) []string {
	var all []string
	for _, child := range d.Children {
		all = append(all, mappingtest.Stated(child, field))
	}
	return all
}

func TestTwinsAreInEntryOrderUnlessAllStateTheirBirthOrder(t *testing.T) {
	unnumbered := func(id string, more ...m) m { return patient(id, childProfile, more...) }
	for _, c := range []struct {
		name     string
		children []m
		want     []string
	}{
		{"by birth order when all state one", []m{twin(3), twin(1), twin(2)}, []string{"1", "2", "3"}},
		{"in entry order when one states none", []m{twin(3), unnumbered("x"), twin(1)}, []string{"3", "", "1"}},
		{"in entry order when one states what is none", []m{twin(3), twin(1, m{"multipleBirthInteger": -1})}, []string{"3", ""}},
		{"in entry order, and without one, when they state the same", []m{twin(2, m{"id": "x"}), twin(2, m{"id": "y"})}, []string{"", ""}},
		{
			"numbers as texts",
			[]m{twin(2, m{"multipleBirthInteger": "2"}), twin(1, m{"multipleBirthInteger": "1"})},
			[]string{"1", "2"},
		},
		{"one that is said to be absent", []m{twin(2), twin(1, m{"_multipleBirthInteger": extended(extension(absent, m{"valueCode": "unknown"}))})}, []string{"2", ""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := masked(t, bundle(append([]m{mother()}, c.children...)...))
			require.Equal(t, c.want, across(d, "birth_order"))
		})
	}
}

// withURLs gives the entries of a Bundle these addresses, in order.
func withURLs(doc m, urls ...string) m {
	for i, url := range urls {
		if url != "" {
			doc["entry"].(l)[i].(m)["fullUrl"] = url
		}
	}
	return doc
}

func TestAnObservationFindsItsChild(t *testing.T) {
	weigh := func(n int, more ...m) m { return obs("8339-4", append([]m{quantity(n, "g")}, more...)...) }
	entries := withURLs
	full := "http://www.example.org/fhir/Patient/"
	for _, c := range []struct {
		name string
		doc  m
		want []string
	}{
		{"by a relative reference", bundle(mother(), twin(1), twin(2), weigh(3000, about("Patient/b"))), []string{"", "3000"}},
		{
			"by focus",
			bundle(mother(), twin(1), twin(2), weigh(3000, about("Patient/mother"), m{
				"focus": l{m{"reference": "Encounter/x"}, m{"reference": "Patient/b"}},
			})),
			[]string{"", "3000"},
		},
		{
			"by fullUrl",
			entries(bundle(mother(), twin(1), twin(2), weigh(3000, about(full+"b"))), "", full+"a", full+"b"),
			[]string{"", "3000"},
		},
		{
			"by an absolute reference, where fullUrl is missing",
			bundle(mother(), twin(1), twin(2), weigh(3000, about(full+"b"))),
			[]string{"", "3000"},
		},
		{
			"by a urn",
			entries(bundle(mother(), twin(1), twin(2), weigh(3000, about("urn:uuid:2"))), "", "urn:uuid:1", "urn:uuid:2"),
			[]string{"", "3000"},
		},
		{
			"by a urn that is the id",
			bundle(
				mother(), twin(1, m{"id": "urn:uuid:1"}), twin(2, m{"id": "2"}),
				weigh(1000, about("Patient/1")), weigh(2000, about("urn:uuid:2")),
			),
			[]string{"1000", "2000"},
		},
		{"by a version of it", bundle(mother(), twin(1), twin(2), weigh(3000, about("Patient/b/_history/7"))), []string{"", "3000"}},
		{"whoever is sorted first", bundle(mother(), twin(2), twin(1), weigh(3000, about("Patient/b"))), []string{"", "3000"}},
		{
			"each their own",
			bundle(weigh(2000, about("Patient/b")), twin(2), mother(), weigh(1000, about("Patient/a")), twin(1)),
			[]string{"1000", "2000"},
		},
		{"no subject is ambiguous among twins", bundle(mother(), twin(1), twin(2), weigh(3000)), []string{"", ""}},
		{"the mother as subject, too", bundle(mother(), twin(1), twin(2), weigh(3000, about("Patient/mother"))), []string{"", ""}},
		{
			"a subject that resolves to nothing, too",
			bundle(mother(), twin(1), twin(2), weigh(3000, about("Patient/zzz"))),
			[]string{"", ""},
		},
		{
			"an only child is meant whoever is the subject",
			bundle(mother(), twin(1), weigh(3000, about("Patient/mother"))),
			[]string{"3000"},
		},
		{"an only child is meant without a subject", bundle(mother(), twin(1), weigh(3000)), []string{"3000"}},
		{"nobody is meant when the subject resolves to nobody", bundle(mother(), twin(1), weigh(3000, about("urn:uuid:gone"))), []string{""}},
		{"nor by a name alone", bundle(mother(), twin(1), weigh(3000, m{"subject": m{"display": "Baby"}})), []string{""}},
		{"nor by an identifier alone", bundle(mother(), twin(1), weigh(3000, m{"subject": m{"identifier": m{"value": "7"}}})), []string{""}},
		{"a subject that is empty names nobody", bundle(mother(), twin(1), weigh(3000, m{"subject": m{}})), []string{"3000"}},
		{
			"an id that two children share finds neither",
			bundle(mother(), twin(1), twin(2, m{"id": "a"}), weigh(3000, about("Patient/a")), weigh(3000, about(full+"a"))),
			[]string{"", ""},
		},
		{
			"unless fullUrl tells them apart",
			entries(bundle(
				mother(), twin(1), twin(2, m{"id": "a"}), weigh(1000, about("urn:uuid:1")), weigh(2000, about("http://y/Patient/a")),
			), "", "urn:uuid:1", "http://y/Patient/a"),
			[]string{"1000", "2000"},
		},
		{
			"a fullUrl that two children share finds neither, but their ids do",
			entries(bundle(mother(), twin(1), twin(2), weigh(1000, about("urn:uuid:x")), weigh(2000, about("Patient/b"))), "", "urn:uuid:x", "urn:uuid:x"),
			[]string{"", "2000"},
		},
		{
			"nor does one of their ids that reads the same",
			entries(bundle(mother(), twin(1), twin(2), weigh(3000, about("urn:uuid:a"))), "", "urn:uuid:a", "urn:uuid:a"),
			[]string{"", ""},
		},
		{
			"a fullUrl before an id that reads the same",
			entries(bundle(mother(), twin(1), twin(2, m{"id": "1"}), weigh(1000, about("urn:uuid:1"))), "", "urn:uuid:1", "urn:uuid:2"),
			[]string{"1000", ""},
		},
		{"the kind of the reference counts", bundle(mother(), twin(1), twin(2), weigh(3000, about("Group/b"))), []string{"", ""}},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, weights(masked(t, c.doc))) })
	}
}

func TestAFactAboutThePregnancyHoldsForAllChildren(t *testing.T) {
	both := []m{mother(), twin(1), twin(2)}
	d := masked(t, bundle(append(both, obs("11884-4", quantity(259, "d"), about("Patient/mother")), obs("73762-7", coded("11466000")))...))
	require.Equal(t, []string{"37", "37"}, across(d, "gestational_age_weeks"))
	require.Equal(t, []string{"0", "0"}, across(d, "gestational_age_days"))
	require.Equal(t, []string{`"cesarean"`, `"cesarean"`}, across(d, "delivery_method"))

	vaginal, cesarean := obs("73762-7", coded("700000006"), about("Patient/a")), obs("73762-7", coded("11466000"), about("Patient/b"))
	d = masked(t, bundle(append(both, cesarean, vaginal)...))
	require.Equal(t, []string{`"vaginal_spontaneous"`, `"cesarean"`}, across(d, "delivery_method"), "stated of one child it is that child's")
}

func TestAFactAboutThePregnancyIsNoFactAboutAnOlderChild(t *testing.T) {
	born := func(id, day string) m { return patient(id, childProfile, m{"birthDate": day}) }
	route := obs("73762-7", coded("11466000"), about("Patient/mother"))
	for _, c := range []struct {
		name     string
		children []m
		want     []string
	}{
		{"an older child", []m{born("a", "2026-03-02"), born("b", "2022-05-05")}, []string{"", ""}},
		{"an older child first", []m{born("a", "2022-05-05"), born("b", "2026-03-02")}, []string{"", ""}},
		{"twins around midnight", []m{born("a", "2026-03-02"), born("b", "2026-03-03")}, []string{`"cesarean"`, `"cesarean"`}},
		{"a twin whose day is not known", []m{born("a", "2026-03-02"), born("b", "2026")}, []string{`"cesarean"`, `"cesarean"`}},
	} {
		require.Equal(t, c.want, across(masked(t, bundle(append(append([]m{mother()}, c.children...), route)...)), "delivery_method"), c.name)
	}
	d := masked(t, bundle(mother(), born("a", "2026-03-02"), born("b", "2022-05-05"), route.With(about("Patient/a"))))
	require.Equal(t, []string{`"cesarean"`, ""}, across(d, "delivery_method"), "stated of one child it is that child's")
}

func TestAFactAboutTheMotherIsHersWhoeverTheSubjectIs(t *testing.T) {
	for _, subject := range []string{"Patient/mother", "Patient/a", "Patient/gone", ""} {
		smoked, learned := obs("64794-1", integer(5), about(subject)), obs("57712-2", coded("HS"), about(subject))
		d := masked(t, bundle(mother(), twin(1), twin(2), smoked, learned))
		require.Equal(t, "5", stated(d, "cigarettes_per_day_pre"))
		require.Equal(t, `"high_school"`, stated(d, "mother_education"))
	}
}

func TestPluralityIsStatedOrUnknown(t *testing.T) {
	of := func(n any) m { return extended(extension(total, m{"valuePositiveInt": n})) }
	two, unknown := obs("57722-1", m{"valueInteger": 2}), extended(extension(absent, m{"valueCode": "unknown"}))
	for _, c := range []struct {
		name string
		doc  m
		want string
	}{
		{"multipleBirthTotal", bundle(mother(), twin(3, m{"_multipleBirthInteger": of(4)})), "4"},
		{
			"under multipleBirthBoolean",
			bundle(mother(), child(m{"multipleBirthBoolean": false, "_multipleBirthBoolean": of(1)})), "1",
		},
		{"on the Patient itself", bundle(mother(), child(of(2))), "2"},
		{"as an integer", bundle(mother(), child(m{"_multipleBirthInteger": extended(extension(total, m{"valueInteger": 2}))})), "2"},
		{"on any child", bundle(mother(), twin(1), twin(2, m{"_multipleBirthInteger": of(3)})), "3"},
		{"a single birth that says so", bundle(mother(), child(m{"multipleBirthBoolean": false})), "1"},
		{"else the Observation", bundle(mother(), twin(1), two), "2"},
		{"else the number of children, where there are several", bundle(mother(), twin(1), twin(2), twin(3)), "3"},
		{"and some of them died before", bundle(mother(), twin(1), patient("b", fetusProfile), obs("73773-4", integer(1)), obs("73772-6", integer(1))), "2"},
		{"a total out of range gives way", bundle(mother(), child(m{"_multipleBirthInteger": of(0)}), two), "2"},
		{"a total that is not known gives way", bundle(mother(), child(m{"_multipleBirthInteger": unknown}), two), "2"},
		{"twins with their mother's number", bundle(mother(), twin(1, m{"identifier": l{identity(mrn, "M-1")}}), twin(2, m{"identifier": l{identity(mrn, "M-1")}})), "2"},
		{"live births of this delivery are not it", bundle(mother(), twin(1), twin(2), obs("73773-4", m{"valueInteger": 1})), "2"},

		{"silence is never 1", bundle(mother(), child()), ""},
		{"nor is a first-born", bundle(mother(), twin(1)), ""},
		{"nor an order that is none", bundle(mother(), twin(99)), ""},
		{"nor a fetus alone", bundle(mother(), patient("b", fetusProfile), obs("73772-6", integer(1))), ""},
		{"a multiple birth of which it is not said how many", bundle(mother(), child(m{"multipleBirthBoolean": true})), ""},
		{"a reason why it is not told", bundle(mother(), child(m{"_multipleBirthInteger": unknown})), ""},
		{"a reason among twins", bundle(mother(), twin(1), patient("b", childProfile, m{"_multipleBirthBoolean": unknown})), ""},
		{"an order that cannot be read", bundle(mother(), twin(1), patient("b", childProfile, m{"multipleBirthInteger": true})), ""},
		{"an order beyond the children", bundle(mother(), twin(1), twin(3)), ""},
		{"an order that two have", bundle(mother(), twin(1), twin(2, m{"multipleBirthInteger": 1})), ""},
		{"one child under two ids", bundle(mother(), child(m{"identifier": l{identity(mrn, "K-1")}}), patient("again", childProfile, m{"identifier": l{identity(mrn, "K-1")}})), ""},
		{"more live births than children", bundle(mother(), twin(1), twin(2), obs("73773-4", m{"valueInteger": 3})), ""},
		{"a withdrawn one denies nothing", bundle(mother(), twin(1), twin(2), obs("73773-4", m{"valueInteger": 3, "status": "entered-in-error"})), "2"},
		{"a fetal death next to live twins", bundle(mother(), twin(1), twin(2), obs("73772-6", integer(1))), ""},

		{"two totals that differ", bundle(mother(), twin(1, m{"_multipleBirthInteger": of(2)}), twin(2, m{"_multipleBirthInteger": of(3)})), ""},
		{"a total and an Observation that differ", bundle(mother(), twin(1, m{"_multipleBirthInteger": of(3)}), two), ""},
		{"a single birth of twins", bundle(mother(), child(m{"multipleBirthBoolean": false}), twin(2)), ""},
		{"a total of one, born second", bundle(mother(), twin(2, m{"_multipleBirthInteger": of(1)})), ""},
		{"a total of one, next to a fetal death", bundle(mother(), child(m{"_multipleBirthInteger": of(1)}), obs("73772-6", integer(1))), ""},
		{"a multiple birth of one", bundle(mother(), child(m{"multipleBirthBoolean": true}), obs("57722-1", integer(1))), ""},
		{"the field's own name", bundle(mother(), twin(3), obs("plurality", m{"valueInteger": 3})), "3"},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, stated(masked(t, c.doc), "plurality")) })
	}
}

// BFDR 2.0.0 uses one code for two things.
func TestAnAmbiguousNumberOfLiveBirthsIsLeftOut(t *testing.T) {
	two, three := obs("73773-4", integer(2)), obs("73773-4", integer(3))
	require.Equal(t, "2", stated(courseOf(t, two), "live_births_this_delivery"))
	require.Equal(t, "2", stated(courseOf(t, two, two), "live_births_this_delivery"))
	require.Empty(t, stated(courseOf(t, two, three), "live_births_this_delivery"))
	require.Empty(t, stated(courseOf(t, three, two), "live_births_this_delivery"))
	require.Equal(t, "2", stated(courseOf(t, two, three.With(m{"status": "preliminary"})), "live_births_this_delivery"))
	require.Equal(t, "3", stated(courseOf(t, two, three.With(m{"status": "corrected"})), "live_births_this_delivery"))
}

func TestATextThatNamesAnotherTwinGivesThisOneNothing(t *testing.T) {
	weight := func(text string, more ...m) m {
		return obs("8339-4", append([]m{quantity(2100, "g"), {"code": m{"coding": l{m{"system": "http://loinc.org", "code": "8339-4"}}, "text": text}}}, more...)...)
	}
	alone := func(resource m) string {
		return stated(masked(t, bundle(mother(), child(m{"multipleBirthInteger": 1}), resource)), "birth_weight_g")
	}
	for _, whose := range []m{about("Patient/child"), about("Patient/mother")} {
		require.Equal(t, "2100", alone(weight("Birth weight, twin A", whose)))
		require.Equal(t, "2100", alone(weight("Birth weight of newborn 5 minutes after birth", whose)), "a time is no order")
		require.Equal(t, "2100", alone(weight("First twin, birth weight", whose)))
		for _, other := range []string{"Birth weight - Twin B", "Birth weight, second twin", "2nd twin birth weight"} {
			require.Empty(t, alone(weight(other, whose)), other)
		}
	}
}
