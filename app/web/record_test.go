package web_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
)

func TestAValueShowsItsSourceOnlyIfItDiffersFromTheRest(t *testing.T) {
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "26-1", Weight: 3000}.Bundle())
	b := i.SignIn(i.Practice, auth.Provider)
	path := recordPath(i, "26-1")
	form := parsePage(t, b.Get(path+"/amend")).form()
	form.Set("child.0.birth_weight_g", "3100")
	form.Set("gravida", "2")
	saves(t, b, path+"/amend", form)
	root := dom(t, b.Get(path))
	require.Contains(t, words(root), "Chart 26-1 · version 2 · pushed by key test on "+today()+", unless marked otherwise")
	byHand := "Entered by hand set in version 2 on " + today() + " by Robin Provider"
	require.Equal(t, "3,100 g (6 lb 13 oz) "+byHand, fact(root, "Birth weight"))
	require.Equal(t, "2 "+byHand, fact(root, "Pregnancies, this one included"))
	require.Equal(t, "May 17, 1994", fact(root, "Mother's date of birth"))
}

func TestATransferOfAnotherSourceIsMarkedAndTheLeadSaysThatSomeAre(t *testing.T) {
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "26-1", Weight: 3000}.Bundle())
	b := i.SignIn(i.Practice, auth.Provider)
	path := recordPath(i, "26-1")
	require.NotContains(t, words(dom(t, b.Get(path))), "unless marked otherwise")
	form := parsePage(t, b.Get(path+"/amend")).form()
	form.Set("transfer.0.type", "neonatal")
	saves(t, b, path+"/amend", form)
	require.Contains(t, words(dom(t, b.Get(path))), "unless marked otherwise")
}

func TestEachMissingFactOfANewbornLinksToItsFieldInTheForm(t *testing.T) {
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "26-1", Kids: 2}.Bundle())
	path := recordPath(i, "26-1")
	b := i.SignIn(i.Practice, auth.Provider)
	page := b.Get(path)
	root := dom(t, page)
	for text, field := range map[string]string{
		"Method of delivery of the second newborn": "child.1.delivery_method",
		"Birth weight of the first newborn":        "child.0.birth_weight_g",
		"Gestational age of the first newborn":     "child.0.gestational_age_weeks",
		"Attendant's role":                         "person.0.name",
	} {
		require.Equal(t, path+"/amend#"+field, link(root, text), text)
	}
	require.Contains(t, page.Body, "6 facts missing")
	viewer := dom(t, i.SignIn(i.Practice, auth.Viewer).Get(path))
	require.Contains(t, words(marked(viewer, "missing")[0]), "Method of delivery of the second newborn")
	require.Empty(t, link(viewer, "Method of delivery of the second newborn"), "a viewer amends nothing")
}

func TestARecordIsIncompleteEvenIfOnlyALaterNewbornLacksAKeyFact(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Provider)
	form := completed(parsePage(t, b.Get("/registry/capture")).form())
	for name, text := range map[string]string{
		"child.0.delivery_method": "vaginal_spontaneous", "child.0.gestational_age_weeks": "39", "child.0.birth_weight_g": "3430",
		"child.1.birth_weight_g": "2268", "child.1.birth_date": "3/2/2026", "mother_family_name": "Okafor", "person.0.name": "Jane Rivers", "person.0.role": "midwife", "person.0.attending": "yes",
	} {
		form.Set(name, text)
	}
	saves(t, b, "/registry/capture", form)
	require.Len(t, rowsOf(t, b.Get("/registry/records?incomplete=yes")), 1)
	page := b.Get(recordPath(i, "B-000001"))
	require.Contains(t, page.Body, "1 fact missing")
	require.Equal(t, recordPath(i, "B-000001")+"/amend#child.1.delivery_method", link(dom(t, page), "Method of delivery of the second newborn"))
}

func TestAPageOfAListWithoutARecordLeadsBackToItsBeginning(t *testing.T) {
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "26-1", Mother: "M"}.Bundle())
	b := i.SignIn(i.Practice, auth.Viewer)
	root := dom(t, b.Get("/registry/records?state=voided&older="+i.Record("26-1").ID))
	require.Empty(t, marked(root, "record"))
	require.Equal(t, "/registry/records?state=voided", link(root, "Back to the beginning of the list"))
	require.Empty(t, link(dom(t, b.Get("/registry/records?state=voided")), "Back to the beginning of the list"))
}

func TestPreviousAndNextFollowTheListThatTheReaderCameFrom(t *testing.T) {
	i := apptest.Start(t)
	for n := range 4 {
		born := "2025-12-30"
		if n%2 == 0 {
			born = "2026-03-02"
		}
		i.Push(apptest.Course{Chart: fmt.Sprint("26-", n), Mother: fmt.Sprint("M", n), Born: born}.Bundle())
	}
	b := i.SignIn(i.Practice, auth.Viewer)
	list := b.Get("/registry/records?year=2026")
	second := link(dom(t, list), "26-0")
	require.Equal(t, recordPath(i, "26-0")+"?year=2026", second)
	root := dom(t, b.Get(second))
	require.Equal(t, recordPath(i, "26-2")+"?year=2026", link(root, "Previous record"), "not the one of 2025 between them")
	require.Empty(t, link(root, "Next record"))
	require.Equal(t, "2 of 2", words(marked(root, "place")[0]))
	require.Equal(t, "/registry/records?year=2026", link(root, "Back to the list"))
	require.Equal(t, second, link(dom(t, b.Get(recordPath(i, "26-2")+"?year=2026")), "Next record"))

	b.Post("/registry/records/search", url.Values{"q": {"26-"}})
	found := link(dom(t, b.Get("/registry/records?found=search")), "26-1")
	require.NotContains(t, strings.TrimPrefix(found, recordPath(i, "26-1")), "26-", "what was searched for stands in no address")
	root = dom(t, b.Get(found))
	require.Equal(t, recordPath(i, "26-0")+"?found=search", link(root, "Previous record"), "in the order of the search")
	require.Equal(t, recordPath(i, "26-2")+"?found=search", link(root, "Next record"))
	root = dom(t, b.Get(recordPath(i, "26-3")))
	require.Empty(t, link(root, "Previous record"), "without either, among all")
	require.Equal(t, recordPath(i, "26-2"), link(root, "Next record"))
}

func TestTheViewersOfARecordAreShownToThoseWhoMayReadTheTrail(t *testing.T) {
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "26-1"}.Bundle())
	path := recordPath(i, "26-1")
	require.Equal(t, 200, i.SignIn(i.Practice, auth.Viewer).Get(path).StatusCode)
	provider := i.SignIn(i.Practice, auth.Provider)
	require.Empty(t, texts(t, provider.Get(path), "viewer"))
	provider.Get(path)
	admin := i.SignIn(i.Practice, auth.Admin)
	viewed := texts(t, admin.Get(path), "viewer")
	require.Len(t, viewed, 2, "each once, the latest first, without whoever looks now")
	require.Contains(t, viewed[0], "Robin Provider")
	require.Contains(t, viewed[1], "Robin Viewer")
}
