package app_test

import (
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// keyboard is a person without a mouse. It counts every key that types no character of a text:
// Tab, Enter, and the keys that choose from a list.
type keyboard struct {
	*browser
	pressed int
}

func (k *keyboard) press(keys ...string) {
	k.Helper()
	for _, key := range keys {
		k.keys(key)
		k.pressed++
	}
}

// to moves to a field with Tab.
func (k *keyboard) to(name string) {
	k.Helper()
	for range 60 {
		if script[string](k.browser, `document.activeElement.name ?? ""`) == name {
			return
		}
		k.press(kb.Tab)
	}
	require.FailNow(k, "the keyboard does not reach "+name)
}

// mostKeys is the most keys that a birth with 25 facts may take, not counting its texts.
const mostKeys = 90

// The birth that the keyboard records: the texts typed into boxes, and the keys that choose
// answers.
var (
	typedFacts = []struct{ name, text string }{
		{"mother_family_name", "Okonkwo"},
		{"mother_given_names", "Amara"},
		{"mother_birth_date", "5/17/1994"},
		{"mother_postal_code", "97201"},
		{"gravida", "2"},
		{"parity", "1"},
		{"estimated_due_date", "3/5/2026"},
		{"prenatal_visit_count", "11"},
		{"previous_cesareans", "0"},
		{"planned_birth_setting", ""},
		{"labor_onset_type", ""},
		{"labor_onset_datetime", "3/2/2026"},
		{"labor_onset_datetime.time", "0600"},
		{"birth_setting", ""},
		{"perineum", ""},
		{"blood_loss_ml", "300"},
		{"child.0.birth_date", "3/2/2026"},
		{"child.0.birth_datetime.time", "1618"},
		{"child.0.child_sex", ""},
		{"child.0.live_birth", ""},
		{"child.0.delivery_method", ""},
		{"child.0.birth_weight_g", "7lb 9"},
		{"child.0.gestational_age_weeks", "39+2"},
		{"child.0.apgar_one_minute", "9"},
		{"child.0.apgar_five_minute", "10"},
		{"person.0.name", "Jane Rivers"},
		{"person.0.credentials", "CPM"},
	}
	// chosenBy lists the keys that choose an answer from a list: the beginning of its text, or
	// the arrow to the next one.
	chosenBy = map[string][]string{
		"planned_birth_setting": {"h"}, "labor_onset_type": {"s"}, "birth_setting": {"h"}, "perineum": {"i"},
		"child.0.child_sex": {kb.ArrowDown}, "child.0.live_birth": {kb.ArrowDown}, "child.0.delivery_method": {"v"},
	}
)

func TestABirthWithTwentyFiveFactsTakesAtMostNinetyKeysWithoutItsTexts(t *testing.T) {
	t.Parallel()
	i, p := practice(t)
	b := newBrowser(t, i.URL)
	b.enter()
	b.open("/registry/capture")
	k := &keyboard{browser: b}
	require.GreaterOrEqual(t, len(typedFacts)-1, 25, "the onset of labor is one fact in two boxes")
	for _, fact := range typedFacts {
		k.to(fact.name)
		if chosen := chosenBy[fact.name]; chosen != nil {
			k.press(chosen...)
		} else {
			k.keys(fact.text)
		}
	}
	k.press(kb.Enter) // in a box, Enter saves
	b.awaits("The birth is recorded")
	t.Logf("%d keys beyond the texts of %d facts", k.pressed, len(typedFacts)-1)
	require.LessOrEqual(t, k.pressed, mostKeys)
	i.Practice = p
	text := map[string]string{}
	r := i.Record("B-000001")
	for _, v := range append(append(r.Mother, r.Care...), r.Children[0]...) {
		text[v.Field.Name] = string(v.Value.JSON(v.Field.Kind))
	}
	for name, want := range map[string]string{
		"planned_birth_setting": `"home"`, "labor_onset_type": `"spontaneous"`, "birth_setting": `"home_planned"`, "perineum": `"intact"`,
		"child_sex": `"female"`, "live_birth": "true", "delivery_method": `"vaginal_spontaneous"`, "birth_weight_g": "3430",
		"gestational_age_weeks": "39", "gestational_age_days": "2", "attendant_type": `"midwife"`,
	} {
		require.Equal(t, want, text[name], name)
	}
}

func TestTheSkipLinkLeadsPastTheNavigation(t *testing.T) {
	t.Parallel()
	i, _ := practice(t)
	b := newBrowser(t, i.URL)
	b.enter()
	b.open("/registry/drafts")
	b.keys(kb.Tab)
	require.Equal(t, "Skip to the content", script[string](b, `document.activeElement.textContent`))
	b.keys(kb.Enter)
	b.keys(kb.Tab)
	require.True(t, script[bool](b, `document.querySelector("main").contains(document.activeElement)`))
}

func TestAFormThatIsSentSaysThatItWaitsAndIsSentOnce(t *testing.T) {
	t.Parallel()
	i, _ := practice(t)
	b := newBrowser(t, i.URL)
	b.enter()
	b.open("/account")
	const send = `(() => {
		const form = document.querySelector("main form[method=post]")
		window.sent ??= 0
		form.onsubmit ??= (event) => {
			if (!event.defaultPrevented) window.sent++
			event.preventDefault() // as if the answer never came
		}
		form.requestSubmit()
		form.requestSubmit()
		return window.sent
	})()`
	require.Equal(t, 1, script[int](b, send))
	b.awaits("Sending. Please wait.")
	b.keys(kb.Escape)
	require.Equal(t, 2, script[int](b, send), "the key that stops a page lets it be sent again")
}
