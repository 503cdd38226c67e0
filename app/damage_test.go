package app_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"birthregistry/app"
	"birthregistry/app/apptest"
	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/longtest"
	"birthregistry/app/ops"
	"birthregistry/app/records"
	"birthregistry/store"
)

// witness returns a Practitioner who attends the birth and one who was present.
func witness(n int) string {
	return fmt.Sprintf(`{"resourceType":"Practitioner","id":"w%[1]d","identifier":[{"system":"http://hl7.org/fhir/sid/us-npi","value":"%[2]d"}],
		"name":[{"family":"Lindqvist%[1]d","given":["Ida"]}]}`, n, 1234567800+n)
}

// laden returns a stopped installation in which every signed table has rows, and whose first
// practice has stored counts. births, a multiple of a hundred, is how many fill its pages.
func laden(t *testing.T, births int) (config app.Config, page string) {
	t.Helper()
	i := apptest.Start(t)
	for n := range 12 {
		i.Push(apptest.Course{
			Chart: fmt.Sprintf("C-%d", n), Stamp: "2026-03-02T05:00:00Z", Born: fmt.Sprintf("2026-03-%02dT04:18:00-05:00", n+1),
			Weight: 3000 + n, Extra: []string{witness(n % 3)},
		}.Bundle())
	}
	for n := range 4 {
		i.Push(apptest.Course{
			Chart: fmt.Sprintf("C-%d", n), Stamp: "2026-03-03T05:00:00Z", Born: fmt.Sprintf("2026-03-%02dT04:18:00-05:00", n+1),
			Weight: 3100 + n, Extra: []string{witness(n % 3), witness(5)},
		}.Bundle())
	}
	i.Push(apptest.Course{Chart: "twin of C-9", Stamp: "2026-03-03T05:00:00Z", Born: "2026-03-10T04:18:00-05:00", Weight: 3009}.Bundle())
	i.Push(`{"resourceType":"Bundle","type":"document"}`)
	other := i.AddPractice("Hillside Midwives")
	first := i.Key
	i.Key = i.Mint(other, "ingest:write")
	i.Post(apptest.Course{Chart: "H-1"}.Bundle())
	i.Mint(other, "ingest:read")
	i.Key = first
	admin := i.SignIn(i.Practice, auth.Admin)
	viewer := i.SignIn(i.Practice, auth.Viewer)
	i.SignIn(other, auth.Admin)
	require.NoError(t, i.App.Vault.Ready())
	r, two := i.Record("C-0").Head(), i.Record("C-9").Head()
	three := i.Record("twin of C-9").Head()
	sealed, err := i.App.Vault.Seal(records.CustomPlace(i.Practice, r.UUID, r.Version), []byte(`{"water_temperature":"37"}`))
	require.NoError(t, err)
	require.NoError(t, i.App.DB.Update(func(tx *store.Tx) error {
		_, err := tx.AddCustomField(i.Practice, birth.CustomField{Key: "water_temperature", Label: "Water temperature", Kind: "number"})
		_, err2 := tx.AddCustomField(i.Practice, birth.CustomField{Key: "doula", Label: "Doula", Kind: "text"})
		review, err3 := tx.AddReview(i.Practice, store.Review{
			Decision: "keep", Stays: two.ID, Goes: three.ID, StaysVersion: two.Version, GoesVersion: three.Version, User: admin.User,
		})
		return errors.Join(err, err2, err3, tx.AddRefusal(i.Practice, store.Refusal{APIKey: 1, At: tx.Now, Status: 403, Code: "forbidden", RequestID: "r"}), tx.MarkNotDuplicates(i.Practice, two.ID, three.ID, review),
			tx.SetCustomValues(i.Practice, []store.CustomValues{{Record: r.ID, Version: r.Version, Sealed: sealed}}),
			tx.SetRecoveryCodes(admin.User, [][]byte{{1, 2, 3}}),
			tx.AddPasskey(store.Passkey{User: admin.User, Credential: []byte("credential"), PublicKey: []byte("key"), SignCount: 1, Flags: 5, Name: []byte("sealed")}),
			tx.AddLink(viewer.User, 0, []byte("a link"), "admin", time.Now().Add(time.Hour)))
	}))
	require.NoError(t, i.App.Auth.NoteAlone(auth.Operator(store.Practice{}), "record.read", r.UUID))
	i.Do(http.MethodGet, "/api/registry/ingestions/none", "")
	enrich(i, births, other, admin.User)
	i.Clean()
	i.Stop()
	counted(t, i.Config, i.Practice)
	return i.Config, "/registry/records/" + r.UUID
}

