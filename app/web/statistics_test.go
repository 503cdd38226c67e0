package web_test

import (
	"encoding/csv"
	"encoding/xml"
	"fmt"
	"math/rand/v2"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
	"birthregistry/app/birth/birthtest"
	"birthregistry/app/changes"
	"birthregistry/app/stats"
	"birthregistry/store"
)

const statistics = "/registry/statistics"

// inMarch selects the month in which the tests' births happen.
const inMarch = "?from=2026-03&to=2026-03"

// births stores synthetic courses of a March in a practice, each changed by change.
func births(t *testing.T, i *apptest.Installation, p store.PracticeID, n int, change func(n int, c *birthtest.Invented)) {
	t.Helper()
	who := auth.Operator(store.Practice{ID: p})
	require.NoError(t, i.App.DB.Update(func(tx *store.Tx) (err error) {
		who.ID, err = tx.AddUser(fmt.Sprintf("filer-%d-%d@example.org", p, time.Now().UnixNano()), "Filer")
		return err
	}))
	r := rand.New(rand.NewPCG(11, 11))
	for k := range n {
		c := birthtest.Invent(r, time.Date(2026, 3, 1+k%28, 0, 0, 0, 0, time.UTC))
		if change != nil {
			change(k, &c)
		}
		_, err := i.App.Changes.Save(who, changes.Form{Draft: c.Draft()})
		require.NoError(t, err)
	}
}

// cells returns the texts of a table's row that begins with a name, as the screen shows them.
func cells(root *html.Node, mark, name string) (all []string) {
	for _, row := range marked(root, mark) {
		var texts []string
		for cell := range row.ChildNodes() {
			if cell.Type == html.ElementNode {
				texts = append(texts, screen(cell))
			}
		}
		if strings.HasPrefix(texts[0], name) {
			return texts
		}
	}
	return nil
}

// screen returns the text of an element without the parts that are only for paper.
func screen(n *html.Node) string {
	for _, d := range marked(n, "") {
		if attr(d, "class") == "paper" {
			d.FirstChild.Data = ""
		}
	}
	return words(n)
}

func TestTheOverviewShowsEveryMeasureExactly(t *testing.T) {
	i := apptest.Start(t)
	births(t, i, i.Practice, 41, func(n int, c *birthtest.Invented) {
		c.Children = c.Children[:1]
		c.Plurality, c.Children[0].Method, c.Children[0].Alive = 1, "vaginal_spontaneous", "yes"
		c.Attendant = "midwife"
		if n < 5 {
			c.Children[0].Method = "cesarean"
		}
		if n == 5 {
			c.Children[0].Method = ""
		}
	})
	b := i.SignIn(i.Practice, auth.Viewer)
	page := b.Get(statistics + inMarch)
	require.Equal(t, 200, page.StatusCode, page.Body)
	root := dom(t, page)
	require.Len(t, marked(root, "figure"), len(stats.Measures))
	require.Equal(t, "Mar 2026: 41 births, 41 newborns.", words(marked(root, "lead")[0]))
	row := cells(root, "figure", "Cesarean")
	require.Equal(t, "5 of 40", row[1])
	require.Equal(t, "12%", row[2]) // rounded half to even
	require.Contains(t, row[3], "5% to 26%")
	require.Contains(t, row[4], "32.3%")
	require.Contains(t, row[4], "United States, 2023 (roughly comparable)")
	require.Contains(t, row[4], "lower than the reference")
	require.Equal(t, "1", row[5])
	require.Contains(t, page.Body, "possible duplicates are not yet reviewed")
	require.NotContains(t, page.Body, "Download as CSV")
	require.Contains(t, b.Get("/registry").Body, `href="`+statistics+`"`)
	require.Equal(t, 200, i.SignIn(i.Practice, auth.Scribe).Get("/registry").StatusCode)
	require.NotContains(t, i.SignIn(i.Practice, auth.Scribe).Get("/registry").Body, statistics)
}

func TestFiguresOfMonthsThatAreNotOverSaySo(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Viewer)
	const running = "These months are not over. Births still to come are missing here."
	for _, path := range []string{statistics, statistics + "/cesarean"} {
		page := b.Get(path)
		require.NotContains(t, page.Body, running)
		require.Contains(t, b.Get(link(dom(t, page), fmt.Sprint(time.Now().UTC().Year(), " so far"))).Body, running)
	}
}

