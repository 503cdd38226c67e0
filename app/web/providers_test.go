package web_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
	"birthregistry/store"
)

const providers = "/registry/providers"

// attendedBy returns the resources of an attendant.
func attendedBy(id, npi, name, title string) []string {
	if npi != "" {
		npi = fmt.Sprintf(`{"system":"http://hl7.org/fhir/sid/us-npi","value":%q},`, npi)
	}
	return []string{
		fmt.Sprintf(`{"resourceType":"Practitioner","id":"p","identifier":[%s{"value":%q}],"name":[{"text":%q}],"qualification":[{"code":{"text":%q}}]}`, npi, id, name, title),
		`{"resourceType":"Encounter","participant":[{"type":[{"coding":[{"code":"ATND"}]}],"individual":{"reference":"Practitioner/p"}}]}`,
	}
}

// withProviders pushes births attended by two identities of Jane Lee, and by another person.
func withProviders(t *testing.T) *apptest.Installation {
	t.Helper()
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "1", Extra: attendedBy("clinic-00017", "1234567893", "J. Lee", "RN")}.Bundle())
	i.Push(apptest.Course{Chart: "2", Mother: "Haddad", Extra: attendedBy("lee@clinic", "1234567893", "Jane Lee", "CNM")}.Bundle())
	i.Push(apptest.Course{Chart: "3", Mother: "Novak", Extra: attendedBy("lee@clinic", "1234567893", "Jane Lee", "CNM")}.Bundle())
	i.Push(apptest.Course{Chart: "4", Mother: "Diaz", Extra: attendedBy("ek", "", "Ek", "MD")}.Bundle())
	return i
}

// providerPath returns the address of a provider by name.
func providerPath(t *testing.T, i *apptest.Installation, name string) string {
	t.Helper()
	path := ""
	require.NoError(t, i.App.DB.View(t.Context(), func(v *store.View) error {
		all, _, err := v.Providers(i.Practice)
		for _, p := range all {
			if p.Name == name {
				path = fmt.Sprintf("%s/%d", providers, p.ID)
			}
		}
		return err
	}))
	require.NotEmpty(t, path, name)
	return path
}

func TestProvidersAreListedWithRoleCredentialsAndCounts(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Viewer)
	require.Contains(t, b.Get(providers).Body, "No record names a provider yet.")
	i = withProviders(t)
	b = i.SignIn(i.Practice, auth.Viewer)
	require.Equal(t, []string{
		"Ek MD Other 1 0 " + today(),
		"J. Lee RN Nurse 1 0 " + today() + " Possibly the same person",
		"Jane Lee CNM Midwife 2 0 " + today() + " Possibly the same person",
	}, texts(t, b.Get(providers), "provider"))
	i.Push(apptest.Course{Chart: "3", Status: "entered-in-error"}.Bundle())
	require.Contains(t, texts(t, b.Get(providers), "provider")[2], "Midwife 1 0", "a voided record does not count")
	other := i.SignIn(i.AddPractice("Hillside"), auth.Admin)
	require.Contains(t, other.Get(providers).Body, "No record names a provider yet.")
	require.Equal(t, 404, other.Get(providerPath(t, i, "Ek")).StatusCode)
}

func TestProvidersWithoutANameAreFoldedTogetherInTheDirectory(t *testing.T) {
	i := withProviders(t)
	for n := range 3 {
		extra := attendedBy(fmt.Sprintf("nobody-%d", n), "", "", "RN")
		i.Push(apptest.Course{Chart: fmt.Sprint("N-", n), Mother: fmt.Sprint("Mother", n), Extra: extra}.Bundle())
	}
	b := i.SignIn(i.Practice, auth.Viewer)
	page := b.Get(providers)
	require.Len(t, texts(t, page, "provider"), 3, "those with a name")
	require.Equal(t, []string{"3 without a name 3 0"}, texts(t, page, "unnamed"))
	page = b.Get(link(dom(t, page), "3 without a name"))
	require.Len(t, texts(t, page, "provider"), 3)
	require.Empty(t, texts(t, page, "unnamed"))
	require.Contains(t, page.Body, "Providers without a name")
	require.NotContains(t, page.Body, "Jane Lee")
}

