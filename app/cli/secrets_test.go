package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
)

func TestSecretsAreShownByTheirPublicHalves(t *testing.T) {
	path := database(t)
	command(t, "", "practice", "add", "Riverside")
	shown := command(t, "", "secrets", "show")
	require.Zero(t, shown.code, shown.talk)
	require.Contains(t, shown.out, "age1pq1")
	require.Contains(t, shown.talk, "no recovery key")
	require.NotContains(t, shown.out+shown.talk, "AGE-SECRET-KEY")

	file := filepath.Join(t.TempDir(), "recovery.key")
	made := command(t, "", "secrets", "recovery", "make", file)
	require.Zero(t, made.code, made.talk)
	public := strings.TrimSpace(made.out)
	require.Regexp(t, `^age1pq1[0-9a-z]+$`, public, "alone, for scripts")
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.EqualValues(t, 0o600, info.Mode().Perm())
	again := command(t, "", "secrets", "recovery", "make", file)
	require.Equal(t, 1, again.code, "it overwrites nothing")
	require.Equal(t, "birthregistry: file already exists; name a new file for the recovery key\n", again.talk)

	require.Zero(t, command(t, "", "secrets", "recovery", "add", public).code)
	require.Zero(t, command(t, "", "secrets", "recovery", "add", public).code, "again changes nothing")
	var doc struct {
		KeyFile    string `json:"key_file"`
		Recipients []struct {
			Recipient string `json:"recipient"`
			Recovery  bool   `json:"recovery"`
		} `json:"recipients"`
		Behind     int  `json:"headers_behind"`
		Unfinished bool `json:"rotation_unfinished"`
	}
	require.NoError(t, json.Unmarshal([]byte(command(t, "", "secrets", "show", "--json").out), &doc))
	require.Equal(t, strings.TrimSuffix(path, ".db")+".key", doc.KeyFile)
	require.Len(t, doc.Recipients, 2)
	require.Equal(t, public, doc.Recipients[1].Recipient)
	require.True(t, doc.Recipients[1].Recovery)
	own := command(t, "", "secrets", "recovery", "add", doc.Recipients[0].Recipient)
	require.Equal(t, 1, own.code, "who believed it would have no recovery key")
	require.Contains(t, own.talk, "recovery make")
	require.Zero(t, doc.Behind)
	require.NotContains(t, command(t, "", "secrets", "show").talk, "no recovery key")

	require.Equal(t, 1, command(t, "", "secrets", "recovery", "remove", "age1pq1zzzzzz").code)
	require.Equal(t, 1, command(t, "", "secrets", "recovery", "remove", "age1pq1").code, "not everything begins so")
	require.Zero(t, command(t, "", "secrets", "recovery", "remove", public[:20]+"…").code, "as show prints it")
	require.Contains(t, command(t, "", "secrets", "show").talk, "no recovery key")
}

func TestAnInvalidRecoveryKeyIsRefusedAndNotQuoted(t *testing.T) {
	database(t)
	command(t, "", "practice", "add", "Riverside")
	file := filepath.Join(t.TempDir(), "recovery.key")
	command(t, "", "secrets", "recovery", "make", file)
	secret := regexpLine(t, file, "AGE-SECRET-KEY-PQ-1")
	for _, arg := range []string{"", "CNRY", "age1pq1CNRY", secret, file} {
		r := command(t, "", "secrets", "recovery", "add", arg)
		require.Equal(t, 2, r.code, "%s", r.talk)
		require.NotContains(t, r.talk, "CNRY")
		require.NotContains(t, r.talk, secret[25:])
	}
	require.Contains(t, command(t, "", "secrets", "recovery", "add", file).talk, "the secret half")
	folder := t.TempDir()
	missing := filepath.Join(folder, "recovery.pub")
	for _, args := range [][]string{
		{"secrets", "recovery", "add", missing},
		{"backup", filepath.Join(folder, "copy.age"), "--recipient", missing},
		{"practice", "export", "1", filepath.Join(folder, "practice.age"), "--recipient", missing},
	} {
		r := command(t, "", args...)
		require.Equal(t, exitUsage, r.code, args)
		require.Contains(t, r.talk, "name a public key (age1pq1…) or a file that holds one: there is no such file: "+missing, args)
	}
}

func regexpLine(t *testing.T, file, prefix string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, prefix) {
			return strings.TrimSpace(line)
		}
	}
	require.FailNow(t, "no such line")
	return ""
}

func TestARestoreInPlaceDoesNotSayThatChangesAreLost(t *testing.T) {
	path := installed(t)
	recovery := filepath.Join(t.TempDir(), "recovery.key")
	made := command(t, "", "secrets", "recovery", "make", recovery)
	require.Zero(t, command(t, "", "secrets", "recovery", "add", strings.TrimSpace(made.out)).code)
	none := command(t, "", "restore", path, "--with", recovery+"x")
	require.Equal(t, "birthregistry: nothing was restored: the key: there is no such file: "+recovery+"x\n", lastLine(none.talk))
	require.NoError(t, os.Remove(strings.TrimSuffix(path, ".db")+".key")) // lost
	r := command(t, "", "restore", path, "--with", recovery)
	require.Zero(t, r.code, r.talk)
	require.Contains(t, r.out, "Everything else is unchanged.")
	require.NotContains(t, r.out, "Changes since the backup")
}

