package app_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"filippo.io/age"
	"github.com/stretchr/testify/require"

	"birthregistry/app/auth"
	"birthregistry/app/ops"
	"birthregistry/app/seal"
	"birthregistry/store"
)

// signedColumns returns every table that has the column mac.
var signedColumns = []string{
	"practices", "users", "memberships", "api_keys", "links", "sessions", "custom_fields", "ingestions", "records", "providers",
}

// stripped returns the statements that make a database look as if it predated signatures.
func stripped() string {
	statements := []string{`delete from sums`, `update versions set clinical = replace(clinical, '3000', '4999')`}
	for _, table := range signedColumns {
		statements = append(statements, "update "+table+" set mac = null")
	}
	return strings.Join(statements, ";")
}

func TestMissingSignaturesAreNoticedAndNothingIsSignedAgain(t *testing.T) {
	t.Parallel()
	config, _ := laden(t, 100)
	for _, trail := range []string{
		``,
		`drop trigger audit_stands; update audit set action = 'record.read' where action = 'database.sign'`,
		`drop trigger audit_stays; delete from audit where action = 'database.sign'`,
		`drop trigger audit_stays; delete from audit; update audit_head set last = 0, mac = x''; update users set signed_in_at = null`,
	} {
		to := copied(t, config)
		behind(t, to.DB, stripped()+";"+trail)
		check, backup := finds(t, to)
		require.True(t, check && backup, "check finds it: %v, backup finds it: %v\n%s", check, backup, trail)
	}
}

func TestWithoutTheKeyNobodyCanSignWithAKeyOfTheirOwn(t *testing.T) {
	t.Parallel()
	config, _ := laden(t, 100)
	to := copied(t, config)
	key, err := age.GenerateHybridIdentity()
	require.NoError(t, err)
	own := filepath.Join(t.TempDir(), "own.key")
	require.NoError(t, os.WriteFile(own, []byte(key.String()+"\n"), 0o600))
	behind(t, to.DB, stripped()+`;
		delete from secrets;
		update seal_recipients set kind = 'recovery';
		insert into seal_recipients (recipient, kind, added_at) values ('`+key.Recipient().String()+`', 'box', 1);
		drop trigger audit_stays; delete from audit; update audit_head set last = 0, mac = x''; update users set signed_in_at = null`)
	require.NoError(t, ops.SignAsItIs(t.Context(), ops.Config{DB: to.DB, KeyFile: own}))
	check, backup := finds(t, to)
	require.True(t, check && backup, "check finds it: %v, backup finds it: %v", check, backup)

	behind(t, to.DB, stripped()+`; delete from audit; update audit_head set last = 0, mac = x''`)
	noteUnsigned(t, to.DB, own)
	behind(t, to.DB, `delete from seal_recipients where kind = 'box'; update seal_recipients set kind = 'box' where rowid = (select min(rowid) from seal_recipients)`)
	check, backup = finds(t, to)
	require.True(t, check && backup, "a whole trail under another root: check finds it: %v, backup finds it: %v", check, backup)
}

// noteUnsigned adds an audit entry to a database without signing the database.
func noteUnsigned(t testing.TB, path, keyFile string) {
	t.Helper()
	db, err := store.Open(t.Context(), path)
	require.NoError(t, err)
	vault, _, err := seal.Open(db, keyFile)
	require.NoError(t, err)
	require.NoError(t, auth.New(db, vault).NoteAlone(auth.Operator(store.Practice{}), "record.read", "none"))
	require.NoError(t, db.Close())
}
