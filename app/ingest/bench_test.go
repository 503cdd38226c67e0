package ingest_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"runtime/debug"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/changes"
	"birthregistry/app/fixture"
	"birthregistry/app/ingest"
	"birthregistry/app/mapping"
	"birthregistry/app/seal"
	"birthregistry/assets"
	"birthregistry/store"
)

// Every figure is a ratio within one run: both ways take turns on the same database and
// machine.

// benched is a service with its own database.
type benched struct {
	*ingest.Service
	changes *changes.Writer
	db      *store.DB
	vault   *seal.Vault
}

func benchService(tb testing.TB) (benched, auth.Caller) {
	tb.Helper()
	debug.SetGCPercent(ingest.GCPercent) // as in the serving process
	path := filepath.Join(tb.TempDir(), "registry.db")
	db, err := store.Open(context.Background(), path)
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, db.Close()) })
	vault, _, err := seal.Open(db, path+".key")
	require.NoError(tb, err)
	var c auth.Caller
	require.NoError(tb, db.Update(func(tx *store.Tx) (err error) {
		c.Practice, err = tx.AddPractice("Bench", true, true)
		return err
	}))
	settings := ingest.Defaults()
	settings.MaxInFlight = 1 << 30
	log, users := slog.New(slog.DiscardHandler), auth.New(db, vault)
	writer := changes.New(db, vault, users, log)
	return benched{ingest.New(db, vault, users, writer, settings, log), writer, db, vault}, c
}

// BenchmarkAccept measures the durable acknowledgment of a 5 KB Bundle against the same work
// with one transaction per caller.
func BenchmarkAccept(b *testing.B) {
	sample, err := assets.Samples.ReadFile("samples/03-fetal-death.json")
	require.NoError(b, err)
	for _, callers := range []int{1, 64} {
		b.Run(fmt.Sprintf("callers=%d", callers), func(b *testing.B) {
			s, c := benchService(b)
			body := func() ingest.Request {
				return ingest.Request{Body: bytes.NewReader(sample), Limit: 1 << 20}
			}
			var one sync.Mutex
			ways := []func() error{
				func() error {
					_, err := s.Accept(c, body())
					return err
				},
				func() error {
					return s.AcceptAlone(c, body(), func() func() {
						one.Lock()
						return one.Unlock
					})
				},
			}
			var spent [2]time.Duration
			const round = 512
			for i := range ways { // warm up
				together(b, callers, round, ways[i])
			}
			b.ResetTimer()
			n := 0
			for ; n < b.N; n += round {
				for i, way := range ways {
					began := time.Now()
					together(b, callers, round, way)
					spent[i] += time.Since(began)
				}
			}
			b.ReportMetric(float64(spent[1])/float64(spent[0]), "x-of-one-tx-a-caller")
			b.ReportMetric(float64(n)/spent[0].Seconds(), "accepts/s")
		})
	}
}

