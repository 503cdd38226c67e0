package app_test

import (
	"fmt"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// looks are how a page is looked at: wide and light, and as narrow and dark as a phone at night.
var looks = []struct {
	width  int64
	scheme string
}{{1280, "light"}, {320, "dark"}}

// look checks what every page must satisfy, in every look: see isSound, isLight and isStill. It
// loads each page as on the first visit, without the browser's cache.
func (b *browser) look(path string) {
	b.Helper()
	call(b, network.SetCacheDisabled, network.SetCacheDisabledParams{CacheDisabled: true})
	defer call(b, network.SetCacheDisabled, network.SetCacheDisabledParams{})
	b.inEachLook(func() {
		b.open(path)
		b.isStill()
		b.isSound()
		b.isLight()
	})
	b.picture(path)
}

// lookHere checks the page that is open, which may be the answer to a form and can't be loaded
// again.
func (b *browser) lookHere() {
	b.Helper()
	b.inEachLook(b.isSound)
	b.picture(b.path())
}

// between are widths between those of the looks, near those at which the layout changes.
var between = []int64{650, 962, 1100, 1202}

func (b *browser) inEachLook(check func()) {
	b.Helper()
	for _, l := range looks {
		b.run(chromedp.EmulateViewport(l.width, 800))
		call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: l.scheme}},
		})
		check()
	}
	for _, width := range between {
		b.run(chromedp.EmulateViewport(width, 800))
		b.fitsHere()
	}
	b.isFitForPaper()
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{})
	b.run(chromedp.ResetViewport())
}

// letter is how wide a page of paper is within its margins.
const letter = 740

// isFitForPaper requires that a printout shows nothing that is for the screen only, since it may
// reveal what paper hides, and that no table is cut off.
func (b *browser) isFitForPaper() {
	b.Helper()
	b.run(chromedp.EmulateViewport(letter, 800))
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
	b.fitsHere()
	require.Empty(b, script[string](b, `[...document.querySelectorAll(".screen")].filter((e) => e.checkVisibility()).map((e) => e.innerText).join(" | ")`),
		"on paper of %s", b.path())
}

// bare lists the labels in a table's cards, as phones show it, that have no value.
const bare = `matchMedia("(max-width: 40rem)").matches ? [...document.querySelectorAll("table.cards td[data-label]")].filter((cell) =>
	cell.checkVisibility() && !cell.innerText.trim() && !cell.querySelector("svg, input, button")).map((cell) => cell.dataset.label).join() : ""`

// isSound requires one heading, no violation, no label without a value, and no scrolling
// sideways (WCAG 1.4.10), except within regions that scroll by themselves.
func (b *browser) isSound() {
	b.Helper()
	require.Equal(b, 1, script[int](b, `document.querySelectorAll("h1").length`), "%s has one heading", b.path())
	b.accessible()
	b.fitsHere()
	require.Empty(b, script[string](b, bare), "labels without a value on %s", b.path())
}

func (b *browser) fitsHere() {
	b.Helper()
	over := script[float64](b, `document.documentElement.scrollWidth - document.documentElement.clientWidth`)
	require.LessOrEqual(b, over, 0.0, "%s scrolls sideways", b.path())
}

// fits requires that a page of a certain width needs no scrolling sideways.
func (b *browser) fits(width int64) {
	b.Helper()
	b.run(chromedp.EmulateViewport(width, 800))
	b.fitsHere()
	b.run(chromedp.ResetViewport())
}

// isLight requires that a page comes in at most 100 KB, with its style, script and icon.
func (b *browser) isLight() {
	b.Helper()
	total := 0
	for _, kind := range []string{"navigation", "resource"} {
		sent := script[int](b, fmt.Sprintf(`performance.getEntriesByType(%q).reduce((sum, e) => sum + e.encodedBodySize, 0)`, kind))
		require.Positive(b, sent, "nothing is measured on %s", b.path())
		total += sent
	}
	require.LessOrEqual(b, total, 100_000, "bytes of %s", b.path())
}

// shifted is how far the content of a page has moved by itself since it was loaded.
const shifted = `(() => {
	const shifts = new PerformanceObserver(() => {})
	shifts.observe({type: "layout-shift", buffered: true})
	return shifts.takeRecords().reduce((sum, e) => sum + e.value, 0)
})()`

// isStill requires that nothing on the page moved while it was loaded.
func (b *browser) isStill() {
	b.Helper()
	require.LessOrEqual(b, script[float64](b, shifted), 0.1, "%s moved while it was loaded", b.path())
}
