package app_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"filippo.io/age"
	"github.com/stretchr/testify/require"

	"birthregistry/app"
	"birthregistry/app/apptest"
	"birthregistry/app/ops"
	"birthregistry/app/seal"
	"birthregistry/store"
)

func silent(int, int) {}

// vault is an installation whose operator has a recovery key.
type vault struct {
	*apptest.Installation
	folder, recovery, recipient string
}

func newVault(t *testing.T) *vault {
	t.Helper()
	v := &vault{Installation: apptest.Start(t), folder: t.TempDir()}
	v.recovery = filepath.Join(v.folder, "recovery.key")
	var err error
	v.recipient, err = seal.NewRecovery(v.recovery)
	require.NoError(t, err)
	require.NoError(t, v.App.AddRecovery(t.Context(), v.recipient, silent))
	return v
}

func (v *vault) keyFile() string { return ops.KeyFileFor(v.Config.DB) }

func (v *vault) backup(name string, recipients ...string) string {
	v.T.Helper()
	path := filepath.Join(v.folder, name)
	require.NoError(v.T, v.App.Backup(v.T.Context(), path, recipients))
	return path
}

func (v *vault) restore(source, with string) (ops.Restored, error) {
	return ops.Restore(context.Background(), v.Config.Config, ops.Restoring{Source: source, With: with, Stage: func(string) {}})
}

// sound requires that the restore checked the backup and found nothing wrong.
func (v *vault) sound(done ops.Restored) {
	v.T.Helper()
	require.NotEmpty(v.T, done.Checks)
	for _, f := range done.Checks {
		require.Empty(v.T, f.Problem, f.Check)
	}
}

func (v *vault) restored(source, with string) ops.Restored {
	v.T.Helper()
	done, err := v.restore(source, with)
	require.NoError(v.T, err)
	v.sound(done)
	left, err := filepath.Glob(filepath.Join(filepath.Dir(v.Config.DB), ".birthregistry-*"))
	require.NoError(v.T, err)
	require.Empty(v.T, left)
	return done
}

func TestARestoredBackupWorksAndTheRestoreCanBeUndone(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	v.Push(apptest.Course{Chart: "early"}.Bundle())
	backup := v.backup("backup.db")
	v.Push(apptest.Course{Chart: "late"}.Bundle())
	_, err := v.restore(backup, "")
	require.ErrorIs(t, err, store.ErrServed, "a server runs")
	v.Stop()

	done := v.restored(backup, "")
	require.False(t, done.KeyMade)
	v.Run()
	require.Equal(t, 1, v.Count())
	require.Equal(t, "early", v.Record("early").ChartNumber)
	v.Push(apptest.Course{Chart: "after"}.Bundle())
	v.Clean()
	v.Stop()

	again := v.restored(done.Aside, "")
	v.Run()
	defer v.Stop()
	require.Equal(t, 2, v.Count())
	require.Equal(t, "late", v.Record("late").ChartNumber)
	require.FileExists(t, again.Aside)
}

func TestABackupAndTheRecoveryKeyAloneRestoreEverything(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	v.Push(apptest.Course{Chart: "kept", Weight: 3400}.Bundle())
	own, err := v.App.Vault.Recipients()
	require.NoError(t, err)
	sealed := v.backup("sealed.age", own...)
	plain := v.backup("plain.db")
	v.Stop()
	first := v.Config.DB
	for _, backup := range []string{sealed, plain} {
		v.Config.DB = filepath.Join(t.TempDir(), "registry.db") // as on another machine
		_, err := v.restore(backup, "")
		require.ErrorIs(t, err, ops.ErrNeedsKey)
		require.NoFileExists(t, v.keyFile(), "never a new key for what it does not open")
		require.NoFileExists(t, v.Config.DB)
		done := v.restored(backup, v.recovery)
		require.True(t, done.KeyMade)
		require.Empty(t, done.Aside)
		v.Run()
		require.Equal(t, "kept", v.Record("kept").ChartNumber)
		v.Push(apptest.Course{Chart: "kept", Weight: 3500}.Bundle())
		require.Equal(t, 2, v.Record("kept").Version, "fingerprints and chart numbers go on")
		v.Clean()
		v.Stop()
		for _, file := range []string{v.Config.DB, v.keyFile()} {
			info, err := os.Stat(file)
			require.NoError(t, err)
			require.EqualValues(t, 0o600, info.Mode().Perm())
		}
		former := v.Config
		former.KeyFile = ops.KeyFileFor(first)
		_, err = app.Open(context.Background(), former)
		require.ErrorIs(t, err, seal.ErrWrongKey, "the key that was lost opens it no more")
	}
}

func TestADatabaseWhoseKeyFileIsLostGetsANewOneByItsRecoveryKey(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	v.Push(apptest.Course{Chart: "kept"}.Bundle())
	v.Stop()
	require.NoError(t, os.Remove(v.keyFile()))
	require.True(t, v.restored(v.Config.DB, v.recovery).KeyMade) // to its original place
	v.Run()
	defer v.Stop()
	require.Equal(t, "kept", v.Record("kept").ChartNumber)
}

