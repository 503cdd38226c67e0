package access

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
	"birthregistry/store"
)

func text(label string) birth.CustomField {
	return birth.CustomField{Label: label, Kind: birth.CustomText}
}

func (g *gate) define(labels ...string) (all []birth.CustomField) {
	g.t.Helper()
	for _, label := range labels {
		f, err := g.DefineField(g.person(Admin), text(label))
		require.NoError(g.t, err, label)
		all = append(all, f)
	}
	return all
}

// fields lists the keys of the practice's fields, retired ones in parentheses.
func (g *gate) fields() (keys []string) {
	g.t.Helper()
	all, err := g.Fields(context.Background(), g.p)
	require.NoError(g.t, err)
	for _, f := range all {
		if f.Retired {
			f.Key = "(" + f.Key + ")"
		}
		keys = append(keys, f.Key)
	}
	return keys
}

func TestTheKeyOfAFieldIsMadeOfItsLabelAndNeverTakenTwice(t *testing.T) {
	g := opened(t)
	for _, c := range [][2]string{
		{"Birth tub", "birth_tub"},
		{"  Zeit im  Bécken (h) ", "zeit_im_becken_h"},
		{"24/7?", "24_7"},
		{"<script>", "script"},
		{"Ж", "field"},
		{"名", "field_2"},
		{"_", "field_3"},
		{strings.Repeat("long ", 12), strings.Repeat("long_", 8) + "l"},
	} {
		f, err := g.DefineField(g.person(Admin), text(c[0]))
		require.NoError(t, err, c[0])
		require.Equal(t, c[1], f.Key)
		require.Equal(t, "x_"+c[1], f.Name())
	}
	tub := g.define("Tub!")[0]
	require.Equal(t, "tub", tub.Key)
	require.NoError(t, g.RetireField(g.person(Admin), tub.ID, true))
	require.Equal(t, "tub_2", g.define("Tub!")[0].Key, "a retired field keeps its key")
	require.NoError(t, g.RelabelField(g.person(Admin), tub.ID, "Pool"))
	require.Contains(t, g.fields(), "(tub)", "a key never changes")
}

func TestOnlyAnAdminDefinesFields(t *testing.T) {
	g := opened(t)
	f := g.define("Tub")[0]
	for _, role := range []Role{Provider, Scribe, Viewer} {
		who := g.person(role)
		_, err := g.DefineField(who, text("Room"))
		require.ErrorIs(t, err, ErrForbidden)
		require.ErrorIs(t, g.RelabelField(who, f.ID, ""), ErrForbidden)
		require.ErrorIs(t, g.RetireField(who, f.ID, true), ErrForbidden)
		require.ErrorIs(t, g.MoveField(who, f.ID, true), ErrForbidden)
	}
	require.Equal(t, []string{"tub"}, g.fields())
}

func TestWhatIsNoFieldIsRefused(t *testing.T) {
	g := opened(t)
	admin := g.person(Admin)
	choice := func(options ...string) birth.CustomField {
		return birth.CustomField{Label: "Room", Kind: birth.CustomChoice, Options: options}
	}
	many := make([]string, ChoicesMax+1)
	for i := range many {
		many[i] = fmt.Sprint(i)
	}
	for name, c := range map[string]struct {
		field birth.CustomField
		want  error
	}{
		"no label":              {text(" "), ErrBadLabel},
		"a label of 61":         {text(strings.Repeat("x", 61)), ErrBadLabel},
		"a NUL":                 {text("a\x00b"), ErrBadLabel},
		"text that runs back":   {text("a\u202eb"), ErrBadLabel},
		"no kind":               {birth.CustomField{Label: "Room"}, ErrFieldKind},
		"another kind":          {birth.CustomField{Label: "Room", Kind: "file"}, ErrFieldKind},
		"no choices":            {choice(), ErrFieldChoices},
		"one choice":            {choice("Blue", " "), ErrFieldChoices},
		"the same choice twice": {choice("Blue", "blue "), ErrFieldChoices},
		"a choice too long":     {choice("Blue", strings.Repeat("x", 61)), ErrFieldChoices},
		"too many choices":      {choice(many...), ErrFieldChoices},
	} {
		_, err := g.DefineField(admin, c.field)
		require.ErrorIs(t, err, c.want, name)
	}
	require.Empty(t, g.fields())
	f, err := g.DefineField(admin, choice(" Blue  room ", "", "Green"))
	require.NoError(t, err)
	require.Equal(t, []string{"Blue room", "Green"}, f.Options)
	_, err = g.DefineField(admin, text("ROOM"))
	require.ErrorIs(t, err, ErrFieldTaken)
	f, err = g.DefineField(admin, birth.CustomField{Label: "Hours", Kind: birth.CustomNumber, Options: []string{"x", "y"}})
	require.NoError(t, err)
	require.Empty(t, f.Options, "only a choice has choices")
}

