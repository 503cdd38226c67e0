package smart

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/fhir"
	"birthregistry/app/mapping/uscore"
)

// chartStore is the FHIR side of an EHR on a real socket. It holds resources of patient 1,
// searches by code and category, and pages as HAPI does, with a next link that drops the path
// after the base.
type chartStore struct {
	*httptest.Server
	resources map[string][]string // type → resources
	pageSize  int
	// codes chooses which codes of a search count. The other options say whether the store
	// looks at codes and categories at all, and at _sort and date.
	codes                                func([]string) []string
	ignoresCodes, ignoresCategory, sorts bool
	// before may answer a request instead of the store.
	before func(w http.ResponseWriter, r *http.Request) bool

	mu    sync.Mutex
	calls []*url.URL
	pages map[string][]string // _getpages → the resources still to be sent
}

const (
	testToken = "token-canary"
	patient1  = `{"resourceType":"Patient","id":"1","birthDate":"1990-01-02"}`
)

func startStore(t *testing.T) *chartStore {
	t.Helper()
	s := &chartStore{
		resources: map[string][]string{"Patient": {patient1}},
		pageSize:  100,
		pages:     map[string][]string{},
	}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

// base returns the FHIR base: a path on a host that has others.
func (s *chartStore) base() string { return s.URL + "/tenant/fhir" }

func (s *chartStore) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.calls = append(s.calls, r.URL)
	s.mu.Unlock()
	if r.Header.Get("Authorization") != "Bearer "+testToken {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	if s.before != nil && s.before(w, r) {
		return
	}
	query := r.URL.Query()
	kind, id, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/tenant/fhir/"), "/")
	switch {
	case query.Has("_getpages"):
		s.mu.Lock()
		rest := s.pages[query.Get("_getpages")]
		s.mu.Unlock()
		s.answer(w, rest)
	case id != "":
		for _, one := range s.resources[kind] {
			fmt.Fprint(w, one)
			return
		}
		w.WriteHeader(http.StatusNotFound)
	default:
		s.answer(w, s.matching(kind, query))
	}
}

// matching finds resources by their text, which suffices for those that the tests add.
func (s *chartStore) matching(kind string, query url.Values) (found []string) {
	codes := strings.Split(strings.ReplaceAll(query.Get("code"), "http://loinc.org|", ""), ",")
	if s.codes != nil {
		codes = s.codes(codes)
	}
	says := func(one string, wanted []string) bool {
		return slices.ContainsFunc(wanted, func(code string) bool { return strings.Contains(one, `"code":"`+code+`"`) })
	}
	for _, one := range s.resources[kind] {
		fits := true
		if query.Has("code") && !s.ignoresCodes {
			fits = says(one, codes)
		}
		if query.Has("category") && !s.ignoresCategory {
			fits = fits && says(one, strings.Split(query.Get("category"), ","))
		}
		if at := dateIn(one); s.sorts {
			for _, bound := range query["date"] {
				fits = fits && (strings.HasPrefix(bound, "ge") && at >= bound[2:] || strings.HasPrefix(bound, "le") && at <= bound[2:])
			}
		}
		if fits {
			found = append(found, one)
		}
	}
	if s.sorts && query.Get("_sort") == "-date" {
		slices.SortStableFunc(found, func(a, b string) int { return strings.Compare(dateIn(b), dateIn(a)) })
	}
	return found
}

// dateIn returns the day of a resource, as text.
func dateIn(one string) string {
	_, at, _ := strings.Cut(one, `"effectiveDateTime":"`)
	return at[:min(len(at), len("2006-01-02"))]
}

// answer sends a page and keeps the rest for the next one.
func (s *chartStore) answer(w http.ResponseWriter, found []string) {
	now := found[:min(len(found), s.pageSize)]
	next := ""
	if rest := found[len(now):]; len(rest) > 0 {
		s.mu.Lock()
		key := strconv.Itoa(len(s.pages))
		s.pages[key] = rest
		s.mu.Unlock()
		next = s.base() + "?_getpages=" + key
	}
	fmt.Fprint(w, searchset(next, now...))
}

// searchset returns a page; next may be empty.
func searchset(next string, resources ...string) string {
	links := `{"relation":"self","url":"x"}`
	if next != "" {
		links += `,{"relation":"next","url":` + strconv.Quote(next) + `}`
	}
	entries := make([]string, len(resources))
	for i, r := range resources {
		entries[i] = `{"search":{"mode":"match"},"resource":` + r + `}`
	}
	return `{"resourceType":"Bundle","type":"searchset","link":[` + links + `],"entry":[` + strings.Join(entries, ",") + `]}`
}

// add adds a resource about the patient to the store.
func (s *chartStore) add(kind, id, more string) {
	s.resources[kind] = append(s.resources[kind], about("Patient/1", kind, id, more))
}

func about(subject, kind, id, more string) string {
	return `{"resourceType":"` + kind + `","id":"` + id + `","subject":{"reference":"` + subject + `"}` + more + `}`
}

// heightIn is an Observation's code and category.
const heightIn = `,"code":{"coding":[{"system":"http://loinc.org","code":"8302-2"}]},"category":[{"coding":[{"code":"vital-signs"}]}]`

// full adds one resource of each type to the store.
func (s *chartStore) full() *chartStore {
	s.add("Condition", "c1", "")
	s.add("Encounter", "e1", "")
	s.add("Observation", "o1", heightIn)
	return s
}

// on answers requests for a path with answer.
func (s *chartStore) on(path string, answer http.HandlerFunc) {
	before := s.before
	s.before = func(w http.ResponseWriter, r *http.Request) bool {
		if strings.TrimPrefix(r.URL.Path, "/tenant/fhir/") == path {
			answer(w, r)
			return true
		}
		return before != nil && before(w, r)
	}
}

// quiet waits until only requests for one path have come for a while.
func (s *chartStore) quiet(path string) {
	others := func() (n int) {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, u := range s.calls {
			if !strings.HasSuffix(u.Path, path) {
				n++
			}
		}
		return n
	}
	for last := -1; others() != last; time.Sleep(200 * time.Millisecond) {
		last = others()
	}
}

// status answers with only a status.
func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

// text answers with a body.
func text(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, body) }
}

