package smart

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	inPart   = "Diagnoses could be read only in part: the EHR's further pages could not be followed."
	tooLong  = "Diagnoses could be read only in part: the chart has more than can be read in one launch."
	unusable = "Diagnoses could not be read: the EHR gave no usable answer."
)

// conditions makes the store answer searches for Conditions with answer; the other searches
// work as usual.
func conditions(t *testing.T, answer http.HandlerFunc) (*chartStore, func(unread string, kept int)) {
	t.Helper()
	s := startStore(t).full()
	s.on("Condition", answer)
	return s, func(want string, kept int) {
		t.Helper()
		chart, unread, err := s.read(t)
		require.NoError(t, err)
		if want == "" {
			require.Empty(t, unread)
		} else {
			require.Equal(t, []string{want}, unread)
		}
		requireRead(t, chart, kept, 1, 1)
	}
}

func TestALoopOfPagesIsNotFollowed(t *testing.T) {
	var calls atomic.Int32
	s, _ := conditions(t, nil)
	pages := []string{"?patient=1&_count=100&page=2", "Condition?page=3", "?patient=1&_count=100&page=2"}
	s.on("Condition", func(w http.ResponseWriter, _ *http.Request) {
		n := int(calls.Add(1)) - 1
		fmt.Fprint(w, searchset(pages[n], about("Patient/1", "Condition", fmt.Sprint("c", n), "")))
	})
	chart, unread, err := s.read(t)
	require.NoError(t, err)
	require.Equal(t, []string{inPart}, unread)
	requireRead(t, chart, 3, 1, 1)
	require.EqualValues(t, 3, calls.Load())
}

func TestAPageThatLeadsToItselfIsReadOnce(t *testing.T) {
	s, require := conditions(t, nil)
	s.on("Condition", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, searchset(s.URL+r.URL.String(), about("Patient/1", "Condition", "c", "")))
	})
	require(inPart, 1)
}

func TestTheTokenNeverFollowsANextLinkElsewhere(t *testing.T) {
	var stolen atomic.Int32
	evil := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { stolen.Add(1) }))
	defer evil.Close()
	s, check := conditions(t, nil)
	for _, next := range []string{
		evil.URL + "/tenant/fhir/Condition?page=2",
		strings.Replace(evil.URL, "http://", "//", 1) + "/tenant/fhir/Condition",
		"https" + strings.TrimPrefix(s.base(), "http") + "/Condition?page=2",
		s.URL + "@" + hostOf(t, evil.URL) + "/tenant/fhir/Condition",
		s.URL + "\\@" + hostOf(t, evil.URL) + "/tenant/fhir/Condition",
		strings.Replace(s.URL, "http://", "http://x:y@", 1) + "/tenant/fhir/Condition?page=2",
		s.URL + "/other/Condition?page=2",
		s.URL + "/tenant/fhirs/Condition?page=2",
		s.URL + "/?_getpages=1",
		s.base() + "/../../other",
		s.base() + "/%2e%2e/%2e%2e/other",
		s.base() + "/..%2f..%2fother",
		s.base() + "/..%5c..%5cother",
		"../../other/Condition?page=2",
		"/other?page=2",
		"javascript:alert(1)",
		"https://169.254.169.254/latest/meta-data",
		"http://[::1",
		s.base() + "/Condition?page=2#x",
		s.base() + "/Condition?page=2\r\nX: y",
	} {
		s.calls = nil
		s.on("Condition", text(searchset(next, about("Patient/1", "Condition", "c", ""))))
		check(inPart, 1)
		for _, u := range s.calls {
			require.True(t, strings.HasPrefix(u.Path, "/tenant/fhir/"), next)
			require.Empty(t, u.Query().Get("page"), next)
		}
	}
	require.Zero(t, stolen.Load())
}

