package bundle

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
	"birthregistry/app/mapping"
)

func TestTheRoleOfAPatientFollowsFromTheLastSegmentOfItsProfiles(t *testing.T) {
	for profile, want := range map[string]birth.Subject{
		motherProfile: birth.Mother,
		"http://hl7.org/fhir/us/vr-common-library/StructureDefinition/Patient-mother-vr|2.0.0":      birth.Mother,
		"http://hl7.org/fhir/us/vr-common-library/StructureDefinition/Patient-mother":               birth.Mother,
		"http://hl7.org/fhir/us/fhir-vr-common-ig/StructureDefinition/Patient-mother":               birth.Mother,
		"http://build.fhir.org/ig/HL7/vr-common-library/StructureDefinition-Patient-mother-vr":      birth.Mother,
		"http://build.fhir.org/ig/HL7/vr-common-library/StructureDefinition-Patient-mother-vr.html": birth.Mother,
		"https://registry.example/profiles/MATERNAL-patient|3":                                      birth.Mother,
		"PatientMother": birth.Mother,
		childProfile:    birth.Child,
		"http://hl7.org/fhir/us/vrsandbox/StructureDefinition/Patient-child-vr":                          birth.Child,
		"http://build.fhir.org/ig/HL7/vr-common-library/StructureDefinition-Patient-child-vr.html|2.0.0": birth.Child,
		"http://x/Newborn": birth.Child,
		fetusProfile:       birth.Child,
		"http://hl7.org/fhir/us/vr-common-library/StructureDefinition/Patient-decedent-fetus-vr": birth.Child,
		"http://x/some-decedent": birth.Child,
		"http://hl7.org/fhir/us/vr-common-library/StructureDefinition/Patient-vr": birth.Care,
		"http://hl7.org/fhir/us/core/StructureDefinition/us-core-patient|9.0.0":   birth.Care,
		"http://mother.example/child/StructureDefinition/Patient":                 birth.Care,
		"http://x/Patient|mother": birth.Care,
		"http://hl7.org/fhir/us/vr-common-library/StructureDefinition/Patient-fath": birth.Care,
		"": birth.Care,
	} {
		require.Equal(t, want, roleOf([]string{profile}), profile)
	}
	require.Equal(t, birth.Care, roleOf(nil))
	require.Equal(t, birth.Child, roleOf([]string{"http://x/us-core-patient", childProfile}), "the one that names one")
	require.Equal(t, birth.Care, roleOf([]string{childProfile, motherProfile}), "two of them name none")
	require.Equal(t, birth.Mother, roleOf([]string{"http://x/vrdr-decedent", motherProfile}), "a mother who died")
}

func TestNoOtherClueGivesARole(t *testing.T) {
	woman := m{"resourceType": "Patient", "id": "mother", "gender": "female", "name": l{m{"use": "maiden", "family": "Mother"}}}
	i := item(t, bundle(woman, child(m{"link": l{m{"other": m{"reference": "Patient/mother"}}}})))
	require.Equal(t, "no-mother", i.Problem.Name)
}

func TestTheIGVersionComesFromTheFirstBFDRProfileThatHasOne(t *testing.T) {
	profiled := func(resource m, profiles ...any) m { return resource.With(m{"meta": m{"profile": l(profiles)}}) }
	composition := m{"resourceType": "Composition", "status": "final"}
	for _, c := range []struct {
		name string
		doc  m
		want string
	}{
		{
			"of the Bundle",
			profiled(bundle(profiled(composition, "http://x/bfdr/c|1"), mother(), child()), "http://x/bfdr/Bundle-document-birth-report|2.0.0"),
			"2.0.0",
		},
		{
			"else of the Composition",
			profiled(bundle(profiled(composition, "http://x/bfdr/c|1.1.0"), profiled(mother(), motherProfile+"|1"), child()), "http://x/b"),
			"1.1.0",
		},
		{
			"else of the mother",
			bundle(composition, profiled(child(), childProfile+"|1"), profiled(mother(), motherProfile+"|2.0.0")), "2.0.0",
		},
		{
			"else of a child",
			bundle(mother(), profiled(twin(1), childProfile), profiled(twin(2), childProfile+"|2.0.0-ballot")),
			"2.0.0-ballot",
		},
		{
			"the first profile that carries one",
			profiled(bundle(mother(), child()), "http://x/a|7", "http://x/bfdr/b|", "http://profiles.ihe.net/QRPH/bfdr/c|1.0.0", "http://x/bfdr/d|2.0.0"),
			"1.0.0",
		},
		{
			"not that of US Core",
			bundle(profiled(mother(), motherProfile, "http://hl7.org/fhir/us/core/StructureDefinition/us-core-patient|9.0.0"), child()),
			"",
		},
		{"not that of FHIR itself", profiled(bundle(mother(), child()), "http://hl7.org/fhir/StructureDefinition/Bundle|4.0.1"), ""},
		{
			"nor of a resource that is no person of the course",
			bundle(mother(), child(), profiled(obs("8339-4"), "http://x/o|2.0.0")), "",
		},
		{"none carries one", bundle(mother(), child()), ""},
		{"what looks like no version is not kept", profiled(bundle(mother(), child()), "http://x/bfdr/b|latest"), ""},
		{"nor that of somebody else's", profiled(bundle(profiled(mother(), "http://example.org/Patient-mother|7"), child()), "http://example.org/a|3"), ""},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, masked(t, c.doc).IGVersion) })
	}
}

