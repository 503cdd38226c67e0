package app_test

import (
	"os"
	"path/filepath"
	"testing"

	"filippo.io/age"
	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/ops"
	"birthregistry/app/seal"
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