func TestANextLinkUnderTheBaseIsFollowed(t *testing.T) {
	for _, next := range []string{
		"%s?_getpages=last", "%s/?_getpages=last", "%s/Condition?_getpages=last", "?_getpages=last",
		"/tenant/fhir?_getpages=last", "Condition/_search?_getpages=last",
	} {
		s, check := conditions(t, nil)
		s.pages["last"] = []string{about("Patient/1", "Condition", "c2", "")}
		if strings.HasPrefix(next, "%s") {
			next = fmt.Sprintf(next, s.base())
		}
		s.before = func(w http.ResponseWriter, r *http.Request) bool {
			first := strings.HasSuffix(r.URL.Path, "/Condition") && !r.URL.Query().Has("_getpages")
			if first {
				fmt.Fprint(w, searchset(next, about("Patient/1", "Condition", "c1", "")))
			}
			return first
		}
		check("", 2)
	}
}

func TestOperationOutcomesAndOtherResourceTypesAreNotRead(t *testing.T) {
	_, check := conditions(t, text(`{"resourceType":"Bundle","type":"searchset","entry":[
		{"search":{"mode":"outcome"},"resource":{"resourceType":"OperationOutcome","issue":[]}},
		{"resource":{"resourceType":"OperationOutcome"}},
		{"search":{"mode":"outcome"},"resource":`+about("Patient/1", "Condition", "a", "")+`},
		{"search":{"mode":"include"},"resource":`+about("Patient/1", "Condition", "b", "")+`},
		{"search":{"mode":"match"},"resource":`+about("Patient/1", "Observation", "c", "")+`},
		{"search":{"mode":"match"},"resource":`+patient1+`},
		{"search":{"mode":"match"}}, {"resource":null}, {},
		{"search":{"mode":"match"},"resource":`+about("Patient/1", "Condition", "d", "")+`}]}`))
	check("", 1)
}

func TestAnAnswerThatIsNotCompleteByItsOwnWordsIsReadInPart(t *testing.T) {
	const missing = "Diagnoses could be read only in part: the EHR did not send all of them."
	one := about("Patient/1", "Condition", "c", "")
	for issue, want := range map[string]string{
		`{"severity":"warning","code":"incomplete"}`:     missing,
		`{"severity":"information","code":"incomplete"}`: missing,
		`{"severity":"warning","code":"timeout"}`:        missing,
		`{"severity":"error","code":"processing"}`:       missing,
		`{"severity":"fatal","code":"exception"}`:        missing,
		`7`: missing,
		`{"severity":"warning","code":"suppressed"}`:        "", // in every answer of some EHRs
		`{"severity":"warning","code":"processing"}`:        "",
		`{"severity":"warning","code":"not-found"}`:         "",
		`{"severity":"information","code":"informational"}`: "",
	} {
		for _, mode := range []string{`"search":{"mode":"outcome"},`, ""} {
			_, check := conditions(t, text(`{"resourceType":"Bundle","entry":[{`+mode+`"resource":{"resourceType":"OperationOutcome","issue":[`+issue+`]}},{"resource":`+one+`}]}`))
			t.Log(issue)
			check(want, 1)
		}
	}
	for total, want := range map[string]string{"1": "", "0": "", "2": missing, "57": missing, `"57"`: "", "null": "", "1e9": ""} {
		_, check := conditions(t, text(`{"resourceType":"Bundle","total":`+total+`,"entry":[{"resource":`+one+`}]}`))
		t.Log(total)
		check(want, 1)
	}
}

