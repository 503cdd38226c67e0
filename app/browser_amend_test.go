package app_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// recordOnFile records a birth and returns the address of its record.
func (p typist) recordOnFile() string {
	p.Helper()
	p.open("/registry/capture")
	p.fill("mother_family_name", "Okonkwo")
	p.fill("child.0.birth_date", "3/2/2026")
	p.fill("person.0.name", "Lee")
	p.choose("person.0.role", "midwife")
	p.saveBirth()
	return script[string](p.browser, `new URL([...document.links].find((a) => a.textContent === "See the record").href).pathname`)
}

// amends types over a record without a draft, and returns what was typed by id.
func (p typist) amends(record string) map[string]string {
	p.Helper()
	p.open(record + "/amend")
	if script[string](p.browser, `document.querySelector("[name=revision]").value`) != "0" {
		p.press("Discard this draft")
		p.press("Discard the draft")
		p.open(record + "/amend")
	}
	typed := map[string]string{
		"mother_family_name": "Okonkwo-Lee", "mother_postal_code": "97201", "gravida": "typed gravida", "estimated_due_date": "3/1/26",
		"child.0.birth_weight_g": "7#9", "child.0.apgar_five_minute": "nine",
	}
	script[int](p.browser, `document.querySelectorAll("details").forEach((d) => { d.open = true }); 0`)
	for id, text := range typed {
		p.run(chromedp.Focus(at(id)))
		script[int](p.browser, `document.activeElement.select(); 0`)
		call(p.browser, input.InsertText, input.InsertTextParams{Text: text})
	}
	return typed
}

func TestNothingTypedOverARecordIsLostAndNothingIsSavedTwice(t *testing.T) {
	t.Parallel()
	chromium(t) // else nothing is built
	s := newInstallation(t)
	secret := filepath.Join(t.TempDir(), "password")
	require.NoError(t, os.WriteFile(secret, []byte(password), 0o600))
	s.command("user", "add", robin, "--practice", "1", "--role", "admin", "--password-file", secret)
	s.start()
	defer func() { _ = s.server.Process.Kill() }() // a failure may have left it running
	p := typist{newBrowser(t, "http://"+s.address), s}
	p.enter()
	record := p.recordOnFile()

	t.Run("a link of the navigation, then Back", func(t *testing.T) {
		typed := p.amends(record)
		p.press("Statistics")
		p.back()
		p.requireTyped(typed)
	})
	t.Run("Reload", func(t *testing.T) {
		typed := p.amends(record)
		p.reload()
		p.requireTyped(typed)
	})
	t.Run("the tab is closed", func(t *testing.T) {
		typed := p.amends(record)
		p.run(chromedp.Navigate("about:blank"))
		p.open(record + "/amend")
		p.requireTyped(typed)
		p.open("/registry")
		p.sees("Amending Okonkwo-Lee")
	})
	t.Run("the server is killed and started again", func(t *testing.T) {
		typed := p.amends(record)
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
		typed := p.amends(record)
		p.offline(true)
		p.fill("facility_name", "typed offline")
		typed["facility_name"] = "typed offline"
		p.awaits("Offline: kept on this page")
		p.offline(false)
		p.stored()
		p.reload()
		p.requireTyped(typed)
	})
	t.Run("the session ends", func(t *testing.T) {
		typed := p.amends(record)
		p.stored()
		s.command("user", "end-sessions", robin)
		p.fill("facility_name", "typed afterward")
		typed["facility_name"] = "typed afterward"
		p.awaits("Your session has ended")
		p.click("#save")
		p.awaits("what you typed is kept")
		p.fill("email", robin)
		p.fill("password", password)
		p.press("Sign in")
		p.requireTyped(typed)
		require.Equal(p, record+"/amend", p.path())
	})
	t.Run("another device", func(t *testing.T) {
		typed := p.amends(record)
		p.stored()
		other := typist{newBrowser(t, p.base), s}
		other.enter()
		other.open(record)
		other.press("Amend")
		other.requireTyped(typed)
	})
	t.Run("saved twice", func(t *testing.T) {
		p.amends(record)
		for id, text := range map[string]string{"gravida": "2", "estimated_due_date": "3/1/2026", "child.0.apgar_five_minute": "9"} {
			p.fill(id, text)
		}
		p.stored()
		p.press("Save")
		p.sees("The record is amended")
		p.back()
		p.awaits("Nothing is changed yet")
		require.Equal(p, "3430", p.value("child.0.birth_weight_g"))
		p.press("Save")
		p.sees("The record is amended")
	})
	listed := s.command("record", "list", "--practice", "1", "--json")
	require.Equal(t, 1, strings.Count(listed, `"chart_number"`))
	require.Equal(t, []string{`"version":2`}, regexp.MustCompile(`"version":\d+`).FindAllString(strings.ReplaceAll(listed, " ", ""), -1))
	p.open("/registry/drafts")
	p.sees("There are no drafts.")
	require.Zero(t, script[int](p.browser, `localStorage.length + sessionStorage.length`))
}

