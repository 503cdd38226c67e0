package web_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
	spine "birthregistry/app/birth"
)

const duplicates = "/registry/duplicates"

// pairOf pushes two records of one birth, 26-1 and 26-2.
func pairOf(t *testing.T) *apptest.Installation {
	t.Helper()
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "26-1", Weight: 3420}.Bundle())
	i.Push(apptest.Course{Chart: "26-2", Weight: 3240}.Bundle())
	return i
}

// pairPath returns the address of a pair: first the record that goes, then the one that stays.
func pairPath(i *apptest.Installation, goes, stays string) string {
	return duplicates + "/" + i.Record(goes).ID + "/" + i.Record(stays).ID
}

// today returns the present day as pages write it.
func today() string { return time.Now().UTC().Format("Jan 2, 2006") }

// texts returns the texts of the elements with a data-testid.
func texts(t *testing.T, page apptest.Page, id string) (all []string) {
	t.Helper()
	require.Equal(t, 200, page.StatusCode, page.Body)
	for _, n := range marked(dom(t, page), id) {
		all = append(all, words(n))
	}
	return all
}

// sent returns the values that a browser would send with a page's form to an address, with
// changes.
func sent(t *testing.T, page apptest.Page, action string, changes url.Values) url.Values {
	t.Helper()
	form := url.Values{}
	for n := range dom(t, page).Descendants() {
		if n.Data != "form" || attr(n, "action") != action {
			continue
		}
		for field := range n.Descendants() {
			if field.Type != html.ElementNode || field.Data != "input" && field.Data != "textarea" {
				continue
			}
			checked := false
			for _, a := range field.Attr {
				checked = checked || a.Key == "checked"
			}
			if attr(field, "type") != "radio" || checked {
				form.Set(attr(field, "name"), attr(field, "value"))
			}
		}
	}
	require.NotEmpty(t, form, "no form for %s", action)
	for name, values := range changes {
		form[name] = values
	}
	return form
}

// decide fills in a decision page and sends it.
func decide(t *testing.T, b *apptest.Browser, path string, changes url.Values) apptest.Page {
	t.Helper()
	return b.Post(path, sent(t, b.Get(path), path, changes))
}

func TestTheQueueShowsEveryPairOnceAndTheHomePageCountsThem(t *testing.T) {
	i := pairOf(t)
	i.Push(apptest.Course{Chart: "26-1", Weight: 3421}.Bundle()) // now both are marked
	b := i.SignIn(i.Practice, auth.Provider)
	page := b.Get(duplicates)
	require.Equal(t, []string{"Compare record 26-1 and record 26-2 A. O. Mar 2, 2026, 4:18 AM EHR push, " + today() + " EHR push, " + today()}, texts(t, page, "pair"))
	require.NotContains(t, page.Body, "Okonkwo")
	require.Contains(t, b.Get("/registry").Body, `<span class="number warn">1</span> <a href="/registry/duplicates">possible duplicate</a>`)
	i.Push(apptest.Course{Chart: "26-3"}.Bundle())
	require.Len(t, texts(t, b.Get(duplicates), "pair"), 2, "each next to the oldest; what is decided brings up the third pair")
	other := i.SignIn(i.AddPractice("Hillside"), auth.Admin)
	require.Contains(t, other.Get(duplicates).Body, "There are no possible duplicates to review.")
}

func TestBothRecordsOfAPossibleDuplicateAreShownAsOneUntilItIsDecided(t *testing.T) {
	i := pairOf(t)
	i.Push(apptest.Course{Chart: "26-3", Mother: "Diaz"}.Bundle())
	b := i.SignIn(i.Practice, auth.Provider)
	const tag = "Possible duplicate"
	b.Post("/registry/find", url.Values{"q": {"okonkwo"}})
	tagged := func() (n []int) {
		for _, page := range []apptest.Page{
			b.Get("/registry"), b.Get("/registry/records"), b.Get("/registry/records?duplicate=yes"), b.Get("/registry/find"),
			b.Get(recordPath(i, "26-1")), b.Get(recordPath(i, "26-2")), b.Get(recordPath(i, "26-3")), b.Get(pairPath(i, "26-2", "26-1")),
		} {
			n = append(n, strings.Count(page.Body, tag+"</span>"))
		}
		return n
	}
	require.Equal(t, []int{2, 2, 2, 2, 1, 1, 0, 2}, tagged())
	require.Equal(t, []string{"Okonkwo, Amara , born Mar 2, 2026, 4:18 AM", "Okonkwo, Amara , born Mar 2, 2026, 4:18 AM"}, texts(t, b.Get(pairPath(i, "26-2", "26-1")), "whose"))
	keep := pairPath(i, "26-2", "26-1") + "/keep"
	require.Equal(t, 303, b.Post(keep, sent(t, b.Get(pairPath(i, "26-2", "26-1")), keep, nil)).StatusCode)
	require.Equal(t, []int{0, 0, 0, 0, 0, 0, 0, 0}, tagged())
}

