package web_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
	"birthregistry/app/fhir"
	"birthregistry/app/seal"
	"birthregistry/store"
)

const ingestionsPage = "/registry/ingestions"

// pushedPage pushes a Bundle, waits until it is processed and returns its page's path.
func pushedPage(i *apptest.Installation, body string) string {
	i.T.Helper()
	return ingestionsPage + "/" + i.Receipt(i.Post(body)).ID
}

var noMother = apptest.Course{Chart: "C-9", Mothers: -1, Mother: "Unseenname"}.Bundle()

func TestAReceiptIsReadableAndLeadsToItsRecordsAndReasons(t *testing.T) {
	i := apptest.Start(t)
	first := i.Push(birth)
	path := pushedPage(i, apptest.Batch(birth, noMother, apptest.Course{Chart: "C-2", Mother: "Okonkwo"}.Bundle()))
	page := i.SignIn(i.Practice, auth.Provider).Get(path)
	require.Equal(t, 200, page.StatusCode)
	for _, text := range []string{
		"Completed with rejects", "Rejected: 1", "Accepted: 2", "Bundle.entry[1]", `href="/docs/errors#no-mother"`, fhir.NoMother.Text,
		fhir.NoMother.Hint, "Amended, version 2", "Possible duplicate", `href="/registry/records/` + first.Accepted[0].Submission + `"`, "test",
	} {
		require.Contains(t, page.Body, text)
	}
	list := i.SignIn(i.Practice, auth.Viewer).Get(link(dom(t, page), "List the records"))
	require.Len(t, rowsOf(t, list), 2)
	require.Contains(t, list.Body, "from one ingestion")
	for _, submitted := range []string{"Unseenname", "Okonkwo", "C-9", "resourceType"} {
		require.NotContains(t, page.Body, submitted)
	}
}

func TestARejectionSaysWhoCorrectsItAndOffersTheFormToThoseWhoMayUseIt(t *testing.T) {
	i := apptest.Start(t)
	some, none := pushedPage(i, apptest.Batch(birth, noMother)), pushedPage(i, birth)
	const correct, again, byHand = "each entry can be found in what was sent on", "Accepted entries need not be sent again.", "record it by hand"
	provider := marked(dom(t, i.SignIn(i.Practice, auth.Provider).Get(some)), "rejected-next")
	require.Len(t, provider, 1)
	for _, text := range []string{correct, again, byHand} {
		require.Contains(t, words(provider[0]), text)
	}
	require.Contains(t, i.SignIn(i.Practice, auth.Provider).Get(some).Body, "the 2nd entry")
	require.Contains(t, i.SignIn(i.Practice, auth.Provider).Get(pushedPage(i, noMother)).Body, "the whole Bundle")
	require.NotContains(t, i.SignIn(i.Practice, auth.Viewer).Get(some).Body, byHand)
	require.NotContains(t, i.SignIn(i.Practice, auth.Provider).Get(none).Body, "rejected-next")
	require.NotContains(t, i.SignIn(i.Practice, auth.Provider).Get(pushedPage(i, noMother)).Body, again, "nothing was accepted")
}

func TestTheListShowsTheNewestFirstAndFilters(t *testing.T) {
	i := apptest.Start(t)
	good, bad := pushedPage(i, birth), pushedPage(i, noMother)
	failing := fail(t, i)
	b := i.SignIn(i.Practice, auth.Viewer)
	page := b.Get(ingestionsPage)
	require.Equal(t, 200, page.StatusCode)
	require.Less(t, strings.Index(page.Body, failing), strings.Index(page.Body, bad))
	require.Less(t, strings.Index(page.Body, bad), strings.Index(page.Body, good))
	for show, want := range map[string]string{"failed": failing, "rejects": bad} {
		page := b.Get(ingestionsPage + "?show=" + show)
		for _, path := range []string{good, bad, failing} {
			require.Equal(t, path == want, strings.Contains(page.Body, path), "%s %s", show, path)
		}
	}
	require.Contains(t, b.Get(ingestionsPage+"?show=under-way").Body, "No ingestion matches")
	require.Equal(t, 404, b.Get(ingestionsPage+"?show=nonsense").StatusCode)
	require.Equal(t, 200, b.Get(ingestionsPage+"?before=nonsense").StatusCode)

	page = b.Get(failing)
	for _, text := range []string{"Failed", "MappingPanic", "0199d3a1-7c4e-7b52-9d6f-00000000abcd", "<strong>new</strong> Idempotency-Key"} {
		require.Contains(t, page.Body, text)
	}
}