func TestAProvidersPageShowsIdentitiesAndCareer(t *testing.T) {
	i := withProviders(t)
	i.Push(apptest.Course{Chart: "4", Mother: "Diaz", Extra: attendedBy("ek", "", "Ek-Lund", "CPM")}.Bundle())
	b := i.SignIn(i.Practice, auth.Viewer)
	page := b.Get(providerPath(t, i, "J. Lee"))
	require.Equal(t, []string{"J. Lee RN Nurse cli…017 …7893 1 0 " + today()}, texts(t, page, "identity"))
	require.NotContains(t, page.Body, "1234567893")
	require.NotContains(t, page.Body, "clinic-00017")
	require.Contains(t, page.Body, "Possibly the same person")
	require.Contains(t, page.Body, "the same NPI")
	require.Empty(t, link(dom(t, page), "Jane Lee, midwife"), "a viewer merges nobody")
	career := texts(t, b.Get(providerPath(t, i, "Ek-Lund")), "career")
	require.Equal(t, []string{
		today() + ": First seen as Ek, MD, other since Mar 2026",
		today() + ": Role changed from other to midwife: Ek-Lund, CPM, midwife since Mar 2026",
	}, career)
}

func TestAnAdminMergesTwoProvidersAndUndoesIt(t *testing.T) {
	i := withProviders(t)
	b := i.SignIn(i.Practice, auth.Admin)
	page := b.Get(providerPath(t, i, "J. Lee"))
	merge := link(dom(t, page), "Jane Lee, midwife")
	require.NotEmpty(t, merge)
	asked := b.Get(merge)
	require.Contains(t, asked.Body, "Merge J. Lee into Jane Lee?", "the one with fewer births goes")
	require.Contains(t, asked.Body, "the births of J. Lee (1 birth) count as Jane Lee's")
	require.Contains(t, asked.Body, "All versions of these records show Jane Lee's name and credentials.")
	require.Contains(t, b.Get(link(dom(t, asked), "Swap them")).Body, "Merge Jane Lee into J. Lee?")
	done := b.Post(merge, nil)
	require.Equal(t, providerPath(t, i, "Jane Lee"), done.Header.Get("Location"))
	survivor := b.Get(done.Header.Get("Location"))
	require.Contains(t, survivor.Body, "J. Lee is merged into Jane Lee.")
	require.Equal(t, "3", fact(dom(t, survivor), "Births attended"))
	require.Len(t, texts(t, survivor, "identity"), 2)
	require.Equal(t, today()+": Merged with J. Lee by Robin Practice admin", last(texts(t, survivor, "career")))
	require.Contains(t, b.Get(recordPath(i, "1")).Body, "Jane Lee, CNM, nurse", "under the survivor's name, in the role of the day")
	require.Len(t, texts(t, b.Get(providers), "provider"), 2)
	require.Equal(t, 409, b.Post(merge, nil).StatusCode)
	require.Equal(t, 409, b.Get(merge).StatusCode)

	undo := link(dom(t, survivor), "Undo the merge of J. Lee")
	require.NotEmpty(t, undo)
	gone := b.Get(undo[:len(undo)-len("/unmerge")])
	require.Contains(t, gone.Body, "This identity is merged into")
	require.Contains(t, b.Get(undo).Body, "Undo the merge of J. Lee into Jane Lee?")
	require.Equal(t, 303, b.Post(undo, nil).StatusCode)
	require.Equal(t, 409, b.Post(undo, nil).StatusCode)
	require.Equal(t, "1", fact(dom(t, b.Get(providerPath(t, i, "J. Lee"))), "Births attended"))
	require.Equal(t, today()+": Merge with J. Lee undone by Robin Practice admin", last(texts(t, b.Get(providerPath(t, i, "Jane Lee")), "career")))
	require.Contains(t, b.Get(recordPath(i, "1")).Body, "J. Lee, RN, nurse")
}