// together calls fn total times from this many callers.
func together(tb testing.TB, callers, total int, fn func() error) {
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			for range total / callers {
				if err := fn(); err != nil {
					tb.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// BenchmarkBatch measures processing a batch of 10,000 queued courses against the plain way:
// read an entry, write it in a transaction, read the next.
func BenchmarkBatch(b *testing.B) {
	s, c := benchService(b)
	const courses, few = 10_000, 1_000
	var spent [2]time.Duration
	queue := func(n, courses int) (*ingest.Queue, store.Ingestion) {
		body := batchBody(courses, fmt.Sprintf("%d-%d", n, courses))
		_, err := s.Accept(c, ingest.Request{Body: bytes.NewReader(body), Limit: 1 << 30})
		require.NoError(b, err)
		queues, err := s.ReceiveQueues(1, fixture.NoneActive)
		require.NoError(b, err)
		l := queues[0]
		group, err := s.NextGroup(c.Practice)
		require.NoError(b, err)
		return l, group[0]
	}
	for n := range b.N {
		l, i := queue(n, courses)
		began := time.Now()
		require.NoError(b, s.ProcessLarge(context.Background(), l.PracticeQueue, i))
		spent[0] += time.Since(began)
		endQueue(b, s, l)

		l, i = queue(n, few)
		began = time.Now()
		index := 0
		_, read, err := s.BodyOf(b.Context(), c.Practice, i)
		require.NoError(b, err)
		require.NoError(b, read(func(item mapping.Item) error {
			index++
			return s.ApplyChunk(l.PracticeQueue, i, ingest.NewChunk(s.changes.Prepare(c.Practice, birth.FHIRPush, item, index-1)))
		}))
		require.NoError(b, s.CompleteLarge(l.PracticeQueue, i))
		spent[1] += time.Since(began) * courses / few
		endQueue(b, s, l)
	}
	b.ReportMetric(float64(spent[1])/float64(spent[0]), "x-of-one-tx-an-entry")
	b.ReportMetric(float64(b.N)*courses/spent[0].Seconds(), "courses/s")
}

func endQueue(b *testing.B, s benched, l *ingest.Queue) {
	require.NoError(b, s.db.Update(func(tx *store.Tx) error {
		ended, err := tx.EndQueue(l.Practice)
		require.True(b, ended)
		return err
	}))
}

// batchBody returns a batch of courses, each with its own chart number and mother.
func batchBody(courses int, series string) []byte {
	var body bytes.Buffer
	body.WriteString(`{"resourceType":"Bundle","type":"batch","entry":[`)
	for i := range courses {
		if i > 0 {
			body.WriteByte(',')
		}
		fmt.Fprintf(&body, `{"resource":{"resourceType":"Bundle","type":"document","identifier":{"value":"%[1]s-%[2]d"},`+
			`"timestamp":"2026-04-01T07:00:00Z","entry":[`+
			`{"resource":{"resourceType":"Patient","id":"m","meta":{"profile":["http://hl7.org/fhir/us/vr-common-library/StructureDefinition/Patient-mother-vr"]},`+
			`"name":[{"use":"official","family":"Family %[2]d","given":["Given %[1]s"]}],"birthDate":"1991-01-09","address":[{"use":"home","postalCode":"05301"}]}},`+
			`{"resource":{"resourceType":"Patient","id":"c","meta":{"profile":["http://hl7.org/fhir/us/vr-common-library/StructureDefinition/Patient-child-vr"]},`+
			`"name":[{"use":"official","family":"Family %[2]d","given":["Baby"]}],"gender":"female","birthDate":"2026-03-04",`+
			`"_birthDate":{"extension":[{"url":"http://hl7.org/fhir/StructureDefinition/patient-birthTime","valueDateTime":"2026-03-04T01:15:00-04:00"}]}}},`,
			series, i)
		for _, o := range [][2]string{{"8339-4", "3610"}, {"9272-6", "7"}, {"9274-2", "9"}, {"11638-4", "1"}, {"68493-6", "11"}} {
			fmt.Fprintf(&body, `{"resource":{"resourceType":"Observation","status":"final","code":{"coding":[{"system":"http://loinc.org","code":"%s"}]},`+
				`"subject":{"reference":"Patient/c"},"valueInteger":%s}},`, o[0], o[1])
		}
		body.WriteString(`{"resource":{"resourceType":"Practitioner","id":"p","identifier":[{"system":"urn:staff","value":"17"}],"name":[{"family":"Lindqvist"}],` +
			`"qualification":[{"code":{"text":"CPM"}}]}},` +
			`{"resource":{"resourceType":"Encounter","status":"finished","subject":{"reference":"Patient/m"},"participant":[{"type":[{"coding":[{"code":"ATND"}]}],` +
			`"individual":{"reference":"Practitioner/p"}}]}}]}}`)
	}
	body.WriteString(`]}`)
	return body.Bytes()
}
