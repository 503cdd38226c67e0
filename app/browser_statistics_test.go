package app_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/birth/birthtest"
	"birthregistry/app/changes"
	"birthregistry/app/records"
	"birthregistry/app/stats"
	"birthregistry/store"
)

// onPaper switches the page between its printed form and its screen form.
func (b *browser) onPaper(paper bool) {
	b.Helper()
	medium := ""
	if paper {
		medium = "print"
	}
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: medium})
}

func TestStatisticsAreAccessibleFitAPhoneAndHideSmallNumbersOnPaper(t *testing.T) {
	t.Parallel()
	i, p := practice(t)
	fileInvented(t, i, p, 700)
	b := newBrowser(t, i.URL)
	b.signIn(i.SignIn(p, auth.Admin))
	b.look("/registry")
	b.sees("Spontaneous vaginal birth")
	b.look("/registry/statistics")
	b.look("/registry/statistics/cesarean")
	b.look("/registry/statistics/tx_intrapartum")
	b.look("/registry/statistics/fetal_20")
	usual := stats.LastYear(time.Now())
	b.look(fmt.Sprintf("/registry/statistics/apgar5_lt7?from=%s&to=%s", usual.Last-1, usual.Last))

	b.open("/registry/statistics/apgar5_lt7")
	exact := script[string](b, `document.querySelector("[data-testid=big]").innerText`)
	require.NotContains(t, exact, "<11")
	b.onPaper(true)
	text := script[string](b, `document.body.innerText`)
	require.Regexp(t, "<11|left out", text)
	require.NotRegexp(t, `\b[1-9] of \d|\b10 of \d`, text, "no small count is printed")
	b.onPaper(false)

	b.open("/registry/statistics?from=2026-13&to=2026-01")
	b.sees("There is a problem", "First month")
	b.accessible()
	require.Equal(t, 1, script[int](b, `document.querySelectorAll("details.filter[open]").length`))
}

func TestStatisticsAreReadWithoutJavaScript(t *testing.T) {
	t.Parallel()
	i, p := practice(t)
	fileInvented(t, i, p, 100)
	b := newBrowser(t, i.URL)
	b.withoutScript()
	b.signIn(i.SignIn(p, auth.Viewer))
	b.open("/registry")
	b.press("Statistics")
	b.sees("Mode of birth", "Newborn", "Synthetic data")
	b.press("Cesarean")
	b.sees("Published figures", "By planned place of birth", "Over time")
	require.NotContains(t, script[string](b, `document.body.innerText`), "Download as CSV", "a viewer takes no file away")
}

func TestAPracticeWithoutBirthsSeesThatThereAreNone(t *testing.T) {
	t.Parallel()
	i, p := practice(t)
	b := newBrowser(t, i.URL)
	b.signIn(i.SignIn(p, auth.Admin))
	for _, path := range []string{"/registry/statistics", "/registry/statistics/cesarean"} {
		b.open(path)
		b.accessible()
		b.fits(320)
	}
	b.sees("Nothing to show yet")
	b.open("/registry/statistics")
	b.sees("0 births")
	b.open("/registry")
	b.sees("No births in these months are on file")
}

// fileInvented stores synthetic courses, born in the last five years, sealed as app/changes
// seals. Hardly any two of them are the same.
func fileInvented(t testing.TB, i *apptest.Installation, p store.PracticeID, n int) {
	t.Helper()
	r := rand.New(rand.NewPCG(2026, 100))
	last := stats.LastYear(time.Now()).Last
	const chunk = 2000
	for first := 0; first < n; first += chunk {
		require.NoError(t, i.App.DB.Update(func(tx *store.Tx) error {
			id, err := tx.NextRecordID()
			if err != nil {
				return err
			}
			var heads []store.Record
			var versions []store.Version
			for k := first; k < min(n, first+chunk); k, id = k+1, id+1 {
				m := last - stats.Month(k%stats.MaxMonths)
				born := time.Date(m.Year(), time.Month(m%12+1), 1+k%28, 0, 0, 0, 0, time.UTC)
				c := birth.Mask(birthtest.Invent(r, born).Draft())
				head := store.Record{
					ID: id, UUID: uuid.Must(uuid.NewV7()).String(), Chart: fmt.Sprint("S-", id), State: birth.Active, Version: 1, Content: 1,
					Facts: c.Facts(), Source: birth.Manual,
				}
				v := store.Version{Record: id, Version: 1, Content: 1, Change: "create", Source: birth.Manual, Course: &c}
				if v.Patient, err = i.App.Vault.Seal(records.PatientPlace(p, head.UUID, 1), c.Patient()); err != nil {
					return err
				}
				heads, versions = append(heads, head), append(versions, v)
			}
			if err := tx.AddRecords(p, heads); err != nil {
				return err
			}
			return tx.AddVersions(p, versions)
		}))
	}
}

func TestAChartIsSavedAsAPictureByTheBrowserAndOnlyWhereThereIsJavaScript(t *testing.T) {
	t.Parallel()
	i, p := practice(t)
	fileHalves(t, i, p)
	b := newBrowser(t, i.URL)
	b.signIn(i.SignIn(p, auth.Admin))
	b.open("/registry/statistics/cesarean")
	b.accessible()
	b.fits(320)
	folder := t.TempDir()
	call(b, cdpbrowser.SetDownloadBehavior, cdpbrowser.SetDownloadBehaviorParams{Behavior: cdpbrowser.SetDownloadBehaviorBehaviorAllow, DownloadPath: folder})
	name := script[string](b, `document.querySelector("button[data-png]").dataset.name`)
	require.True(t, script[bool](b, `document.querySelector("button[data-png]").offsetParent !== null`), "the button shows itself")
	b.click(`button[data-png]`)
	var drawn image.Image
	require.Eventually(t, func() bool {
		file, err := os.ReadFile(filepath.Join(folder, name))
		if err == nil {
			drawn, err = png.Decode(bytes.NewReader(file))
		}
		return err == nil
	}, patience, 50*time.Millisecond)
	require.Equal(t, 1920, drawn.Bounds().Dx())
	colors := map[color.Color]bool{}
	for y := range drawn.Bounds().Dy() {
		colors[drawn.At(1600, y)] = true // through the last year
	}
	require.Greater(t, len(colors), 3, "lines and a band are drawn on white")

	without := newBrowser(t, i.URL)
	without.withoutScript()
	without.signIn(i.SignIn(p, auth.Admin))
	without.open("/registry/statistics/cesarean")
	without.sees("SVG", "CSV")
	require.NotContains(t, script[string](without, `document.body.innerText`), "PNG")
}

// fileHalves files forty births, half of them by cesarean, in each of two months that are a
// year apart, so that no count of the measure is small.
func fileHalves(t testing.TB, i *apptest.Installation, p store.PracticeID) {
	t.Helper()
	who := auth.Operator(store.Practice{ID: p})
	require.NoError(t, i.App.DB.Update(func(tx *store.Tx) (err error) {
		who.ID, err = tx.AddUser("filer@example.org", "Filer")
		return err
	}))
	last := stats.LastYear(time.Now()).Last
	for n := range 80 {
		m := last - stats.Month(n%2*12)
		var c birth.Values
		c.Set(birth.Must("birth_date"), birth.Value{Text: fmt.Sprintf("%s-%02d", m, 1+n%28)})
		c.Set(birth.Must("delivery_method"), birth.Value{Text: []string{"cesarean", "vaginal_spontaneous"}[n/2%2]})
		_, err := i.App.Changes.Save(who, changes.Form{Draft: birth.Draft{Children: []birth.Values{c}}})
		require.NoError(t, err)
	}
}