func TestAMeasureShowsPublishedFiguresAndItsGroupsAddUpToTheTotal(t *testing.T) {
	i := apptest.Start(t)
	births(t, i, i.Practice, 60, func(n int, c *birthtest.Invented) {
		c.Children = c.Children[:1]
		c.Children[0].Method = []string{"cesarean", "vaginal_spontaneous"}[n%2]
		c.Attendant = []string{"midwife", "midwife", "nurse", "other", "other", ""}[n%6]
	})
	b := i.SignIn(i.Practice, auth.Provider)
	page := b.Get(statistics + "/cesarean" + inMarch)
	require.Equal(t, 200, page.StatusCode, page.Body)
	root := dom(t, page)
	require.Equal(t, "30 of 60 50%", screen(marked(root, "big")[0]))
	require.Empty(t, marked(root, "tags"))
	require.Equal(t, "10 of 20", cells(root, "figure", "Midwife")[1])
	require.Equal(t, "Midwife fewer than 30", cells(root, "figure", "Midwife")[0])
	require.Equal(t, "10 of 10", cells(root, "figure", "Nurse")[1])
	require.Equal(t, "–", cells(root, "figure", "Doula")[1])
	require.Nil(t, cells(root, "figure", "Other fewer"), "“other” is not compared by type")
	rest := marked(root, "rest")
	require.Equal(t, "In the total, not shown above: attendant’s role “other” (for example a physician), 10 of 20", screen(rest[0]))
	require.Equal(t, "In the total, not shown above: not recorded, 0 of 10", screen(rest[1]))
	us := cells(root, "published", "United States")
	require.Equal(t, []string{"United States roughly comparable", "32.3%", "2023"}, us[:3])
	require.Contains(t, us[4], "higher than the reference")
	require.Contains(t, page.Body, "needs at least 5 practices")

	weight := dom(t, b.Get(statistics+"/lbw"+inMarch))
	require.Contains(t, cells(weight, "published", "United States")[0], "not confirmed")
	require.Contains(t, words(dom(t, b.Get(statistics+inMarch))), "8.58% United States, 2023 (for context only) (not confirmed)")
	require.Equal(t, 404, b.Get(statistics+"/no_such_measure").StatusCode)
	for n := range stats.Measures {
		require.Equal(t, 200, b.Get(statistics+"/"+stats.Measures[n].ID).StatusCode)
	}
}

func TestImpossibleMonthsAreAMistakeInTheForm(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Admin)
	for query, text := range map[string]string{
		"?from=2026-13&to=2026-03": "First month: write the year and the month",
		"?from=2026-03":            "Last month: write the year and the month",
		"?from=2026-03&to=2026-02": "The last month is before the first month. Choose a later one.",
		"?from=2021-01&to=2026-01": "The period is longer than five years. Choose a later first month or an earlier last month.",
	} {
		for _, path := range []string{statistics, statistics + "/cesarean"} {
			page := b.Get(path + query)
			require.Equal(t, 422, page.StatusCode, query)
			require.Contains(t, page.Body, text)
			require.Contains(t, page.Body, "There is a problem")
		}
	}
	require.Equal(t, 200, b.Get(statistics+"?from=2021-02&to=2026-01").StatusCode, "sixty months")
	require.Equal(t, 404, b.Get(statistics+"/export?from=x&to=y").StatusCode)
	require.Equal(t, 404, b.Get(statistics+"/export?measure=none").StatusCode)
}

func TestAStatisticsFileHidesSmallNumbersIsNotedAndNamesASandbox(t *testing.T) {
	i := apptest.Start(t)
	p := practiceWith(t, i, true, true)
	births(t, i, p, 120, nil)
	b := i.SignIn(p, auth.Admin)
	link := link(dom(t, b.Get(statistics+"/cesarean"+inMarch)), "Download as CSV")
	page := b.Get(link)
	require.Equal(t, 200, page.StatusCode)
	require.Contains(t, page.Header.Get("Content-Disposition"), "statistics-cesarean-")
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(page.Body, "\uFEFF"))).ReadAll()
	require.NoError(t, err)
	require.Equal(t, []string{"sandbox", "measure", "name"}, rows[0][:3])
	require.Equal(t, []string{"yes", "cesarean", "Cesarean", "births", "2026-03", "2026-03", "", "all"}, rows[1][:8])
	require.Contains(t, page.Body, "<11")
	for _, row := range rows[1:] {
		require.NotRegexp(t, `^([1-9]|10)$`, strings.Join(row[8:10], "|"), "%v", row)
	}
	everything := b.Get(statistics + "/export" + inMarch)
	require.Greater(t, strings.Count(everything.Body, "\n"), 15*len(stats.Measures))
	require.Equal(t, []string{
		fmt.Sprintf("%d measures, 2026-03 to 2026-03", len(stats.Measures)), "1 measure, 2026-03 to 2026-03",
	}, exported(t, i, p))
}