// copied copies an installation's database next to it and returns its configuration.
func copied(t *testing.T, config app.Config) app.Config {
	t.Helper()
	content, err := os.ReadFile(config.DB)
	require.NoError(t, err)
	if config.KeyFile == "" {
		config.KeyFile = ops.KeyFileFor(config.DB)
	}
	config.DB = filepath.Join(t.TempDir(), "registry.db")
	config.Log = slog.New(slog.NewTextHandler(io.Discard, nil))
	require.NoError(t, os.WriteFile(config.DB, content, 0o600))
	return config
}

// finds reports whether check and backup detect that a database is damaged.
func finds(t *testing.T, config app.Config) (check, backup bool) {
	t.Helper()
	ctx := context.Background()
	a, err := app.Open(ctx, config)
	if err != nil { // it can neither be shown nor copied
		return true, true
	}
	defer a.Close() //nolint:errcheck // a throwaway copy
	findings, err := a.Check(ctx)
	check = err != nil
	for _, f := range findings {
		check = check || f.Problem != ""
	}
	return check, a.Backup(ctx, filepath.Join(t.TempDir(), "copy.db"), nil) != nil
}

// dump returns the contents of every table.
func dump(path string) (tables map[string]string, err error) {
	db, err := sql.Open("sqlite", "file:"+path+"?mode=ro&immutable=1")
	if err != nil {
		return nil, err
	}
	defer db.Close() //nolint:errcheck // read only
	var names []string
	rows, err := db.Query("select name from sqlite_schema where type = 'table' order by name")
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return nil, err
	}
	tables = map[string]string{}
	for _, name := range names {
		rows, err := db.Query("select * from " + name + " not indexed")
		if err != nil {
			return nil, err
		}
		columns, _ := rows.Columns()
		var lines []string
		for rows.Next() {
			row, into := make([]any, len(columns)), make([]any, len(columns))
			for i := range row {
				into[i] = &row[i]
			}
			if err := rows.Scan(into...); err != nil {
				return nil, err
			}
			lines = append(lines, fmt.Sprintf("%T%v", row, row))
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			return nil, err
		}
		sort.Strings(lines)
		tables[name] = strings.Join(lines, "\n")
	}
	return tables, nil
}

