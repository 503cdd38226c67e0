package app_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/stretchr/testify/require"

	"birthregistry/app/access"
	"birthregistry/app/figures"
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
	shelveTold(t, i, p, 700)
	b := newBrowser(t, i.URL)
	b.signIn(i.SignIn(p, access.Admin))
	b.look("/registry")
	b.sees("Spontaneous vaginal birth")
	b.look("/registry/statistics")
	b.look("/registry/statistics/cesarean")
	b.look("/registry/statistics/tx_intrapartum")
	b.look("/registry/statistics/fetal_20")
	usual := figures.LastYear(time.Now())
	b.look(fmt.Sprintf("/registry/statistics/apgar5_lt7?from=%s&to=%s", usual.Last-1, usual.Last))

	b.open("/registry/statistics/apgar5_lt7")
	exact := script[string](b, `document.querySelector("[data-testid=big]").innerText`)
	require.NotContains(t, exact, "<11")
	b.onPaper(true)
	text := script[string](b, `document.body.innerText`)
	require.Contains(t, text, "<11")
	require.NotRegexp(t, `\b[1-9] of \d|\b10 of \d`, text, "no small count is printed")
	b.onPaper(false)

	b.open("/registry/statistics?from=2026-13&to=2026-01")
	b.sees("There is a problem", "First month")
	b.accessible()
	require.Equal(t, 1, script[int](b, `document.querySelectorAll("details.filter[open]").length`))
}

func TestStatisticsAreReadWithoutJavaScript(t *testing.T) {
	i, p := practice(t)
	shelveTold(t, i, p, 100)
	b := newBrowser(t, i.URL)
	b.withoutScript()
	b.signIn(i.SignIn(p, access.Viewer))
	b.open("/registry")
	b.press("Statistics")
	b.sees("Mode of birth", "Newborn", "Synthetic data")
	b.press("Cesarean")
	b.sees("Published figures", "By planned place of birth", "Over time")
	require.NotContains(t, script[string](b, `document.body.innerText`), "Download as CSV", "a viewer takes no file away")
}

func TestAPracticeWithoutBirthsReadsThatThereAreNone(t *testing.T) {
	i, p := practice(t)
	b := newBrowser(t, i.URL)
	b.signIn(i.SignIn(p, access.Admin))
	for _, path := range []string{"/registry/statistics", "/registry/statistics/cesarean"} {
		b.open(path)
		b.accessible()
		b.fits(320)
	}
	b.sees("Nothing to show yet")
	b.open("/registry/statistics")
	b.sees("0 births")
	b.open("/registry")
	b.sees("No birth of these months is on file")
}