func last(all []string) string { return all[len(all)-1] }

func TestProvidersWithDifferentNPIsAreDifferentPeopleWhateverTheirNames(t *testing.T) {
	i := apptest.Start(t)
	for n, who := range [][3]string{{"1", "1234567893", "Jane Lee"}, {"2", "1987654328", "Jane Lee"}, {"3", "", "LEE, Jane"}} {
		i.Push(apptest.Course{Chart: who[0], Mother: fmt.Sprint("Mother ", n), Extra: attendedBy(who[0], who[1], who[2], "CNM")}.Bundle())
	}
	rows := texts(t, i.SignIn(i.Practice, auth.Admin).Get(providers), "provider")
	require.Len(t, rows, 3)
	for _, row := range rows {
		require.Contains(t, row, "Possibly the same person", "as whoever has none")
	}
	page := i.SignIn(i.Practice, auth.Admin).Get(providerPath(t, i, "LEE, Jane"))
	require.Contains(t, page.Body, "the same name")
	require.Contains(t, page.Body, "This is only a hint")
	i = apptest.Start(t)
	for _, who := range [][2]string{{"1", "1234567893"}, {"2", "1987654328"}} {
		i.Push(apptest.Course{Chart: who[0], Mother: "Mother " + who[0], Extra: attendedBy(who[0], who[1], "Jane Lee", "CNM")}.Bundle())
	}
	require.NotContains(t, i.SignIn(i.Practice, auth.Admin).Get(providers).Body, "Possibly the same person")
}

func TestANumberInANameKeepsTwoProvidersApart(t *testing.T) {
	i := apptest.Start(t)
	for _, name := range []string{"Midwife 1", "Midwife 2"} {
		i.Push(apptest.Course{Chart: name, Mother: "Mother of " + name, Extra: attendedBy(name, "", name, "CNM")}.Bundle())
	}
	page := i.SignIn(i.Practice, auth.Admin).Get(providers)
	require.Len(t, texts(t, page, "provider"), 2)
	require.NotContains(t, page.Body, "Possibly the same person")
}

func TestAnAdminMergesAWholeGroupOfIdentitiesIncludingLaterOnes(t *testing.T) {
	i := apptest.Start(t)
	named := func(n int) string {
		return apptest.Course{
			Chart: fmt.Sprint(n), Mother: fmt.Sprint("Mother ", n), Extra: attendedBy(fmt.Sprint("message-", n), "1234567893", "Ida Lindqvist", "CPM"),
		}.Bundle()
	}
	for n := range 5 {
		i.Push(named(n))
	}
	i.Push(apptest.Course{Chart: "x", Mother: "Novak", Extra: attendedBy("ek", "", "Ek", "MD")}.Bundle())
	viewer, admin := i.SignIn(i.Practice, auth.Viewer), i.SignIn(i.Practice, auth.Admin)
	require.Equal(t, []string{
		"Ek MD Other 1 0 " + today(),
		"Ida Lindqvist CPM Midwife 5 0 " + today() + " 5 share this NPI and name",
	}, texts(t, viewer.Get(providers), "provider"), "one line")
	path := providerPath(t, i, "Ida Lindqvist")
	require.NotContains(t, viewer.Get(path).Body, path+"/group", "a viewer merges nobody")
	require.Equal(t, 403, viewer.Post(path+"/group", nil).StatusCode)
	require.Contains(t, admin.Get(path).Body, "4 other providers")
	require.Contains(t, admin.Get(path+"/group").Body, "Merge all with the NPI and name of Ida Lindqvist?")

	require.Equal(t, 303, admin.Post(path+"/group", nil).StatusCode)
	require.Len(t, texts(t, admin.Get(path), "identity"), 5)
	i.Push(named(7))
	require.Equal(t, "Ida Lindqvist CPM Midwife 6 0 "+today(), texts(t, viewer.Get(providers), "provider")[1], "a new one is merged")
	require.Len(t, texts(t, admin.Get(path), "identity"), 6)
	i.Push(apptest.Course{Chart: "y", Mother: "Diaz", Extra: attendedBy("other", "1999999984", "Ida Lindqvist", "CPM")}.Bundle())
	require.Len(t, texts(t, viewer.Get(providers), "provider"), 3, "another NPI is another person")

	require.Equal(t, 303, admin.Post(path+"/group/end", nil).StatusCode)
	i.Push(named(8))
	require.Contains(t, texts(t, viewer.Get(providers), "provider")[1], "2 share this NPI and name", "nobody joins any more")
	require.Len(t, texts(t, admin.Get(path), "identity"), 6)
	require.Equal(t, 409, admin.Post(path+"/group/end", nil).StatusCode)
	other := i.SignIn(i.AddPractice("Hillside"), auth.Admin)
	require.Equal(t, 404, other.Post(path+"/group", nil).StatusCode)
}