// exported is what the audit trail says about exported statistics, the newest first.
func exported(t *testing.T, i *apptest.Installation, p store.PracticeID) (notes []string) {
	t.Helper()
	require.NoError(t, i.App.DB.View(t.Context(), func(v *store.View) error {
		all, err := v.Audits(p, store.AuditFilter{}, 0, false, 100)
		for _, row := range all {
			if row.Action == "statistics.export" {
				notes = append(notes, row.Object)
			}
		}
		return err
	}))
	return notes
}

func TestASandboxChangesNoFigureElsewhere(t *testing.T) {
	i := apptest.Start(t)
	sandbox := practiceWith(t, i, true, true)
	for range stats.MinPeers + 1 {
		births(t, i, practiceWith(t, i, false, true), 12, func(_ int, c *birthtest.Invented) { c.Consent = true })
	}
	births(t, i, i.Practice, 30, nil)
	b := i.SignIn(i.Practice, auth.Admin)
	everything := func() (all []string) {
		for _, path := range []string{
			statistics + inMarch, statistics + "/cesarean" + inMarch, statistics + "/dcc" + inMarch, statistics + "/export" + inMarch, "/registry",
		} {
			page := b.Get(path)
			require.Equal(t, 200, page.StatusCode)
			all = append(all, page.Body)
		}
		return all
	}
	before := everything()
	require.Contains(t, before[2], "6 practices, only records with consent", "there is a figure across practices")
	births(t, i, sandbox, 50, func(_ int, c *birthtest.Invented) { c.Consent = true })
	require.Equal(t, before, everything())
	mine := i.SignIn(sandbox, auth.Admin).Get(statistics + "/cesarean" + inMarch).Body
	require.Contains(t, mine, "their figures are not shown in a sandbox")
	require.Contains(t, mine, "Synthetic data")
}

func TestTheHomePageShowsFourFiguresOfTheLastTwelveMonths(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Viewer)
	require.Contains(t, b.Get("/registry").Body, "No births in these months are on file")
	last := stats.LastYear(time.Now()).Last
	births(t, i, i.Practice, 5, func(_ int, c *birthtest.Invented) {
		for n := range c.Children {
			c.Children[n].Born, c.Children[n].Method = last.String()+"-15", "vaginal_spontaneous"
		}
	})
	headlines := marked(dom(t, b.Get("/registry")), "headline")
	require.Len(t, headlines, 4)
	require.Equal(t, "100% Spontaneous vaginal birth 5 of 5 (57% to 100%), fewer than 30 births", words(headlines[0]))
	other := i.AddPractice("Hillside Birth Center")
	births(t, i, other, 1, func(_ int, c *birthtest.Invented) {
		for n := range c.Children {
			c.Children[n].Born, c.Children[n].Method = last.String()+"-15", ""
		}
	})
	headlines = marked(dom(t, i.SignIn(other, auth.Viewer).Get("/registry")), "headline")
	require.Equal(t, "– Cesarean not recorded for these births", words(headlines[1]))
}

func TestManyPossibleDuplicatesAreNotCountedExactlyWithTheFigures(t *testing.T) {
	i := apptest.Start(t)
	var bundles []string
	for n := range 102 { // all of them look like one birth, so 101 of them may be counted too often
		bundles = append(bundles, apptest.Course{Chart: fmt.Sprint("26-", n)}.Bundle())
	}
	i.Push(apptest.Batch(bundles...))
	require.Contains(t, i.SignIn(i.Practice, auth.Viewer).Get(statistics).Body,
		"100 or more possible duplicates are not yet reviewed. The totals of their months may be too high by that number.")
}