func TestALongQueueIsShownPageByPage(t *testing.T) {
	i := apptest.Start(t)
	var bundles []string
	for n := range 37 { // 36 pairs: each of the others with the first
		bundles = append(bundles, apptest.Course{Chart: fmt.Sprint("26-", n)}.Bundle())
	}
	i.Push(apptest.Batch(bundles...))
	b := i.SignIn(i.Practice, auth.Viewer)
	first := b.Get(duplicates)
	seen := texts(t, first, "pair")
	require.Len(t, seen, 25)
	second := b.Get(link(dom(t, first), "More pairs"))
	seen = append(seen, texts(t, second, "pair")...)
	require.Len(t, seen, 36)
	once := map[string]bool{}
	for _, s := range seen {
		once[s] = true
	}
	require.Len(t, once, 36)
	require.Empty(t, link(dom(t, second), "More pairs"))
	require.Equal(t, "/registry/duplicates", link(dom(t, second), "Back to the first pairs"))
	require.Empty(t, link(dom(t, first), "Back to the first pairs"))
	leadsTo(t, "/registry/duplicates", b.Get("/registry/duplicates?marked=999999&other=1")) // whoever decides the last pairs of a page isn't told that none are left
}

func TestTwoRecordsAreShownSideBySideWhatDiffersFirst(t *testing.T) {
	i := pairOf(t)
	b := i.SignIn(i.Practice, auth.Viewer)
	for _, path := range []string{pairPath(i, "26-2", "26-1"), pairPath(i, "26-1", "26-2")} {
		page := b.Get(path)
		parts := texts(t, page, "part")
		require.Equal(t, "Newborn: birth weight 3,420 g EHR push 3,240 g EHR push", parts[0], "the older one left")
		require.Contains(t, strings.Join(parts[1:], "\n"), "family name Okonkwo EHR push Okonkwo EHR push")
		require.Contains(t, texts(t, page, "side")[0], "EHR push")
		require.Contains(t, texts(t, page, "history")[1], "Version 1 : Recorded,")
		require.NotContains(t, page.Body, "Keep both", "a viewer decides nothing")
	}
	require.Equal(t, 2, noted(t, i, "record.read", i.Record("26-1").ID), "who reads it is noted, of both")
	require.Equal(t, 2, noted(t, i, "record.read", i.Record("26-2").ID))
}

func TestBothRecordsOfAPairAreKept(t *testing.T) {
	i := pairOf(t)
	b := i.SignIn(i.Practice, auth.Provider)
	path := pairPath(i, "26-2", "26-1")
	page := b.Post(path+"/keep", sent(t, b.Get(path), path+"/keep", nil))
	require.Equal(t, duplicates, page.Header.Get("Location"))
	after := b.Get(duplicates)
	require.Contains(t, after.Body, "Both records are kept as two births.")
	require.Empty(t, texts(t, after, "pair"))
	require.Contains(t, b.Get(path).Body, "This pair is not up for review: somebody decided that they are two births")
	require.NotContains(t, b.Get(recordPath(i, "26-2")).Body, "Possible duplicate")
	require.NotContains(t, b.Get(recordPath(i, "26-1")).Body, "This may be the same birth")
	i.Push(apptest.Course{Chart: "26-2", Weight: 3000}.Bundle())
	require.Empty(t, texts(t, b.Get(duplicates), "pair"), "a push does not bring it up again")
}