// read reads the chart of patient 1.
func (s *chartStore) read(t *testing.T, scopes ...string) (fhir.Chart, []string, error) {
	t.Helper()
	return s.readOf(t, context.Background(), "1", scopes...)
}

func (s *chartStore) readOf(t *testing.T, ctx context.Context, patient string, scopes ...string) (fhir.Chart, []string, error) {
	t.Helper()
	c, err := s.chartOf(t, ctx, patient, scopes...)
	return c.chart, c.unread, err
}

// unhurried is the time limit of a read, and of each of its calls, in tests that aren't about time.
// A large chart can take longer than the service allows on a busy machine with the race detector.
const unhurried = 10 * time.Minute

// chartOf reads a chart on May 3, 2026. If ctx has no deadline, the read is unhurried.
func (s *chartStore) chartOf(t *testing.T, ctx context.Context, patient string, scopes ...string) (charted, error) {
	t.Helper()
	if _, limited := ctx.Deadline(); !limited {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, unhurried)
		defer cancel()
	}
	service := New(nil, nil, nil, local, slog.New(slog.DiscardHandler))
	out := newOutbound(local, []string{hostOf(t, s.URL)})
	out.within = unhurried
	launch := uscore.Launch{At: time.Date(2026, 5, 3, 12, 0, 0, 0, time.UTC), Base: s.base()}
	return service.readChart(ctx, out, launch, patient, testToken, scopes)
}

// called returns the queries of all requests for a path.
func (s *chartStore) called(path string) (queries []url.Values) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, u := range s.calls {
		if strings.TrimPrefix(u.Path, "/tenant/fhir/") == path {
			queries = append(queries, u.Query())
		}
	}
	return queries
}

// requireRead requires how many resources of each type were read, and which types were not
// read completely.
func requireRead(t *testing.T, chart fhir.Chart, conditions, encounters, observations int) {
	t.Helper()
	require.Equal(t, "1", chart.Patient.ID)
	require.Len(t, chart.Conditions, conditions, "conditions")
	require.Len(t, chart.Encounters, encounters, "encounters")
	require.Len(t, chart.Observations, observations, "observations")
}

// stating returns an Observation's code, category and day.
func stating(code, category, day string) string {
	return `,"code":{"coding":[{"system":"http://loinc.org","code":"` + code + `"}]},"effectiveDateTime":"` + day + `","status":"final",` +
		`"category":[{"coding":[{"code":"` + category + `"}]}]`
}
