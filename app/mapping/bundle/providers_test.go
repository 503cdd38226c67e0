package bundle

import (
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
)

const npi = "http://hl7.org/fhir/sid/us-npi"

func staff(id string, more ...m) m {
	return m{"resourceType": "Practitioner", "id": id}.With(more...)
}

func identifiers(list ...m) m { return m{"identifier": list} }

func qualified(texts ...string) m {
	list := l{}
	for _, text := range texts {
		list = append(list, m{"code": m{"text": text}})
	}
	return m{"qualification": list}
}

func encounter(more ...m) m {
	return m{"resourceType": "Encounter", "status": "finished"}.With(more...)
}

func participant(code, reference string) m {
	p := m{"individual": m{"reference": reference}}
	if code != "" {
		p["type"] = l{concept(code)}
	}
	return p
}

func attended(reference string) m { return m{"participant": l{participant("ATND", reference)}} }

func TestTheStableIdentityOfAProvider(t *testing.T) {
	for _, c := range []struct {
		name     string
		of       m
		key, npi string
	}{
		{
			"the first identifier that is not an NPI",
			staff("p", identifiers(m{"system": npi, "value": "1999999999"}, m{"system": "urn:staff", "value": "staff-17"}, m{"value": "B"})),
			"staff-17", "1999999999",
		},
		{"an identifier without a system", staff("p", identifiers(m{"value": " staff-17 "})), "staff-17", ""},
		{"else the resource id", staff("p", identifiers(m{"system": npi, "value": "1999999999"})), "p", "1999999999"},
		{"an NPI by its type", staff("p", identifiers(m{"type": concept("NPI"), "value": "1999999999"})), "p", "1999999999"},
		{
			"an NPI by its OID",
			staff("p", identifiers(m{"system": "urn:oid:2.16.840.1.113883.4.6", "value": "1999999999"})), "p", "1999999999",
		},
		{"the first NPI is kept", staff("p", identifiers(m{"system": npi, "value": "1"}, m{"system": npi, "value": "2"})), "p", "1"},
		{"blank values count for nothing", staff("p", identifiers(m{"value": " "}, m{"value": ""}, m{"system": npi})), "p", ""},
		{"without identifiers", staff("p"), "p", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := courseOf(t, c.of)
			require.Len(t, d.Providers, 1)
			require.Equal(t, [2]string{c.key, c.npi}, [2]string{d.Providers[0].Key, d.Providers[0].NPI})
			require.Equal(t, birth.FHIRPush, d.Providers[0].Source)
		})
	}
}

func TestAPractitionerWithoutAStableIDIsSkipped(t *testing.T) {
	nameless := m{"resourceType": "Practitioner", "name": l{m{"family": "Jones"}}, "identifier": l{m{"system": npi, "value": "1"}}}
	d := courseOf(t, nameless, staff("  "), nameless.With(qualified("Doula")))
	require.Empty(t, d.Providers)
	require.Empty(t, stated(d, "doula_present"))
}

func TestPractitionersWithOneIdentityAreOneProvider(t *testing.T) {
	same := identifiers(m{"value": "staff-17"})
	d := courseOf(t,
		staff("a", same, qualified("Midwife")), staff("b", same),
		encounter(attended("Practitioner/b")),
	)
	require.Len(t, d.Providers, 1)
	require.True(t, d.Providers[0].Attending)
	require.Equal(t, `"midwife"`, stated(d, "attendant_type"))
}

func TestTheRoleIsDerivedFromQualificationTextAndDisplay(t *testing.T) {
	for want, qualifications := range map[birth.Role]l{
		birth.RoleMidwife:   {m{"code": m{"text": "Licensed Midwife"}}},
		birth.RoleNurse:     {m{"code": m{"coding": l{m{"display": "Registered nurse"}}}}},
		birth.RoleDoula:     {m{"code": concept("x")}, m{"code": m{"text": "Birth doula"}}},
		birth.RoleAssistant: {m{"code": m{"text": "Birth assistant"}}},
		birth.RoleOther:     {m{"code": m{"text": "Intern", "coding": l{m{"code": "RN", "system": "midwife"}}}}},
	} {
		d := courseOf(t, staff("p", m{"qualification": qualifications}))
		require.Equal(t, want, d.Providers[0].Role)
	}
	require.Equal(t, birth.RoleOther, courseOf(t, staff("Midwife", names(m{"text": "Doula RN"}))).Providers[0].Role, "nothing else tells")
}

