package store

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

// signs gives a database the test's own signing keys.
func signs(t testing.TB, db *DB) {
	t.Helper()
	require.NoError(t, db.Sign(context.Background(), Signing{
		Root:     []byte("root of a test"),
		Keys:     func() ([][]byte, error) { return [][]byte{[]byte("key of a test")}, nil },
		Signed:   func(context.Context) (bool, error) { return false, nil },
		Note:     func(*Tx) error { return nil },
		Progress: func(int, int) {},
	}))
}

// asWritten requires that every row verifies.
func asWritten(t testing.TB, db *DB, after string) {
	t.Helper()
	view(t, db, func(v *View) error {
		damage, err := v.Verify(t.Context())
		require.Empty(t, damage, after)
		return err
	})
}

func TestTheSumsFollowEveryStatementThatChangesRows(t *testing.T) {
	db := opened(t)
	signs(t, db)
	asWritten(t, db, "nothing")
	p, q := addPractice(t, db), addPractice(t, db)
	exec := func(text string, args ...any) {
		t.Helper()
		update(t, db, func(tx *Tx) error {
			_, err := tx.exec(text, args...)
			return err
		})
		asWritten(t, db, text)
	}
	u := `insert into users (email, name, created_at) values `
	exec(u + `('a', 'A', 1), ('b', 'B', 1), ('c', '', 1)`)
	exec(`update users set name = 'z' where email = 'a'`)
	exec(`update users set id = id + 1000`)
	exec(`insert or replace into users (id, email, name, created_at) values (1001, 'a', 'replaced', 2)`)
	exec(`insert or replace into users (email, name, created_at) values ('a', 'replaced by another key', 2)`)
	exec(`insert or ignore into users (email, name, created_at) values ('a', 'ignored', 2)`)
	exec(`insert into users (email, name, created_at) values ('a', 'upserted', 2) on conflict (email) do update set name = excluded.name`)
	exec(`update or replace users set email = 'b' where email = 'c'`)
	exec(`insert into recovery_codes (user, hash) select id, x'' from users`)
	exec(`insert into recovery_codes (user, hash) select id, x'00' from users`)
	exec(`update recovery_codes set hash = x'01' where hash = x''`)
	exec(`update recovery_codes set user = (select max(id) from users), hash = x'02' where user = (select min(id) from users) and hash = x'01'`)
	exec(`insert or replace into recovery_codes (user, hash) select user, hash from recovery_codes`)
	k := `insert into passkeys (user, credential, public_key, sign_count, flags, name, created_at) `
	exec(k + `select id, cast('k' || id as blob), x'01', 0, 5, x'01', 1 from users`)
	exec(`update passkeys set sign_count = sign_count + 1, used_at = 2`)
	exec(`update passkeys set user = (select max(id) from users)`)
	exec(`delete from passkeys`)
	exec(`insert into memberships (user, practice, role, called, created_at) select id, ?, 'viewer', '', 1 from users`, p)
	exec(`update memberships set practice = ?, role = 'admin'`, q)
	exec(`insert or replace into memberships (user, practice, role, called, created_at) select user, practice, 'viewer', 'x', 2 from memberships`)
	exec(`delete from recovery_codes`)
	exec(`delete from memberships`)
	exec(`insert into refused (practice, at, status, code, request_id, bytes) values (?, 1, 403, 'forbidden', 'r', 0), (?, 1, 403, 'forbidden', 'r', 0)`, p, q)
	exec(`update refused set practice = ?`, p)
	exec(`delete from refused`)
	exec(`delete from users`)
}