func TestPrintoutsDoNotRevealHowSmallAHiddenNumberIs(t *testing.T) {
	i := apptest.Start(t)
	births(t, i, i.Practice, 120, nil)
	root := dom(t, i.SignIn(i.Practice, auth.Admin).Get(statistics+inMarch))
	onScreen := 0
	for _, row := range marked(root, "figure") {
		hides := false
		for n := range row.Descendants() {
			hides = hides || attr(n, "class") == "paper"
		}
		for n := range row.Descendants() {
			if hides && attr(n, "class") == "tag plain" {
				require.Equal(t, "screen", attr(n.Parent, "class"), words(row))
				onScreen++
			}
		}
	}
	require.Positive(t, onScreen)
}

func TestARareOutcomeIsACountWithoutARateOnThePageOverTimeAndInTheFile(t *testing.T) {
	i := apptest.Start(t)
	births(t, i, i.Practice, 120, func(_ int, c *birthtest.Invented) {
		for n := range c.Children {
			c.Children[n].Alive = "yes"
		}
	})
	b := i.SignIn(i.Practice, auth.Admin)
	body := b.Get(statistics + "/fetal_20" + inMarch).Body
	require.Contains(t, body, "count only")
	require.NotContains(t, body, "their median is")
	for _, line := range strings.Split(b.Get(statistics+"/export"+inMarch+"&measure=fetal_20").Body, "\n")[1:] {
		require.NotContains(t, line, ".", "no percentage of what is rare")
	}
}

func TestBirthsPlannedInOnePlaceAreNotComparedWithThoseOfAnother(t *testing.T) {
	i := apptest.Start(t)
	births(t, i, i.Practice, 200, nil)
	root := dom(t, i.SignIn(i.Practice, auth.Viewer).Get(statistics+"/svb"+inMarch))
	for place, published := range map[string]string{
		"Home": "93.6% Planned home", "Birth center": "93% Planned birth center", "Hospital": "", "Midwife": "93.6% Planned home",
	} {
		row := cells(root, "figure", place)
		require.NotNil(t, row, place)
		require.True(t, strings.HasPrefix(row[4], published) && (published != "" || row[4] == ""), "%s: %q", place, row[4])
	}
	root = dom(t, i.SignIn(i.Practice, auth.Viewer).Get(statistics+"/cesarean"+inMarch))
	require.Contains(t, cells(root, "figure", "Home")[4], "5.2% Planned home")
	require.Contains(t, cells(root, "figure", "Hospital")[4], "32.3% United States")
}

// halfCesareans records sixty births of March, every second one a cesarean.
func halfCesareans(t *testing.T, i *apptest.Installation) {
	t.Helper()
	births(t, i, i.Practice, 60, func(n int, c *birthtest.Invented) {
		c.Children = c.Children[:1]
		c.Plurality, c.Children[0].Method, c.Attendant = 1, "vaginal_spontaneous", "midwife"
		if n%2 == 0 {
			c.Children[0].Method = "cesarean"
		}
	})
}

func TestAMeasureIsAPictureFirstAndItsChartIsAFileWithoutSmallCounts(t *testing.T) {
	i := apptest.Start(t)
	halfCesareans(t, i)
	admin := i.SignIn(i.Practice, auth.Admin)
	page := admin.Get(statistics + "/cesarean" + inMarch)
	require.Equal(t, 200, page.StatusCode)
	require.Less(t, strings.Index(page.Body, `id="run"`), strings.Index(page.Body, `id="published"`), "the picture comes first")
	require.Contains(t, page.Body, "<summary>Every point as a table</summary>")
	require.Contains(t, page.Body, "no other practice is drawn as a point")
	file := admin.Get(statistics + "/cesarean/chart.svg" + inMarch)
	require.Equal(t, 404, file.StatusCode, "one point is no run")
	require.Equal(t, 403, i.SignIn(i.Practice, auth.Viewer).Get(statistics+"/cesarean/chart.svg"+inMarch).StatusCode)
}