// edits are changes by a person who can write to the file but lacks the key.
var edits = []string{
	`update versions set clinical = replace(clinical, '3000', '4999') where instr(clinical, '3000') > 0`,
	`update versions set clinical = json_remove(clinical, '$.children[0]') where id = 1`,
	`update versions set patient = (select patient from versions where id = 2) where id = 1`,
	`update versions set patient = (select o.patient from versions o where o.record = versions.record and o.version = 1) where version = 2`,
	`update versions set patient = zeroblob(length(patient)) where id = 3`,
	`update versions set version = 3 - version where record = 1 and version < 1; update versions set created_at = created_at + 1 where id = 1`,
	`update versions set version = -version where record = 1; update versions set version = 3 + version where record = 1`,
	`update versions set source = 'manual' where id = 1`,
	`update versions set change = 'revive' where version = 2`,
	`update versions set ingestion = null, item = null where id = 1`,
	`update versions set created_at = created_at - 86400000 where id = 2`,
	`update versions set stamp = stamp + 1 where id = 2`,
	`update versions set user = 1 where id = 2`,
	`update versions set reading = 'bfdr' where id = 2`,
	`update versions set ig_version = '9.9.9' where id = 2`,
	`update versions set note = x'00' where id = 2`,
	`delete from attributions where record = 1`,
	`update attributions set attending = 1 - attending`,
	`update or replace attributions set provider = (select max(id) from providers) where record = 3`,
	`update attributions set role = 'doula'`,
	`insert or replace into attributions (record, version, provider, attending, role) values (5, 1, (select max(id) from providers), 0, 'doula')`,
	`update memberships set role = 'admin' where role = 'viewer'`,
	`update memberships set disabled_at = 1 where role = 'admin'`,
	`update memberships set accepted_at = null`,
	`insert into memberships select user, 3 - practice, role, called, created_at, accepted_at, used_at, disabled_at, mac from memberships where role = 'admin' and practice = 1`,
	`delete from memberships where role = 'viewer'`,
	`update users set password = (select password from users where id = 1) || 'x' where id = 2`,
	`update users set email = 'mallory@example.org' where id = 1`,
	`update users set totp = x'01'`,
	`update users set disabled_at = 1 where id = 2`,
	`insert into recovery_codes (user, hash) values (2, x'AA')`,
	`insert into passkeys (user, credential, public_key, sign_count, flags, name, created_at) values (2, x'AA', x'BB', 0, 5, x'CC', 1)`,
	`update passkeys set user = 2`,
	`update passkeys set public_key = x'AA'`,
	`update passkeys set sign_count = 0`,
	`insert into links (user, practice, purpose, hash, made_by, created_at, expires_at) values (1, null, 'reset', x'BB', 'x', 1, 9999999999999)`,
	`update links set expires_at = expires_at + 86400000`,
	`update sessions set user = (select min(id) from users)`,
	`update api_keys set scopes = 'ingest:write ingest:read'`,
	`update api_keys set practice = 2 where id = 1`,
	`update api_keys set hash = x'CC' where id = 2`,
	`update api_keys set revoked_at = 1 where id = 1`,
	`update practices set is_sandbox = 1 where id = 1`,
	`update practices set ehr_beta = 1 - ehr_beta where id = 2`,
	`update practices set name = 'Mallory' where id = 1`,
	`update ingestions set created_at = created_at - 3600000 where id = 1`,
	`update ingestions set status = 'failed', exception = 'Panic' where id = 2`,
	`update ingestions set outcome = (select outcome from ingestions where id = 2) where id = 3`,
	`update ingestions set rejected = 0 where rejected > 0`,
	`update ingestions set practice = 2 where id = 4`,
	`delete from fingerprints where record = 6; delete from attributions where record = 6; delete from versions where record = 6; delete from records where id = 6`,
	`update records set outcome = null where id = 2; update records set outcome = '' where id = 3`,
	`update records set state = 'voided' where id = 4; update fingerprints set live = 0 where record = 4`,
	`update records set suspected_duplicate = 1 - suspected_duplicate`,
	`update records set chart = 'C-77' where chart = 'C-7'`,
	`update records set birth_month = '2025-01' where id = 5`,
	`update records set content = 1 where id = 1`,
	`update fingerprints set record = case record when 7 then 8 when 8 then 7 end where record in (7, 8)`,
	`update custom_fields set label = 'Weight of the placenta' where id = 1`,
	`update custom_fields set position = 3 - position`,
	`delete from custom_values`,
	`update custom_values set sealed = x'00'`,
	`update providers set name = 'Mallory' where id = 1`,
	`update providers set survivor = 2, merged_into = 2 where id = 1`,
	`update provider_log set role = 'doula' where id = 1`,
	`update reviews set decision = 'void'`,
	`delete from kept`,
	`update refused set status = 201`,
	`update secrets set sealed = x'00'`,
	`update seal_epochs set header = x'00' where id = 1`,
	`update records set mac = null where id = 1`,
	`update users set mac = null`,
	`delete from sums`,
	`delete from sums where practice = 1`,
	`update sums set sealed = (select sealed from sums where practice = 1) where practice = 2`,
	`delete from sums; update records set mac = null; update versions set clinical = replace(clinical, '3000', '4999')`,
	`update ehrs set practice = null where practice is not null`,
	`update ehrs set frames = 'https://mallory.example.org'`,
	`delete from ehrs where practice is null`,
	`update client_keys set created_at = created_at - 1`,
	`insert into seal_recipients (recipient, kind, added_at) values ('mallory', 'recovery', 1)`,
	`delete from seal_recipients where kind = 'recovery'`,
	`update seal_list set number = number + 1`,
	`update imports set user = null`,
	`update provider_groups set name = 'mallory'`,
	`update certificates set sealed = x'00'`,
	`update records set state = 'active', merged_into = null where merged_into is not null; update fingerprints set live = 1 where live = 0`,
	`update records set state = 'active' where state = 'voided'`,
	`drop trigger audit_stands; update audit set actor = 'nobody' where id = 1`,
	`drop trigger audit_stays; delete from audit where id = (select max(id) from audit)`,
}