func TestDisplayNameAndCredentialsAreRetained(t *testing.T) {
	for _, c := range []struct {
		name              string
		of                []m
		says, credentials string
	}{
		{"text first", []m{names(m{"text": "Janet Seito", "family": "Janet", "suffix": l{"D.O."}})}, "Janet Seito", "D.O."},
		{"else its parts", []m{names(m{"prefix": l{"Dr."}, "given": l{"Janet", "A."}, "family": "Seito"})}, "Dr. Janet A. Seito", ""},
		{
			"the official name first",
			[]m{names(m{"text": "Jan"}, m{"use": "official", "text": "Janet"}, m{"use": "official", "text": "J"})},
			"Janet",
			"",
		},
		{
			"credentials each once",
			[]m{names(m{"family": "Seito", "suffix": l{"CNM", " RN "}}), qualified("cnm", "Certified Nurse-Midwife", "")},
			"Seito", "CNM, RN, Certified Nurse-Midwife",
		},
		{
			"the display where there is no text",
			[]m{{"qualification": l{m{"code": m{"coding": l{m{"code": "1"}, m{"display": "Osteopath"}, m{"display": "Other"}}}}}}},
			"", "Osteopath",
		},
		{"no name", nil, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := courseOf(t, staff("p", c.of...)).Providers[0]
			require.Equal(t, [2]string{c.says, c.credentials}, [2]string{p.Name, p.Credentials})
		})
	}
}

func TestTheAttendantIsTheParticipantMarkedATND(t *testing.T) {
	known := []m{mother(), child(), staff("midwife", qualified("CPM")), staff("doula", qualified("Doula"))}
	for _, c := range []struct {
		name         string
		participants l
		want         string
	}{
		{
			"ATND, whatever the system",
			l{participant("ATND", "Practitioner/midwife"), participant("PART", "Practitioner/doula")},
			`"midwife"`,
		},
		{
			"ATND among other codes and types",
			l{m{"type": l{concept("x"), concept("PART", "ATND")}, "individual": m{"reference": "Practitioner/midwife"}}},
			`"midwife"`,
		},
		{"an absolute reference", l{participant("ATND", "http://x.example/fhir/Practitioner/midwife")}, `"midwife"`},
		{
			"nothing else promotes",
			l{participant("PPRF", "Practitioner/midwife"), participant("87286-1", "Practitioner/midwife"), participant("", "Practitioner/midwife")},
			"",
		},
		{"not another case", l{participant("atnd", "Practitioner/midwife")}, ""},
		{
			"not the display",
			l{m{"type": l{m{"text": "ATND", "coding": l{m{"display": "ATND"}}}}, "individual": m{"reference": "Practitioner/midwife"}}},
			"",
		},
		{"a doula who takes part is present, not attending", l{participant("PART", "Practitioner/doula")}, ""},
		{"a reference that resolves to nothing", l{participant("ATND", "Practitioner/gone")}, ""},
		{"a reference to a patient", l{participant("ATND", "Patient/mother")}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := masked(t, bundle(append(known, encounter(m{"participant": c.participants}))...))
			require.Equal(t, c.want, stated(d, "attendant_type"))
			require.Equal(t, "true", stated(d, "doula_present"))
			require.Equal(t, c.want != "", d.Providers[0].Attending)
			require.False(t, d.Providers[1].Attending)
		})
	}
}

func TestTheOperatorSetsTheAttendantCodes(t *testing.T) {
	doc := bundle(mother(), child(), staff("p", qualified("CPM")), encounter(m{"participant": l{participant("87286-1", "Practitioner/p")}}))
	require.Empty(t, stated(masked(t, doc), "attendant_type"))
	require.Equal(t, `"midwife"`, stated(masked(t, doc, Reader{Attendants: []string{"ATND", "87286-1"}}), "attendant_type"))
}