func TestAStatementThatFailsHalfwayLeavesNothingInTheSums(t *testing.T) {
	db := opened(t)
	signs(t, db)
	update(t, db, func(tx *Tx) error {
		_, err := tx.exec(`insert into users (email, name, created_at) values ('a', 'A', 1), ('b', 'B', 1)`)
		require.NoError(t, err)
		_, err = tx.exec(`insert into users (email, name, created_at) values ('c', 'C', 1), ('b', 'B', 1)`)
		require.Error(t, err)
		_, err = tx.exec(`update users set email = 'a'`)
		require.Error(t, err)
		return nil
	})
	asWritten(t, db, "a failure within a statement")
	require.NoError(t, db.Update(func(tx *Tx) error { _, err := tx.AddUser("n", "N\x00 and more"); return err }))
	asWritten(t, db, "a text with a NUL")
	jobs := []*job{
		{fn: func(tx *Tx) error { _, err := tx.AddUser("e", "E"); return err }},
		{fn: func(tx *Tx) error { _, err := tx.AddUser("f", "F"); return errors.Join(err, errRegret) }},
		{fn: func(tx *Tx) error {
			if _, err := tx.AddUser("g", "G"); err != nil {
				return err
			}
			panic("in a job")
		}},
		{fn: func(tx *Tx) error { _, err := tx.AddUser("h", "H"); return err }},
	}
	require.NoError(t, db.writer.transact(jobs))
	asWritten(t, db, "jobs that were rolled back")
	require.Error(t, db.Update(func(tx *Tx) error { _, err := tx.AddUser("i", "I"); return errors.Join(err, errRegret) }))
	addPractice(t, db)
	asWritten(t, db, "a transaction that was rolled back")
}

func TestARowChangedInTheSameCommitStillGrantsItsRights(t *testing.T) {
	db := opened(t)
	signs(t, db)
	p := addPractice(t, db)
	var key, young int64
	update(t, db, func(tx *Tx) (err error) {
		key, err = tx.AddAPIKey(p, APIKey{Label: "k", Scopes: []string{"ingest:write"}}, []byte("a hash"))
		return err
	})
	jobs := []*job{
		{fn: func(tx *Tx) error { return tx.TouchAPIKey(p, key, tx.Now) }},
		{fn: func(tx *Tx) error { return tx.inForce(p, key) }},
		{fn: func(tx *Tx) (err error) {
			young, err = tx.AddAPIKey(p, APIKey{Label: "l", Scopes: []string{"ingest:write"}}, []byte("another hash"))
			return errors.Join(err, tx.grants("api_keys", young))
		}},
		{fn: func(tx *Tx) error {
			_, err := tx.exec(`delete from api_keys where id = ?`, young)
			require.ErrorIs(t, tx.grants("api_keys", young), ErrNotFound)
			return err
		}},
	}
	require.NoError(t, db.writer.transact(jobs))
	for _, j := range jobs {
		require.NoError(t, j.err)
	}
	asWritten(t, db, "a commit that read what it had changed")
	db.signer.Load().off = true
	raw(t, db, `update api_keys set scopes = 'ingest:read'`)
	db.signer.Load().off = false
	jobs = jobs[:2]
	require.NoError(t, db.writer.transact(jobs))
	require.ErrorIs(t, jobs[1].err, ErrRevoked)
}

func TestARowFromBeforeAColumnWasAddedIsReadAsItIs(t *testing.T) {
	db := opened(t)
	raw(t, db, `create table young (id integer primary key, name text) strict`)
	raw(t, db, `insert into young (id, name) values (1, 'a')`)
	raw(t, db, `alter table young add column kind text not null default 'said'`)
	raw(t, db, `alter table young add column n integer not null default 7`)
	raw(t, db, `alter table young add column mac blob`)
	was := signedTables
	defer func() { signedTables = was }()
	signedTables = append(append([]signed(nil), was...), signed{name: "young", key: []string{"id"}, mac: true})
	signs(t, db)
	asWritten(t, db, "nothing")
	for _, text := range []string{`update young set name = 'b'`, `update young set n = 8`, `delete from young`} {
		update(t, db, func(tx *Tx) error {
			_, err := tx.exec(text)
			return err
		})
		asWritten(t, db, text)
	}
}