func TestWhateverIsChangedInTheFileBySQLIsFoundByTheCheckAndByTheBackup(t *testing.T) {
	t.Parallel()
	config, _ := laden(t, 100)
	check, backup := finds(t, copied(t, config))
	require.False(t, check || backup, "as it was, it is sound")
	tried := longtest.Some(t, 30, edits, "kinds of edit")
	for _, edit := range tried {
		to := copied(t, config)
		db, err := sql.Open("sqlite", "file:"+to.DB+"?_pragma=foreign_keys(off)")
		require.NoError(t, err)
		before, err := dump(to.DB)
		require.NoError(t, err)
		_, err = db.Exec(edit)
		if !assert.NoError(t, err, edit) {
			continue
		}
		require.NoError(t, db.Close())
		after, err := dump(to.DB)
		require.NoError(t, err)
		assert.NotEqual(t, before, after, "%s changes nothing", edit)
		check, backup := finds(t, to)
		if !check || !backup {
			t.Errorf("check finds it: %v, backup finds it: %v\n%s", check, backup, edit)
		}
	}
	t.Logf("%d of %d kinds of edit were tried, each of which check and backup are to find", len(tried), len(edits))
}

func TestTwoHundredFlipsOf64BytesAreDetectedOrHaveNoEffect(t *testing.T) {
	t.Parallel()
	const seed = 13
	const all = 200
	flips := longtest.Times(t, 15, all, "flips")
	config, _ := laden(t, 300)
	content, err := os.ReadFile(config.DB)
	require.NoError(t, err)
	before, err := dump(config.DB)
	require.NoError(t, err)
	chance := rand.New(rand.NewPCG(seed, 64))
	found, computed, without := 0, 0, 0
	for n := range flips {
		to := copied(t, config)
		flipped := append([]byte(nil), content...)
		at := chance.IntN(len(flipped) - 64)
		for i := range 64 {
			flipped[at+i] ^= byte(1 + chance.IntN(255))
		}
		require.NoError(t, os.WriteFile(to.DB, flipped, 0o600))
		after, dumpErr := dump(to.DB)
		check, backup := finds(t, to)
		signed, derived := changedRows(before, after)
		switch {
		case check && backup:
			found++
		case check && dumpErr == nil && len(signed) == 0 && len(derived) > 0:
			computed++
		case dumpErr == nil && len(signed)+len(derived) == 0: // its indexes are sound, so every query answers as before
			without++
		default:
			t.Errorf("flip %d at byte %d: check finds it: %v, backup finds it: %v; changed: %v %v", n, at, check, backup, signed, derived)
		}
	}
	t.Logf("seed %d, %d KiB: of %d flips %d were found by check and by backup, %d of what is computed from other rows by check, %d changed no row of any table",
		seed, len(content)>>10, flips, found, computed, without)
	if flips == all { // by chance, the few flips of a plain run may nearly all hit nothing
		require.Greater(t, found, flips/3, "most of the file is empty: the test would prove little")
	}
	require.Greater(t, found, flips/10)
}

// behind changes an installation's database without the program.
func behind(t testing.TB, path, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(10000)")
	require.NoError(t, err)
	_, err = db.Exec(statement)
	require.NoError(t, errors.Join(err, db.Close()))
}
