package cli

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/store/storetest"
)

func TestTheTrailIsVerifiedAndTheChangedEntryIsNamed(t *testing.T) {
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "26-1", Weight: 3000}.Bundle())
	t.Setenv("REGISTRY_DB", i.Config.DB)
	show := []string{"record", "show", "26-1", "--practice", "1"}
	require.Zero(t, command(t, "", show...).code)
	require.Equal(t, "all 2 entries are unchanged since they were written\n", command(t, "", "audit", "verify").out, "the signatures of the rows, and the key; nothing was revealed")
	for range 3 {
		require.Zero(t, command(t, "", append(show, "--reveal")...).code)
	}
	require.Equal(t, "all 5 entries are unchanged since they were written\n", command(t, "", "audit", "verify").out)
	require.JSONEq(t, `{"entries": 5, "intact": true}`, command(t, "", "audit", "verify", "--json").out)

	var all []map[string]any
	require.NoError(t, json.Unmarshal([]byte(command(t, "", "audit", "list", "--practice", "1", "--json").out), &all))
	require.Len(t, all, 4)
	require.EqualValues(t, 5, all[0]["id"], "newest first")
	require.Equal(t, "operator", all[0]["who"])
	require.Equal(t, "record.read", all[0]["action"])
	require.Equal(t, i.Record("26-1").ID, all[0]["object"])
	providers := command(t, "", "audit", "list", "--practice", "1", "--limit", "1").out
	require.Contains(t, providers, "record.read")
	require.NotContains(t, providers, "26-1\n")
	require.Equal(t, "[]\n", command(t, "", "audit", "list", "--practice", "1", "--object", "x", "--json").out)
	require.Equal(t, 1, command(t, "", "audit", "list", "--practice", "9").code)
	require.Equal(t, 2, command(t, "", "audit", "list", "--practice", "1", "--limit", "-1").code)

	storetest.Exec(t, i.Config.DB, "drop trigger audit_stays; delete from audit where id = 2")
	wrong := command(t, "", "audit", "verify")
	require.Equal(t, 1, wrong.code)
	require.Empty(t, wrong.out)
	require.Contains(t, wrong.talk, "entry 3 of the audit trail")
	wrong = command(t, "", "audit", "verify", "--json")
	require.Equal(t, 1, wrong.code)
	require.JSONEq(t, `{"entries": 4, "intact": false, "first_wrong_entry": 3}`, wrong.out)
}

func TestTheTrailIsExportedForAnotherSystem(t *testing.T) {
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "26-1", Weight: 3000}.Bundle())
	t.Setenv("REGISTRY_DB", i.Config.DB)
	require.Zero(t, command(t, "", "record", "show", "26-1", "--practice", "1", "--reveal").code)
	record := i.Record("26-1").ID

	plain := command(t, "", "audit", "export", "--practice", "1")
	require.Zero(t, plain.code, plain.talk)
	lines := strings.Split(strings.TrimSpace(plain.out), "\n")
	require.Len(t, lines, 3)
	require.Contains(t, lines[1], `"who":"operator","action":"record.read","object":"`+record+`"`)
	require.Contains(t, lines[2], `"action":"audit.export","object":"all"`, "the export is in the trail before it leaves")
	require.Contains(t, plain.talk, "Wrote 3 entries.")

	events := command(t, "", "audit", "export", "--practice", "1", "--fhir", "--base-url", "https://births.example.org")
	require.Zero(t, events.code, events.talk)
	require.Equal(t, 4, strings.Count(events.out, `"resourceType":"AuditEvent"`))
	require.Contains(t, events.out, `"value":"https://births.example.org"`)

	none := command(t, "", "audit", "export", "--practice", "1", "--until", "2020-01-01")
	require.Zero(t, none.code)
	require.Empty(t, none.out)
	require.Equal(t, 2, command(t, "", "audit", "export", "--practice", "1", "--since", "yesterday").code)
	require.Equal(t, 1, command(t, "", "audit", "export", "--practice", "9").code)
}