func TestAnEncounterThatDidNotTakePlaceStatesNothing(t *testing.T) {
	for _, status := range []string{"entered-in-error", "cancelled"} {
		d := courseOf(t, staff("p"), encounter(attended("Practitioner/p"), m{
			"status": status, "location": l{m{"physicalType": concept("22232009")}}, "type": l{concept("19712007")},
		}))
		require.Empty(t, stated(d, "attendant_type"))
		require.Empty(t, stated(d, "birth_setting"))
		require.Empty(t, d.Transfers)
	}
}

func TestTheAttendantsTitleFollowsFromTheQualificationCode(t *testing.T) {
	for code, want := range map[string]string{
		"309343006": `"md"`, "112247003": `"md"`, "76231001": `"do"`, "445521000124102": `"cnm_cm"`, "445531000124104": `"other_midwife"`,
		"OTH": `"other"`, "UNK": "", "999": "",
	} {
		titled := func(code string) m { return m{"qualification": l{m{"code": concept(code)}}} }
		d := courseOf(t, staff("x", titled("76231001")), staff("p", titled(code)), encounter(attended("Practitioner/p")))
		require.Equal(t, want, stated(d, "attendant_title"), code)
	}
}

func TestTwoPractitionersWithOneFullURLAreDistinguishedByTheirIDs(t *testing.T) {
	title := func(code string) m { return m{"qualification": l{m{"code": concept(code)}}} }
	doc := bundle(mother(), child(), staff("a", title("309343006")), staff("b", title("76231001")), encounter(attended("Practitioner/b")))
	for _, n := range []int{2, 3} {
		doc["entry"].(l)[n].(m)["fullUrl"] = "urn:uuid:same"
	}
	require.Equal(t, `"do"`, stated(masked(t, doc), "attendant_title"))
}

func TestADoulaIsPresentByRoleByQualificationCodeOrByParticipation(t *testing.T) {
	for name, resources := range map[string][]m{
		"by role":                 {staff("p", qualified("Doula"))},
		"by qualification code":   {staff("p", m{"qualification": l{m{"code": concept("374J00000X")}}})},
		"by participation":        {encounter(m{"participant": l{participant("768825008", "")}})},
		"by an Observation":       {obs("doula_present", m{"valueBoolean": true})},
		"whoever else was absent": {obs("doula_present", m{"valueBoolean": true}), staff("p", qualified("RN"))},
	} {
		require.Equal(t, "true", stated(courseOf(t, resources...), "doula_present"), name)
	}
	require.Equal(t, "false", stated(courseOf(t, obs("doula_present", m{"valueBoolean": false})), "doula_present"))
	require.Empty(t, stated(courseOf(t, staff("p", qualified("RN"))), "doula_present"), "silence is null")
}

func TestTheAttendantIsTheFirstParticipantOfSeveral(t *testing.T) {
	titled := func(id, title string) m {
		return staff(id, names(m{"text": id}), m{"qualification": l{m{"code": concept(title)}}})
	}
	providers := []m{titled("Abara", "76231001"), titled("Lindqvist", "309343006"), staff("Mora")}
	d := courseOf(t, append(providers, encounter(m{"participant": l{
		participant("PART", "Practitioner/Mora"), participant("ATND", "Practitioner/Lindqvist"), participant("ATND", "Practitioner/Abara"),
	}}))...)
	require.Equal(t, `"Lindqvist"`, stated(d, "attendant_name"))
	require.Equal(t, `"md"`, stated(d, "attendant_title"), "of the same person")
	var order []string
	for _, p := range d.Providers {
		order = append(order, p.Key)
	}
	require.Equal(t, []string{"Lindqvist", "Abara", "Mora"}, order)
	d = courseOf(t, append(providers, encounter(attended("Practitioner/Mora")), encounter(attended("Practitioner/Abara")))...)
	require.Empty(t, stated(d, "attendant_title"), "nobody else's")
}
