package store

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
	"birthregistry/app/stats"
)

// chores are the statements that may scan a table or sort, each with the reason.
var chores = map[string]string{
	"select id, mac from audit order by id desc limit 1":                 "the trail's last row",
	"select exists (select 1 from users where signed_in_at is not null)": "its verification",
	"i.finished_at is null) order by id":                                 "the operator's list",
	"indexed by records_underived where outcome is null":                 "the opening: over the index of what is not derived yet",
	"indexed by practices_untallied where":                               "the opening: over the index of what is not filled yet",
	"counts from tally_totals":                                           "the check, all of them; otherwise the months of a period",
	"counts from tally_returns":                                          "the check, all of them; otherwise the months of a period",
	"select count(*), min(advanced_at) from lanes":                       "the health check: a row a practice that has work",
	"delete from lanes where message not in":                             "the sweep: a row a practice that has work",
	"seq from sqlite_sequence":                                           "a row for each table that numbers its rows",
	"t.refused > 0 desc":                                                 "sorts the few erased births of a practice",
	"select distinct i.public_id":                                        "sorts the few ingestions of one birth",
	"with birth (id) as":                                                 "sorts the few records of one birth",
	"select w.id from json_each(?1) gone":                                "an erasure: sorts the few decisions about one birth",
	"select distinct practice from ingestions":                           "the sweep: over the index of the unfinished",
	"status = 'queued' and created_at < ?":                               "the sweep: over the index of the unfinished",
	"v.version = r.content, iif(v.version":                               "the check: every version there is",
	"update goqite set timeout = ?, priority = ? where queue = ?":        "start and sweep: a row a practice that has work",
	"order by a.attending desc, s.id":                                    "sorts the few who took part in one birth",
	"where (s.id = ?2 or s.survivor = ?2) and +s.practice = ?1":          "counts and sorts the few identities of one provider",
	"union all select m.id from providers m where m.survivor = s.id":     "counts the births of the providers of a form, to a bound",
	"order by l.provider, l.since, l.id":                                 "sorts the few posts of those who took part",
	"select handle from prefills where owner = ? order by":               "sorts the few forms that one person has open",
	"select distinct k.record":                                           "sorts the few that a person kept apart and that look alike",
	"with recursive known (name) as":                                     "steps from one name of a provider to the next",
	"with recursive below (id) as":                                       "the few identities of one provider",
	"delete from sessions where token <> ''":                             "a restore ends all",
	"from ehrs order by id":                                              "the operator's few EHRs",
	"select state from launches order by created_at desc":                "no more than its own bound: over the index of their age",
	"from sso_providers s order by s.id":                                 "the operator's few providers",
	"select group_concat(p.name, ', ' order by p.id)":                    "sorts the few people of one practice, and the few identity providers of each",
	"linked_at from sso_links where user = ?":                            "sorts the few identity providers of one account",
	"from client_keys order by kid":                                      "two or three keys",
	"from passkeys order by id":                                          "the operator's look for an old address",
	"from users order by id":                                             "the operator's list",
	"from seal_recipients order by kind":                                 "sorts a few keys",
	"from records indexed by records_unfingerprinted where":              "after an upgrade: a row for each record that is left",
	"select w.api_key, w.practice from webhooks w":                       "the sender: over the few webhooks of all practices",
	"select ingestion from deliveries order by ingestion limit":          "the sweep: over the oldest, to a bound",
	"from undos where ended_at is null":                                  "over the index of those under way",
	"from names_due":                                                     "after an upgrade: a row for each record that is left",
	"select count(*) from seal_epochs":                                   "the operator's look at the keys: a row for every hour of work",
	"from former_audit":                                                  "sorts two pages of the trail, of before and after a move",
	"select /* archive */":                                               "an export: once, over the rows of one practice (TestAnExportSortsNoLongTable)",
}

func choreOf(query string) string {
	query = strings.Join(strings.Fields(query), " ")
	for part := range chores {
		if strings.Contains(query, part) {
			return part
		}
	}
	return ""
}