func TestOneRecordOfAPairIsVoidedWithAReasonAndTheDecisionIsUndone(t *testing.T) {
	i := pairOf(t)
	b := i.SignIn(i.Practice, auth.Provider)
	path := pairPath(i, "26-2", "26-1") + "/void"
	wrong := decide(t, b, path, url.Values{"reason": {" "}})
	require.Equal(t, 422, wrong.StatusCode)
	require.Contains(t, wrong.Body, "Write the reason")
	require.Equal(t, 303, decide(t, b, path, url.Values{"reason": {"Sent twice"}}).StatusCode)
	require.Equal(t, spine.Voided, i.Record("26-2").State)
	require.Contains(t, b.Get(recordPath(i, "26-2")).Body, "Sent twice")
	require.Contains(t, b.Get(recordPath(i, "26-2")+"/versions").Body, "Voided as a duplicate of record 26-1")
	queue := b.Get(duplicates)
	require.Len(t, texts(t, queue, "decision"), 1)
	undo := link(dom(t, queue), "Undo : void record 26-2")
	require.NotEmpty(t, undo)
	require.Contains(t, b.Get(undo).Body, "Record 26-2 counts again.")
	require.Equal(t, 303, decide(t, b, undo, nil).StatusCode)
	require.Equal(t, spine.Active, i.Record("26-2").State)
	require.Len(t, texts(t, b.Get(duplicates), "pair"), 1)
	require.Equal(t, 409, b.Get(undo).StatusCode, "once")
	require.Equal(t, 409, b.Post(undo, nil).StatusCode)
	require.Equal(t, 2, noted(t, i, "duplicate.void", i.Record("26-2").ID)+noted(t, i, "duplicate.undo", i.Record("26-2").ID))
}

func TestTwoRecordsAreMergedValueByValue(t *testing.T) {
	i := pairOf(t)
	i.Push(apptest.Course{Chart: "26-2", Weight: 3240, Extra: []string{
		`{"resourceType":"Observation","code":{"coding":[{"system":"urn:birthregistry:spine","code":"gravida"}]},"valueInteger":3}`,
	}}.Bundle())
	b := i.SignIn(i.Practice, auth.Provider)
	path := pairPath(i, "26-2", "26-1") + "/merge"
	page := b.Get(path)
	require.Len(t, texts(t, page, "choice"), 2)
	form := sent(t, page, path, nil)
	require.Equal(t, "goes", form.Get("take.mother.gravida"), "what the one that stays does not state is taken from the other")
	require.Equal(t, "stays", form.Get("take.child.0.birth_weight_g"))
	require.Contains(t, page.Body, "The next submission from that system replaces the values chosen here", "it is fed by pushes")
	form.Set("take.child.0.birth_weight_g", "goes")
	form.Set("reason", strings.Repeat("x", 501))
	again := b.Post(path, form)
	require.Equal(t, 422, again.StatusCode)
	require.Equal(t, "goes", sent(t, again, path, nil).Get("take.child.0.birth_weight_g"), "what was chosen is kept")
	form.Set("reason", "Sent twice")
	require.Equal(t, 303, b.Post(path, form).StatusCode)

	require.Equal(t, []any{spine.Active, spine.Merged}, []any{i.Record("26-1").State, i.Record("26-2").State})
	record := b.Get(recordPath(i, "26-1"))
	require.Contains(t, record.Body, "Record 26-2 was merged into this one")
	require.Equal(t, "3,240 g (7 lb 2 oz) set in version 2 on "+today()+" by Robin Provider", fact(dom(t, record), "Birth weight"))
	gone := b.Get(recordPath(i, "26-2"))
	require.Contains(t, gone.Body, "Merged into another record. This record is not counted.")
	require.Equal(t, recordPath(i, "26-1"), link(dom(t, gone), "Record 26-1"))
	require.Contains(t, b.Get(recordPath(i, "26-2")+"/versions").Body, "Merged into record 26-1")
	require.Equal(t, 409, b.Post(path, form).StatusCode, "the form sent again does nothing more")
	require.NotContains(t, i.SignIn(i.Practice, auth.Viewer).Get(recordPath(i, "26-1")).Body, "Undo the merge")
}