func TestARotationSaysWhereTheFormerKeyIsAndABackupStillNeedsIt(t *testing.T) {
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "kept"}.Bundle())
	t.Setenv("REGISTRY_DB", i.Config.DB)
	backup := filepath.Join(t.TempDir(), "backup.db")
	require.Zero(t, command(t, "", "backup", backup).code)
	rotated := command(t, "", "secrets", "rotate") // while the service runs
	require.Zero(t, rotated.code, rotated.talk)
	retired, err := filepath.Glob(filepath.Join(filepath.Dir(i.Config.DB), "*.key.retired-*"))
	require.NoError(t, err)
	require.Len(t, retired, 1)
	require.Contains(t, rotated.out, retired[0])
	i.Push(apptest.Course{Chart: "after"}.Bundle())
	require.Zero(t, command(t, "", "check").code)

	served := command(t, "", "restore", backup, "--with", retired[0])
	require.Equal(t, 1, served.code)
	require.Contains(t, served.talk, "stop it first")
	i.Stop()
	wrong := command(t, "", "restore", backup)
	require.Equal(t, 1, wrong.code)
	require.Contains(t, wrong.talk, "nothing was restored")
	require.Contains(t, wrong.talk, "--with")
	restored := command(t, "", "restore", backup, "--with", retired[0])
	require.Zero(t, restored.code, restored.talk)
	require.Contains(t, restored.out, "secrets show", "a recovery key that was taken out is in again")
	_, undo, found := strings.Cut(restored.out, "To undo")
	require.True(t, found, restored.out)
	require.NotContains(t, undo, "--with", "the key file opens what was there, as before")
	require.Contains(t, restored.talk, "checking every page")
	shown := command(t, "", "record", "show", "kept", "--practice", "1", "--reveal")
	require.Contains(t, shown.out, "Okonkwo")
	require.Equal(t, 1, command(t, "", "record", "show", "after", "--practice", "1").code)
}

// Nothing is damaged then, so restoring a backup would lose births for nothing.
func TestAfterAnInterruptedRotationNobodyIsAdvisedToRestoreABackup(t *testing.T) {
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "kept"}.Bundle())
	t.Setenv("REGISTRY_DB", i.Config.DB)
	ctx, interrupt := context.WithCancel(t.Context())
	_, err := i.App.RotateKey(ctx, func(int, int) { interrupt() })
	require.ErrorIs(t, err, context.Canceled)
	checked := command(t, "", "check")
	require.Equal(t, exitFailed, checked.code)
	require.Contains(t, checked.out, "a rotation was interrupted; nothing is lost")
	require.Contains(t, checked.out, "→ birthregistry secrets rotate")
	require.NotContains(t, checked.out+checked.talk, "restore")
	examined := command(t, "", "doctor")
	require.Equal(t, exitFailed, examined.code)
	require.Regexp(t, `PROBLEM +integrity +a rotation was interrupted; nothing is lost\n +→ birthregistry secrets rotate\n`, examined.out)
	require.NotContains(t, examined.out, "restore")

	backup := filepath.Join(t.TempDir(), "backup.db")
	require.Zero(t, command(t, "", "backup", backup).code)
	rehearsed := command(t, "", "restore", backup, "--check")
	require.Zero(t, rehearsed.code, rehearsed.talk)
	i.Stop()
	restored := command(t, "", "restore", backup)
	require.Zero(t, restored.code, restored.talk)
	require.Contains(t, restored.talk, "a rotation was interrupted; nothing is lost. Next: birthregistry secrets rotate")
	rotated := command(t, "", "secrets", "rotate")
	require.Zero(t, rotated.code, rotated.talk)
	require.Zero(t, command(t, "", "check").code)
	require.Contains(t, command(t, "", "record", "show", "kept", "--practice", "1", "--reveal").out, "Okonkwo")
}

func TestASealedBackupShowsNothingAndIsRestored(t *testing.T) {
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "CNRY-chart"}.Bundle())
	t.Setenv("REGISTRY_DB", i.Config.DB)
	folder := t.TempDir()
	sealed := filepath.Join(folder, "backup.age")
	require.Zero(t, command(t, "", "backup", sealed, "--sealed").code)
	text, err := os.ReadFile(sealed)
	require.NoError(t, err)
	require.NotContains(t, string(text), "CNRY")
	for _, args := range [][]string{
		{"backup", filepath.Join(folder, "both"), "--sealed", "--recipient", "age1x"},
	} {
		require.Equal(t, 2, command(t, "", args...).code)
	}
	require.Equal(t, 2, command(t, "", "backup", filepath.Join(folder, "x"), "--recipient", "CNRY").code)
	i.Stop()
	require.NoError(t, os.Remove(i.Config.DB))
	r := command(t, "", "restore", sealed)
	require.Zero(t, r.code, r.talk)
	require.Zero(t, command(t, "", "record", "show", "CNRY-chart", "--practice", "1").code)
}
