package app_test

import (
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
)

func TestTheMenuOfAPhoneNeverCoversWhatHasTheFocus(t *testing.T) {
	t.Parallel()
	i, p := practice(t)
	b := newBrowser(t, i.URL)
	b.signIn(i.SignIn(p, auth.Admin))
	b.run(chromedp.EmulateViewport(360, 740))
	b.open("/registry")
	b.click("button.menu")
	const open = `document.querySelector("#menu").matches(":popover-open")`
	b.keys(kb.Tab)
	require.Equal(t, "Home", script[string](b, `document.activeElement.textContent.trim()`))
	require.True(t, script[bool](b, open), "the focus is in the menu")
	for range 12 {
		b.keys(kb.Tab)
		if script[bool](b, `document.querySelector("main").contains(document.activeElement)`) {
			require.False(t, script[bool](b, open), "the focus is on the page")
			return
		}
	}
	require.FailNow(t, "the keyboard does not leave the menu")
}

func TestTheNoticeOfWhatWasDoneHasTheFocus(t *testing.T) {
	t.Parallel()
	i, p := practice(t)
	b := newBrowser(t, i.URL)
	b.signIn(i.SignIn(p, auth.Admin))
	b.open("/registry/capture")
	b.fill("mother_family_name", "Okonkwo")
	b.press("Add another newborn")
	b.open(b.path() + "/discard")
	b.press("Discard the draft")
	require.Equal(t, "The draft is discarded.", script[string](b, `document.activeElement.innerText`))
	b.accessible()
	b.open("/registry/drafts")
	require.Equal(t, "BODY", script[string](b, `document.activeElement.tagName`), "the notice is shown once")
}

func TestTheButtonsOfSeveralBoxesHaveDifferentNames(t *testing.T) {
	t.Parallel()
	i, p := practice(t)
	b := newBrowser(t, i.URL)
	b.signIn(i.SignIn(p, auth.Admin))
	const named = `[...document.querySelectorAll("main button[aria-label]")].map((e) => e.ariaLabel)`
	b.open("/account")
	require.Subset(t, script[[]string](b, named), []string{"Show: Current password", "Show: New password"})
	b.open("/registry/settings")
	require.Contains(t, script[[]string](b, named), "Copy: The contract (OpenAPI)")
	script[int](b, `navigator.clipboard.writeText = async () => {}; 0`) // a browser without a window has no clipboard
	b.click(`button[aria-label="Copy: The contract (OpenAPI)"]`)
	require.Eventually(t, func() bool {
		return script[string](b, `document.querySelector("main > [role=status].unseen").textContent`) == "Copied"
	}, patience, 50*time.Millisecond, "a screen reader announces it")
	require.Equal(t, "Copied: The contract (OpenAPI)", script[string](b, `document.activeElement.ariaLabel`), "the button keeps the focus")
}

// sideways lists the tables of a page that have to be scrolled sideways.
const sideways = `[...document.querySelectorAll("main .scroll")].filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => e.innerText.slice(0, 40))`

func TestATabletShowsEveryColumnOfTheTables(t *testing.T) {
	t.Parallel()
	i, p := practice(t)
	i.Push(apptest.Course{Chart: "SAMPLE-0001", Mother: "Okafor"}.Bundle(), "Authorization", "Bearer "+i.Mint(p, "ingest:write", "ingest:read"))
	b := newBrowser(t, i.URL)
	b.signIn(i.SignIn(p, auth.Admin))
	b.awaitsRecords()
	for _, width := range []int64{740, 768, 820} {
		b.run(chromedp.EmulateViewport(width, 1024))
		for _, path := range []string{"/registry/records", "/registry/statistics", "/registry/statistics/svb", "/registry/users", "/registry/providers", "/registry/ingestions"} {
			b.open(path)
			require.Empty(t, script[[]string](b, sideways), "%s at %d", path, width)
			b.fitsHere()
			b.accessible()
		}
	}
}

// awaitsRecords waits until the list of records has one.
func (b *browser) awaitsRecords() {
	b.Helper()
	require.Eventually(b, func() bool {
		b.open("/registry/records")
		return script[bool](b, `!!document.querySelector("main table")`)
	}, patience, 50*time.Millisecond)
}

func TestOnAPhoneTheAnswersYesAndNoStandOnOneLine(t *testing.T) {
	t.Parallel()
	i, p := practice(t)
	b := newBrowser(t, i.URL)
	b.signIn(i.SignIn(p, auth.Scribe))
	b.run(chromedp.EmulateViewport(360, 740))
	b.open("/registry/capture")
	require.Len(t, script[[]float64](b, `[...new Set([...document.getElementsByName("child.0.live_birth")].map((e) => e.getBoundingClientRect().top))]`), 1)
}

func TestOnPaperNoLabelOrNoteIsLargerThanTheValues(t *testing.T) {
	t.Parallel()
	i, p := practice(t)
	i.Push(apptest.Course{Chart: "26-1", Mother: "Okafor"}.Bundle(), "Authorization", "Bearer "+i.Mint(p, "ingest:write", "ingest:read"))
	b := newBrowser(t, i.URL)
	b.signIn(i.SignIn(p, auth.Admin))
	b.awaitsRecords()
	b.press("26-1")
	b.run(chromedp.EmulateViewport(letter, 800))
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
	require.Empty(t, script[[]string](b, `(() => {
		const size = (e) => parseFloat(getComputedStyle(e).fontSize), value = size(document.querySelector(".strip dd"))
		return [...document.querySelectorAll(".record :is(small, .tag, dt, .strip dt, thead th)")].filter((e) => e.checkVisibility() && size(e) > value).map((e) => e.innerText)
	})()`))
}
