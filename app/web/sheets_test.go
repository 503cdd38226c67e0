package web_test

import (
	"encoding/csv"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
	"birthregistry/app/mapping/sheet"
	"birthregistry/store"
)

// decision is a choice that a person changes: the list next to a text of the file, or a
// question about all dates.
type decision struct{ near, chooses string }

// tenFiles are files as ten different people write them, each with the decisions that a person
// makes the first time. NAME.meant.csv holds what the writer meant, in the columns of the
// template.
var tenFiles = []struct {
	name      string
	decisions []decision
}{
	{"01-excel-log.csv", nil},
	{"02-semicolons.csv", []decision{{"No", "Chart number"}}},
	{"03-unicode-text.txt", nil},
	{"04-numbers.csv", []decision{{"dates", "Month first: 3/2/2026 is March 2"}, {"Birth Weight", "pounds"}, {"vaginal", "Leave out: not stated"}}},
	{"05-two-columns.csv", []decision{{"Birth date", "Date of birth (newborn)"}, {"years", "Years up to"}}},
	{"06-ehr-report.csv", nil},
	{"07-birth-center.csv", []decision{
		{"Date of birth", "Date of birth (newborn)"}, {"Mother", "Names without a comma: given name first"}, {"GA", "39.2 means 39 weeks and 2 days"},
	}},
	{"08-tabs.tsv", nil},
	{"09-extract.csv", []decision{{"1", "Female"}, {"2", "Male"}}},
	{"10-mac-roman.csv", nil},
}

func TestTenPeoplesFilesAreImportedWithAtMostThreeDecisionsAndNoWrongValue(t *testing.T) {
	t.Parallel()
	i := apptest.Start(t)
	for _, f := range tenFiles {
		t.Run(f.name, func(t *testing.T) {
			p := practiceWith(t, i, false, false)
			b := i.SignIn(p, auth.Admin)
			content, err := os.ReadFile(filepath.Join("testdata", "sheets", f.name))
			require.NoError(t, err)
			m := &matcher{t: t, b: b, left: slices.Clone(f.decisions)}
			at := m.through(upload(t, b, f.name, string(content)))
			require.Empty(t, m.left, "every decision is asked for")
			require.LessOrEqual(t, m.made, 3)
			require.NotContains(t, wordsOf(parsePage(t, b.Get(at)).byID("main")), "with errors")
			require.Equal(t, 303, b.Post(at+"/confirm", url.Values{}).StatusCode)
			imported(t, b, at)
			require.Equal(t, meant(t, f.name), onFile(t, i, p))

			again := &matcher{t: t, b: b}
			at = again.through(upload(t, b, f.name, string(content)))
			require.Zero(t, again.pages, "the same headers go straight to the preview")
			if slices.Contains(strings.Split(meantHeader(t, f.name), ","), "chart_number") {
				require.Contains(t, b.Get(at).Body, "There is nothing to import", "it is read as before")
			}
			require.Equal(t, 303, b.Post(at+"/drop", url.Values{}).StatusCode)
		})
	}
}

func TestOpenQuestionsAboutColumnsAreListedInTheOrderOfThePage(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Scribe)
	at := upload(t, b, "log.csv", "Chart #,Mother last name,Baby born\n12,Novak,3/2/2026 4:18 PM\n13,Okonkwo,3/9/2026 11:00\n").Header.Get("Location") + "/columns"
	require.Equal(t, 303, b.Post(at, parsePage(t, b.Get(at)).form()).StatusCode)
	page := b.Get(at).Body // its summary is compared with the page
	require.Contains(t, page, `<a href="#dates">Choose whether the day or the month comes first.</a>`)
	require.Contains(t, page, "Choose how the values of “Baby born” are written.</a>")
}

// matcher goes through the pages between the upload of a file and its preview.
type matcher struct {
	t           *testing.T
	b           *apptest.Browser
	left        []decision
	made, pages int
}

// through answers every page with its proposals and the decisions, and returns the address of
// the preview.
func (m *matcher) through(sent apptest.Page) string {
	m.t.Helper()
	require.Equal(m.t, 303, sent.StatusCode, sent.Body)
	at := sent.Header.Get("Location")
	for range 6 {
		answer := m.b.Get(at)
		if answer.StatusCode == 200 {
			return at
		}
		require.Equal(m.t, 303, answer.StatusCode)
		step := answer.Header.Get("Location")
		page := m.b.Get(step)
		require.Equal(m.t, 200, page.StatusCode)
		require.Less(m.t, len(page.Body), 100<<10)
		m.pages++
		next := m.b.Post(step, m.decide(parsePage(m.t, page)))
		require.Equal(m.t, 303, next.StatusCode, next.Body)
	}
	require.FailNow(m.t, "no preview is reached", "%v", parsePage(m.t, m.b.Get(m.b.Get(at).Header.Get("Location"))).summary())
	return ""
}

