package app_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"birthregistry/app/longtest"
)

// browser is a tab of a real browser. Any complaint on the page's console, such as a violated
// policy or a failed script, fails the test.
type browser struct {
	*testing.T
	ctx  context.Context
	base string
	axe  string // the script, "" when it is not at hand

	pages int // how many pages were left

	mu         sync.Mutex
	complaints []string
}

// chromium returns the path of the browser, or skips the test.
func chromium(t *testing.T) string {
	t.Helper()
	longtest.Only(t, "the pages in a browser")
	// The first is the same browser without a window; it starts in a quarter of the time.
	for _, name := range []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	longtest.Needs(t, "chromium", errors.New("there is no browser; install chromium"))
	return ""
}

// newBrowser opens a tab over an installation at base.
func newBrowser(t *testing.T, base string) *browser {
	t.Helper()
	options := append(
		chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium(t)), chromedp.NoSandbox,
		// With scripts off, a page from the back-forward cache sends no load event, and
		// chromedp would wait for it forever.
		chromedp.Flag("disable-back-forward-cache", true),
		chromedp.Flag("disable-gpu", true), chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("force-prefers-reduced-motion", true), // otherwise a click may aim at a field that is still scrolling
		chromedp.WindowSize(1280, 900), chromedp.WSURLReadTimeout(patience),
	)
	allocated, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	ctx, closeTab := chromedp.NewContext(allocated)
	t.Cleanup(closeTab)
	ctx, cancel := context.WithTimeout(ctx, 5*patience)
	t.Cleanup(cancel)
	b := &browser{T: t, ctx: ctx, base: base, axe: axeScript(t)}
	require.NoError(t, chromedp.Listen(ctx, b.listen))
	call(b, cdplog.Enable, cdp.Empty{})
	t.Cleanup(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		require.Empty(t, b.complaints, "the browser's console")
	})
	return b
}

// call runs a command of the browser's protocol.
func call[P, R any](b *browser, command cdp.Command[P, R], params P) {
	b.Helper()
	b.run(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, command, params)
		return err
	}))
}

// get runs an action and returns its value.
func get[T any](b *browser, action chromedp.Action[T]) T {
	b.Helper()
	v, err := chromedp.Run(b.ctx, action)
	require.NoError(b, err)
	return v
}

func axeScript(t *testing.T) string {
	t.Helper()
	path := os.Getenv("REGISTRY_AXE")
	if path == "" {
		require.True(t, longtest.Lacks("axe-core"), "name the file of axe-core (axe.min.js) in REGISTRY_AXE")
		return ""
	}
	script, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(script)
}

func (b *browser) listen(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *cdplog.EventEntryAdded:
		if e.Entry.Level == "error" && e.Entry.Source != "network" { // a test may expect a 422 or 404
			b.complaints = append(b.complaints, e.Entry.Text)
		}
	case *runtime.EventExceptionThrown:
		b.complaints = append(b.complaints, e.ExceptionDetails.Text)
	}
}

func (b *browser) run(actions ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	require.NoError(b, chromedp.Do(b.ctx, actions...))
}

// open goes to a page.
func (b *browser) open(path string) {
	b.Helper()
	b.leave(chromedp.Navigate(b.base+path), path)
}

// reload loads the page again.
func (b *browser) reload() {
	b.Helper()
	b.leave(chromedp.Reload(), "reload")
}

// back goes back to the page before.
func (b *browser) back() {
	b.Helper()
	b.leave(chromedp.NavigateBack(), "back")
}

// leave does what leads to another page, and returns when that page is complete. chromedp alone
// may return early: it takes the last event of the page that is left for the first of the next.
func (b *browser) leave(action chromedp.Action[chromedp.Void], what string) {
	b.Helper()
	b.pages++
	script[int](b, fmt.Sprintf(`window.left = %d`, b.pages))
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	_, err := chromedp.RunResponse(ctx, action)
	require.NoError(b, err, "%s", what)
	complete := chromedp.Evaluate[bool](fmt.Sprintf(`window.left !== %d && document.readyState === "complete"`, b.pages))
	require.Eventually(b, func() bool {
		there, err := chromedp.Run(ctx, complete)
		return err == nil && there
	}, patience, 10*time.Millisecond, "%s: the next page does not come", what)
}

func at(field string) chromedp.CSS { return chromedp.CSS(`[id="` + field + `"]`) }

// fill types a text into a field in place of its content.
func (b *browser) fill(field, text string) {
	b.Helper()
	b.run(chromedp.WaitVisible(at(field)))
	script[int](b, fmt.Sprintf(`document.getElementById(%q).select(); 0`, field))
	b.run(chromedp.SendKeys(at(field), text))
}