func TestTheQueueSaysThatAMergedAwayRecordWasSentAgain(t *testing.T) {
	i := pairOf(t)
	b := i.SignIn(i.Practice, auth.Provider)
	path := pairPath(i, "26-2", "26-1") + "/merge"
	require.Equal(t, 303, decide(t, b, path, nil).StatusCode)
	require.NotContains(t, b.Get(duplicates).Body, "was sent again")
	i.Push(apptest.Course{Chart: "26-2", Weight: 3111}.Bundle())
	require.Equal(t, spine.Merged, i.Record("26-2").State)
	queue := b.Get(duplicates)
	require.Contains(t, queue.Body, "A record was sent again after it was merged into another. It stays merged and does not count.")
	again := b.Get(link(dom(t, queue), "See what was sent"))
	require.Len(t, texts(t, again, "decision"), 1)
	what := b.Get(link(dom(t, again), "What was sent to record 26-2"))
	require.Contains(t, what.Body, "3,111 g")
	require.Contains(t, b.Get(recordPath(i, "26-2")).Body, "This record was sent again after it was merged.")
	undo := link(dom(t, again), "Undo : merge record 26-2")
	require.Contains(t, b.Get(undo).Body, "Record 26-2 counts again, with its current values.")
	require.Equal(t, 303, decide(t, b, undo, nil).StatusCode)
	require.Equal(t, spine.Active, i.Record("26-2").State)
	require.NotContains(t, b.Get(duplicates).Body, "was sent again")
	require.Contains(t, b.Get(recordPath(i, "26-1")+"/versions").Body, "Merge with record 26-2 undone")
}

func TestAMergedRecordThatWasRetractedIsRestoredAsMerged(t *testing.T) {
	i := pairOf(t)
	b := i.SignIn(i.Practice, auth.Provider)
	require.Equal(t, 303, decide(t, b, pairPath(i, "26-2", "26-1")+"/merge", nil).StatusCode)
	i.Push(apptest.Course{Chart: "26-2", Status: "entered-in-error"}.Bundle())
	require.Equal(t, 303, b.Post(recordPath(i, "26-2")+"/restore", url.Values{"reason": {"x"}}).StatusCode)
	require.Equal(t, spine.Merged, i.Record("26-2").State)
	require.Contains(t, b.Get(recordPath(i, "26-2")).Body, "It is merged into another record, so it isn’t counted.")
}

func TestTheQueueSaysThatNeitherCountsAfterTheRecordThatStaysWasRetracted(t *testing.T) {
	i := pairOf(t)
	b := i.SignIn(i.Practice, auth.Provider)
	require.Equal(t, 303, decide(t, b, pairPath(i, "26-2", "26-1")+"/merge", nil).StatusCode)
	require.NotContains(t, b.Get(duplicates).Body, "Neither counts")
	i.Push(apptest.Course{Chart: "26-1", Status: "entered-in-error"}.Bundle())
	decided := texts(t, b.Get(duplicates), "decision")
	require.Contains(t, decided[0], "Neither counts: record 26-1 is voided")
	i.Push(apptest.Course{Chart: "26-1", Weight: 3420}.Bundle())
	require.NotContains(t, b.Get(duplicates).Body, "Neither counts")
}

func TestADecisionOnAPairThatHasChangedIsRefused(t *testing.T) {
	i := pairOf(t)
	b := i.SignIn(i.Practice, auth.Provider)
	path := pairPath(i, "26-2", "26-1")
	form := sent(t, b.Get(path), path+"/keep", url.Values{"reason": {"x"}})
	i.Push(apptest.Course{Chart: "26-1", Weight: 3421}.Bundle())
	for _, decision := range []string{"/keep", "/void", "/merge"} {
		page := b.Post(path+decision, form)
		require.Equal(t, 409, page.StatusCode, decision)
		require.Equal(t, path, link(dom(t, page), "See the pair"))
	}
	require.Len(t, texts(t, b.Get(duplicates), "pair"), 1)
	i.Push(apptest.Course{Chart: "26-1", Status: "entered-in-error"}.Bundle())
	require.Contains(t, b.Get(path).Body, "record 26-1 is voided")
	require.Equal(t, 409, b.Get(path+"/merge").StatusCode)
	require.Equal(t, 409, b.Get(path+"/void").StatusCode)
}

