package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"filippo.io/age"
	"github.com/stretchr/testify/require"
)

func TestAWrongKeyFileIsNamedWithWhatToDo(t *testing.T) {
	installed(t)
	folder := t.TempDir()
	classic, err := age.GenerateX25519Identity()
	require.NoError(t, err)
	recovery := filepath.Join(folder, "recovery.key")
	made := command(t, "", "secrets", "recovery", "make", recovery)
	require.Zero(t, made.code)
	require.Zero(t, command(t, "", "secrets", "recovery", "add", strings.TrimSpace(made.out)).code)
	another := filepath.Join(folder, "another.db")
	require.Zero(t, command(t, "", "practice", "add", "Hill", "--db", another).code)
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	for _, c := range []struct{ path, says string }{
		{filepath.Join(folder, "another.key"), "it is another database's, or was replaced by a change of keys; name the right one with --key-file"},
		{recovery, "is a recovery key, not the installation's own"},
		{write("classic.key", classic.String()+"\n"), "an age key of another kind (AGE-SECRET-KEY-1…), which never opens a database; name"},
		{write("api.key", someKey), "holds no key of a database, which is a line that begins with AGE-SECRET-KEY-PQ-1; name the right file"},
		{write("recovery.pub", made.out), "holds no key of a database"},
		{write("empty.key", ""), "holds no key of a database"},
		{folder, "is a folder"},
		{filepath.Join(folder, "none.key"), "the key file is missing"},
	} {
		r := command(t, "", "practice", "list", "--key-file", c.path)
		require.Equal(t, exitFailed, r.code, c.path)
		require.Contains(t, r.talk, "birthregistry: "+c.path+": the key file ")
		require.Contains(t, r.talk, c.says)
		require.NotContains(t, r.talk, classic.String()[:20])
	}
	doctor := command(t, "", "doctor", "--key-file", filepath.Join(folder, "classic.key"))
	require.Contains(t, doctor.out, "PROBLEM  key")
	require.Contains(t, doctor.out, "classic.key holds an age key of another kind")
}

func TestAKeyOrAnArchiveThatIsMissingIsNamed(t *testing.T) {
	path := installed(t)
	folder := t.TempDir()
	recipient := command(t, "", "secrets", "recovery", "make", filepath.Join(folder, "practice.key"))
	export, sealed := filepath.Join(folder, "practice.age"), filepath.Join(folder, "backup.age")
	require.Zero(t, command(t, "", "practice", "export", "1", export, "--recipient", strings.TrimSpace(recipient.out)).code)
	require.Zero(t, command(t, "", "backup", sealed, "--recipient", strings.TrimSpace(recipient.out)).code)
	missing := filepath.Join(folder, "missing")
	t.Setenv("REGISTRY_DB", filepath.Join(folder, "new.db"))
	for _, args := range [][]string{
		{"practice", "import", export, "--identity", missing},
		{"practice", "import", missing, "--identity", filepath.Join(folder, "practice.key")},
		{"practice", "import", export, "--passphrase-file", missing},
		{"restore", sealed, "--with", missing},
		{"restore", sealed, "--with", missing, "--check"},
		{"restore", sealed, "--with", missing, "--db", path},
	} {
		r := command(t, "", args...)
		require.Equal(t, exitFailed, r.code, args)
		require.Contains(t, lastLine(r.talk), "there is no such file: "+missing, args)
	}
	left, err := filepath.Glob(filepath.Join(folder, "new*"))
	require.NoError(t, err)
	require.Empty(t, left, "no installation was made")
}

func TestAnImportMakesNoNewDatabaseForAKeyWhoseDatabaseIsMissing(t *testing.T) {
	path := installed(t)
	folder := t.TempDir()
	recipient := command(t, "", "secrets", "recovery", "make", filepath.Join(folder, "practice.key"))
	export := filepath.Join(folder, "practice.age")
	require.Zero(t, command(t, "", "practice", "export", "1", export, "--recipient", strings.TrimSpace(recipient.out)).code)
	require.NoError(t, os.Remove(path)) // the disk is not mounted
	r := command(t, "", "practice", "import", export, "--identity", filepath.Join(folder, "practice.key"))
	require.Equal(t, exitFailed, r.code)
	require.Contains(t, r.talk, "mount the database's disk")
	require.NoFileExists(t, path)
}

func TestARecipientThatIsNoneIsAWrongCall(t *testing.T) {
	installed(t)
	folder := t.TempDir()
	key := filepath.Join(folder, "recovery.key")
	hybrid := command(t, "", "secrets", "recovery", "make", key)
	classic, err := age.GenerateX25519Identity()
	require.NoError(t, err)
	file := filepath.Join(folder, "made.age")
	for _, do := range [][]string{{"backup", file}, {"practice", "export", "1", file}} {
		for _, wrong := range [][]string{{"--recipient", "age1xyz"}, {"--recipient", key}, {"--recipient", classic.Recipient().String(), "--recipient", strings.TrimSpace(hybrid.out)}} {
			r := command(t, "", append(do, wrong...)...)
			require.Equal(t, exitUsage, r.code, "%v %v: %s", do, wrong[1:2], r.talk)
			require.NoFileExists(t, file)
		}
	}
}

func TestAFileThatIsNoDatabaseIsNamedWithWhatToDo(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "notes.txt")
	require.NoError(t, os.WriteFile(path, []byte("call the clinic"), 0o600))
	for _, wrong := range []string{path, folder} {
		r := command(t, "", "practice", "list", "--db", wrong)
		require.Equal(t, exitFailed, r.code)
		require.Equal(t, "birthregistry: "+wrong+": the file is not a database of this program; name the right one with --db or REGISTRY_DB\n", r.talk)
	}
}
