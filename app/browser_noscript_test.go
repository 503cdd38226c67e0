package app_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWithoutJavaScriptNothingThatWasSentIsLostOrSavedTwice(t *testing.T) {
	t.Parallel()
	i, id := practice(t)
	i.Practice = id
	b := newBrowser(t, i.URL)
	b.enter()
	b.withoutScript()
	p := typist{b, nil}
	buttons := []string{"Save as a draft and continue", "Add another newborn", "Add a person", "Add a transfer", "Save"}
	for _, button := range buttons {
		typed := p.type40()
		p.press(button)
		p.requireTyped(typed)
		draft := p.path()
		require.True(t, strings.HasPrefix(draft, "/registry/drafts/"), button)
		p.reload()
		p.requireTyped(typed)
		p.press("Statistics")
		p.back()
		p.requireTyped(typed)
		p.fill("mother_given_names", "typed again")
		typed["mother_given_names"] = "typed again"
		p.press("Save as a draft and continue")
		p.requireTyped(typed)
		p.open(draft)
		p.requireTyped(typed)
		require.NotContains(t, script[string](b, `document.body.innerText`), "changed on another page", button)
	}
	p.open("/registry/drafts")
	require.Equal(t, len(buttons), script[int](b, `document.querySelectorAll("tbody tr").length`), "one draft each")
	require.Zero(t, i.Count())

	p.open("/registry/capture")
	p.fill("mother_family_name", "Okonkwo")
	p.fill("child.0.birth_date", "3/2/2026")
	p.fill("person.0.name", "Lee")
	p.choose("person.0.role", "midwife")
	p.press("Save")
	p.sees("Missing for the statistics")
	p.press("Save this birth")
	p.sees("The birth is recorded")
	p.back() // back to the draft, which is a record by now
	p.sees("The birth is recorded")
	p.reload()
	p.sees("The birth is recorded")
	require.Equal(t, 1, i.Count())
}

func TestEveryStateOfTheFormIsAccessibleAndFitsAPhone(t *testing.T) {
	t.Parallel()
	i, _ := practice(t)
	b := newBrowser(t, i.URL)
	b.enter()
	b.open("/registry/capture")
	b.accessible()
	b.fits(320)
	b.fill("mother_family_name", "Okonkwo")
	b.fill("child.0.birth_date", "3/2/2026")
	b.fill("child.0.birth_weight_g", "480")
	b.fill("gravida", "many")
	b.press("Add another newborn")
	b.accessible()
	b.fits(320)
	b.press("More about newborn 2")
	b.accessible()
	b.press("Save")
	b.accessible()
	b.fits(320)
	b.sees("Check, then save")
}