func TestATamperedListOfKeysGrantsNothing(t *testing.T) {
	for name, c := range map[string]struct {
		add    func(*DB) error
		read   func(*DB) error
		tamper []string
	}{
		"keys that open the database": {
			func(db *DB) error { return errors.Join(db.AdoptBox("box"), db.AddRecovery("recovery")) },
			func(db *DB) error {
				_, _, err := db.Recipients()
				_, shown := db.SealingKeys()
				if (err == nil) != (shown == nil) {
					return errors.New("one of two readers refuses")
				}
				return err
			},
			[]string{
				`insert into seal_recipients (recipient, kind, added_at) values ('mallory', 'recovery', 1)`,
				`update seal_recipients set recipient = 'mallory' where kind = 'recovery'`,
				`delete from seal_recipients where kind = 'recovery'`,
			},
		},
		"EHRs that may launch": {
			func(db *DB) error {
				return db.Update(func(tx *Tx) error {
					_, _, err := tx.PutEHR(EHR{Issuer: "https://ehr.example.org", Auth: AuthPublic, Practice: 1})
					return err
				})
			},
			func(db *DB) error {
				return db.View(background, func(v *View) error {
					_, err := v.EHRs()
					_, one := v.EHR(1)
					if (err == nil) != (one == nil) {
						return errors.New("one of two readers refuses")
					}
					return err
				})
			},
			[]string{
				`update ehrs set practice = null`,
				`update ehrs set frames = 'https://mallory.example.org'`,
				`update ehrs set hosts = 'mallory.example.org'`,
				`insert into ehrs (issuer, label, auth, created_at) values ('https://mallory.example.org', 'm', 'public', 1)`,
			},
		},
		"keys that the service signs with": {
			func(db *DB) error {
				return db.Update(func(tx *Tx) error { return tx.AddClientKey(ClientKey{ID: "a", Sealed: []byte("sealed")}) })
			},
			func(db *DB) error {
				return db.View(background, func(v *View) error { _, err := v.ClientKeys(); return err })
			},
			[]string{
				`update client_keys set created_at = 1`,
				`update client_keys set sealed = x'00'`,
				`delete from client_keys`,
				`insert into client_keys (kid, sealed, created_at) values ('b', x'00', 1)`,
			},
		},
	} {
		for _, statement := range c.tamper {
			db := opened(t)
			signs(t, db)
			addPractice(t, db)
			require.NoError(t, c.add(db), name)
			require.NoError(t, c.read(db), name)
			db.signer.Load().off = true
			raw(t, db, statement)
			db.signer.Load().off = false
			err := c.read(db)
			require.ErrorIs(t, err, ErrDamaged, "%s: %s", name, statement)
			require.Contains(t, err.Error(), "restore the latest backup", name)
		}
	}
}

func TestARemovedKeyThatIsPutBackOpensNothing(t *testing.T) {
	db := opened(t)
	signs(t, db)
	require.NoError(t, errors.Join(db.AdoptBox("box"), db.AddRecovery("lost")))
	raw(t, db, `create table older as select * from seal_recipients where kind = 'recovery'`)
	require.NoError(t, db.RemoveRecovery("lost"))
	_, _, err := db.Recipients()
	require.NoError(t, err)
	db.signer.Load().off = true
	raw(t, db, `insert into seal_recipients select * from older`)
	db.signer.Load().off = false
	_, _, err = db.Recipients()
	require.ErrorIs(t, err, ErrDamaged)
}

func TestAFormerKeySignsNothingOnceItsRotationHasEnded(t *testing.T) {
	was, is := []byte("former"), []byte("present")
	keys := [][]byte{was}
	c, err := newCodes([]byte("root"), func() ([][]byte, error) { return keys, nil })
	require.NoError(t, err)
	place, content := []byte("place"), []byte("content")
	former := c.seal(place, content)
	opens := func(sealed []byte) bool { _, ok := c.open(place, sealed); return ok }
	keys = [][]byte{is, was} // another process rotated the key
	anew, err := newCodes([]byte("root"), func() ([][]byte, error) { return keys, nil })
	require.NoError(t, err)
	require.True(t, opens(anew.seal(place, content)), "it learns of the new key")
	require.True(t, opens(former))
	keys = [][]byte{is}
	c.loaded.Store(&sumKeys{c.loaded.Load().all, c.loaded.Load().at.Add(-2 * formerCounts)})
	require.False(t, opens(former))
	require.True(t, opens(anew.seal(place, content)))
}