// decide returns the values that the page's form sends, with the decisions that concern it.
func (m *matcher) decide(p formPage) url.Values {
	form := p.form()
	m.left = slices.DeleteFunc(m.left, func(d decision) bool {
		for _, within := range p.all(func(n *html.Node) bool { return n.Data == "li" || n.Data == "fieldset" }) {
			if name, value := p.choice(within, d); name != "" && form.Get(name) != value {
				form.Set(name, value)
				m.made++
				return true
			}
		}
		return false
	})
	return form
}

// choice returns the field and the value of a decision if it belongs to an element.
func (p formPage) choice(within *html.Node, d decision) (name, value string) {
	near, field := false, ""
	for n := range within.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		own, named := attrOf(n, "name")
		if named {
			field = own
		}
		near = near || n.Data == "strong" && wordsOf(n) == d.near || named && own == d.near
		if v, _ := attrOf(n, "value"); near && n.Data == "option" && wordsOf(n) == d.chooses {
			return field, v
		} else if near && n.Data == "input" {
			value = v
		} else if near && n.Data == "label" && value != "" && strings.HasPrefix(wordsOf(n), d.chooses) {
			return field, value
		}
	}
	return "", ""
}

// meant returns the rows that a file's writer meant, each as its stated cells.
func meant(t *testing.T, name string) (rows []string) {
	t.Helper()
	all, err := csv.NewReader(strings.NewReader(meantFile(t, name))).ReadAll()
	require.NoError(t, err)
	for _, cells := range all[1:] {
		rows = append(rows, stated(all[0], cells))
	}
	slices.Sort(rows)
	return rows
}

func meantFile(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", "sheets", strings.TrimSuffix(name, filepath.Ext(name))+".meant.csv"))
	require.NoError(t, err)
	return string(content)
}

func meantHeader(t *testing.T, name string) string {
	header, _, _ := strings.Cut(meantFile(t, name), "\n")
	return header
}

// stated returns the cells of a row that are not blank, as text, with the names of the
// template.
func stated(header, cells []string) string {
	var all []string
	for n, cell := range cells {
		if cell != "" && !(header[n] == "chart_number" && strings.HasPrefix(cell, "B-0")) {
			all = append(all, header[n]+"="+cell)
		}
	}
	slices.Sort(all)
	return strings.Join(all, "; ")
}

// onFile returns the rows of all records of a practice.
func onFile(t *testing.T, i *apptest.Installation, p store.PracticeID) (rows []string) {
	t.Helper()
	var records []store.Record
	require.NoError(t, i.App.DB.View(t.Context(), func(v *store.View) (err error) {
		records, err = v.Records(p, 0, 99)
		return err
	}))
	for _, r := range records {
		on, err := i.App.Changes.BaseVersion(t.Context(), p, r.UUID)
		require.NoError(t, err)
		on.Draft.Chart = r.Chart
		for _, cells := range (sheet.Format{}).Rows(on.Draft, nil) {
			rows = append(rows, stated(sheet.Format{}.Names(), cells))
		}
	}
	slices.Sort(rows)
	return rows
}

func TestAColumnThatIsLeftOutAgainstItsHeaderSaysWhy(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Admin)
	at := upload(t, b, "log.csv", "Chart #,Mother last name,Baby DOB,Weight (g),Remarks\n"+
		"12,Novak,45964,3420,x\n13,Okonkwo,45965,n/a,y\n14,Ito,45966,unk,z\n").Header.Get("Location") + "/columns"
	page := b.Get(at).Body
	require.Contains(t, page, "A spreadsheet stores dates as numbers, and these may be such numbers. Format the column as a date in the spreadsheet, save the file and upload it again.")
	require.Contains(t, page, "It looks like “Birth weight”, but some cells hold something else. If you choose it anyway, those cells become errors to fix.")
	require.Equal(t, 1, strings.Count(page, "It looks like"))
}

func TestOneKnownHeaderIsEnoughToMatchTheOthers(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Admin)
	refused := upload(t, b, "log.csv", "Dossier,Nom,Accouchement\n12,Novak,2026-03-02\n")
	require.Equal(t, 422, refused.StatusCode)
	require.Contains(t, refused.Body, "Name one of them as the template does, such as chart_number. Then you can match the others.")
	at := upload(t, b, "log.csv", "chart_number,Nom,Accouchement\n12,Novak,2026-03-02\n").Header.Get("Location")
	leadsTo(t, at+"/columns", b.Get(at))
}
