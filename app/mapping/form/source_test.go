package form

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
	"birthregistry/app/mapping"
)

func onFile() birth.Draft {
	push := func(v birth.Value) birth.Value { v.Source = birth.FHIRPush; return v }
	d := birth.Draft{Chart: "C-1", Children: make([]birth.Values, 2)}
	d.Mother.Set(birth.Must("gravida"), push(birth.Value{Number: 2}))
	d.Mother.Set(birth.Must("risk_factors"), push(birth.Value{Set: []string{"eclampsia", "diabetes_gestational"}}))
	d.Children[0].Set(birth.Must("birth_weight_g"), push(birth.Value{Number: 2400}))
	d.Children[0].Set(birth.Must("birth_date"), push(birth.Value{Text: "2026-03-02"}))
	d.Children[1].Set(birth.Must("birth_weight_g"), push(birth.Value{Number: 2600}))
	d.Children[1].Set(birth.Must("birth_date"), push(birth.Value{Text: "2026-03-02"}))
	d.Providers = []birth.Provider{{
		Key: "staff-17", NPI: "1999999999", Name: "Maren Lindqvist", Credentials: "CPM", Role: birth.RoleMidwife,
		Attending: true, Source: birth.FHIRPush,
	}}
	d.Transfers = []birth.Transfer{{Type: "neonatal", Who: "child", Reason: "observation", Source: birth.FHIRPush}}
	return asKept(d)
}

func sourceOf(t *testing.T, v birth.Values, field string) birth.Source {
	value, stated := v.Get(field)
	require.True(t, stated, field)
	return value.Source
}

func TestAChangedValueIsManualAndAnyOtherKeepsItsSource(t *testing.T) {
	basis := onFile()
	typed := Values(basis)
	typed.Set("gravida", "3")
	typed.Set("child.1.birth_weight_g", "2,610 g")
	typed.Set("transfer.0.reason", "warmth")
	d := Read(typed, &basis).Draft
	require.Equal(t, birth.Manual, sourceOf(t, d.Mother, "gravida"))
	require.Equal(t, birth.FHIRPush, sourceOf(t, d.Mother, "risk_factors"))
	require.Equal(t, birth.FHIRPush, sourceOf(t, d.Children[0], "birth_weight_g"))
	require.Equal(t, birth.Manual, sourceOf(t, d.Children[1], "birth_weight_g"))
	require.Equal(t, birth.FHIRPush, sourceOf(t, d.Children[1], "birth_date"))
	require.Equal(t, birth.Manual, d.Transfers[0].Source)
	require.Equal(t, basis.Providers, d.Providers)
}

func TestTheOrderOfTickedChoicesDoesNotMakeThemManual(t *testing.T) {
	basis := onFile()
	typed := Values(basis)
	typed["risk_factors"] = []string{"eclampsia", "diabetes_gestational", "eclampsia"}
	require.Equal(t, birth.FHIRPush, sourceOf(t, Read(typed, &basis).Draft.Mother, "risk_factors"))
}

func TestANewbornThatMovesUpKeepsItsSources(t *testing.T) {
	basis := onFile()
	typed := Remove(Values(basis), birth.ChildList, 0)
	d := Read(typed, &basis).Draft
	require.Len(t, d.Children, 1)
	require.Equal(t, birth.FHIRPush, sourceOf(t, d.Children[0], "birth_weight_g"))
}

func TestAProviderIsRecognizedByNameAndRole(t *testing.T) {
	basis := onFile()
	for _, c := range []struct {
		name, role string
		same       bool
	}{
		{"Maren Lindqvist", "midwife", true},
		{"  maren   LINDQVIST ", "midwife", true},
		{"Maren Lindqvist", "", true}, // by the credentials
		{"Maren Lindqvist", "doula", false},
		{"Maren Lindquist", "midwife", false},
	} {
		typed := Values(basis)
		typed.Set("person.0.name", c.name)
		typed.Set("person.0.role", c.role)
		p := Read(typed, &basis).Draft.Providers[0]
		require.Equal(t, c.same, p.Key == "staff-17", c)
		again := Read(typed, nil).Draft.Providers[0]
		require.Equal(t, again.Key, mapping.TypedProvider(c.name, "CPM", c.role, false).Key)
		require.NotContains(t, []string{"", "staff-17"}, again.Key)
	}
}

func TestListsHaveNoGaps(t *testing.T) {
	typed := Tidy(url.Values{
		"child.2.birth_weight_g": {"3000"}, "child.5.birth_date": {""}, "person.0.attending": {"yes"}, "person.0.name": {" "},
		"person.3.name": {"Chidi"}, "person.3.attending": {"yes"}, "transfer.1.type": {""}, "gravida": {"1"},
	})
	require.Equal(t, url.Values{
		"child.0.birth_weight_g": {"3000"}, "child.1.birth_date": {""}, "person.0.name": {"Chidi"},
		"person.0.attending": {"yes"}, "gravida": {"1"},
	}, typed)
	require.Equal(t, 2, Count(typed, birth.ChildList))
	Add(typed, birth.ChildList)
	Add(typed, birth.TransferList)
	require.Equal(t, 3, Count(typed, birth.ChildList))
	require.Equal(t, 1, Count(typed, birth.TransferList))
	typed = Remove(typed, birth.ChildList, 0)
	require.Equal(t, 2, Count(typed, birth.ChildList))
	require.Empty(t, typed.Get("child.0.birth_weight_g"))
}