func TestTheCountsOfAMeasureOpenExactlyTheirBirths(t *testing.T) {
	i := apptest.Start(t)
	births(t, i, i.Practice, 24, func(n int, c *birthtest.Invented) {
		c.Children = c.Children[:1]
		c.Plurality, c.Children[0].Method = 1, []string{"cesarean", "vaginal_spontaneous", "vaginal_spontaneous", ""}[n%4]
	})
	b := i.SignIn(i.Practice, auth.Viewer)
	page := dom(t, b.Get(statistics+"/cesarean"+inMarch))
	for text, n := range map[string]int{"6 counted as yes": 6, "18 counted": 18, "6 not known": 6} {
		to := link(page, text)
		require.NotEmpty(t, to, text)
		require.Len(t, rowsOf(t, b.Get(to)), n, text)
	}
}

func TestTwoPeriodsAreComparedByTheirIntervals(t *testing.T) {
	i := apptest.Start(t)
	halfCesareans(t, i)
	b := i.SignIn(i.Practice, auth.Viewer)
	page := b.Get(statistics + "/cesarean" + inMarch)
	require.Equal(t, "Too few to compare.", words(marked(dom(t, page), "against")[0]), "nothing is on file of the year before")
	require.Contains(t, page.Body, "Mar 2025")
	page = b.Get(statistics + "/cesarean" + inMarch + "&with_from=2026-03&with_to=2026-03")
	require.Equal(t, "No clear difference: the intervals overlap.", words(marked(dom(t, page), "against")[0]))
	page = b.Get(statistics + "/cesarean" + inMarch + "&with_from=2026-13&with_to=2026-03")
	require.Equal(t, 422, page.StatusCode)
	require.Contains(t, page.Body, `href="#with_from"`)
}

func TestEveryNumberOfAStatisticLeadsToExactlyItsBirths(t *testing.T) {
	i := apptest.Start(t)
	births(t, i, i.Practice, 45, func(n int, c *birthtest.Invented) {
		c.Attendant = []string{"midwife", "nurse", "other", ""}[n%4]
	})
	b := i.SignIn(i.Practice, auth.Viewer)
	followed := map[string]int{}
	for _, path := range []string{statistics + inMarch, statistics + "/cesarean" + inMarch + "&with_from=2026-02&with_to=2026-03"} {
		page := b.Get(path)
		require.Less(t, len(page.Body), 100_000, path)
		root := dom(t, page)
		for _, mark := range []string{"figure", "rest", "point"} {
			for _, row := range marked(root, mark) {
				followWaysIn(t, b, row, path+mark, followed)
			}
		}
	}
	measure := statistics + "/cesarean" + inMarch + "&with_from=2026-02&with_to=2026-03"
	require.Greater(t, followed[statistics+inMarch+"figure"], 30)
	require.Greater(t, followed[measure+"figure"], 14, "of the compared months and of the groups, too")
	require.GreaterOrEqual(t, followed[measure+"rest"], 4, "of the groups that aren't compared")
	require.GreaterOrEqual(t, followed[measure+"point"], 2, "of the points of the chart")
}

// followWaysIn opens the numbers of a row and compares them with the lists that they open.
func followWaysIn(t *testing.T, b *apptest.Browser, row *html.Node, where string, followed map[string]int) {
	t.Helper()
	for n := range row.Descendants() {
		href := attr(n, "href")
		if n.Data != "a" || !strings.Contains(href, "measure=") {
			continue
		}
		measure := stats.Lookup(regexp.MustCompile(`measure=(\w+)`).FindStringSubmatch(href)[1])
		if measure.Unit != stats.Courses || followed[where] > 60 {
			continue // a birth of twins has two newborns
		}
		followed[where]++
		number := words(n)
		require.True(t, strings.HasPrefix(attr(n, "aria-label"), number+" "))
		require.Equal(t, number+" record", strings.TrimSuffix(words(marked(dom(t, b.Get(href)), "total")[0]), "s"), href)
	}
}

func TestARecordThatAStatisticLeavesOutCanBeOpenedFromIt(t *testing.T) {
	i := apptest.Start(t)
	births(t, i, i.Practice, 3, nil)
	b := i.SignIn(i.Practice, auth.Provider)
	chart := regexp.MustCompile(`B-\d+`).FindString(rowsOf(t, b.Get("/registry/records"))[0])
	require.Equal(t, 303, b.Post(recordPath(i, chart)+"/void", url.Values{"reason": {"twice"}, "basis": {"1"}}).StatusCode)

	root := dom(t, b.Get(statistics+inMarch))
	require.Contains(t, words(root), "Left out: 1 voided record. See the voided ones")
	require.Len(t, rowsOf(t, b.Get(link(root, "See the voided ones"))), 1)
	require.NotContains(t, words(dom(t, b.Get(statistics+"?from=2026-02&to=2026-02"))), "Left out", "it happened in March")
	require.NotEmpty(t, link(dom(t, b.Get(statistics+"?from=2026-02&to=2026-03")), "See all voided records"))
}

