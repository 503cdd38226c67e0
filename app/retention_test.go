package app_test

import (
	"bytes"
	"database/sql"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
	"birthregistry/app/drafts"
	"birthregistry/app/imports"
	"birthregistry/app/smart"
	"birthregistry/assets"
	"birthregistry/store"
)

const day = 24 * time.Hour

// pathOf returns the path of a receipt's address.
func pathOf(location string) string { return location[strings.Index(location, "/api/"):] }

// drafted stores a draft of a new user, saved just now. drafts counts the stored ones.
func (s *installation) drafted() {
	s.t.Helper()
	s.command("user", "add", "scribe@example.org", "--practice", "1", "--role", "scribe", "--name", "Sam Scribe")
	behind(s.t, s.db, `
		insert into drafts (token, practice, author, sealed, revision, created_at, saved_at)
		select 'a token', 1, id, x'00', 1, unixepoch() * 1000, unixepoch() * 1000 from users`)
	require.Equal(s.t, 1, s.drafts())
}

func (s *installation) drafts() (n int) {
	s.t.Helper()
	db := s.open()
	require.NoError(s.t, db.QueryRow(`select count(*) from drafts`).Scan(&n))
	require.NoError(s.t, db.Close())
	return n
}

// A waiting Bundle is deleted when it is too old, and so is a draft, but not because a clock
// was set forward.
func TestABufferAndADraftOutliveAClockThatIsSetForward(t *testing.T) {
	s := newInstallation(t)
	program, set, jump := jumping(t)
	s.binary = program
	set(0)
	s.drafted()
	s.start("--workers", "0", "--buffer-ttl", "8s")
	l := &load{installation: s}
	forgotten, err := l.post(sent{key: "forgotten", body: apptest.Course{Chart: "forgotten"}.Bundle()})
	require.NoError(t, err)
	require.Equal(t, store.Failed, s.receipt(forgotten).Status, "it has had its time")
	kept, err := l.post(sent{key: "kept", body: apptest.Course{Chart: "kept"}.Bundle()})
	require.NoError(t, err)
	jump(10 * 365 * day)
	time.Sleep(12 * time.Second) // a dozen sweeps; by the wrong clock, the Bundle has expired
	_, body, _ := s.status("GET", pathOf(kept), "")
	require.Contains(t, body, `"queued"`)
	require.Equal(t, 1, s.drafts())
	s.kill()
	s.start() // with the clock still wrong, and since a second: the built program takes it for right by now
	defer s.kill()
	require.Eventually(t, func() bool { return s.drafts() == 0 }, patience, 50*time.Millisecond)
	require.Equal(t, store.Completed, s.receipt(kept).Status)
	t.Log("injected: the clock set ahead by ten years with a Bundle in the queue; lost none")
}

func TestAReceiptIsGoneAfterFourHundredDaysAndTheRecordStays(t *testing.T) {
	s := newInstallation(t)
	program, set, _ := jumping(t)
	s.binary = program
	set(0)
	s.start()
	l, course := &load{installation: s}, apptest.Course{Chart: "stays"}.Bundle()
	location, err := l.post(sent{key: "once", body: course})
	require.NoError(t, err)
	require.Equal(t, store.Completed, s.receipt(location).Status)
	s.kill()
	set(399 * day)
	s.start()
	time.Sleep(3 * time.Second) // a few sweeps
	code, _, _ := s.status("GET", pathOf(location), "")
	require.Equal(t, 200, code)
	s.kill()
	set(401 * day)
	s.start()
	defer s.kill()
	var gone string
	require.Eventually(t, func() bool {
		code, gone, _ = s.status("GET", pathOf(location), "")
		return code == 404
	}, patience, 50*time.Millisecond)
	code, never, _ := s.status("GET", apptest.BundlePath[:strings.LastIndex(apptest.BundlePath, "/")]+"/ingestions/00000000-0000-7000-8000-000000000000", "")
	require.Equal(t, 404, code)
	require.Equal(t, never, gone, "as one that there never was")
	again, err := l.post(sent{key: "once", body: course})
	require.NoError(t, err)
	require.NotEqual(t, location, again, "its Idempotency-Key is free again")
	require.Equal(t, store.Completed, s.receipt(again).Status)
	require.Equal(t, map[string]int{"stays": 2}, s.records())
	require.Contains(t, s.command("check"), "ok")
}

// buffered returns some bytes of each waiting Bundle, sealed as in the files.
func (s *installation) buffered() (all [][]byte) {
	s.t.Helper()
	db := s.open()
	rows, err := db.Query(`select sealed from buffers`)
	require.NoError(s.t, err)
	for rows.Next() {
		var sealed []byte
		require.NoError(s.t, rows.Scan(&sealed))
		all = append(all, sealed[len(sealed)-64:])
	}
	require.NoError(s.t, rows.Close())
	require.NoError(s.t, db.Close())
	require.NotEmpty(s.t, all)
	return all
}

// open opens the database for reading while the service runs.
func (s *installation) open() *sql.DB {
	s.t.Helper()
	db, err := sql.Open("sqlite", "file:"+s.db+"?mode=ro")
	require.NoError(s.t, err)
	return db
}