func TestABackupOfBeforeARotationNeedsTheRetiredKey(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	v.Push(apptest.Course{Chart: "kept"}.Bundle())
	backup := v.backup("backup.db")
	retired, err := v.App.RotateKey(t.Context(), silent)
	require.NoError(t, err)
	v.Stop()
	_, err = v.restore(backup, "")
	require.ErrorIs(t, err, ops.ErrNotKey)
	done := v.restored(backup, retired)
	require.True(t, done.Rekeyed)
	require.False(t, done.KeyMade)
	v.Run()
	defer v.Stop()
	require.Equal(t, "kept", v.Record("kept").ChartNumber)
}

func TestADatabaseBehindALinkIsRestoredInItsPlace(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	v.Push(apptest.Course{Chart: "kept"}.Bundle())
	backup := v.backup("backup.db")
	link := filepath.Join(t.TempDir(), "link.db")
	file := v.Config.DB
	require.NoError(t, os.Symlink(file, link))
	v.Config.KeyFile, v.Config.DB = v.keyFile(), link
	_, err := v.restore(backup, "")
	require.ErrorIs(t, err, store.ErrServed, "by its other name")
	v.Stop()
	done := v.restored(backup, "")
	require.Equal(t, filepath.Dir(file), filepath.Dir(done.Aside))
	info, err := os.Lstat(done.Aside)
	require.NoError(t, err)
	require.True(t, info.Mode().IsRegular())
	info, err = os.Lstat(link)
	require.NoError(t, err)
	require.Equal(t, os.ModeSymlink, info.Mode().Type())
}

func TestAFailedRestoreChangesNothing(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	v.Push(apptest.Course{Chart: "kept"}.Bundle())
	backup := v.backup("backup.db")
	stranger := newVault(t)
	sealedToNobodyHere := v.backup("sealed.age", stranger.recipient)
	v.Stop()
	content, err := os.ReadFile(backup)
	require.NoError(t, err)
	file := func(name string, text []byte) string {
		path := filepath.Join(v.folder, name)
		require.NoError(t, os.WriteFile(path, text, 0o600))
		return path
	}
	damaged := bytes.Clone(content)
	for at := len(damaged) / 8192 * 4096; at < len(damaged); at += 4096 {
		copy(damaged[at:], "CNRY")
	}
	own, err := os.ReadFile(sealedToNobodyHere)
	require.NoError(t, err)
	flipped := bytes.Clone(own)
	flipped[len(flipped)/2] ^= 1
	for name, wrong := range map[string]struct {
		source, with string
		err          error
	}{
		"none":        {filepath.Join(v.folder, "none"), "", os.ErrNotExist},
		"a folder":    {v.folder, "", store.ErrNotDatabase},
		"text":        {file("text", []byte("CNRY text")), "", store.ErrNotDatabase},
		"empty":       {file("empty", nil), "", store.ErrNotDatabase},
		"cut off":     {file("cut", content[:len(content)/2]), "", store.ErrCorrupt},
		"damaged":     {file("damaged", damaged), "", store.ErrCorrupt},
		"another key": {backup, stranger.recovery, ops.ErrNotKey},
		"no key":      {backup, filepath.Join(v.folder, "none"), os.ErrNotExist},
		"sealed":      {sealedToNobodyHere, v.recovery, ops.ErrNotKey},
		"cut sealed":  {file("cut.age", own[:len(own)-100]), stranger.recovery, store.ErrCorrupt},
		"flipped":     {file("flipped.age", flipped), stranger.recovery, store.ErrCorrupt},
	} {
		_, err := v.restore(wrong.source, wrong.with)
		require.ErrorIs(t, err, wrong.err, name)
		require.NotContains(t, err.Error(), "CNRY", name)
		_, err = v.rehearse(wrong.source, wrong.with)
		require.ErrorIs(t, err, wrong.err, "%s, rehearsed", name)
	}
	left, err := os.ReadDir(filepath.Dir(v.Config.DB))
	require.NoError(t, err)
	for _, e := range left {
		require.NotContains(t, e.Name(), "replaced")
		require.False(t, strings.HasPrefix(e.Name(), "."), e.Name())
	}
	v.Run()
	defer v.Stop()
	require.Equal(t, "kept", v.Record("kept").ChartNumber)
	v.Clean()
}

func TestARecoveryKeyInThePlaceOfTheKeyFileIsNotTakenForIt(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	backup := v.backup("backup.db")
	v.Stop()
	v.Config.KeyFile = v.recovery
	_, err := v.restore(backup, "")
	require.ErrorIs(t, err, seal.ErrRecoveryKey)
}