func TestAMeasureOfMonthsWithoutBirthsSaysSo(t *testing.T) {
	i := apptest.Start(t)
	births(t, i, i.Practice, 3, func(_ int, c *birthtest.Invented) {
		c.Children = c.Children[:1]
		c.Children[0].Method = ""
	})
	b := i.SignIn(i.Practice, auth.Viewer)
	root := dom(t, b.Get(statistics+"/cesarean?from=2026-02&to=2026-02"))
	require.Equal(t, "No births in these months are on file.", words(marked(root, "big")[0]))
	require.Empty(t, fact(root, "Known"), "there is nothing of which a share could be known")
	root = dom(t, b.Get(statistics+"/cesarean"+inMarch))
	require.Equal(t, "– –", words(marked(root, "big")[0]), "of three births the method is not known")
	require.Equal(t, "not collected here", words(marked(root, "tags")[0]))
	require.Contains(t, fact(root, "Known"), "(3 not known)")
}

func TestAPracticeIsDrawnInTheFunnelOfItsPeersWhereTheyAreEnoughAndNoneOfThemIsAPoint(t *testing.T) {
	i := apptest.Start(t)
	births(t, i, i.Practice, 30, nil)
	b := i.SignIn(i.Practice, auth.Viewer)
	funnel := func() []*html.Node { return marked(dom(t, b.Get(statistics+"/dcc"+inMarch)), "funnel") }
	for n := range stats.MinPeers {
		require.Empty(t, funnel(), "%d practices are too few", n)
		births(t, i, practiceWith(t, i, false, true), 12, func(_ int, c *birthtest.Invented) { c.Consent = true })
	}
	drawn := funnel()
	require.Len(t, drawn, 1)
	require.Contains(t, words(drawn[0]), "in the 5 other practices together. This practice is ")
	dots, described := 0, 0
	for n := range drawn[0].Descendants() {
		if n.Data == "circle" {
			dots++
		}
		if n.Data == "desc" {
			described++
		}
	}
	require.Equal(t, 1, dots, "the practice itself")
	require.Equal(t, 1, described)
}

// twoSprings records forty births, half of them by cesarean, in each of two Marches.
func twoSprings(t *testing.T, i *apptest.Installation, p store.PracticeID) {
	t.Helper()
	births(t, i, p, 80, func(n int, c *birthtest.Invented) {
		c.Children = c.Children[:1]
		c.Plurality, c.Children[0].Method, c.Attendant, c.Consent = 1, []string{"cesarean", "vaginal_spontaneous"}[n%2], "midwife", true
		c.PretermBefore = ""
		c.Planned, c.Gravida, c.Parity, c.LivingBefore, c.DeadBefore, c.Cesareans = "", -1, -1, -1, -1, -1
		if n >= 40 {
			c.Children[0].Born = fmt.Sprintf("2025-03-%02d", 1+n%28)
		}
	})
}

func TestAPrintoutSaysWhichPartsOfAMeasureItLeavesOutAndWhy(t *testing.T) {
	i := apptest.Start(t)
	for range stats.MinPeers {
		twoSprings(t, i, practiceWith(t, i, false, true))
	}
	withheld := func(p store.PracticeID, path string) (parts []string) {
		for _, n := range marked(dom(t, i.SignIn(p, auth.Viewer).Get(statistics+path)), "withheld") {
			require.Equal(t, "paper", attr(n, "class"), "the screen has the part itself")
			require.Contains(t, words(n), "printouts hide counts from 1 to 10 and figures that would reveal them")
			parts = append(parts, strings.Split(words(n), " is ")[0])
		}
		return parts
	}
	small := practiceWith(t, i, false, true)
	births(t, i, small, 30, func(n int, c *birthtest.Invented) {
		c.Children = c.Children[:1]
		c.Plurality, c.Children[0].Method = 1, []string{"cesarean", "vaginal_spontaneous"}[min(n/5, 1)]
		c.Children[0].Born = fmt.Sprint(2025+n%2, "-03-01")
	})
	always := "The comparison with other months"
	require.ElementsMatch(t, []string{"This figure", "The chart over time", always, "The comparison with the other practices"}, withheld(small, "/cesarean"+inMarch))
	twoSprings(t, i, i.Practice)
	require.Equal(t, []string{always}, withheld(i.Practice, "/cesarean"+inMarch), "no count of these months is small")
}

