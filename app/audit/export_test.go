package audit

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest/r4"
	"birthregistry/store"
)

const base = "https://births.example.org:8443"

// acts returns entries of each kind, with and without a network address.
func acts() []store.Audit {
	var all []store.Audit
	for _, action := range []string{
		"record.create", "record.read", "record.amend", "record.void", "record.restore", "record.reinstate", "record.leave", "record.export",
		"duplicate.merge", "duplicate.void", "duplicate.undo", "duplicate.keep", "draft.open", "import.run", "key.mint", "user.sign-in",
		"user.sign-in-failed", "user.sign-out", "user.role", "statistics.export", "audit.export", "database.restore", "a.later-act",
	} {
		for _, address := range []string{"", "192.0.2.7", "2001:db8::1"} {
			all = append(all, store.Audit{
				ID: int64(len(all) + 1), At: time.Date(2026, 3, 2, 16, 18, 0, 5e6, time.UTC), Practice: 1, User: 7,
				Actor: "Dana Demo <dana@example.org>", Action: action, Object: "0199d3a1-7c4e-7b52-9d6f-3f0c8f6a1b27", Address: address,
			})
		}
	}
	return all
}

// element returns the element of a JSON event at a path of member names and list indexes.
func element(v any, path ...any) any {
	for _, step := range path {
		switch at := v.(type) {
		case map[string]any:
			v = at[step.(string)]
		case []any:
			v = at[step.(int)]
		default:
			return nil
		}
	}
	return v
}

func asJSON(t *testing.T, v any) map[string]any {
	t.Helper()
	raw, err := json.Marshal(v)
	require.NoError(t, err)
	var object map[string]any
	require.NoError(t, json.Unmarshal(raw, &object))
	return object
}

// The elements that BALP 1.1's profiles Create, Read and Update require, with their
// Patient variants, as its StructureDefinitions state them.
func TestAnActOnARecordHasTheRequiredElementsOfItsBALPProfile(t *testing.T) {
	const ontology = "http://dicom.nema.org/resources/ontology/DCM"
	profiles := map[string]struct{ subtype, action, client, server, user string }{
		"PatientCreate": {"create", "C", "110153", "110152", "AUT"},
		"PatientRead":   {"read", "R", "110152", "110153", "IRCP"},
		"PatientUpdate": {"update", "U", "110153", "110152", "AUT"},
	}
	claimed := map[string]int{}
	for _, e := range acts() {
		event := asJSON(t, newEvent(e, base))
		require.Equal(t, "AuditEvent", event["resourceType"])
		profile, _ := element(event, "meta", "profile", 0).(string)
		if profile == "" {
			require.True(t, e.Address == "" || !strings.HasPrefix(e.Action, "record.") || e.Action == "record.export" || e.Action == "record.leave", "%s", e.Action)
			continue
		}
		require.NotEmpty(t, e.Address, "BALP requires the client's address")
		name := strings.TrimPrefix(profile, "https://profiles.ihe.net/ITI/BALP/StructureDefinition/IHE.BasicAudit.")
		want, ok := profiles[name]
		require.True(t, ok, profile)
		claimed[name]++
		require.Equal(t, map[string]any{"system": "http://terminology.hl7.org/CodeSystem/audit-event-type", "code": "rest", "display": "Restful Operation"}, event["type"])
		require.Equal(t, "http://hl7.org/fhir/restful-interaction", element(event, "subtype", 0, "system"))
		require.Equal(t, want.subtype, element(event, "subtype", 0, "code"))
		require.Equal(t, want.action, event["action"])
		require.Equal(t, "2026-03-02T16:18:00.005Z", event["recorded"])
		require.Equal(t, "0", event["outcome"])
		require.Equal(t, want.user, element(event, "agent", 0, "type", "coding", 0, "code"))
		require.Equal(t, true, element(event, "agent", 0, "requestor"))
		require.NotNil(t, element(event, "agent", 0, "who"))
		require.Nil(t, element(event, "agent", 0, "network"), "people are not network devices")
		for i, role := range []string{want.client, want.server} {
			require.Equal(t, ontology, element(event, "agent", i+1, "type", "coding", 0, "system"))
			require.Equal(t, role, element(event, "agent", i+1, "type", "coding", 0, "code"))
			require.NotNil(t, element(event, "agent", i+1, "who"))
			require.NotEmpty(t, element(event, "agent", i+1, "network", "address"))
		}
		require.Equal(t, e.Address, element(event, "agent", 1, "network", "address"))
		require.Equal(t, "births.example.org", element(event, "agent", 2, "network", "address"))
		require.Equal(t, "1", element(event, "entity", 0, "type", "code"))
		require.Equal(t, "1", element(event, "entity", 0, "role", "code"))
		require.Equal(t, "Patient", element(event, "entity", 0, "what", "type"))
		require.Equal(t, "2", element(event, "entity", 1, "type", "code"))
		require.Equal(t, "4", element(event, "entity", 1, "role", "code"))
		require.Equal(t, e.Object, element(event, "entity", 1, "what", "identifier", "value"))
	}
	require.Equal(t, map[string]int{"PatientCreate": 2, "PatientRead": 2, "PatientUpdate": 14}, claimed)
}

func TestAFailedSignInIsAnEventThatFailed(t *testing.T) {
	for _, e := range acts() {
		want := "0"
		if e.Action == "user.sign-in-failed" {
			want = "4"
		}
		require.Equal(t, want, newEvent(e, base).Outcome, e.Action)
	}
}

func TestAnR4ValidatorFindsNoErrorInTheEvents(t *testing.T) {
	var lines bytes.Buffer
	wrong := newEvent(acts()[0], base)
	wrong.Agent = nil
	for _, e := range acts() {
		require.NoError(t, json.MarshalWrite(&lines, newEvent(e, base)))
		lines.WriteByte('\n')
	}
	require.Equal(t, fmt.Sprintln(len(acts()), "resources"), r4.Validate(t, lines.Bytes()))
	raw, err := json.Marshal(wrong)
	require.NoError(t, err)
	require.Contains(t, r4.Validate(t, raw), "AuditEvent.agent", "the validator notices what is missing")
}

func TestAnExportWritesEachEntryOnceWhateverTheLengthOfTheTrail(t *testing.T) {
	f := withEntries(t, 2*exportPage+3)
	var out bytes.Buffer
	n, err := f.Export(t.Context(), Selection{Practice: f.p}, "", &out)
	require.NoError(t, err)
	lines := bytes.Split(bytes.TrimSpace(out.Bytes()), []byte{'\n'})
	require.Len(t, lines, n)
	last := int64(0)
	for _, line := range lines {
		var entry Line
		require.NoError(t, json.Unmarshal(line, &entry))
		require.Greater(t, entry.ID, last, "oldest first")
		last = entry.ID
	}
	require.Equal(t, 2*exportPage+3, n)

	out.Reset()
	n, err = f.Export(t.Context(), Selection{Practice: f.p, Since: time.Now().Add(time.Hour)}, "", &out)
	require.NoError(t, err)
	require.Zero(t, n)
	require.Empty(t, out.String())
}
