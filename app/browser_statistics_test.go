package app_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/records"
	"birthregistry/app/stats"
	"birthregistry/store"
)

// onPaper shows a page as it is printed.
func (b *browser) onPaper(paper bool) {
	b.Helper()
	medium := ""
	if paper {
		medium = "print"
	}
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: medium})
}

func TestStatisticsAreAccessibleFitAPhoneAndHideSmallNumbersOnPaper(t *testing.T) {
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

// fileInvented files synthetic courses born in the last five years through the
// store, sealed as app/changes seals. Hardly two of them are alike.
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
				c := birth.Mask(apptest.Invent(r, born).Draft())
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