// fail makes an ingestion end as failed and returns its page's path.
func fail(t *testing.T, i *apptest.Installation) (path string) {
	t.Helper()
	doc := []byte(`{"error":"The Bundle could not be processed and the push was not accepted.","exception":"MappingPanic","correlation_id":"0199d3a1-7c4e-7b52-9d6f-00000000abcd"}`)
	const id = "0199d3a1-7c4e-7b52-9d6f-000000000001"
	sealed, err := i.App.Vault.Seal(seal.Place{Practice: int64(i.Practice), Table: "ingestions", Row: id}, doc)
	require.NoError(t, err)
	require.NoError(t, i.App.DB.Update(func(tx *store.Tx) error {
		if _, _, err := tx.Accept(i.Practice, store.NewIngestion{PublicID: id, Parts: [][]byte{{1}}}); err != nil {
			return err
		}
		row, err := tx.Ingestion(i.Practice, id)
		if err != nil {
			return err
		}
		return tx.Finish(i.Practice, store.Ending{Ingestion: row.ID, Status: store.Failed, Outcome: sealed, Exception: "MappingPanic"})
	}))
	return ingestionsPage + "/" + id
}

func TestALongListContinuesOnFurtherPages(t *testing.T) {
	i := apptest.Start(t, idle)
	require.NoError(t, i.App.DB.Update(func(tx *store.Tx) error {
		for n := range 60 {
			if _, _, err := tx.Accept(i.Practice, store.NewIngestion{PublicID: fmt.Sprintf("row-%03d-", n), Parts: [][]byte{{1}}}); err != nil {
				return err
			}
		}
		return nil
	}))
	b := i.SignIn(i.Practice, auth.Viewer)
	page := b.Get(ingestionsPage + "?show=under-way")
	require.Equal(t, 50, strings.Count(page.Body, ingestionsPage+"/row-"))
	_, after, found := strings.Cut(page.Body, `href="`+ingestionsPage+`?before=`)
	require.True(t, found)
	query, _, _ := strings.Cut(after, `"`)
	page = b.Get(ingestionsPage + "?before=" + strings.ReplaceAll(query, "&amp;", "&"))
	require.Equal(t, 10, strings.Count(page.Body, ingestionsPage+"/row-"))
	require.Contains(t, page.Body, "row-009-")
	require.NotContains(t, page.Body, "row-010-")
	require.NotContains(t, page.Body, "Older ones")
}

func TestALongReceiptContinuesOnFurtherPages(t *testing.T) {
	i := apptest.Start(t)
	var courses []string
	for n := range 205 {
		courses = append(courses, apptest.Course{Chart: fmt.Sprint("L-", n), Mother: fmt.Sprint("M", n)}.Bundle())
	}
	path := pushedPage(i, apptest.Batch(courses...))
	b := i.SignIn(i.Practice, auth.Provider)
	page := b.Get(path)
	require.Equal(t, 200, strings.Count(page.Body, "New record"))
	require.Contains(t, page.Body, path+"?page=2")
	page = b.Get(path + "?page=2")
	require.Equal(t, 5, strings.Count(page.Body, "New record"))
	for _, odd := range []string{"0", "-1", "3", "x", strings.Repeat("9", 30)} {
		require.Equal(t, 200, strings.Count(b.Get(path+"?page="+odd).Body, "New record"), odd)
	}
}

func TestAnIngestionIsFoundByItsIDWithoutTheIDInTheAddress(t *testing.T) {
	i := apptest.Start(t)
	path := pushedPage(i, birth)
	b := i.SignIn(i.Practice, auth.Admin)
	id := strings.TrimPrefix(path, ingestionsPage+"/")
	for _, typed := range []string{id, " " + id + "\n", i.URL + ingestions + id} {
		sent := b.Post(ingestionsPage+"/find", url.Values{"id": {typed}})
		require.Equal(t, 303, sent.StatusCode, typed)
		require.Equal(t, path, sent.Header.Get("Location"))
	}
	for _, typed := range []string{"", "x", "0199d3a1-7c4e-7b52-9d6f-3f0c8f6a1b27", "<script>alert(1)</script>"} {
		page := b.Post(ingestionsPage+"/find", url.Values{"id": {typed}})
		require.Equal(t, 422, page.StatusCode, typed)
		require.Contains(t, page.Body, "No ingestion of this practice has this id. Copy the whole id or address")
		require.NotContains(t, page.Body, "<script>alert")
	}
}

func TestAnotherPracticesIngestionIsNotFound(t *testing.T) {
	i := apptest.Start(t)
	path := pushedPage(i, birth)
	b := i.SignIn(practiceWith(t, i, true, true), auth.Admin)
	require.Equal(t, 404, b.Get(path).StatusCode)
	require.NotContains(t, b.Get(ingestionsPage).Body, path)
	require.Equal(t, 422, b.Post(ingestionsPage+"/find", url.Values{"id": {path}}).StatusCode)
	for _, id := range []string{"x", "0199d3a1-7c4e-7b52-9d6f-3f0c8f6a1b27", "%00"} {
		require.Equal(t, 404, b.Get(ingestionsPage+"/"+id).StatusCode, id)
	}
}

func TestAScribeSeesNoIngestionsAndAViewerSendsNoSamples(t *testing.T) {
	i := apptest.Start(t)
	path := pushedPage(i, birth)
	scribe := i.SignIn(i.Practice, auth.Scribe)
	for _, p := range []string{ingestionsPage, ingestionsPage + "/refused", path} {
		require.Equal(t, 403, scribe.Get(p).StatusCode, p)
	}
	sandbox := practiceWith(t, i, true, true)
	viewer := i.SignIn(sandbox, auth.Viewer)
	require.NotContains(t, viewer.Get(ingestionsPage).Body, "Send sample")
	require.Equal(t, 403, viewer.Post(ingestionsPage+"/sample", url.Values{"sample": {"01-single-birth"}}).StatusCode)
}