func TestNobodyIsSignedInAfterARestore(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	require.NoError(t, v.App.DB.Update(func(tx *store.Tx) error {
		return tx.PutSession(store.Session{Token: "of a thief", Sealed: []byte{1}, CreatedAt: tx.Now, ExpiresAt: tx.Now.AddDate(1, 0, 0)})
	}))
	backup := v.backup("backup.db")
	v.Stop()
	v.restored(backup, "")
	v.Run()
	defer v.Stop()
	noted := false
	require.NoError(t, v.App.DB.View(t.Context(), func(view *store.View) error {
		_, err := view.Session("of a thief")
		require.ErrorIs(t, err, store.ErrNotFound)
		return view.Trail(func(row store.Audit) error {
			noted = noted || row.Action == "database.restore"
			return nil
		})
	}))
	require.True(t, noted)
}

func TestASealedBackupIsAnOrdinaryAgeFileOfTheCopy(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	v.Push(apptest.Course{Chart: "CNRY-chart"}.Bundle())
	classic, err := age.GenerateX25519Identity()
	require.NoError(t, err)
	sealed, err := os.ReadFile(v.backup("sealed.age", classic.Recipient().String()))
	require.NoError(t, err)
	require.NotContains(t, string(sealed), "CNRY-chart")
	opened, err := age.Decrypt(bytes.NewReader(sealed), classic)
	require.NoError(t, err)
	var plain bytes.Buffer
	_, err = plain.ReadFrom(opened)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(plain.String(), "SQLite format 3"))
	require.Contains(t, plain.String(), "CNRY-chart")

	err = v.App.Backup(t.Context(), filepath.Join(v.folder, "mixed"), []string{classic.Recipient().String(), v.recipient})
	require.ErrorIs(t, err, seal.ErrMixed)
	err = v.App.Backup(t.Context(), filepath.Join(v.folder, "wrong"), []string{"CNRY"})
	require.ErrorIs(t, err, seal.ErrRecipient)
	err = v.App.Backup(t.Context(), filepath.Join(v.folder, "secret"), []string{classic.String()})
	require.ErrorIs(t, err, seal.ErrSecretKey)
	err = v.App.Backup(t.Context(), filepath.Join(v.folder, "sealed.age"), []string{v.recipient})
	require.ErrorContains(t, err, "already exists")
	for _, folder := range []string{v.folder, filepath.Dir(v.Config.DB)} {
		left, err := filepath.Glob(filepath.Join(folder, ".birthregistry-*"))
		require.NoError(t, err)
		require.Empty(t, left)
	}
	require.NoFileExists(t, filepath.Join(v.folder, "mixed"))
}

func TestAKeyThatIsRotatedLeavesNoFormerHeaderInTheFiles(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	header, err := v.App.DB.Epoch(1)
	require.NoError(t, err)
	former := bytes.Split(header, []byte("\n"))[2] // of the wrapped file key
	require.Greater(t, len(former), 40)
	_, err = v.App.RotateKey(t.Context(), silent)
	require.NoError(t, err)
	for _, ending := range []string{"", "-wal"} {
		content, err := os.ReadFile(v.Config.DB + ending)
		require.NoError(t, err)
		require.False(t, bytes.Contains(content, former), "%q", ending)
	}
}

// The key is changed before the command waits for a reader of the WAL. If the operator doesn't want
// to wait, the command must say where the former key is, and not ask for another rotation.
func TestARotationThatIsInterruptedWhileItWaitsForAReaderIsComplete(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	command, err := app.Open(t.Context(), v.Config)
	require.NoError(t, err)
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	var retired string
	err = v.App.DB.View(t.Context(), func(w *store.View) error {
		if _, err := w.Practices(); err != nil { // the snapshot begins
			return err
		}
		rotated := make(chan error, 1)
		go func() {
			var err error
			retired, err = command.RotateKey(ctx, silent)
			rotated <- err
		}()
		require.Eventually(t, func() bool {
			made, err := filepath.Glob(v.keyFile() + ".retired-*")
			return err == nil && len(made) == 1
		}, time.Minute, time.Millisecond)
		interrupt()
		return <-rotated
	})
	require.NoError(t, errors.Join(err, command.Close()))
	require.FileExists(t, retired)
	keys, err := v.App.Secrets()
	require.NoError(t, err)
	require.False(t, keys.Unfinished)
	v.Clean()
}

func TestARotationIsRefusedWhileAServerReadsAnotherKeyFile(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	config := v.Config
	text, err := os.ReadFile(v.keyFile())
	require.NoError(t, err)
	config.KeyFile = filepath.Join(v.folder, "original.key") // the server has a copy of it
	require.NoError(t, os.WriteFile(config.KeyFile, text, 0o600))
	command, err := app.Open(t.Context(), config)
	require.NoError(t, err)
	_, err = command.RotateKey(t.Context(), silent)
	require.ErrorIs(t, err, ops.ErrKeyCopy)
	v.Stop()
	_, err = command.RotateKey(t.Context(), silent)
	require.NoError(t, errors.Join(err, command.Close()))
	v.Config.KeyFile = config.KeyFile
	v.Run()
	defer v.Stop()
	v.Clean()
}
