package bundle

import (
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
	"birthregistry/app/mapping"
)

func located(display string, codes ...string) m {
	place := m{"physicalType": concept(codes...)}
	if display != "" {
		place["location"] = m{"reference": "Location/x", "display": display}
	}
	return m{"location": l{place}}
}

func TestThePlaceOfBirthIsTheEncountersPhysicalType(t *testing.T) {
	for code, want := range map[string][2]string{
		"22232009":                {`"hospital"`, ""},
		"91154008":                {`"birth_center"`, ""},
		"408839006":               {`"home_planned"`, `"home"`},
		"408838003":               {`"home_unplanned"`, ""},
		"unknownplannedhomebirth": {`"home_unknown"`, ""},
		"67190003":                {`"clinic"`, ""},
		"OTH":                     {`"other"`, ""},
		"UNK":                     {"", ""},
		"12345":                   {"", ""},
	} {
		d := courseOf(t, encounter(located("South Hospital", code)))
		require.Equal(t, want, [2]string{stated(d, "birth_setting"), stated(d, "planned_birth_setting")}, code)
		require.Empty(t, stated(d, "facility_name"))
	}
}

func TestTheFacilityIsNeverAReferencesLabel(t *testing.T) {
	for _, resource := range []m{
		encounter(located("Location - US Core Location (South Hospital)", "22232009")),
		encounter(m{"serviceProvider": m{"display": "South Hospital"}}),
		encounter(about("Patient/child"), m{"location": l{m{"location": m{"display": "South Hospital"}}}}),
		{"resourceType": "Location", "id": "x", "name": "South Hospital"},
	} {
		require.Empty(t, stated(courseOf(t, resource), "facility_name"), text(t, resource))
	}
	d := courseOf(t, obs("facility_name", m{"valueString": " South  Hospital "}))
	require.Equal(t, `"South Hospital"`, stated(d, "facility_name"), "the service's own code names it")
}

func TestAPlannedOrWithdrawnStayDoesNotStateThePlaceOfBirth(t *testing.T) {
	for _, status := range []any{"planned", "cancelled", "entered-in-error", "Planned", 5} {
		require.Empty(t, stated(courseOf(t, encounter(located("", "22232009"), m{"status": status})), "birth_setting"), status)
	}
	for _, status := range []string{"planned", "reserved"} {
		there := m{"location": l{m{"status": status, "physicalType": concept("22232009")}, m{"physicalType": concept("408839006")}}}
		require.Equal(t, `"home_planned"`, stated(courseOf(t, encounter(there)), "birth_setting"), status)
	}
	both := encounter(m{"location": l{m{"physicalType": concept("22232009", "408839006")}}})
	require.Empty(t, stated(courseOf(t, both), "birth_setting"), "codings that mean two places tell neither")
}

func TestTheChildsEncounterDecidesThePlaceFirst(t *testing.T) {
	maternity := encounter(about("Patient/mother"), located("Clinic", "67190003"))
	d := courseOf(t, maternity, encounter(about("Patient/child"), located("South Hospital", "22232009")))
	require.Equal(t, `"hospital"`, stated(d, "birth_setting"))
	require.Equal(t, `"clinic"`, stated(courseOf(t, maternity), "birth_setting"), "without one the mother's does")
}

func profiled(name string) m {
	return m{"meta": m{"profile": l{"http://hl7.org/fhir/us/bfdr/StructureDefinition/" + name}}}
}

func inRole(code string) m {
	return extended(extension("http://hl7.org/fhir/us/bfdr/StructureDefinition/Extension-role", m{"valueCodeableConcept": concept(code)}))
}