func TestTheStampIsLastUpdatedOrIfThatDoesNotParseTheTimestamp(t *testing.T) {
	at := time.Date(2026, 3, 3, 14, 30, 0, 0, time.UTC)
	for _, c := range []struct {
		name                   string
		lastUpdated, timestamp any
		want                   time.Time
	}{
		{"both", "2026-03-03T09:30:00-05:00", "2020-01-01T00:00:00Z", at},
		{"lastUpdated alone", "2026-03-03T14:30:00Z", nil, at},
		{"timestamp alone", nil, "2026-03-03T14:30:00Z", at},
		{"lastUpdated that does not parse", "3 March 2026", "2026-03-03T14:30:00Z", at},
		{"lastUpdated without an offset is one of the practice's zone", "2026-03-03T09:30:00", "2020-01-01T00:00:00Z", at.Add(-5 * time.Hour)},
		{"lastUpdated that is a date begins with its day", "2026-03-03", "2020-01-01T00:00:00Z", at.Truncate(24 * time.Hour)},
		{"a day that does not exist gives way", "2026-02-30", "2026-03-03T14:30:00Z", at},
		{"a month begins with its first day", "2026-03", "2020-01-01T00:00:00Z", time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)},
		{"seven digits of a second", "2026-03-03T14:30:00.1234567Z", nil, at.Add(123456700)},
		{"neither parses", "yesterday", "today", time.Time{}},
		{"neither is stated", nil, nil, time.Time{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc := bundle(mother(), child()).With(m{"meta": m{"lastUpdated": c.lastUpdated}, "timestamp": c.timestamp})
			got := masked(t, doc).Stamp
			require.True(t, c.want.Equal(got), "%s", got)
		})
	}
}

func TestEveryStampIsKeptBecauseTheFirstMayBeInTheFuture(t *testing.T) {
	doc := good("A").With(m{"meta": m{"lastUpdated": "2026-03-03T14:30:00Z"}, "timestamp": "2026-03-02"})
	first, second := "2026-03-03T14:30:00Z", "2026-03-02"
	require.Equal(t, []mapping.Stamp{{Text: first, At: "Bundle.meta.lastUpdated"}, {Text: second, At: "Bundle.timestamp"}}, item(t, doc).Stamps)
	i := items(t, batch(good("B"), doc.With(m{"meta": nil})))[1]
	require.Equal(t, []mapping.Stamp{{Text: second, At: "Bundle.entry[1].resource.timestamp"}}, i.Stamps)
	require.Equal(t, "Bundle.entry[1].resource.identifier.value", i.ChartAt)
}