func TestOnlyResourcesAboutTheLaunchedPatientAreKept(t *testing.T) {
	s := startStore(t).full()
	kept := []string{
		"Patient/1", s.base() + "/Patient/1", "Patient/1/_history/3", s.base() + "/Patient/1/_history/3",
		strings.Replace(s.base(), "http://", "HTTP://", 1) + "/Patient/1",
	}
	dropped := []string{
		"Patient/2", "Patient/11", "patient/1", "/Patient/1", "1", "", "urn:uuid:1", "#1", "Group/1", "Practitioner/1",
		"Patient/1/x", "Patient/1?x", "Patient/1#x", "x/Patient/1", s.URL + "/Patient/1", s.URL + "/other/Patient/1",
		s.base() + "/Patient/2", s.base() + "/x/Patient/1", s.base() + "/../fhir2/Patient/1", s.base() + "s/Patient/1",
		"https://other.example/tenant/fhir/Patient/1", "https" + strings.TrimPrefix(s.base(), "http") + "/Patient/1",
		s.base() + "/Patient/1?x", s.base() + "/Patient/1#x", "http://[::1/Patient/1",
	}
	s.resources["Condition"] = []string{`{"resourceType":"Condition","id":"without"}`}
	for i, reference := range append(kept, dropped...) {
		s.resources["Condition"] = append(s.resources["Condition"], about(reference, "Condition", fmt.Sprint(i), ""))
	}
	chart, unread, err := s.read(t)
	require.NoError(t, err)
	for i, c := range chart.Conditions {
		require.Equal(t, fmt.Sprint(i), c.ID)
	}
	requireRead(t, chart, len(kept), 1, 1)
	require.Equal(t, []string{
		fmt.Sprintf("Diagnoses: %d were left out because they are not about this patient.", len(dropped)+1),
	}, unread)
}

func TestAResourceOfTheWrongShapeLosesOnlyItself(t *testing.T) {
	_, check := conditions(t, text(`{"resourceType":"Bundle","entry":[
		{"resource":`+about("Patient/1", "Condition", "a", `,"code":[]`)+`},
		{"resource":`+about("Patient/1", "Condition", "b", "")+`}]}`))
	check("Diagnoses: 1 was left out because it could not be understood.", 1)
	_, check = conditions(t, text(`{"resourceType":"Bundle","entry":[7,
		{"resource":{"resourceType":"Condition","subject":"Patient/1"}},
		{"resource":"x"},
		{"resource":`+about("Patient/1", "Condition", "b", "")+`}]}`))
	check("Diagnoses: 3 were left out because they could not be understood.", 1)
}

func TestInvalidJSONIsNotRead(t *testing.T) {
	one := about("Patient/1", "Condition", "a", "")
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for name, body := range map[string]string{
		"64 deep and more":   searchset("", about("Patient/1", "Condition", "a", `,"x":`+deep(61))),
		"a million deep":     searchset("", about("Patient/1", "Condition", "a", `,"x":`+deep(1_000_000))),
		"deep and not ended": strings.Repeat(`{"a":`, 1_000_000),
		"repeated names":     searchset("", about("Patient/1", "Condition", "a", `,"id":"b"`)),
		"repeated in a page": `{"resourceType":"Bundle","entry":[],"entry":[{"resource":` + one + `}]}`,
		"invalid UTF-8":      searchset("", about("Patient/1", "Condition", "a", `,"x":"`+"\xff"+`"`)),
		"cut off":            searchset("", one)[:100],
		"two values":         searchset("", one) + searchset("", one),
		"a list":             "[" + searchset("", one) + "]",
		"entries no list":    `{"resourceType":"Bundle","entry":{"resource":` + one + `}}`,
		"empty":              "",
	} {
		_, check := conditions(t, text(body))
		t.Log(name)
		check(unusable, 0)
	}
	_, check := conditions(t, text(searchset("", about("Patient/1", "Condition", "a", `,"x":`+deep(60)))))
	check("", 1) // 64 levels deep
	_, check = conditions(t, text("\uFEFF"+searchset("", one)))
	check("", 1)
}

func TestAnEndlessChartIsReadUpToItsCap(t *testing.T) {
	var calls atomic.Int32
	_, check := conditions(t, func(w http.ResponseWriter, _ *http.Request) {
		n := calls.Add(1)
		fmt.Fprint(w, searchset(fmt.Sprint("?page=", n), about("Patient/1", "Condition", fmt.Sprint("c", n), "")))
	})
	check(tooLong, maxPages+1)
	require.EqualValues(t, maxPages+1, calls.Load())
}

func TestAPageLargerThanItsCapIsNotRead(t *testing.T) {
	for size, fits := range map[int]bool{maxPage: true, maxPage + 1: false} {
		body := searchset("", about("Patient/1", "Condition", "c", ""))
		body += strings.Repeat(" ", size-len(body))
		_, check := conditions(t, text(body))
		if fits {
			check("", 1)
		} else {
			check("Diagnoses could not be read: the chart has more than can be read in one launch.", 0)
		}
	}
}