func TestAProviderWhoseNameHasItsWordsInAnotherOrderIsNeverMergedUnasked(t *testing.T) {
	i := apptest.Start(t)
	push := func(chart, key, name string) {
		i.Push(apptest.Course{Chart: chart, Mother: "Mother " + chart, Extra: attendedBy(key, "", name, "CPM")}.Bundle())
	}
	push("1", "a", "Kim Lee")
	push("2", "b", "Kim Lee")
	push("3", "c", "Lee Kim")
	admin := i.SignIn(i.Practice, auth.Admin)
	require.Len(t, texts(t, admin.Get(providers), "provider"), 2, "Lee Kim may be somebody else")
	path := providerPath(t, i, "Kim Lee")
	require.Equal(t, 303, admin.Post(path+"/group", nil).StatusCode)
	push("4", "d", "Lee Kim")
	push("5", "e", "Lee, Kim")
	require.Len(t, texts(t, admin.Get(path), "identity"), 3, "the two, and the one who has the name in another notation")
}

func TestThePageOfAProviderStaysSmallHoweverManyProvidersASenderNames(t *testing.T) {
	i := apptest.Start(t)
	present := func(chart, mother, name string) {
		extra := attendedBy("ek", "", "Ek", "MD")
		for n := range 190 {
			extra = append(extra, fmt.Sprintf(`{"resourceType":"Practitioner","id":"%[1]s-%[2]d","identifier":[{"value":"%[1]s-%[2]d"}],"name":[{"text":%[3]q}]}`,
				chart, n, strings.ReplaceAll(name, "#", fmt.Sprint(n))))
		}
		require.Len(t, i.Push(apptest.Course{Chart: chart, Mother: mother, Extra: extra}.Bundle()).Accepted, 1)
	}
	present("1", "Haddad", "One# Lee")
	present("2", "Novak", "Two# Lee")
	present("3", "Diaz", "Jane Rivers")
	present("4", "Osei", "Jane Rivers")
	admin := i.SignIn(i.Practice, auth.Admin)
	path := providerPath(t, i, "Ek")
	page := admin.Get(path)
	require.Equal(t, 200, strings.Count(page.Body, "/merge/"))
	require.Contains(t, page.Body, "Only the providers with the most births")

	path = providerPath(t, i, "Jane Rivers")
	require.Equal(t, 303, admin.Post(path+"/group", nil).StatusCode)
	page = admin.Get(path)
	require.Len(t, texts(t, page, "identity"), 100)
	career := texts(t, page, "career")
	require.Len(t, career, 201)
	require.Contains(t, career[0], "First seen as Jane Rivers")
	require.Regexp(t, ` to .*: \d+ more entries`, career[100])
	require.Contains(t, career[200], "Merged with Jane Rivers")
}