func TestASampleIsProcessedLikeEveryBundleAndOnlyInASandbox(t *testing.T) {
	i := apptest.Start(t)
	sandbox := practiceWith(t, i, true, false)
	b := i.SignIn(sandbox, auth.Provider)
	require.Contains(t, b.Get(ingestionsPage).Body, "Single birth")
	sent := b.Post(ingestionsPage+"/sample", url.Values{"sample": {"06-batch-with-one-bad-course"}})
	require.Equal(t, 303, sent.StatusCode)
	path := sent.Header.Get("Location")
	require.Eventually(t, func() bool {
		page := b.Get(path)
		return strings.Contains(page.Body, "Accepted: 2") && strings.Contains(page.Body, "Rejected: 1")
	}, 3*time.Minute, 20*time.Millisecond)
	require.Contains(t, b.Get(ingestionsPage).Body, "Sample")
	id := strings.TrimPrefix(path, ingestionsPage+"/")
	trail := dom(t, i.SignIn(sandbox, auth.Admin).Get("/registry/audit?area=sample"))
	require.Contains(t, words(marked(trail, "entry")[0]), "Ingestion "+id)
	require.Equal(t, path, link(trail, id))
	for _, name := range []string{"", "../openapi", "nonsense"} {
		require.Equal(t, 404, b.Post(ingestionsPage+"/sample", url.Values{"sample": {name}}).StatusCode, name)
	}

	person := auth.User{Role: auth.Viewer, Practice: store.Practice{ID: i.Practice, Sandbox: true}}
	_, err := i.App.Ingest.SendSample(person, []byte(birth))
	require.ErrorIs(t, err, auth.ErrForbidden, "the write asks again")

	live := i.SignIn(i.Practice, auth.Admin)
	require.NotContains(t, live.Get(ingestionsPage).Body, "Send sample")
	require.Equal(t, 404, live.Post(ingestionsPage+"/sample", url.Values{"sample": {"01-single-birth"}}).StatusCode)
	require.Zero(t, i.Count())
}

func TestRefusedRequestsAreListedWithoutWhatTheyHeld(t *testing.T) {
	i := apptest.Start(t, idle, maxBody(5000))
	readOnly := i.Mint(i.Practice, read)
	b := i.SignIn(i.Practice, auth.Viewer)
	require.Contains(t, b.Get(ingestionsPage+"/refused").Body, "No requests were refused")
	const secret = "Unseenname"
	requestIDs := []string{}
	for problem, answer := range map[*fhir.Problem]apptest.Response{
		fhir.NotJSON:           i.Post(`{"` + secret),
		fhir.BadMediaType:      i.Post(birth, "Content-Type", "text/xml"),
		fhir.TooLarge:          i.Post(birth + strings.Repeat(" ", 5000)),
		fhir.Forbidden:         i.Post(birth, "Authorization", "Bearer "+readOnly),
		fhir.BadIdempotencyKey: i.Post(birth, "Idempotency-Key", secret+" "+secret),
	} {
		requireProblem(t, problem, answer)
		requestIDs = append(requestIDs, answer.Header.Get("X-Request-Id"), "/docs/errors#"+problem.Name)
	}
	i.Do("GET", nowhere, "") // a 404 doesn't count as a mistake
	page := b.Get(ingestionsPage + "/refused")
	require.Equal(t, 5, strings.Count(page.Body, "/docs/errors#"))
	for _, id := range requestIDs {
		require.Contains(t, page.Body, id)
	}
	require.NotContains(t, page.Body, secret)

	others := i.SignIn(practiceWith(t, i, false, true), auth.Admin)
	require.Contains(t, others.Get(ingestionsPage+"/refused").Body, "No requests were refused")
}

func TestAPracticeLearnsThatARevokedKeyIsStillUsed(t *testing.T) {
	i := apptest.Start(t, idle)
	key, id := mint(t, i, write)
	revoke(t, i, id)
	requireProblem(t, fhir.Unauthorized, i.Post(birth, "Authorization", "Bearer "+key))
	requireProblem(t, fhir.Unauthorized, i.Post(birth, "Authorization", "Bearer rgk_nobodys"))
	page := i.SignIn(i.Practice, auth.Admin).Get(ingestionsPage + "/refused")
	require.Equal(t, 1, strings.Count(page.Body, "/docs/errors#unauthorized"))
}

func TestARefusedFloodIsNotedOnceASecond(t *testing.T) {
	i := apptest.Start(t, idle, rate(1))
	for range 200 {
		i.Post(birth)
	}
	all, err := i.App.Auth.Refusals(t.Context(), i.Practice, 0, 1000)
	require.NoError(t, err)
	require.NotEmpty(t, all)
	require.Less(t, len(all), 10)
	require.Equal(t, "throttled", all[0].Code)
}