func TestPairsThatAreNotPossibleDuplicatesAreNotFound(t *testing.T) {
	i := pairOf(t)
	i.Push(apptest.Course{Chart: "26-3", Mother: "Haddad"}.Bundle())
	b := i.SignIn(i.Practice, auth.Provider)
	one := i.Record("26-1").ID
	for _, path := range []string{one + "/" + one, one + "/x", "x/" + one, one + "/0199d3a1-7c4e-7b52-9d6f-3f0c8f6a1b27"} {
		for _, end := range []string{"", "/void", "/merge"} {
			require.Equal(t, 404, b.Get(duplicates+"/"+path+end).StatusCode, path+end)
		}
		require.Equal(t, 404, b.Post(duplicates+"/"+path+"/keep", nil).StatusCode, path)
	}
	require.Equal(t, 409, b.Get(pairPath(i, "26-3", "26-1")+"/merge").StatusCode, "they do not look like one birth")
	for _, review := range []string{"77", "x", "-1"} {
		require.Equal(t, 404, b.Get(duplicates+"/reviews/"+review+"/undo").StatusCode, review)
		require.Equal(t, 404, b.Post(duplicates+"/reviews/"+review+"/undo", nil).StatusCode, review)
	}
}

func TestIfTheNumbersOfNewbornsDifferTheyAreTakenTogetherAndThePageSaysSo(t *testing.T) {
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "26-1", Weight: 2400}.Bundle())
	i.Push(apptest.Course{Chart: "26-2", Weight: 2400, Kids: 2}.Bundle())
	b := i.SignIn(i.Practice, auth.Provider)
	path := pairPath(i, "26-2", "26-1")
	require.Contains(t, b.Get(path).Body, "The two records have different numbers of newborns.")
	require.Equal(t, 303, decide(t, b, path+"/merge", url.Values{"take.newborns": {"goes"}}).StatusCode)
	require.Len(t, i.Record("26-1").Children, 2)
}

func TestAMergeWhoseSurvivorIsRetractedIsBackInTheQueueAndOnTheHomePage(t *testing.T) {
	i := pairOf(t)
	b := i.SignIn(i.Practice, auth.Provider)
	path := pairPath(i, "26-2", "26-1") + "/merge"
	require.Equal(t, 303, decide(t, b, path, nil).StatusCode)
	require.NotContains(t, b.Get("/registry").Body, "possible duplicate")

	i.Push(apptest.Course{Chart: "26-1", Status: "entered-in-error", Mothers: -1, Kids: -1}.Bundle())
	require.Contains(t, b.Get("/registry").Body, `<span class="number warn">1</span> <a href="/registry/duplicates">merged pair whose remaining record no longer counts</a>`)
	queue := b.Get(duplicates)
	require.Len(t, texts(t, queue, "pair"), 1)
	require.Contains(t, texts(t, queue, "pair")[0], "Merged, and record 26-1 is voided, so neither is counted")
	require.Contains(t, b.Get("/registry/records/"+i.Record("26-2").ID).Body, "so this birth is not counted")
	require.Contains(t, b.Get("/registry/statistics").Body, "1 record was merged into a record that no longer counts")

	admin := i.SignIn(i.Practice, auth.Admin)
	for _, year := range []string{"2026", "2019"} { // the merged birth is of 2026, but every year's report states it
		report := admin.Get(reportPath + "?year=" + year)
		require.Contains(t, words(marked(dom(t, report), "gaps")[0]),
			"1 record was merged into a record that no longer counts. If this birth belongs in this report, it may be missing. Review the pairs")
	}

	pair := b.Get(pairPath(i, "26-2", "26-1"))
	panel := strings.Join(texts(t, pair, "reopened"), " ")
	require.Contains(t, panel, "Record 26-2 was merged into record 26-1")
	require.Contains(t, panel, "neither of the two is counted")
	undo, leave := link(dom(t, pair), "Undo the merge: record 26-2 counts again"), ""
	require.NotEmpty(t, link(dom(t, pair), "Restore record 26-1"))
	for n := range dom(t, pair).Descendants() {
		if n.Data == "form" && strings.HasSuffix(attr(n, "action"), "/leave") {
			leave = attr(n, "action")
		}
	}
	viewer := i.SignIn(i.Practice, auth.Viewer)
	require.NotContains(t, viewer.Get(pairPath(i, "26-2", "26-1")).Body, "Undo the merge")

	require.Equal(t, 303, b.Post(leave, sent(t, pair, leave, nil)).StatusCode)
	require.Empty(t, texts(t, b.Get(duplicates), "pair"))
	require.Equal(t, 409, b.Post(leave, url.Values{}).StatusCode, "once")
	require.Equal(t, 303, b.Post(undo, sent(t, b.Get(undo), undo, nil)).StatusCode)
	require.EqualValues(t, "active", i.Record("26-2").State)
	i.Clean()
}
