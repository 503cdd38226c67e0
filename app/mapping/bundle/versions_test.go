package bundle

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
	"birthregistry/app/mapping"
	"birthregistry/app/mapping/mappingtest"
)

// twice returns a course that has one resource in two versions.
func twice(first, second m) m {
	return withURLs(bundle(mother(), child(), first, second), "", "", "urn:uuid:7", "urn:uuid:7")
}

func changed(at string) m { return m{"meta": m{"lastUpdated": at}} }

func TestOfTwoVersionsOfOneResourceTheNewerCounts(t *testing.T) {
	older, newer := changed("2026-03-02T10:00:00Z"), changed("2026-03-02T11:00:00Z")
	weight := func(g int, more ...m) m { return obs("8339-4", quantity(g, "g")).With(more...) }
	require.Equal(t, "3300", stated(masked(t, twice(weight(3200), weight(3300))), "birth_weight_g"), "the last, where nothing tells")
	require.Equal(t, "3200", stated(masked(t, twice(weight(3200, newer), weight(3300, older))), "birth_weight_g"))
	require.Empty(t, stated(masked(t, twice(weight(3200), weight(3200, m{"status": "entered-in-error"}))), "birth_weight_g"))

	infected := obs("72519-2", coded("15628003"))
	require.Equal(t, `["none"]`, stated(masked(t, twice(infected, obs("72519-2", coded("260413007")))), "infections"))
	require.Equal(t, `["gonorrhea"]`, stated(masked(t, withURLs(bundle(mother(), child(), infected, obs("72519-2", coded("260413007"))), "", "", "urn:uuid:7", "urn:uuid:8")), "infections"), "two resources are two findings")

	moved := encounter(m{"type": l{m{"text": "Neonatal transfer"}}}, about("Patient/child"))
	require.Len(t, masked(t, twice(moved, moved)).Transfers, 1)
	require.Empty(t, masked(t, twice(moved, moved.With(m{"status": "cancelled"}))).Transfers)

	named := masked(t, twice(staff("p", m{"name": l{m{"text": "Dana"}}}), staff("p", m{"name": l{m{"text": "Dana Ruiz"}}})))
	require.Len(t, named.Providers, 1)
	require.Equal(t, "Dana Ruiz", named.Providers[0].Name)
}

func TestOfTwoVersionsOfAFactOrACoverageTheNewerCounts(t *testing.T) {
	older, newer := changed("2026-03-02T10:00:00Z"), changed("2026-03-02T11:00:00Z")
	of := func(field string, resources ...m) string {
		return stated(masked(t, twice(resources[0], resources[1]), wide), field)
	}
	cesarean := procedure("73762-7", "11466000")
	require.Equal(t, `"cesarean"`, of("delivery_method", cesarean.With(older), cesarean.With(newer)))
	wrong := cesarean.With(m{"status": "entered-in-error"})
	require.Empty(t, of("delivery_method", cesarean.With(older), wrong.With(newer)))
	require.Empty(t, of("delivery_method", wrong.With(newer), cesarean.With(older)))
	require.Empty(t, of("delivery_method", cesarean, wrong), "where nothing tells which is the last")
	require.Empty(t, of("delivery_method", cesarean.With(older), m{"resourceType": "Procedure", "status": 7}.With(newer)), "an unreadable one replaces it, too")

	diabetes := condition("73775-9", "11687002")
	refuted := diabetes.With(m{"verificationStatus": m{"coding": l{m{"code": "entered-in-error"}}}})
	require.Empty(t, of("risk_factors", diabetes.With(older), refuted.With(newer)))
	corrected := condition("73775-9", "73211009")
	require.Equal(t, `["diabetes_prepregnancy"]`, of("risk_factors", diabetes.With(older), corrected.With(newer)))

	paid := m{"resourceType": "Coverage", "status": "active", "type": codingOf(mapping.SOPTURL, "5"), "beneficiary": m{"reference": "Patient/mother"}}
	require.Equal(t, `"private"`, of("principal_payer", paid.With(older), paid.With(newer)))
	require.Empty(t, of("principal_payer", paid.With(older), paid.With(newer, m{"status": "entered-in-error"})))

	gone := m{"request": m{"method": "DELETE", "url": "Condition/d"}}
	all := items(t, historyOf(l{gone}, diabetes.With(m{"id": "d"})), wide)
	require.Empty(t, stated(birth.Mask(*all[len(all)-1].Draft).Draft(), "risk_factors"), "the Bundle deletes it")
	all = items(t, historyOf(nil, diabetes.With(m{"id": "d"})), wide)
	require.Equal(t, `["diabetes_gestational"]`, stated(birth.Mask(*all[len(all)-1].Draft).Draft(), "risk_factors"))
}