// everything runs every statement of the store.
func everything(t *testing.T, db *DB) {
	w := newFixture(t, db)
	for name, call := range w.calls() {
		require.ErrorIs(t, db.Update(func(tx *Tx) error {
			if _, err := call(tx, w.p); err != nil {
				return err
			}
			return errUndo
		}), errUndo, name)
	}
	read := func(v *View) error {
		for _, f := range filters(w.p) { // along every index that leads a list, in both directions
			for _, back := range []bool{false, true} {
				_, _, err := v.ListWithin(w.p, f, From{Back: back}, 1)
				require.NoError(t, err)
			}
			_, _, err := v.CountWithin(w.p, f, 9)
			require.NoError(t, err)
			_, _, err = v.PlaceWithin(w.p, f, w.record, 9)
			require.NoError(t, err)
		}
		_, err := v.Practices()
		require.NoError(t, err)
		_, err = v.Practice(w.p)
		require.NoError(t, err)
		_, err = v.PracticeOfKey(w.key)
		require.NoError(t, err)
		_, err = v.KeyByHash([]byte(fmt.Sprint("hash of ", w.p)))
		require.NoError(t, err)
		require.NoError(t, v.Trail(func(Audit) error { return nil }))
		_, err = v.KeysToNotify(time.Now())
		require.NoError(t, err)
		_, err = v.AgedOut(time.Now(), 9)
		require.NoError(t, err)
		_, err = v.SpentImports(time.Now(), 9)
		require.NoError(t, err)
		_, err = v.UnfinishedUndos(9)
		require.NoError(t, err)
		_, err = v.Feed()
		require.NoError(t, err)
		_, err = v.CountUnfingerprinted()
		require.NoError(t, err)
		_, err = v.Unfingerprinted(0, 9)
		require.NoError(t, err)
		_, err = v.CountUnnamed()
		require.NoError(t, err)
		_, err = v.Unnamed(0, 9)
		require.NoError(t, err)
		_, err = v.Peers(w.p, stats.Lookup("cesarean"), 0, 9)
		require.NoError(t, err)
		_, err = v.brokenTallies()
		require.NoError(t, err)
		return v.SealedVersions(func(SealedVersion) error { return nil })
	}
	view(t, db, read)
	update(t, db, func(tx *Tx) error {
		require.NoError(t, read(&tx.View))
		l, err := tx.ReceiveQueue()
		require.NoError(t, err)
		require.NoError(t, tx.Advance(l))
		require.NoError(t, tx.AddAudit(Audit{}, func(TrailHead, Audit, Audit) (mac, headMAC []byte) { return []byte("mac"), []byte("head") }))
		require.NoError(t, tx.ReleaseQueue(l))
		require.NoError(t, tx.ReleaseQueues())
		require.NoError(t, tx.SetEHRBeta(w.p, false))
		require.NoError(t, tx.RequireSecondFactor(w.p, true))
		require.NoError(t, tx.RequireSecondFactor(w.p, false))
		require.NoError(t, tx.Finish(w.p, Ending{Ingestion: w.ingestion.ID, Status: Completed, Outcome: []byte("x")}))
		require.NoError(t, tx.PutCertificate("name", []byte("x")))
		_, err = tx.Certificate("name")
		require.NoError(t, err)
		require.NoError(t, tx.DropCertificate("name"))
		_, err = tx.EndQueue(w.p)
		return err
	})
	update(t, db, func(tx *Tx) error { // looks up an owner
		return tx.AddAttributions(w.p, []Attribution{{w.record.ID, 1, w.doula, true, ""}})
	})
	useUsers(t, w)
	useEHRs(t, w)
	useSSO(t, w)
	for n := range 2 * rowsPerInsert { // bulk inserts of every size
		require.ErrorIs(t, db.Update(func(tx *Tx) error {
			fingerprints := make([]birth.Fingerprint, n)
			for i := range fingerprints {
				fingerprints[i] = birth.Fingerprint{byte(i), 7}
			}
			require.NoError(t, tx.SetFingerprints(w.p, RecordFingerprints{Record: w.record.ID, All: fingerprints, Live: true}))
			return errUndo
		}), errUndo)
	}
	useKeys(t, w)
	require.NoError(t, db.PutSecret(fmt.Sprint(w.p), []byte("x")))
	_, err := db.Secret(fmt.Sprint(w.p))
	require.NoError(t, err)
}