func TestAPracticeAsksForAtMostFiftyFieldsAtOnce(t *testing.T) {
	g := opened(t)
	admin := g.person(Admin)
	var all []birth.CustomField
	for n := range FieldsMax {
		all = append(all, g.define(fmt.Sprint("Field ", n))...)
	}
	_, err := g.DefineField(admin, text("One more"))
	require.ErrorIs(t, err, ErrTooManyFields)
	require.NoError(t, g.RetireField(admin, all[0].ID, true))
	g.define("One more")
	require.ErrorIs(t, g.RetireField(admin, all[0].ID, false), ErrTooManyFields)
}

func TestFieldsMoveAmongThoseThatAreAskedFor(t *testing.T) {
	g := opened(t)
	admin := g.person(Admin)
	all := g.define("a", "b", "c", "d")
	require.NoError(t, g.RetireField(admin, all[1].ID, true))
	require.NoError(t, g.MoveField(admin, all[2].ID, true))
	require.Equal(t, []string{"c", "(b)", "a", "d"}, g.fields())
	require.NoError(t, g.MoveField(admin, all[2].ID, true), "it is the first")
	require.NoError(t, g.MoveField(admin, all[3].ID, false), "it is the last")
	require.Equal(t, []string{"c", "(b)", "a", "d"}, g.fields())
	require.NoError(t, g.MoveField(admin, all[2].ID, false))
	require.Equal(t, []string{"a", "(b)", "c", "d"}, g.fields())
}

func TestALabelIsFreeAgainWhenItsFieldIsRetired(t *testing.T) {
	g := opened(t)
	admin := g.person(Admin)
	all := g.define("Tub", "Room")
	require.ErrorIs(t, g.RelabelField(admin, all[1].ID, " tub "), ErrFieldTaken)
	require.NoError(t, g.RelabelField(admin, all[0].ID, "TUB"), "its own label in another case")
	require.NoError(t, g.RetireField(admin, all[0].ID, true))
	require.NoError(t, g.RelabelField(admin, all[1].ID, "Tub"))
	require.ErrorIs(t, g.RetireField(admin, all[0].ID, false), ErrFieldTaken)
}

func TestAnotherPracticesFieldIsNotThere(t *testing.T) {
	g := opened(t)
	f := g.define("Tub")[0]
	other := g.personOf(g.practice(true), Admin)
	require.ErrorIs(t, g.RelabelField(other, f.ID, "Mine"), store.ErrNotFound)
	require.ErrorIs(t, g.RetireField(other, f.ID, true), store.ErrNotFound)
	require.ErrorIs(t, g.MoveField(other, f.ID, true), store.ErrNotFound)
	theirs, err := g.Fields(t.Context(), other.Practice.ID)
	require.NoError(t, err)
	require.Empty(t, theirs)
}

func TestChangesOfFieldsAreInTheTrail(t *testing.T) {
	g := opened(t)
	admin := g.person(Admin)
	f := g.define("Tub")[0]
	require.NoError(t, g.RelabelField(admin, f.ID, "Pool"))
	require.NoError(t, g.RetireField(admin, f.ID, true))
	require.NoError(t, g.RetireField(admin, f.ID, false))
	require.True(t, slices.Equal([]string{
		"Olive field.add x_tub", "Olive field.label x_tub", "Olive field.retire x_tub", "Olive field.restore x_tub",
	}, g.told()))
}
