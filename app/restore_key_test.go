package app_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"filippo.io/age"
	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/ops"
	"birthregistry/app/seal"
	"birthregistry/store/storetest"
)

// An interrupted rotation may stay so overnight, and so get into the nightly backup.
func TestABackupOfTheMiddleOfARotationIsRestored(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	require.NoError(t, v.App.RemoveRecovery(t.Context(), v.recipient, silent))
	v.Push(apptest.Course{Chart: "kept"}.Bundle())
	list, _, err := v.App.DB.Recipients()
	require.NoError(t, err)
	header, err := v.App.DB.Epoch(1)
	require.NoError(t, err)
	for range 100 { // as after years of use
		_, err := v.App.DB.PutEpoch(header, list)
		require.NoError(t, err)
	}
	old, err := os.ReadFile(v.keyFile())
	require.NoError(t, err)
	made, err := age.GenerateHybridIdentity()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(v.keyFile(), append([]byte(made.String()+"\n"), old...), 0o600))
	require.NoError(t, v.App.DB.SetBox(made.Recipient().String()))
	backups := []string{v.backup("begun.db")}
	retired, err := v.App.RotateKey(t.Context(), func(int, int) {
		if len(backups) == 1 {
			backups = append(backups, v.backup("half.db"))
		}
	})
	require.NoError(t, err)
	v.Stop()
	stranger := filepath.Join(v.folder, "stranger.key")
	_, err = seal.NewRecovery(stranger)
	require.NoError(t, err)
	for _, backup := range backups {
		_, err = v.restore(backup, "")
		require.ErrorIs(t, err, ops.ErrNotKey, "%s: it would not be whole", backup)
		_, err = v.restore(backup, stranger)
		require.ErrorIs(t, err, ops.ErrNotKey, backup)
		require.True(t, v.restored(backup, retired).Rekeyed)
		v.Run()
		require.Equal(t, "kept", v.Record("kept").ChartNumber)
		v.Stop()
	}
}

func TestARestoreStopsAtOnceWhenInterruptedAndLeavesNothingNotEvenANewKeyFile(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	backup := v.backup("backup.db")
	sealed := v.backup("backup.age", v.recipient)
	v.Stop()
	require.NoError(t, os.Remove(v.keyFile())) // lost
	home := func() map[string]string {
		all := contents(t, filepath.Dir(v.Config.DB))
		delete(all, v.Config.DB+".lock") // it names the key file of whoever held the lock last
		return all
	}
	before := home()
	for _, source := range []string{backup, sealed, v.Config.DB} {
		var stages []string
		for last := 0; ; last++ {
			ctx, interrupt := context.WithCancel(t.Context())
			var seen []string
			done, err := ops.Restore(ctx, v.Config.Config, ops.Restoring{Source: source, With: v.recovery, Stage: func(stage string) {
				if seen = append(seen, stage); len(seen) == last+1 {
					interrupt()
				}
			}})
			interrupt()
			if stages = seen; err == nil { // it was interrupted in the last stage, which is too late
				require.True(t, done.KeyMade)
				break
			}
			require.ErrorIs(t, err, context.Canceled, seen)
			require.Len(t, seen, last+1, "it stops in this stage: %v", seen)
			require.Equal(t, before, home(), seen)
		}
		require.Greater(t, len(stages), 3)
		v.Run()
		v.Clean()
		v.Stop()
		require.NoError(t, os.Remove(v.keyFile()))
		before = home()
	}
}

func TestABackupThatIsInterruptedWhileItIsSealedIsNotMade(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	folder := t.TempDir()
	sealing := func() bool {
		names, _ := filepath.Glob(filepath.Join(folder, ".birthregistry-copy-*"))
		return len(names) > 0
	}
	err := v.App.Backup(storetest.EndsWhen{Context: t.Context(), Ended: sealing}, filepath.Join(folder, "backup.age"), []string{v.recipient})
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, contents(t, folder))
}

func TestAKeyFileThatHoldsNoKeyOrTheRecoveryKeyIsReportedWithTheAdviceToMoveIt(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	backup := v.backup("backup.db")
	recipients, err := v.App.Vault.Recipients()
	require.NoError(t, err)
	sealed := v.backup("backup.age", recipients...)
	v.Stop()
	recovery, err := os.ReadFile(v.recovery)
	require.NoError(t, err)
	for _, wrong := range [][]byte{nil, recovery} {
		require.NoError(t, os.WriteFile(v.keyFile(), wrong, 0o600))
		for _, source := range []string{backup, sealed} {
			_, err = v.restore(source, v.recovery)
			require.ErrorContains(t, err, "move it away and restore again")
		}
	}
	require.NoError(t, os.Remove(v.keyFile()))
	require.True(t, v.restored(sealed, v.recovery).KeyMade)
}