// useKeys runs the statements on headers and on the keys to which they are wrapped.
func useKeys(t *testing.T, w *fixture) {
	t.Helper()
	box, recovery := fmt.Sprint("box ", w.p), fmt.Sprint("recovery ", w.p)
	require.NoError(t, w.AdoptBox(box))
	require.NoError(t, w.SetBox(box))
	require.NoError(t, w.SetBox(box+" rotated"))
	require.NoError(t, w.AddRecovery(recovery))
	list, _, err := w.Recipients()
	require.NoError(t, err)
	id, err := w.PutEpoch([]byte("header"), list)
	require.NoError(t, err)
	_, err = w.Epoch(id)
	require.NoError(t, err)
	require.NoError(t, w.RemoveRecovery(recovery))
	_, err = w.SealingKeys()
	require.NoError(t, err)
	_, err = w.CountBehind(list + 1)
	require.NoError(t, err)
	ids, headers, err := w.EpochsBehind(list+1, 0, 9)
	require.NoError(t, err)
	require.NotEmpty(t, ids)
	require.NoError(t, w.RewrapEpochs(list+1, ids, headers))
}

// useUsers runs the statements on people, their links and their sessions.
func useUsers(t *testing.T, w *fixture) {
	t.Helper()
	update(t, w.DB, func(tx *Tx) error {
		_, err := tx.UserByEmail(fmt.Sprintf("olive-%d@example.org", w.p))
		require.NoError(t, err)
		_, err = tx.User(w.admin)
		require.NoError(t, err)
		_, err = tx.Users()
		require.NoError(t, err)
		_, err = tx.MembershipsOf(w.admin)
		require.NoError(t, err)
		_, err = tx.SomebodySignedIn()
		require.NoError(t, err)
		_, err = tx.RecoveryCodes(w.admin)
		require.NoError(t, err)
		_, err = tx.PasskeysOf(w.admin)
		require.NoError(t, err)
		_, err = tx.Passkeys()
		require.NoError(t, err)
		_, err = tx.UserOfPasskey([]byte{1})
		require.ErrorIs(t, err, ErrNotFound)
		hash := []byte(fmt.Sprint("link ", w.p))
		require.NoError(t, tx.AddLink(w.admin, 0, hash, "operator", tx.Now.Add(time.Hour)))
		link, err := tx.LinkByHash(hash)
		require.NoError(t, err)
		session, err := tx.Session(fmt.Sprint("token ", w.p))
		require.NoError(t, err)
		_, err = tx.SessionsOf(w.admin)
		require.NoError(t, err)
		for _, err := range []error{
			tx.UseLink(link.ID), tx.VoidLinks(w.admin), tx.VoidResets(w.admin), tx.SweepLinks(tx.Now),
			tx.NoteSignIn(w.admin), tx.SetName(w.admin, "Olive"), tx.ReopenMemberships(w.admin), tx.WriteNothing(), tx.DisableUser(w.admin), tx.EnableUser(w.admin),
			tx.SetTOTP(w.admin, []byte("sealed"), 1), tx.TakeTOTPStep(w.admin, 2),
			tx.SetRecoveryCodes(w.admin, [][]byte{{1}}), tx.TakeRecoveryCode(w.admin, []byte{1}),
			tx.AddPasskey(Passkey{User: w.admin, Credential: []byte{1}, PublicKey: []byte{2}, Name: []byte{3}}),
			tx.TouchSession(session.Token), tx.BoundAnonymousSessions(9), tx.BoundSessionsOf(1, 9), tx.SweepSessions(tx.Now.Add(-time.Hour)),
			tx.DropSessionOf(w.admin, session.Token), tx.DropSession(session.Token),
		} {
			require.NoError(t, err)
		}
		passkeys, err := tx.PasskeysOf(w.admin)
		require.NoError(t, err)
		require.NoError(t, errors.Join(tx.UsePasskey(passkeys[0].ID, 1, 5), tx.DropPasskey(w.admin, passkeys[0].ID), tx.DropPasskeys(w.admin)))
		_, err = tx.EndSessions(w.admin, "")
		return errors.Join(err, tx.EndAllSessions())
	})
}