// choose selects an option of a list.
func (b *browser) choose(field, value string) {
	b.Helper()
	b.run(chromedp.SetValue(at(field), value))
}

// click clicks the element that a selector finds, without waiting for a page.
func (b *browser) click(selector string) {
	b.Helper()
	b.run(chromedp.Click(chromedp.CSS(selector)))
}

// press clicks the button or link with this text and waits for the next page.
func (b *browser) press(text string) {
	b.Helper()
	path := fmt.Sprintf("(//button[normalize-space()=%[1]q] | //a[normalize-space()=%[1]q])[1]", text)
	b.leave(chromedp.Click(chromedp.Search(path)), fmt.Sprintf("press %q", text))
}

// submit clicks the button that a selector finds and waits for the next page.
func (b *browser) submit(selector string) {
	b.Helper()
	b.leave(chromedp.Click(chromedp.CSS(selector)), fmt.Sprintf("submit %q", selector))
}

// saveBirth presses Save and, if the page asks for a check, confirms.
func (b *browser) saveBirth() {
	b.Helper()
	b.press("Save")
	if script[bool](b, `!!document.querySelector("#warnings")`) {
		script[int](b, `document.querySelectorAll("#warnings input").forEach((tick) => { tick.checked = true }); 0`)
		b.press("Save this birth")
	}
	b.sees("The birth is recorded")
}

// keys sends keys to the element that has the focus.
func (b *browser) keys(keys string) {
	b.Helper()
	b.run(chromedp.KeyEvent(keys))
}

// script evaluates an expression in the page.
func script[T any](b *browser, expression string) T {
	b.Helper()
	return get(b, chromedp.Evaluate[T](expression))
}

// sees requires that the page shows the words. A space between a number and its unit doesn't
// break, and counts as any other.
func (b *browser) sees(words ...string) {
	b.Helper()
	page := breakable.Replace(script[string](b, `document.body.innerText`))
	for _, w := range words {
		require.Contains(b, page, breakable.Replace(w), "on %s", b.path())
	}
}

var breakable = strings.NewReplacer("\u00a0", " ")

// awaits waits until a loaded page shows the words; the page may change in the meantime.
func (b *browser) awaits(words string) {
	b.Helper()
	require.Eventually(b, func() bool {
		page, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](`document.readyState === "complete" ? document.body.innerText : ""`))
		return err == nil && strings.Contains(page, words)
	}, patience, 100*time.Millisecond, "%q does not come", words)
}

func (b *browser) path() string {
	b.Helper()
	return script[string](b, `location.pathname`)
}

// value returns the value of a field.
func (b *browser) value(field string) string {
	b.Helper()
	return get(b, chromedp.Value(at(field)))
}

// accessible checks the page with axe-core (WCAG 2.2 A and AA, best practice).
func (b *browser) accessible() {
	b.Helper()
	if b.axe == "" {
		return
	}
	b.run(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, runtime.Evaluate, runtime.EvaluateParams{Expression: b.axe + ";0"})
		return err
	}))
	found := get(b, chromedp.Evaluate[[]string](`axe.run(document, {
		runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
	}).then(r => r.violations.map(v => v.id + ": " + v.help + " at " + v.nodes.map(n => n.target.join(" ")).join(", ")))`,
		chromedp.EvalAwaitPromise))
	require.Empty(b, found, "axe on %s", b.path())
}

// picture writes screenshots of the whole page, light and dark, wide and narrow, into the
// folder that REGISTRY_SCREENSHOTS names.
func (b *browser) picture(name string) {
	b.Helper()
	folder := os.Getenv("REGISTRY_SCREENSHOTS")
	if folder == "" {
		return
	}
	require.NoError(b, os.MkdirAll(folder, 0o755))
	for _, scheme := range []string{"light", "dark"} {
		call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
		})
		for _, width := range []int64{1280, 320} {
			b.run(chromedp.EmulateViewport(width, 900))
			file := fmt.Sprintf("%s/%s-%d-%s.png", folder, strings.ReplaceAll(strings.Trim(name, "/"), "/", "-"), width, scheme)
			require.NoError(b, os.WriteFile(file, get(b, chromedp.FullScreenshot(100)), 0o644))
			b.run(chromedp.ResetViewport())
		}
	}
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{})
}

// withoutScript turns JavaScript off.
func (b *browser) withoutScript() {
	b.Helper()
	call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
}