func TestAGzipBombForAPageIsNotRead(t *testing.T) {
	var bomb bytes.Buffer
	zip := gzip.NewWriter(&bomb)
	_, err := io.CopyN(zip, zeros{}, 50<<20)
	require.NoError(t, err)
	require.NoError(t, zip.Close())
	_, check := conditions(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(bomb.Bytes())
	})
	check("Diagnoses could not be read: the chart has more than can be read in one launch.", 0)
}

func TestAChartLargerThanItsCapIsReadInPart(t *testing.T) {
	t.Parallel()
	var sent atomic.Int64
	s, _ := conditions(t, nil)
	s.on("Condition", func(w http.ResponseWriter, _ *http.Request) {
		body := searchset(fmt.Sprint("?page=", sent.Load()), about("Patient/1", "Condition", fmt.Sprint("c", sent.Load()), ""))
		n, _ := fmt.Fprint(w, body+strings.Repeat(" ", 4<<20-len(body)))
		sent.Add(int64(n))
		s.quiet("/Condition") // so that the other searches are not cut off
	})
	chart, unread, err := s.read(t)
	require.NoError(t, err)
	require.Equal(t, []string{tooLong}, unread)
	requireRead(t, chart, 4, 1, 1) // with the rest, a fifth page of 4 MB exceeds 20 MB
}

// A resource that is small on the wire and huge in memory.
func TestABombOfEmptyElementsIsNotUnpacked(t *testing.T) {
	bomb := strings.Repeat(`{},`, 9_999) + `{}`
	s := startStore(t).full()
	for i := range 100 {
		s.add("Encounter", fmt.Sprint("e", i), `,"participant":[`+bomb+`]`)
	}
	chart, unread, err := s.read(t)
	require.NoError(t, err)
	require.Contains(t, unread, "Visits could be read only in part: the chart has more than can be read in one launch.")
	require.LessOrEqual(t, len(chart.Encounters), maxElements/10_000)
}

// Each result is compared with the others, so their number is limited, too.
func TestAChartOfVeryManySmallResultsIsReadInPart(t *testing.T) {
	many := make([]string, 5_000)
	for i := range many {
		many[i] = about("Patient/1", "Condition", fmt.Sprint("c", i), "")
	}
	_, check := conditions(t, text(searchset("", many...)))
	check("", len(many))
	var pages atomic.Int32
	s, _ := conditions(t, nil)
	s.on("Condition", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, searchset(fmt.Sprint("?page=", pages.Add(1)), many...))
		s.quiet("/Condition") // so that the other searches are not cut off
	})
	chart, unread, err := s.read(t)
	require.NoError(t, err)
	require.Contains(t, unread, tooLong)
	require.EqualValues(t, 2, pages.Load())
	require.Less(t, len(chart.Conditions)+len(chart.Encounters)+len(chart.Observations), maxResults)
}

func TestASlowDripOfPagesEndsWithTheTimeOfTheRead(t *testing.T) {
	t.Parallel()
	s, _ := conditions(t, func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			fmt.Fprint(w, " ")
			w.(http.Flusher).Flush()
			time.Sleep(20 * time.Millisecond)
		}
	})
	ctx, cancel := context.WithTimeout(context.Background(), keepWithin+othersWithin)
	defer cancel()
	chart, unread, err := s.readOf(t, ctx, "1")
	require.NoError(t, err)
	require.NoError(t, ctx.Err())
	require.Equal(t, []string{"Diagnoses could not be read: the EHR was too slow."}, unread)
	requireRead(t, chart, 0, 1, 1)
}

func TestARedirectOfASearchIsNotFollowed(t *testing.T) {
	var stolen atomic.Int32
	evil := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { stolen.Add(1) }))
	defer evil.Close()
	_, check := conditions(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, evil.URL, http.StatusTemporaryRedirect)
	})
	check(unusable, 0)
	require.Zero(t, stolen.Load())
}