// useEHRs runs the statements on EHRs, their launches and their prefills.
func useEHRs(t *testing.T, w *fixture) {
	t.Helper()
	update(t, w.DB, func(tx *Tx) error {
		issuer := fmt.Sprintf("https://ehr-%d.example.org/fhir", w.p)
		id, replaced, err := tx.PutEHR(EHR{Issuer: issuer, Auth: AuthPublic, Practice: w.p})
		require.NoError(t, err)
		require.False(t, replaced)
		_, err = tx.EHR(id)
		require.NoError(t, err)
		_, err = tx.EHRs()
		require.NoError(t, err)
		key := []byte(issuer)
		require.NoError(t, tx.AddLaunch(Launch{State: key, Browser: key, Sealed: key}, 9))
		_, err = tx.TakeLaunch(key, key)
		require.NoError(t, err)
		require.NoError(t, tx.AddPrefill(key, key))
		_, err = tx.Prefill(key)
		require.NoError(t, err)
		_, err = tx.SweepPrefills(tx.Now.Add(-time.Hour), tx.Now.Add(-time.Hour))
		require.NoError(t, err)
		_, err = tx.OwnPrefill(key, w.admin, 9)
		require.NoError(t, err)
		_, err = tx.SweepDrafts(tx.Now.Add(-time.Hour))
		require.NoError(t, err)
		_, err = tx.SweepDeliveries(tx.Now.Add(-time.Hour))
		require.NoError(t, err)
		_, err = tx.SweepMatches(tx.Now.Add(-time.Hour))
		require.NoError(t, err)
		_, err = tx.Drafts(w.p, w.admin, 9)
		require.NoError(t, err)
		_, err = tx.ClientKeys()
		require.NoError(t, err)
		for _, err := range []error{
			tx.RemoveEHR(issuer), tx.SweepLaunches(tx.Now), tx.UsePrefill(key), tx.NoteConduct(1, ""), tx.DropPrefill(key),
			tx.AddClientKey(ClientKey{ID: issuer, Sealed: key}), tx.DropClientKey(issuer),
		} {
			require.NoError(t, err)
		}
		return nil
	})
}

// statementsOf returns the texts of the statements in a cache.
func statementsOf(s *statements) (all []string) {
	s.cache.Range(func(query, _ any) bool {
		all = append(all, query.(string))
		return true
	})
	return all
}

// queueStatements are goqite's statements.
var queueStatements = []string{
	`insert into goqite (queue, body, timeout, priority) values (?, ?, ?, ?) returning id`,
	`update goqite set timeout = ?, received = received + 1 where id = (
		select id from goqite where queue = ? and ? >= timeout and received < ? order by priority desc, created limit 1
	) returning id, body`,
}

// plan returns the steps of a statement's plan.
func plan(t *testing.T, db *DB, query string) (steps []string) {
	t.Helper()
	arguments := strings.Count(query, "?")
	for n := arguments + 1; n < 10; n++ { // numbered parameters may skip some
		if strings.Contains(query, fmt.Sprint("?", n)) {
			arguments = n
		}
	}
	rows, err := db.write.Query("explain query plan "+query, make([]any, arguments)...)
	require.NoError(t, err, query)
	defer rows.Close() //nolint:errcheck // read only
	for rows.Next() {
		var id, parent, unused int
		var step string
		require.NoError(t, rows.Scan(&id, &parent, &unused, &step))
		steps = append(steps, step)
	}
	require.NoError(t, rows.Err())
	return steps
}

// walks reports whether a step scans a table or sorts. Three kinds of scan are harmless: of
// the caller's list in json_each, of rows given as constants, and of a subquery's result,
// since the subquery's reads are steps of their own.
func walks(step string) bool {
	return strings.HasPrefix(step, "SCAN ") && !given.MatchString(step) || strings.Contains(step, "TEMP B-TREE")
}

var given = regexp.MustCompile(`VIRTUAL TABLE|\d-ROW VALUES CLAUSE|CONSTANT ROW|\(subquery-\d+\)`)

func TestNoStatementOfTheHotPathsScansATable(t *testing.T) {
	db := opened(t)
	everything(t, db)
	all := append(append(statementsOf(&db.stmts), statementsOf(&db.writer.stmts)...), queueStatements...)
	require.Greater(t, len(all), 60)
	used := map[string]bool{}
	for _, query := range all {
		if strings.HasSuffix(query, " job") { // a savepoint has no plan
			continue
		}
		chore := choreOf(query)
		used[chore] = true
		for _, step := range plan(t, db, query) {
			assert.False(t, walks(step) && chore == "", "%s\n%s", query, step)
			require.NotEqual(t, "SCAN ingestions", step, "the sweep stays in the index of the unfinished: %s", query)
		}
	}
	for chore := range chores {
		require.True(t, used[chore], "no such statement: %s", chore)
	}
}

func TestStatementsArePreparedOnce(t *testing.T) {
	db := opened(t)
	everything(t, db)
	before := len(statementsOf(&db.writer.stmts)) + len(statementsOf(&db.stmts))
	everything(t, db)
	require.Equal(t, before, len(statementsOf(&db.writer.stmts))+len(statementsOf(&db.stmts)))
	require.Empty(t, db.writer.stmts.fresh)
	require.Empty(t, db.stmts.fresh)
}
