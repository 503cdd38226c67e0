package app_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// typist is a person who types a birth in a browser, over the built program.
type typist struct {
	*browser
	s *installation
}

// boxes returns the names of the form's first forty text boxes.
func (p typist) boxes() []string {
	p.Helper()
	names := script[[]string](p.browser, `[...document.querySelectorAll("form[data-draft] input:not([type])")].slice(0, 40).map((i) => i.id)`)
	require.Len(p, names, 40)
	return names
}

// type40 types into forty boxes of an empty form and returns the typed texts by ID.
func (p typist) type40() map[string]string {
	p.Helper()
	p.open("/registry/capture")
	typed := map[string]string{}
	script[int](p.browser, `document.querySelectorAll("details").forEach((d) => { d.open = true }); 0`)
	for n, id := range p.boxes() {
		typed[id] = fmt.Sprint("typed ", n)
		p.run(chromedp.Focus(at(id)))
		call(p.browser, input.InsertText, input.InsertTextParams{Text: typed[id]})
	}
	return typed
}

// requireTyped requires that the form on the page holds what was typed. If it doesn't, it
// loads the page again, because a page sends its last changes as the browser leaves it, and
// those may arrive after the next page was read.
func (p typist) requireTyped(typed map[string]string) {
	p.Helper()
	holds := func() (missing []string) {
		all, err := chromedp.Run(p.ctx, chromedp.Evaluate[map[string]string](
			`Object.fromEntries([...document.querySelectorAll("form[data-draft] input:not([type])")].map((i) => [i.id, i.value]))`))
		if err != nil {
			return []string{err.Error()}
		}
		for id, text := range typed {
			if all[id] != text {
				missing = append(missing, id+": "+all[id])
			}
		}
		return missing
	}
	for reads := range 5 {
		if reads > 0 {
			p.reload()
		}
		for range 50 {
			if len(holds()) == 0 {
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
	}
	require.Empty(p, holds(), "at %s", p.path())
}

// stored waits until the page says that it is saved and the service has every text of the form. The
// page may say so of an earlier save, while the text typed last is still to be saved.
func (p typist) stored() {
	p.Helper()
	require.Eventually(p, func() bool {
		is, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool](`(async () => {
			if (!document.querySelector("#draft-state").textContent.startsWith("Saved ")) return false;
			const answer = await fetch(location.href);
			const onFile = new DOMParser().parseFromString(await answer.text(), "text/html");
			const boxes = [...document.querySelectorAll("form[data-draft] input:not([type])")];
			return boxes.every((box) => onFile.getElementById(box.id)?.value === box.value);
		})()`, chromedp.EvalAwaitPromise))
		return err == nil && is
	}, patience, 50*time.Millisecond)
}

func (p typist) offline(is bool) {
	p.Helper()
	call(p.browser, network.Enable, network.EnableParams{})
	conditions := []*network.Conditions{}
	if is {
		conditions = append(conditions, &network.Conditions{Offline: true, DownloadThroughput: -1, UploadThroughput: -1})
	}
	call(p.browser, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{MatchedNetworkConditions: conditions})
}