func TestTheFilesOfAChartStandAloneNameTheirSourceAndNoPatient(t *testing.T) {
	i := apptest.Start(t)
	twoSprings(t, i, i.Practice)
	admin := i.SignIn(i.Practice, auth.Admin)
	root := dom(t, admin.Get(statistics+"/cesarean"+inMarch))
	file := admin.Get(link(root, "SVG"))
	require.Equal(t, 200, file.StatusCode)
	require.Equal(t, "image/svg+xml", file.Header.Get("Content-Type"))
	require.Equal(t, `attachment; filename="cesarean-chart-2026-03-to-2026-03.svg"`, file.Header.Get("Content-Disposition"))
	require.NoError(t, xml.Unmarshal([]byte(file.Body), new(struct{})), "well-formed by itself")
	for _, part := range []string{"<style>", ">Cesarean<", ">Apr 2021 to Mar 2026<", "Dashed: median of the points, 50.0%.", "Source: Riverside", "birth registry"} {
		require.Contains(t, file.Body, part)
	}
	require.NotRegexp(t, `(href|src|url\()`, file.Body, "it needs no other file")
	numbers := admin.Get(link(root, "CSV"))
	require.Equal(t, 200, numbers.StatusCode)
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(numbers.Body, "\uFEFF"))).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 3, "one line a point")
	require.Equal(t, []string{"20", "40", "50.00"}, rows[2][7:10])
	require.Empty(t, link(dom(t, i.SignIn(i.Practice, auth.Viewer).Get(statistics+"/cesarean"+inMarch)), "SVG"), "a viewer takes no file away")
	small := practiceWith(t, i, false, true)
	births(t, i, small, 30, func(n int, c *birthtest.Invented) { c.Children[0].Born = fmt.Sprint(2025+n%2, "-03-01") })
	root = dom(t, i.SignIn(small, auth.Admin).Get(statistics+"/cesarean"+inMarch))
	require.Empty(t, link(root, "SVG"))
	require.Contains(t, words(root), "The chart would reveal small counts, so it cannot be downloaded.")
}

func TestTheFunnelIsTakenAwayWithItsLimitsAndWithoutAnyOtherPractice(t *testing.T) {
	i := apptest.Start(t)
	twoSprings(t, i, i.Practice)
	for range stats.MinPeers {
		twoSprings(t, i, practiceWith(t, i, false, true))
	}
	admin := i.SignIn(i.Practice, auth.Admin)
	page := dom(t, admin.Get(statistics+"/cesarean"+inMarch))
	drawn := marked(page, "funnel")
	require.Len(t, drawn, 1)
	file := admin.Get(link(drawn[0], "SVG"))
	require.Equal(t, 200, file.StatusCode)
	require.NoError(t, xml.Unmarshal([]byte(file.Body), new(struct{})))
	require.Equal(t, 1, strings.Count(file.Body, "<circle"))
	require.Contains(t, file.Body, "50% in the 5 other practices together")
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(admin.Get(link(drawn[0], "CSV")).Body, "\uFEFF"))).ReadAll()
	require.NoError(t, err)
	require.Equal(t, []string{"this practice", "1", "40", "50.00", "34.50", "65.50", "25.57", "74.43"}, rows[1][5:])
	require.Equal(t, []string{"other practices together", "5", "", "50", "", "", "", ""}, rows[2][5:])
	for _, row := range rows[3:] {
		require.Equal(t, "limits", row[5], "no other practice")
	}
	require.Equal(t, []string{"funnel of cesarean, 2026-03 to 2026-03", "funnel of cesarean, 2026-03 to 2026-03"}, exported(t, i, i.Practice))
	require.Equal(t, 404, admin.Get(statistics+"/fetal_20/funnel.svg"+inMarch).StatusCode, "too rare for a funnel")
}
