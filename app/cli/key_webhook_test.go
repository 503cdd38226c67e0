package cli

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheWebhookOfAKeyIsSetAndTurnedOff(t *testing.T) {
	installed(t)
	require.Zero(t, command(t, "", "practice", "set", "1", "--ehr-beta=true").code)
	require.Zero(t, command(t, "", "key", "mint", "--practice", "1", "--label", "sync", "--scope", "ingest:write").code)
	set := command(t, "", "key", "set", "1", "--webhook", "https://ehr.example.org/hooks")
	require.Zero(t, set.code, set.talk)
	require.Regexp(t, `^whsec_[A-Za-z0-9+/]{43}=\n$`, set.out)
	require.Empty(t, set.talk)
	again := command(t, "", "key", "set", "1", "--webhook", "https://ehr.example.org/hooks")
	require.Zero(t, again.code)
	require.NotEqual(t, set.out, again.out, "a new secret")
	local := []string{"key", "set", "1", "--webhook", "http://127.0.0.1:9/hooks"}
	require.Equal(t, 2, command(t, "", local...).code)
	require.Zero(t, command(t, "", append(local, "--webhook-loopback")...).code)

	require.Contains(t, command(t, "", "key", "deliveries", "1").out, "INGESTION")
	require.Equal(t, "[]\n", command(t, "", "key", "deliveries", "1", "--json").out)
	require.Equal(t, 1, command(t, "", "key", "send-again", "1", "nothing").code)
	require.Zero(t, command(t, "", "key", "set", "1", "--no-webhook").code)
	require.Equal(t, 1, command(t, "", "key", "set", "1", "--no-webhook").code, "it is off")
	trail := command(t, "", "audit", "list", "--practice", "1").out
	require.Contains(t, trail, "key.webhook")
	require.Contains(t, trail, "key.webhook-off")
	require.NotContains(t, trail, "example.org")

	require.Zero(t, command(t, "", "key", "revoke", "1").code)
	require.Equal(t, 1, command(t, "", "key", "set", "1", "--webhook", "https://ehr.example.org/hooks").code, "it is revoked")
	require.Equal(t, 1, command(t, "", "key", "deliveries", "9").code)
}

func TestAWrongWebhookIsAUsageError(t *testing.T) {
	installed(t)
	require.Zero(t, command(t, "", "practice", "set", "1", "--ehr-beta=true").code)
	require.Zero(t, command(t, "", "key", "mint", "--practice", "1", "--label", "sync", "--scope", "ingest:write").code)
	for _, args := range [][]string{
		{"set"},
		{"set", "1"},
		{"set", "x", "--no-webhook"},
		{"set", "1", "--webhook", "nonsense"},
		{"set", "1", "--webhook", "http://ehr.example.org"},
		{"set", "1", "--webhook", "https://olive:s3cret@ehr.example.org"},
		{"set", "1", "--webhook", "https://ehr.example.org", "--no-webhook"},
		{"deliveries"},
		{"deliveries", "x"},
		{"send-again", "1"},
	} {
		wrong := command(t, "", append([]string{"key"}, args...)...)
		require.Equal(t, 2, wrong.code, "%v: %s", args, wrong.talk)
		require.Empty(t, wrong.out, args)
		require.NotContains(t, wrong.talk, "s3cret")
	}
	require.Equal(t, 2, command(t, "", "serve", "--webhook-networks", "::/0").code)
}