func TestNothingTypedIsLostAndNothingIsSavedTwice(t *testing.T) {
	t.Parallel()
	chromium(t) // otherwise nothing is built
	s := newInstallation(t)
	secret := filepath.Join(t.TempDir(), "password")
	require.NoError(t, os.WriteFile(secret, []byte(password), 0o600))
	s.command("user", "add", robin, "--practice", "1", "--role", "admin", "--password-file", secret)
	s.start()
	defer func() { _ = s.server.Process.Kill() }() // may still run after a failure
	p := typist{newBrowser(t, "http://"+s.address), s}
	p.enter()

	t.Run("a link of the navigation, then Back", func(t *testing.T) {
		typed := p.type40()
		p.press("Statistics")
		p.back()
		p.requireTyped(typed)
	})
	t.Run("Reload", func(t *testing.T) {
		typed := p.type40()
		p.reload()
		p.requireTyped(typed)
	})
	t.Run("the tab is closed", func(t *testing.T) {
		typed := p.type40()
		path := script[string](p.browser, `new URL(document.querySelector("form[data-draft]").action).pathname`)
		p.run(chromedp.Navigate("about:blank"))
		p.open(path)
		p.requireTyped(typed)
	})
	t.Run("the server is killed and started again", func(t *testing.T) {
		typed := p.type40()
		s.kill()
		p.fill("facility_name", "typed meanwhile")
		typed["facility_name"] = "typed meanwhile"
		p.awaits("Offline: kept on this page")
		s.start()
		p.stored()
		p.reload()
		p.requireTyped(typed)
	})
	t.Run("the network drops while it is saved", func(t *testing.T) {
		typed := p.type40()
		p.offline(true)
		p.fill("facility_name", "typed offline")
		typed["facility_name"] = "typed offline"
		p.awaits("Offline: kept on this page")
		p.offline(false)
		p.stored()
		p.reload()
		p.requireTyped(typed)
	})
	t.Run("a network's sign-in page answers for a while", func(t *testing.T) {
		typed := p.type40()
		script[int](p.browser, `
			window.real = fetch;
			window.fetch = async () => new Response("<p>Sign in", { headers: { "Content-Type": "text/html" } });
			0`)
		p.fill("facility_name", "typed before it")
		p.awaits("To see why, press")
		script[int](p.browser, `window.fetch = real; 0`)
		p.fill("facility_name", "typed after it")
		typed["facility_name"] = "typed after it"
		p.stored()
		p.reload()
		p.requireTyped(typed)
	})
	t.Run("a button is pressed while the network is down", func(t *testing.T) {
		typed := p.type40()
		p.stored()
		path := p.path()
		script[int](p.browser, `Object.defineProperty(navigator, "onLine", { get: () => false, configurable: true }); 0`)
		p.offline(true)
		p.click("#save")
		p.awaits("Press the button again once you are online")
		require.Equal(p, path, p.path())
		p.fill("facility_name", "typed meanwhile")
		typed["facility_name"] = "typed meanwhile"
		p.awaits("kept on this page, will be saved. Press the button again once you are online")
		p.offline(false)
		script[int](p.browser, `delete navigator.onLine; 0`)
		p.requireTyped(typed)
		p.click("#save")
		p.awaits("Check, then save")
	})
	t.Run("a button is pressed while the network is down and an earlier save is still on its way", func(t *testing.T) {
		p.type40()
		p.stored()
		script[int](p.browser, `
			window.real = fetch;
			window.fetch = async (...call) => {
				const answer = await real(...call);
				await new Promise((let) => { window.arrive = let });
				return answer;
			};
			Object.defineProperty(navigator, "onLine", { get: () => false, configurable: true });
			0`)
		p.fill("facility_name", "typed last")
		require.Eventually(p, func() bool { return script[bool](p.browser, `!!window.arrive`) }, patience, 50*time.Millisecond)
		p.click("#save")
		p.awaits("Press the button again once you are online")
		script[int](p.browser, `window.fetch = real; arrive(); 0`)
		p.stored()
		p.sees("Press the button again once you are online")
	})
	t.Run("the session ends", func(t *testing.T) {
		typed := p.type40()
		p.stored()
		s.command("user", "end-sessions", robin)
		p.fill("facility_name", "typed afterward")
		typed["facility_name"] = "typed afterward"
		p.awaits("Your session has ended")
		p.click("#save")
		p.awaits("what you typed is kept")
		require.Equal(p, "/sign-in", p.path())
		p.fill("email", robin)
		p.fill("password", password)
		p.press("Sign in")
		p.requireTyped(typed)
	})
	t.Run("another device", func(t *testing.T) {
		typed := p.type40()
		p.stored()
		path := p.path()
		other := typist{newBrowser(t, p.base), s}
		other.enter()
		other.open(path)
		other.requireTyped(typed)
		other.fill("facility_name", "typed elsewhere")
		other.stored()
		p.fill("mother_postal_code", "97201")
		p.awaits("changed on another page")
		p.press("Save as a draft and continue")
		p.sees("changed on another page, too", "typed elsewhere") // the page shows both values
		typed["mother_postal_code"] = "97201"
		p.requireTyped(typed)
	})
	t.Run("saved twice", func(t *testing.T) {
		p.open("/registry/capture")
		p.fill("mother_family_name", "Okonkwo")
		p.fill("child.0.birth_date", "3/2/2026")
		p.fill("person.0.name", "Lee")
		p.choose("person.0.role", "midwife")
		p.stored()
		path := p.path()
		p.saveBirth()
		p.back()
		p.open(path)
		p.sees("The birth is recorded")
	})
	require.Equal(t, 1, strings.Count(s.command("record", "list", "--practice", "1", "--json"), `"chart_number"`))
	require.Zero(t, script[int](p.browser, `localStorage.length + sessionStorage.length`))
}