func TestConsentIsGrantedOnlyIfItClearlyIs(t *testing.T) {
	consent := func(more ...m) m { return m{"resourceType": "Consent", "status": "active"}.With(more...) }
	deny := m{"provision": m{"type": "deny"}}
	denied, granted := birth.Consent{Recorded: true}, birth.Consent{Recorded: true, Granted: true}
	for _, c := range []struct {
		name     string
		consents []m
		want     birth.Consent
	}{
		{"granted when active and without provision", []m{consent()}, granted},
		{"granted when active and permitting", []m{consent(m{"provision": m{"type": "permit"}})}, granted},
		{"granted whatever is not read of it", []m{consent(m{"scope": 5, "category": "x", "provision": m{"period": 5, "actor": "x"}})}, granted},
		{"not recorded without any Consent", nil, birth.Consent{}},
		{"not granted when proposed", []m{consent(m{"status": "proposed"})}, denied},
		{"not granted when rejected", []m{consent(m{"status": "rejected"})}, denied},
		{"not granted when inactive", []m{consent(m{"status": "inactive"})}, denied},
		{"not granted when a draft", []m{consent(m{"status": "draft"})}, denied},
		{"not granted when entered in error", []m{consent(m{"status": "entered-in-error"})}, denied},
		{"not granted without a status", []m{consent(m{"status": nil})}, denied},
		{"not granted in another case", []m{consent(m{"status": "Active"})}, denied},
		{"nor with blanks", []m{consent(m{"status": " active"})}, denied},
		{"nor in another JSON type", []m{consent(m{"status": true})}, denied},
		{"nor as a list", []m{consent(m{"status": l{"active"}})}, denied},
		{"not granted by a deny", []m{consent(deny)}, denied},
		{"nor by one in another case", []m{consent(m{"provision": m{"type": "DENY"}})}, denied},
		{"nor by a type that R4 does not know", []m{consent(m{"provision": m{"type": "refuse"}})}, denied},
		{"nor by a type of another JSON type", []m{consent(m{"provision": m{"type": l{"permit"}}})}, denied},
		{
			"not granted by a deny within a permit",
			[]m{consent(m{"provision": m{"type": "permit", "provision": l{m{"type": "permit"}, m{"type": "deny"}}}})},
			denied,
		},
		{"not granted by provisions of R5", []m{consent(m{"provision": l{m{"type": "permit"}}})}, denied},
		{"nor by none of them", []m{consent(m{"provision": l{}})}, denied},
		{"nor by provisions that are no list", []m{consent(m{"provision": m{"type": "permit", "provision": m{"type": "deny"}}})}, denied},
		{"not granted by a decision of R5 to deny", []m{consent(m{"decision": "deny"})}, denied},
		{"nor by one to permit, which R4 does not have", []m{consent(m{"decision": "permit"})}, denied},
		{"nor by one that cannot be read", []m{consent(m{"decision": 5})}, denied},
		{"not granted by a modifier", []m{consent(m{"modifierExtension": l{m{"url": "http://x/not"}}})}, denied},
		{"nor by rules that the registry does not know", []m{consent(m{"implicitRules": "http://x/rules"})}, denied},
		{"nor by one within", []m{consent(m{"provision": m{"modifierExtension": l{m{"url": "http://x/not"}}}})}, denied},
		{"not granted by an opt-out", []m{consent(m{"policyRule": concept("OPTOUT")})}, denied},
		{"nor by one with exceptions", []m{consent(m{"policyRule": concept("OPTOUTE"), "provision": m{"type": "permit"}})}, denied},
		{"nor by a rule that cannot be read", []m{consent(m{"policyRule": "OPTOUT"})}, denied},
		{"granted by an opt-in", []m{consent(m{"policyRule": concept("OPTIN")})}, granted},
		{"only the first is read: a deny behind a grant", []m{consent(), consent(deny)}, granted},
		{"only the first is read: a grant behind a deny", []m{consent(deny), consent()}, denied},
		{
			"dateTime is preserved",
			[]m{consent(m{"dateTime": "2026-03-02T10:00:00-05:00"})},
			birth.Consent{Recorded: true, Granted: true, DateTime: "2026-03-02T10:00:00-05:00"},
		},
		{"a partial dateTime, too", []m{consent(deny, m{"dateTime": "2026-03"})}, birth.Consent{Recorded: true, DateTime: "2026-03"}},
		{"a dateTime that is none is dropped", []m{consent(m{"dateTime": "last week"})}, granted},
		{"a day that does not exist, too", []m{consent(m{"dateTime": "2026-02-30"})}, granted},
		{"one of another JSON type, too", []m{consent(m{"dateTime": 20260302})}, granted},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, courseOf(t, c.consents...).Consent) })
	}
}