// left returns the files that still contain some of these bytes.
func (s *installation) left(secrets [][]byte) (where []string) {
	s.t.Helper()
	for _, ending := range []string{"", "-wal"} {
		content, err := os.ReadFile(s.db + ending)
		require.NoError(s.t, err)
		for _, secret := range secrets {
			if bytes.Contains(content, secret) {
				where = append(where, "registry.db"+ending)
				break
			}
		}
	}
	return where
}

// wiped waits until none of the bytes are left, for at most a minute.
func (s *installation) wiped(secrets [][]byte) (took time.Duration) {
	s.t.Helper()
	began, late := time.Now(), lateness(s.t)
	for len(s.left(secrets)) > 0 {
		require.Less(s.t, time.Since(began), time.Minute+late())
		time.Sleep(100 * time.Millisecond)
	}
	return time.Since(began)
}

// FILE-2, within a minute.
func TestADeletedBundleIsGoneFromTheFilesWithinAMinute(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	l := &load{installation: s}
	wait := func(charts ...string) (locations []string, secrets [][]byte) {
		s.start("--workers", "0")
		for _, chart := range charts {
			location, err := l.post(sent{key: chart, body: apptest.Course{Chart: chart, Mother: chart}.Bundle()})
			require.NoError(t, err)
			locations = append(locations, location)
		}
		secrets = s.buffered()
		s.kill()
		require.NotEmpty(t, s.left(secrets))
		return locations, secrets
	}
	complete := func(locations []string) {
		for _, location := range locations {
			require.Equal(t, store.Completed, s.receipt(location).Status)
		}
	}
	locations, secrets := wait("a", "b", "c")
	s.start()
	complete(locations)
	alone := s.wiped(secrets)
	s.kill()

	// While another program reads, the bytes can't be removed. The service is killed before it
	// has removed them, and the next process does it.
	locations, secrets = wait("d", "e", "f")
	db := s.open()
	defer db.Close() //nolint:errcheck // read only
	reading, err := db.BeginTx(t.Context(), &sql.TxOptions{ReadOnly: true})
	require.NoError(t, err)
	require.NoError(t, reading.QueryRow(`select count(*) from practices`).Scan(new(int)))
	s.start()
	complete(locations)
	time.Sleep(2 * time.Second)
	require.Contains(t, s.left(secrets), "registry.db-wal", "what the reader sees has to stay")
	s.kill()
	require.NoError(t, reading.Rollback())
	s.start()
	defer s.kill()
	after := s.wiped(secrets)
	t.Logf("gone from the files after %v; after a reader and a kill, %v from the next start", alone.Round(time.Second), after.Round(time.Second))
}

// The page states how long each kind of data is kept.
func TestTheGuideNamesEveryPeriodAsTheProgramKeepsIt(t *testing.T) {
	page, err := assets.Guides.ReadFile("guides/operate.md")
	require.NoError(t, err)
	inWords := func(d time.Duration) string {
		for _, unit := range []struct {
			of   time.Duration
			name string
		}{{day, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}} {
			switch n := d / unit.of; {
			case d == unit.of:
				return map[string]string{"day": "a day", "hour": "an hour", "minute": "a minute"}[unit.name]
			case d%unit.of == 0:
				return fmt.Sprintf("%d %ss", n, unit.name)
			}
		}
		return d.String()
	}
	for _, row := range []string{
		"| records and their versions | forever, unless the birth is erased or the practice forgotten |",
		"| the audit trail | forever, unless the practice is forgotten |",
		"| a submitted Bundle (sealed) | until it is processed, at most {{.BufferTTL}} |", // the guide's own test checks the figure
		"| a receipt | " + inWords(store.ReceiptsKeptFor) + ";",
		"| a delivery of a webhook: the ingestion's id, the attempts, the last answer's status | " + inWords(store.DeliveriesKeptFor) + " after the ingestion's end |",
		"| a note of each refused request: time, status, key, length | " + inWords(store.RefusalsKeptFor) + " |",
		"| the fact that a pushed course was rejected (hashed) | until it is applied, at most " + inWords(store.RejectsKeptFor) + " |",
		"| an uploaded spreadsheet (sealed) | " + inWords(imports.FileKept) + " after its upload, or after its import |",
		"| the columns and abbreviations that a practice has matched for its spreadsheets (sealed) | " + inWords(imports.MatchesKept) + " after its last use |",
		"| a launch from an EHR | " + inWords(smart.LaunchLife) + " |",
		"| the chart that a launch read (sealed), while nobody has opened it | " + inWords(smart.PrefillLife) + " |",
		"| the chart that a launch read (sealed), with its open form | until the form is saved, at most " + inWords(smart.OpenLife) + " after its last use |",
		"| a draft of a birth (sealed), with the chart that filled it in | " + inWords(drafts.KeptFor) + " after its last change |",
		"| a session | " + inWords(auth.IdleEnd) + " without a request, " + inWords(auth.AbsoluteEnd) + " in all |",
		"| an invitation (hashed) | " + inWords(auth.InviteLife) + " |",
		"| a reset link (hashed) | " + inWords(auth.ResetLife) + " |",
		"| the fact that there was an invitation or a reset link | " + inWords(auth.LinksKept) + " |",
	} {
		require.Contains(t, string(page), "\n"+row)
	}
}