func TestTheBirthsOwnEncounterStatesThePlace(t *testing.T) {
	of, clinic, hospital := about("Patient/mother"), located("Clinic", "67190003"), located("South Hospital", "22232009")
	center := located("Birth Center", "91154008")
	for _, c := range []struct {
		name string
		of   []m
		want string
	}{
		{"by its profile, without a subject", []m{encounter(of, clinic), encounter(profiled("Encounter-birth|2.0.0"), hospital)}, `"hospital"`},
		{"by its role", []m{encounter(of, clinic), encounter(inRole("CHILD"), hospital)}, `"hospital"`},
		{"before another of the child", []m{encounter(about("Patient/child"), clinic), encounter(profiled("Encounter-birth"), hospital)}, `"hospital"`},
		{"the mother's for the birth before her visits", []m{encounter(of, clinic), encounter(inRole("MTH"), hospital)}, `"hospital"`},
		{"by its profile as well", []m{encounter(of, clinic), encounter(profiled("Encounter-maternity"), center)}, `"birth_center"`},
		{"her visits not even where the birth's own does not tell", []m{encounter(of, clinic), encounter(profiled("Encounter-birth"))}, ""},
		{"her stay for the birth where the child's does not tell", []m{encounter(profiled("Encounter-birth")), encounter(profiled("Encounter-maternity"), hospital)}, `"hospital"`},
		{"not a prenatal visit", []m{encounter(of, clinic, typed("Prenatal visit"))}, ""},
		{"not a visit after the birth", []m{encounter(of, clinic, typed("Postpartum home visit"))}, ""},
		{"not what had ended before", []m{encounter(of, clinic, m{"period": m{"start": "2026-01-05", "end": "2026-01-05"}})}, ""},
		{"not what began after", []m{encounter(about("Patient/child"), clinic, m{"period": m{"start": "2026-03-03T10:00:00Z"}})}, ""},
		{"a package of care before, in and after it", []m{encounter(of, hospital, typed("Routine obstetric care including antepartum care, vaginal delivery and postpartum care"))}, `"hospital"`},
		{"a stay for it and the days after", []m{encounter(of, hospital, typed("Delivery/Postpartum"))}, `"hospital"`},
		{"not a visit to both after it", []m{encounter(of, clinic, typed("Postpartum and newborn home visit"))}, ""},
		{"but not a visit after it that names it", []m{encounter(of, clinic, typed("Postpartum visit after cesarean delivery"))}, ""},
		{"a stay around the birth", []m{encounter(of, hospital, m{"period": m{"start": "2026-03-01", "end": "2026-03-04"}})}, `"hospital"`},
		{"an Encounter that says no more", []m{encounter(hospital)}, `"hospital"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := masked(t, bundle(append([]m{mother(), child(m{"birthDate": "2026-03-02"})}, c.of...)...))
			require.Equal(t, c.want, stated(d, "birth_setting"))
		})
	}
}

func TestAStayOnTheDayOfTheBirthWasAtTheBirthOnlyIfItCoveredItsTime(t *testing.T) {
	born := func(id, at string, more ...m) m {
		return patient(id, childProfile, append([]m{{"birthDate": "2026-03-02", "_birthDate": extended(extension(birthTime, m{"valueDateTime": at}))}}, more...)...)
	}
	lasted := func(start, end string) m { return m{"period": m{"start": start, "end": end}} }
	home := born("child", "2026-03-02T04:18:00-05:00")
	after, around := lasted("2026-03-02T09:30:00-05:00", "2026-03-04"), lasted("2026-03-02T01:00:00-05:00", "2026-03-04")
	soon := lasted("2026-03-02T04:50:00-05:00", "2026-03-04")
	twins := []m{born("a", "2026-03-02T04:18:00-05:00"), born("b", "2026-03-02T10:02:00-05:00")}
	for _, c := range []struct {
		name     string
		children []m
		of       []m
		want     []string // the place and the role of the attendant
	}{
		{"around it", []m{home}, []m{about("Patient/mother"), around}, []string{`"hospital"`, `"other"`}},
		{"after it", []m{home}, []m{about("Patient/mother"), after}, []string{"", ""}},
		{"before it", []m{home}, []m{about("Patient/mother"), lasted("2026-03-01", "2026-03-02T02:00:00-05:00")}, []string{"", ""}},
		{"a time that is not known", []m{child(m{"birthDate": "2026-03-02"})}, []m{about("Patient/mother"), after}, []string{`"hospital"`, `"other"`}},
		{"a day alone", []m{home}, []m{about("Patient/mother"), lasted("2026-03-02", "2026-03-04")}, []string{`"hospital"`, `"other"`}},
		{"after the first twin", twins, []m{about("Patient/mother"), after}, []string{`"hospital"`, `"other"`}},
		{"of the child, which may begin at its birth", []m{home}, []m{about("Patient/child"), lasted("2026-03-02T04:20:00-05:00", "2026-03-04")}, []string{`"hospital"`, `"other"`}},
		{"of the child, hours after it", []m{home}, []m{about("Patient/child"), after}, []string{"", ""}},
		{"the maternity stay, begun soon after it", []m{home}, []m{profiled("Encounter-maternity"), soon}, []string{`"hospital"`, `"other"`}},
		{"the maternity stay, begun hours after it", []m{home}, []m{profiled("Encounter-maternity"), after}, []string{"", ""}},
		{"the maternity stay, ended shortly before it", []m{home}, []m{profiled("Encounter-maternity"), lasted("2026-03-01", "2026-03-02T03:00:00-05:00")}, []string{`"hospital"`, `"other"`}},
		{"the maternity stay, ended hours before it", []m{home}, []m{profiled("Encounter-maternity"), lasted("2026-03-01", "2026-03-02T02:00:00-05:00")}, []string{"", ""}},
		{"marked as that of the birth", []m{home}, []m{profiled("Encounter-birth"), after}, []string{`"hospital"`, `"other"`}},
	} {
		stay := encounter(append(c.of, located("South Hospital", "22232009"), attended("Practitioner/p"))...)
		d := masked(t, bundle(append(append([]m{mother()}, c.children...), staff("p"), stay)...))
		require.Equal(t, c.want, []string{stated(d, "birth_setting"), stated(d, "attendant_type")}, c.name)
	}
}

// Many servers write all times in UTC. In the evening, it is already the next day there.
func TestAStayOnTheEveningOfTheBirthIsItsStayInUTCToo(t *testing.T) {
	for name, c := range map[string]struct {
		born, start, end string
		want             string
	}{
		"around it":               {"2026-03-02T23:10:00-05:00", "2026-03-03T01:30:00Z", "2026-03-05T15:00:00Z", `"hospital"`},
		"without an end":          {"2026-03-02T23:10:00-05:00", "2026-03-03T01:30:00Z", "", `"hospital"`},
		"with the birth in UTC":   {"2026-03-03T04:10:00Z", "2026-03-03T01:30:00Z", "2026-03-05T15:00:00Z", `"hospital"`},
		"begun after it":          {"2026-03-02T23:10:00-05:00", "2026-03-03T04:30:00Z", "2026-03-05T15:00:00Z", ""},
		"ended before it":         {"2026-03-02T23:10:00-05:00", "2026-03-02T01:30:00Z", "2026-03-03T04:00:00Z", ""},
		"a week old, without end": {"2026-03-02T23:10:00-05:00", "2026-02-20T01:30:00Z", "", ""},
	} {
		born := child(m{"birthDate": "2026-03-02", "_birthDate": extended(extension(birthTime, m{"valueDateTime": c.born}))})
		for _, of := range []m{about("Patient/mother"), about("Patient/mother").With(m{"type": l{m{"text": "Inpatient"}}})} {
			stay := encounter(of, located("", "22232009"), attended("Practitioner/p"), m{"period": m{"start": c.start, "end": c.end}})
			d := masked(t, bundle(mother(), born, staff("p"), stay))
			require.Equal(t, c.want, stated(d, "birth_setting"), name)
			require.Equal(t, c.want != "", stated(d, "attendant_type") != "", name)
		}
	}
}

func TestAPlaceThatWasLeftBeforeTheBirthIsNotThePlaceOfBirth(t *testing.T) {
	born := child(m{"birthDate": "2026-03-02", "_birthDate": extended(extension(birthTime, m{"valueDateTime": "2026-03-02T23:10:00-05:00"}))})
	at := func(code, start, end string) m {
		place := m{"period": m{"start": start, "end": end}}
		if code != "" {
			place["physicalType"] = concept(code)
		}
		return place
	}
	const morning, evening = "2026-03-02T08:00:00-05:00", "2026-03-02T18:00:00-05:00"
	for name, c := range map[string]struct {
		places       l
		want, wanted string
	}{
		"the only one with a known type": {l{at("91154008", morning, evening), at("", evening, "")}, "", ""},
		"and the next one":               {l{at("91154008", morning, evening), at("22232009", evening, "")}, `"hospital"`, ""},
		"the plan remains":               {l{at("408839006", morning, evening), at("22232009", evening, "")}, `"hospital"`, `"home"`},
		"entered after the birth":        {l{at("408839006", morning, ""), at("22232009", "2026-03-03T03:00:00-05:00", "")}, `"home_planned"`, `"home"`},
		"left on that day":               {l{at("91154008", "2026-03-02", "2026-03-02")}, `"birth_center"`, ""},
		"left soon after the birth":      {l{at("91154008", morning, "2026-03-03T01:00:00-05:00")}, `"birth_center"`, ""},
		"without times":                  {l{at("91154008", "", "")}, `"birth_center"`, ""},
	} {
		d := masked(t, bundle(mother(), born, encounter(about("Patient/mother"), m{"location": c.places})))
		require.Equal(t, [2]string{c.want, c.wanted}, [2]string{stated(d, "birth_setting"), stated(d, "planned_birth_setting")}, name)
	}
}

func TestAStatedPlanIsKeptTogetherWithThePlace(t *testing.T) {
	d := courseOf(t, obs("planned_birth_setting", coded("birth_center")), encounter(located("", "408839006")))
	require.Equal(t, `"birth_center"`, stated(d, "planned_birth_setting"))
	require.Equal(t, `"home_planned"`, stated(d, "birth_setting"))
}

func typed(text string) m { return m{"type": l{m{"text": text}}} }

func TestAnEncounterNamingATransferTypeRecordsATransferInstead(t *testing.T) {
	at := m{"period": m{"start": "2019-02-12T14:00:00-07:00", "end": "2019-02-12T15:00:00-07:00"}}
	d := courseOf(t, staff("p"), encounter(at, attended("Practitioner/p"), typed("Intrapartum transfer to hospital"),
		located("", "22232009"),
		m{"priority": concept("EM"), "reasonCode": l{m{}, m{"coding": l{m{"display": "Slow progress"}}}}},
	))
	require.Equal(t, []birth.Transfer{{
		Type: "intrapartum", Direction: "out", Urgency: "urgent", Who: "mother", Source: birth.FHIRPush,
		DateTime: "2019-02-12T14:00:00-07:00", Reason: "Slow progress",
	}}, d.Transfers)
	require.Empty(t, stated(d, "attendant_type"), "no attendance")
	require.Empty(t, stated(d, "birth_setting"), "no place of birth")
}

func TestTheRecognizedTransferTypes(t *testing.T) {
	for _, c := range []struct {
		name string
		of   m
		want birth.Transfer
	}{
		{"antepartum", typed("Antepartum transfer"), birth.Transfer{Type: "antepartum", Who: "mother"}},
		{"prenatal", typed("Prenatal transfer of care"), birth.Transfer{Type: "antepartum", Who: "mother"}},
		{"intrapartum", typed("INTRAPARTUM TRANSPORT"), birth.Transfer{Type: "intrapartum", Who: "mother"}},
		{"in labor", typed("Transfer in labor"), birth.Transfer{Type: "intrapartum", Who: "mother"}},
		{
			"in labour, to somewhere",
			typed("Transfer in labour to hospital"),
			birth.Transfer{Type: "intrapartum", Direction: "out", Who: "mother"},
		},
		{"postpartum", typed("Postpartum-transfer"), birth.Transfer{Type: "postpartum", Who: "mother"}},
		{"neonatal is the child's", typed("Neonatal transfer"), birth.Transfer{Type: "neonatal", Who: "child"}},
		{"to the NICU", typed("Transfer to NICU"), birth.Transfer{Type: "neonatal", Direction: "out", Who: "child"}},
		{"a code", m{"type": l{concept("99234", "intrapartum-transfer")}}, birth.Transfer{Type: "intrapartum", Who: "mother"}},
		{
			"a display",
			m{"type": l{m{"coding": l{m{"code": "1", "display": "Newborn transfer"}}}}},
			birth.Transfer{Type: "neonatal", Who: "child"},
		},
		{"SNOMED patient transfer", m{"type": l{concept("19712007")}}, birth.Transfer{Who: "mother"}},
		{"SNOMED transfer to another facility", m{"type": l{concept("107724000")}}, birth.Transfer{Who: "mother"}},
		{
			"of a child",
			m{"type": l{concept("19712007")}}.With(about("Patient/child")),
			birth.Transfer{Type: "neonatal", Who: "child"},
		},
		{
			"a transfer in",
			typed("Antepartum transfer in from home"),
			birth.Transfer{Type: "antepartum", Direction: "in", Who: "mother"},
		},
		{"from one place to another", typed("Intrapartum transfer from home to hospital"), birth.Transfer{Type: "intrapartum", Who: "mother"}},
		{"out in an ambulance", typed("Intrapartum transfer out in ambulance"), birth.Transfer{Type: "intrapartum", Direction: "out", Who: "mother"}},
		{"plainly", typed("Transfer of care"), birth.Transfer{Who: "mother"}},
		{"plainly, to somewhere", typed("Patient transfer to another facility"), birth.Transfer{Direction: "out", Who: "mother"}},
		{
			"plainly, next to a code",
			m{"type": l{m{"text": "Transfer to hospital", "coding": l{m{"code": "TRF-7", "display": "x"}}}}},
			birth.Transfer{Direction: "out", Who: "mother"},
		},
		{"without complications", typed("Intrapartum transfer without complications"), birth.Transfer{Type: "intrapartum", Who: "mother"}},
		{
			"a second type",
			m{"type": l{concept("99234"), m{"text": "Postpartum transfer"}}},
			birth.Transfer{Type: "postpartum", Who: "mother"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.want.Source = birth.FHIRPush
			require.Equal(t, []birth.Transfer{c.want}, courseOf(t, encounter(c.of)).Transfers)
		})
	}
}

func TestOtherEncounterTypesAreNotTransfers(t *testing.T) {
	for _, text := range []string{
		"Labor and delivery", "Antepartum visit", "Postpartum home visit", "Newborn care", "",
		"No transfer", "Not transferred", "Intrapartum, not transferred", "Labor without transfer", "Neonatal transfer: none", "Non-transfer",
		"Embryo transfer", "Frozen embryo transfer, antenatal", "Transfer of records", "Prenatal records transfer", "Transfer of data",
		"Tendon transfer", "Laboratory transport", "Gamete intrafallopian transfer",
	} {
		d := courseOf(t, staff("p"), encounter(typed(text), attended("Practitioner/p")))
		require.Empty(t, d.Transfers, text)
		phase := mapping.PhaseOf(mapping.Spaced(text))
		require.Equal(t, phase != "antepartum" && phase != "postpartum", stated(d, "attendant_type") != "", text)
	}
}

func TestAProviderWhoAttendedAVisitDidNotAttendTheBirth(t *testing.T) {
	born := child(m{"birthDate": "2026-03-02"})
	for name, visit := range map[string]m{
		"a prenatal visit":         encounter(typed("Prenatal visit"), attended("Practitioner/p")),
		"by its day":               encounter(attended("Practitioner/p"), m{"period": m{"start": "2026-01-05", "end": "2026-01-05"}}),
		"one after it":             encounter(attended("Practitioner/p"), m{"period": m{"start": "2026-03-09"}}),
		"one that is only planned": encounter(attended("Practitioner/p"), m{"status": "planned"}),
	} {
		d := masked(t, bundle(mother(), born, staff("p"), visit))
		require.Empty(t, stated(d, "attendant_type"), name)
		require.False(t, d.Providers[0].Attending, name)
		d = masked(t, bundle(mother(), born, staff("p"), staff("q"), visit, encounter(about("Patient/child"), attended("Practitioner/q"))))
		require.Equal(t, []bool{true, false}, []bool{d.Providers[0].Attending, d.Providers[1].Attending}, name)
	}
	d := masked(t, bundle(mother(), born, staff("p"), encounter(profiled("Encounter-birth"), attended("Practitioner/p"), m{"period": m{"start": "2026-03-03"}})))
	require.NotEmpty(t, stated(d, "attendant_type"), "the stay of the birth itself was of the birth, whatever its period")
}

func TestAParticipantWhoHadLeftBeforeTheBirthOrCameLongAfterItDidNotAttend(t *testing.T) {
	born := func(at string) m {
		return child(m{"birthDate": at[:10], "_birthDate": m{"extension": l{m{
			"url": "http://hl7.org/fhir/StructureDefinition/patient-birthTime", "valueDateTime": at,
		}}}})
	}
	attends := func(start, end string, children ...m) bool {
		took := m{"type": l{concept("ATND")}, "individual": m{"reference": "Practitioner/p"}, "period": m{"start": start, "end": end}}
		stay := encounter(profiled("Encounter-birth"), m{"participant": l{took}})
		return stated(masked(t, bundle(append([]m{mother(), staff("p"), stay}, children...)...)), "attendant_type") != ""
	}
	const afternoon, unzoned, evening = "2026-03-02T14:00:00-07:00", "2026-03-02T14:00:00", "2026-03-02T22:00:00-07:00"
	for _, c := range []struct {
		born, start, end string
		want             bool
	}{
		{afternoon, "2026-03-02T06:00:00-07:00", "2026-03-02T18:00:00-07:00", true},
		{afternoon, "2026-03-02T14:00:30-07:00", "2026-03-02T18:00:00-07:00", true}, // charted a little later
		{afternoon, "2026-03-02T06:00:00-07:00", "2026-03-02T13:59:59-07:00", true},
		{afternoon, "2026-03-01", "2026-03-02", true},
		{afternoon, "2026-03-02T06:00:00-07:00", "2026-03-02T11:00:00-07:00", false},
		{afternoon, "2026-03-02T18:00:00-07:00", "2026-03-03T06:00:00-07:00", false},
		{afternoon, "2026-02-27", "2026-03-01", false},
		{unzoned, "2026-03-02T20:30:00Z", "2026-03-03T04:00:00Z", true}, // only one of the times has an offset
		{unzoned, "2026-03-02T18:00:00-07:00", "", true},
		{unzoned, "2026-03-04T06:00:00-07:00", "", false},
		{evening, "2026-03-03T04:00:00Z", "2026-03-03T07:00:00Z", true}, // the day after, in UTC
		{evening, "2026-03-03T10:00:00Z", "", false},
		{"2026-03-02T06:00:00", "2026-03-02T19:00:00", "", false}, // neither has an offset
		{"2026-03-02T00:10:00", "2026-03-01T15:00:00", "2026-03-01T23:55:00", true},
		{"2026-03-02T00:10:00", "2026-03-01T15:00:00-07:00", "2026-03-01T23:55:00-07:00", true},
		{"2026-03-02T23:50:00-07:00", "2026-03-03", "2026-03-03", true}, // the day may begin soon after
		{"2026-03-02T20:00:00-07:00", "2026-03-03", "2026-03-03", false},
	} {
		require.Equal(t, c.want, attends(c.start, c.end, born(c.born)), c)
	}
	twins := []m{born("2026-03-02T23:50:00-07:00").With(m{"id": "a"}), born("2026-03-03T00:20:00-07:00").With(m{"id": "b"})}
	require.True(t, attends("2026-03-03T00:05:00-07:00", "", twins...), "one of two births")
	require.True(t, attends("2026-03-02T20:00:00-07:00", "2026-03-02T23:55:00-07:00", twins...))
	require.False(t, attends("2026-03-03T06:00:00-07:00", "", twins...))

	certified := m{"type": l{concept("87286-1", "87287-9")}, "individual": m{"reference": "Practitioner/p"}, "period": m{"start": "2026-03-04"}}
	d := masked(t, bundle(mother(), staff("p"), born(afternoon), encounter(profiled("Encounter-birth"), m{"participant": l{certified}})), wide)
	require.NotEmpty(t, stated(d, "attendant_type"), "a certifier's period begins when the birth was certified")
}

func TestATransferOfAReadmissionMonthsLaterIsNotOfThisBirth(t *testing.T) {
	born := child(m{"birthDate": "2026-03-02"})
	for at, want := range map[string]int{"2026-03-20": 1, "2026-06-20": 0, "2026": 1} {
		for _, member := range []string{"start", "end"} {
			again := encounter(about("Patient/child"), m{
				"period": m{member: at}, "hospitalization": m{"dischargeDisposition": concept("other-hcf")},
			})
			require.Len(t, masked(t, bundle(mother(), born, again)).Transfers, want, "%s %s", member, at)
		}
	}
}

func TestTheUrgencyOfATransfer(t *testing.T) {
	for _, c := range []struct {
		text string
		more m
		want string
	}{
		{"Intrapartum transfer", m{"priority": concept("EM")}, "urgent"},
		{"Intrapartum transfer", m{"priority": concept("S")}, "urgent"},
		{"Intrapartum transfer", m{"priority": concept("R")}, "non_urgent"},
		{"Intrapartum transfer", m{"priority": concept("EL")}, "non_urgent"},
		{"Emergency transfer", m{"priority": concept("EL")}, "non_urgent"},
		{"Urgent intrapartum transfer", m{}, "urgent"},
		{"Emergency transport", m{"priority": concept("x")}, "urgent"},
		{"Non-urgent transfer", m{}, "non_urgent"},
		{"Transfer, not urgent", m{}, "non_urgent"},
		{"Non-emergency transfer", m{}, "non_urgent"},
		{"Nonemergent intrapartum transfer", m{}, "non_urgent"},
		{"Non-emergent transport", m{}, "non_urgent"},
		{"Postpartum transfer, not an emergency", m{}, "non_urgent"},
		{"Emergent transfer", m{}, "urgent"},
		{"Intrapartum transfer", m{}, ""},
	} {
		require.Equal(t, c.want, courseOf(t, encounter(typed(c.text), c.more)).Transfers[0].Urgency, "%s %s", c.text, text(t, c.more))
	}
}

func TestHospitalizationTransfersAreRecordedWithoutLosingTheAttendant(t *testing.T) {
	stay := m{"period": m{"start": "2019-02-11T10:00:00-07:00", "end": "2019-02-15T10:00:00-07:00"}}
	in := m{"hospitalization": m{"admitSource": concept("hosp-trans")}}
	out := m{"hospitalization": m{"dischargeDisposition": concept("other-hcf")}}
	came := birth.Transfer{Direction: "in", Who: "mother", DateTime: "2019-02-11T10:00:00-07:00"}
	went := birth.Transfer{Type: "neonatal", Direction: "out", Who: "child", DateTime: "2019-02-15T10:00:00-07:00"}
	for _, c := range []struct {
		name string
		of   []m
		want []birth.Transfer
	}{
		{"the mother came from another hospital", []m{in, about("Patient/mother")}, []birth.Transfer{came}},
		{"the child went to another facility", []m{out, about("Patient/child")}, []birth.Transfer{went}},
		{"the child went, without a subject", []m{out}, []birth.Transfer{went}},
		{
			"the mother went after the birth",
			[]m{out, about("Patient/mother")},
			[]birth.Transfer{{Type: "postpartum", Direction: "out", Who: "mother", DateTime: went.DateTime}},
		},
		{
			"the mother went, by the profile alone",
			[]m{out, profiled("Encounter-maternity")},
			[]birth.Transfer{{Type: "postpartum", Direction: "out", Who: "mother", DateTime: went.DateTime}},
		},
		{"the child went, by the role alone", []m{out, inRole("CHILD")}, []birth.Transfer{went}},
		{
			"both",
			[]m{{"hospitalization": m{"admitSource": concept("hosp-trans"), "dischargeDisposition": concept("other-hcf")}}},
			[]birth.Transfer{came, went},
		},
		{
			"another source and disposition",
			[]m{{"hospitalization": m{"admitSource": concept("other"), "dischargeDisposition": concept("oth")}}},
			nil,
		},
		{"an empty hospitalization", []m{{"hospitalization": m{}}}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := courseOf(t, staff("p"), encounter(append(c.of, stay, attended("Practitioner/p"))...))
			for i := range c.want {
				c.want[i].Source = birth.FHIRPush
			}
			require.Equal(t, c.want, d.Transfers[:len(d.Transfers):len(d.Transfers)])
			require.Equal(t, `"other"`, stated(d, "attendant_type"))
		})
	}
	named := courseOf(t, encounter(typed("Intrapartum transfer"), stay, out))
	require.Len(t, named.Transfers, 1, "a named transfer is one transfer")
	require.Equal(t, "out", named.Transfers[0].Direction)
}

func TestTheMaternityStayIsABetterSourceThanAStayOfTheChildAfterItsBirth(t *testing.T) {
	at := m{"birthDate": "2026-03-02", "_birthDate": extended(extension(birthTime, m{"valueDateTime": "2026-03-02T04:18:00-05:00"}))}
	home := encounter(profiled("Encounter-maternity"), located("", "408839006"), m{"period": m{"start": "2026-03-01T20:00:00-05:00", "end": "2026-03-02T08:00:00-05:00"}})
	ward := encounter(about("Patient/child"), located("South Hospital", "22232009"), m{"period": m{"start": "2026-03-02T05:30:00-05:00", "end": "2026-03-04"}})
	require.Equal(t, `"home_planned"`, stated(masked(t, bundle(mother(), child(at), home, ward)), "birth_setting"))
	require.Equal(t, `"hospital"`, stated(masked(t, bundle(mother(), child(at), ward)), "birth_setting"), "which may be where it was born")
}
