package web_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
)

// Decision 17; the contract and the guide both say so.
func TestRetractionsAreAppliedFirstAndComeFirstInTheReceipt(t *testing.T) {
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "A", Weight: 3000}.Bundle())
	inner := `{"resource":` + apptest.Course{Chart: "A", Weight: 3100}.Bundle() + `}`
	gone := func(chart string) string { return `{"request":{"method":"DELETE","url":"Bundle/` + chart + `"}}` }
	out := i.Push(`{"resourceType":"Bundle","type":"batch","entry":[` + strings.Join([]string{inner, gone("nobody"), gone("A"), gone("none")}, ",") + `]}`)
	require.Equal(t, []string{"Bundle.entry[2]", "Bundle.entry[0]"}, []string{out.Accepted[0].Reference, out.Accepted[1].Reference})
	require.True(t, out.Accepted[0].Retracted)
	require.True(t, out.Accepted[1].Amended)
	require.Equal(t, []string{"Bundle.entry[1]", "Bundle.entry[3]"}, []string{out.Rejected[0].Reference, out.Rejected[1].Reference})
	require.EqualValues(t, "active", i.Record("A").State, "a DELETE next to an amendment of the same chart number")
	i.Clean()
}

// Decision 31, for every lane.
func TestOnlyTheFirstOfSeveralAttendantsAttendsAndTheOthersArePresentEverywhere(t *testing.T) {
	i := apptest.Start(t)
	part := func(n int) string {
		return fmt.Sprintf(`{"type":[{"coding":[{"code":"ATND"}]}],"individual":{"reference":"Practitioner/p%d"}}`, n)
	}
	extra := []string{`{"resourceType":"Encounter","status":"finished","participant":[` + part(2) + `,` + part(1) + `,` + part(3) + `]}`}
	for n, name := range []string{"", "Mora", "Lee", "Hale"} {
		if name != "" {
			extra = append(extra, fmt.Sprintf(`{"resourceType":"Practitioner","id":"p%d","name":[{"text":"%s"}],"qualification":[{"code":{"text":"CNM"}}]}`, n, name))
		}
	}
	i.Push(apptest.Course{Chart: "A", Extra: extra}.Bundle())
	attending := func(chart string) (all []string) {
		for _, p := range i.Record(chart).Providers {
			if p.Attending {
				all = append(all, p.Name)
			}
		}
		require.GreaterOrEqual(t, len(i.Record(chart).Providers), 2)
		return all
	}
	require.Equal(t, []string{"Lee"}, attending("A"))

	b := i.SignIn(i.Practice, auth.Admin)
	form := openForm(t, b, birthOf("Diaz"))
	for n, name := range []string{"Osei", "Novak"} {
		form.Set(fmt.Sprintf("person.%d.name", n), name)
		form.Set(fmt.Sprintf("person.%d.credentials", n), "CPM")
		form.Set(fmt.Sprintf("person.%d.attending", n), "yes")
	}
	answer := b.Post("/registry/capture", form)
	require.Equal(t, 422, answer.StatusCode, "a warning")
	tick, _ := attrOf(parsePage(t, answer).byID("confirm"), "value")
	form.Set("confirm", tick)
	require.Equal(t, 303, b.Post("/registry/capture", form).StatusCode)
	require.Equal(t, []string{"Osei"}, attending("B-000002"))
	page := b.Get("/registry/records/" + i.Record("A").ID).Body
	require.Equal(t, 1, strings.Count(page, "<dt>Attending</dt>"))
	browsers := b.Get("/registry/providers").Body
	require.Contains(t, browsers, "Lee")
	i.Clean()
}
