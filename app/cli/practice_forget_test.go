package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"filippo.io/age"
	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
)

func TestAPracticeIsForgottenWhileTheServiceRuns(t *testing.T) {
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "one"}.Bundle())
	t.Setenv("REGISTRY_DB", i.Config.DB)
	require.Zero(t, command(t, "", "practice", "add", "Hillside").code)
	key, err := age.GenerateX25519Identity()
	require.NoError(t, err)
	name := "Riverside Midwives"
	file := filepath.Join(t.TempDir(), "one.age")
	made := command(t, "", "practice", "export", "1", file, "--recipient", key.Recipient().String())
	require.Zero(t, made.code, made.talk)
	digest := strings.TrimSpace(made.out)
	require.Contains(t, made.talk, "birthregistry practice forget 1 --exported "+digest)

	refused := func(says, typed string, args ...string) {
		t.Helper()
		r := command(t, typed, append([]string{"practice", "forget"}, args...)...)
		require.NotZero(t, r.code, r.out)
		require.Contains(t, r.talk, says)
		require.Contains(t, command(t, "", "practice", "list").out, name)
	}
	refused("it needs --exported or --without-export", "", "1")
	refused("64 characters", "", "1", "--exported", "abc", "--yes")
	refused("give only one of --exported and --without-export", "", "1", "--exported", digest, "--without-export")
	refused("there is no such practice", "", "7", "--without-export", "--yes")
	refused("say --yes", "", "1", "--exported", digest)
	refused("not the name", "Hillside\n", "1", "--exported", digest)
	refused("no export of this practice", name+"\n", "1", "--exported", strings.Repeat("0", 64))
	refused("no export of this practice", "", "2", "--exported", digest, "--yes")
	require.Contains(t, command(t, "", "practice", "certificate", "1").talk, "no practice with that id was erased here")

	r := command(t, name+"\n", "practice", "forget", "1", "--exported", digest)
	require.Zero(t, r.code, r.talk)
	for _, line := range []string{"CERTIFICATE OF ERASURE", name + " (number 1)", "SHA-256 " + digest, "  births\n", "Backups made before"} {
		require.Contains(t, r.out, line)
	}
	require.Equal(t, 401, i.Post(apptest.Course{Chart: "two"}.Bundle()).StatusCode)
	list := command(t, "", "practice", "list").out
	require.NotContains(t, list, name)
	require.Contains(t, list, "Hillside")
	require.Equal(t, r.out, command(t, "", "practice", "certificate", "1").out)
	require.Equal(t, r.out, command(t, "", "practice", "forget", "1", "--without-export").out, "a command that was cut off is called again")
	require.Contains(t, command(t, "", "practice", "certificate", "1", "--json").out, `"exported": "`+digest+`"`)
	require.Zero(t, command(t, "", "check").code)
	require.Contains(t, command(t, "", "audit", "verify").out, "were erased with their practice")
}