func TestAPatientWhoIsSentTwiceIsOne(t *testing.T) {
	urls := []string{"urn:uuid:m", "urn:uuid:m", "urn:uuid:c", "urn:uuid:c"}
	d := masked(t, withURLs(bundle(mother(), mother(m{"birthDate": "1994-05-17"}), child(), child(m{"gender": "female"})), urls...))
	require.Len(t, d.Children, 1)
	require.Equal(t, `"female"`, stated(d, "child_sex"))
	require.Equal(t, `"1994-05-17"`, stated(d, "mother_birth_date"))
	require.Empty(t, stated(d, "plurality"))

	d = masked(t, withURLs(bundle(mother(), child(), twin(1), twin(2)), "", "", "urn:uuid:c", "urn:uuid:c"))
	require.Len(t, d.Children, 3, "two ids are two children")
}

func TestWithoutAnAddressOneIDIsOneResource(t *testing.T) {
	weight := obs("8339-4", quantity(3200, "g")).With(m{"id": "w"})
	require.Empty(t, stated(masked(t, bundle(mother(), child(), weight, weight.With(m{"status": "entered-in-error"}))), "birth_weight_g"))
	moved := encounter(m{"id": "e", "type": l{m{"text": "Neonatal transfer"}}}, about("Patient/child"))
	require.Len(t, masked(t, bundle(mother(), child(), moved, moved)).Transfers, 1)
	require.Len(t, masked(t, bundle(mother(), child(), moved, moved.With(m{"id": "f"}))).Transfers, 2)
}

func TestADateAfterTheBirthThatMustBeBeforeItIsLeftOut(t *testing.T) {
	period := func(date string) m { return obs("8665-2", m{"valueDateTime": date}) }
	d := masked(t, bundle(mother(m{"birthDate": "2031-01-01"}), child(m{"birthDate": "2030-03-02"}), period("2030-08-01")))
	require.Empty(t, stated(d, "mother_birth_date"))
	require.Empty(t, stated(d, "last_menstrual_period"))
	require.NotEmpty(t, stated(d, "birth_date"))
	visited := masked(t, bundle(mother(), child(m{"birthDate": "2026-03-02"}), obs("69044-6", m{"valueDateTime": "2026-08"}), obs("labor_onset_datetime", m{"valueDateTime": "2026-03-03"})))
	require.Empty(t, stated(visited, "prenatal_first_visit_date"), "no prenatal visit is after the birth")
	require.Empty(t, stated(visited, "labor_onset_datetime"), "labor doesn't begin after the birth")
	for at, want := range map[string]string{"2026-03-03T02:00:00Z": `"2026-03-03T02:00:00Z"`, "2026-03-03T15:00:00Z": "", "2026-03-03T02:00:00-05:00": ""} {
		labor := masked(t, bundle(mother(), child(m{"birthDate": "2026-03-02"}), obs("labor_onset_datetime", m{"valueDateTime": at})))
		require.Equal(t, want, stated(labor, "labor_onset_datetime"), "%s: in UTC, an evening is already the next day", at)
	}
	require.Equal(t, `"2025-06-01"`, stated(masked(t, bundle(mother(), child(m{"birthDate": "2026-03-02"}), period("2025-06-01"))), "last_menstrual_period"))
}