func TestWithoutJavaScriptNothingThatWasSentOverARecordIsLostOrSavedTwice(t *testing.T) {
	t.Parallel()
	i, id := practice(t)
	i.Practice = id
	b := newBrowser(t, i.URL)
	b.enter()
	p := typist{b, nil}
	record := p.recordOnFile()
	b.withoutScript()
	for _, button := range []string{"Save as a draft and continue", "Add another newborn", "Add a transfer", "Save"} {
		typed := p.amends(record)
		p.press(button)
		p.requireTyped(typed)
		require.Equal(t, record+"/amend", p.path(), button)
		p.reload()
		p.requireTyped(typed)
		p.press("Statistics")
		p.back()
		p.requireTyped(typed)
	}
	p.sees("= 3,430 g (7 lb 9 oz)") // what was understood, after it was sent
	for id, text := range map[string]string{"gravida": "2", "estimated_due_date": "3/1/2026", "child.0.apgar_five_minute": "9"} {
		p.fill(id, text)
	}
	p.press("Save")
	p.sees("The record is amended")
	p.back()
	require.Equal(t, "3430", p.value("child.0.birth_weight_g"))
	p.press("Save")
	p.sees("The record is amended")
	require.Equal(t, 1, i.Count())
	p.open("/registry/drafts")
	p.sees("There are no drafts.")
}

func TestTheFormShowsAtTheBoxHowItUnderstandsTheTextWhileOneTypes(t *testing.T) {
	t.Parallel()
	i, _ := practice(t)
	b := newBrowser(t, i.URL)
	b.enter()
	b.open("/registry/capture")
	read := func(field string) string {
		return script[string](b, `document.getElementById("`+field+`-read").textContent`)
	}
	for _, one := range [][3]string{
		{"child.0.birth_weight_g", "7#9", "= 3,430 g (7 lb 9 oz)"},
		{"child.0.gestational_age_weeks", "39+4", "= 39 weeks 4 days"},
		{"child.0.birth_date", "3/2/2026", "= Monday, March 2, 2026"},
	} {
		require.Empty(t, read(one[0]))
		b.fill(one[0], one[1])
		b.awaits(one[2])
		require.Equal(t, one[2], read(one[0]))
	}
	b.fill("child.0.birth_weight_g", "heavy")
	require.Eventually(t, func() bool { return !strings.Contains(read("child.0.birth_weight_g"), "3,430") }, patience, patience/100)

	b.withoutScript()
	b.open("/registry/capture")
	b.fill("child.0.birth_weight_g", "7#9")
	require.Empty(t, read("child.0.birth_weight_g"), "nothing is understood until it is sent")
	b.press("Save as a draft and continue")
	require.Equal(t, "= 3,430 g (7 lb 9 oz)", read("child.0.birth_weight_g"))
}