func TestSendingEveryResourceTwiceChangesNothing(t *testing.T) {
	for name, body := range mappingtest.Samples(t) {
		var doc any
		require.NoError(t, json.Unmarshal(body, &doc))
		repeated(doc.(map[string]any))
		want, got := read(t, Reader{}, string(body)), read(t, Reader{}, text(t, doc))
		require.Len(t, got, len(want), name)
		for i := range want {
			if want[i].Draft != nil {
				require.Equal(t, birth.Mask(*want[i].Draft).Draft(), birth.Mask(*got[i].Draft).Draft(), name)
			}
		}
	}
}

// repeated includes every resource of each course twice.
func repeated(doc map[string]any) {
	entries, _ := doc["entry"].([]any)
	for _, e := range slices.Clone(entries) {
		resource, _ := e.(map[string]any)["resource"].(map[string]any)
		switch {
		case resource == nil:
		case resource["resourceType"] == "Bundle":
			repeated(resource)
		default:
			entries = append(entries, e)
		}
	}
	if entries != nil {
		doc["entry"] = entries
	}
}

func TestAStayOfSomebodyElseStatesNothingAboutTheBirth(t *testing.T) {
	brother := patient("brother", "http://example.org/Patient-brother")
	d := courseOf(t, brother, staff("p", qualified("Midwife")), encounter(
		about("Patient/brother"), attended("Practitioner/p"), located("", "22232009"), m{"type": l{m{"text": "Neonatal transfer"}}},
	))
	require.Empty(t, d.Transfers)
	require.Empty(t, stated(d, "birth_setting"))
	require.False(t, d.Providers[0].Attending)
}

func TestTwoDifferentPlacesStateNoPlace(t *testing.T) {
	home, hospital := located("", "408839006"), located("", "22232009")
	both := m{"location": slices.Concat(home["location"].(l), hospital["location"].(l))}
	d := courseOf(t, encounter(about("Patient/child"), both))
	require.Empty(t, stated(d, "birth_setting"), "in one stay")
	require.Equal(t, `"home"`, stated(d, "planned_birth_setting"))
	require.Empty(t, stated(courseOf(t, encounter(about("Patient/child"), home), encounter(about("Patient/child"), hospital)), "birth_setting"), "in two")
	require.Equal(t, `"hospital"`, stated(courseOf(t, encounter(about("Patient/mother"), home), encounter(about("Patient/child"), hospital)), "birth_setting"),
		"the child's own stay knows best")
}

func versionOf(id string) m { return m{"meta": m{"versionId": id}} }

func TestOfTwoVersionsWithoutTimesTheHigherNumberCounts(t *testing.T) {
	weight := func(g int, more m) m { return obs("8339-4", quantity(g, "g"), more) }
	for _, c := range []struct {
		first, second m
		want          string
	}{
		{versionOf("10"), versionOf("9"), "3200"},
		{versionOf("9"), versionOf("10"), "3300"},
		{versionOf("x"), versionOf("y"), "3300"},
		{versionOf("2"), m{}, "3300"},
		{m{"meta": m{"versionId": "2", "lastUpdated": "2026-03-02"}}, m{"meta": m{"versionId": "1", "lastUpdated": "2026-03-04"}}, "3300"},
	} {
		require.Equal(t, c.want, stated(masked(t, twice(weight(3200, c.first), weight(3300, c.second))), "birth_weight_g"), text(t, c.first))
	}
}

func TestAResourceThatAHistoryReportsAsDeletedIsIgnored(t *testing.T) {
	const base = "http://ehr.example.org/fhir/"
	history := func(urls []string, resources ...m) m {
		doc := withURLs(bundle(resources...), urls...)
		doc["type"] = "history"
		return doc
	}
	deleted := func(url string) m {
		return m{"fullUrl": base + url, "request": m{"method": "DELETE", "url": url}}
	}
	urls := []string{base + "Patient/mother", base + "Patient/a", base + "Patient/b", base + "Observation/w", base + "Observation/g"}
	about := m{"subject": m{"reference": "Patient/a"}}
	resources := []m{mother(), twin(1), twin(2), obs("8339-4", quantity(3200, "g"), about), obs("9274-2", integer(9), about)}
	for _, first := range []bool{true, false} {
		doc := history(urls, resources...)
		gone := l{deleted("Observation/w"), deleted("Patient/b")}
		if entries := doc["entry"].(l); first {
			doc["entry"] = append(gone, entries...)
		} else {
			doc["entry"] = append(entries, gone...)
		}
		all := items(t, doc)
		d := birth.Mask(*all[len(all)-1].Draft).Draft()
		require.Len(t, d.Children, 1)
		require.Equal(t, [2]string{"", "9"}, [2]string{stated(d, "birth_weight_g"), stated(d, "apgar_five_minute")})
	}
}

// historyOf returns a history of one birth: the given entries, then the mother, the child and a resource.
func historyOf(entries l, resource m) m {
	doc := bundle(mother(), child(), resource)
	doc["type"] = "history"
	doc["entry"] = append(entries, doc["entry"].(l)...)
	return doc
}

func TestAResourceThatWasCreatedAgainAfterItsDeletionStands(t *testing.T) {
	gone := func(response m) m {
		return m{"request": m{"method": "DELETE", "url": "Observation/w"}, "response": response}
	}
	at := func(time string) m { return m{"lastModified": time} }
	weight := func(meta m) m { return obs("8339-4", quantity(3200, "g"), m{"id": "w", "meta": meta}) }
	const early, late = "2026-03-02T10:00:00Z", "2026-03-02T11:00:00Z"
	for name, c := range map[string]struct {
		entries l
		meta    m
		want    string
	}{
		"created again":                      {l{gone(at(early))}, m{"lastUpdated": late}, "3200"},
		"created again, by its number":       {l{gone(m{"etag": `W/"2"`})}, m{"versionId": "3"}, "3200"},
		"deleted afterwards":                 {l{gone(at(late))}, m{"lastUpdated": early}, ""},
		"deleted afterwards, by its number":  {l{gone(m{"etag": `W/"2"`})}, m{"versionId": "1"}, ""},
		"at the same time":                   {l{gone(at(early))}, m{"lastUpdated": early}, ""},
		"on the same day":                    {l{gone(at("2026-03-02"))}, m{"lastUpdated": late}, ""},
		"the deletion has no time":           {l{gone(m{})}, m{"lastUpdated": late}, ""},
		"the version has no time":            {l{gone(at(early))}, m{}, ""},
		"a time that can't be read":          {l{gone(at("yesterday"))}, m{"lastUpdated": late}, ""},
		"deleted twice, the last afterwards": {l{gone(at(late)), gone(at("2026-03-01T10:00:00Z"))}, m{"lastUpdated": early}, ""},
		"deleted twice, both before":         {l{gone(at(early)), gone(at("2026-03-01T10:00:00Z"))}, m{"lastUpdated": late}, "3200"},
		"deleted twice, once without a time": {l{gone(at(early)), gone(m{})}, m{"lastUpdated": late}, ""},
		"a response of a wrong type":         {l{m{"request": m{"method": "DELETE", "url": "Observation/x"}, "response": "gone"}}, m{}, "3200"},
	} {
		all := items(t, historyOf(c.entries, weight(c.meta)))
		require.NotNil(t, all[len(all)-1].Draft, name)
		require.Equal(t, c.want, stated(birth.Mask(*all[len(all)-1].Draft).Draft(), "birth_weight_g"), name)
	}
}

func TestAVersionWithATimeIsNotNewerThanOneWithoutAny(t *testing.T) {
	weight := func(g int, more ...m) m { return obs("8339-4", quantity(g, "g")).With(more...) }
	timed := changed("2026-03-02T10:00:00Z")
	require.Equal(t, "3300", stated(masked(t, twice(weight(3200, timed), weight(3300))), "birth_weight_g"))
	require.Equal(t, "3300", stated(masked(t, twice(weight(3200), weight(3300, timed))), "birth_weight_g"))
}
