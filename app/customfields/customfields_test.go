package customfields

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/seal"
	"birthregistry/store"
	"birthregistry/store/storetest"
)

func TestMain(m *testing.M) { os.Exit(storetest.OffTheDisk(m)) }

// fixture is the service on a real database with one practice.
type fixture struct {
	*Service
	t testing.TB
	p store.PracticeID
}

func opened(t testing.TB) *fixture {
	t.Helper()
	db, err := store.Open(t.Context(), storetest.Blank(t, filepath.Join(t.TempDir(), "registry.db"), store.Open))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	vault, _, err := seal.Open(db, db.Path()+".key")
	require.NoError(t, err)
	require.NoError(t, vault.Ready())
	f := &fixture{New(db, auth.New(db, vault)), t, 0}
	f.p = f.practice()
	return f
}

func (fx *fixture) practice() (p store.PracticeID) {
	fx.t.Helper()
	require.NoError(fx.t, fx.db.Update(func(tx *store.Tx) (err error) {
		p, err = tx.AddPractice("Riverside", false, true)
		return err
	}))
	return p
}

func (fx *fixture) user(r auth.Role) auth.User { return userOf(fx.p, r) }

func userOf(p store.PracticeID, r auth.Role) auth.User {
	return auth.User{Name: "Olive", Practice: store.Practice{ID: p}, Role: r, Address: "192.0.2.7"}
}

// trail returns the audit trail, each entry as "who action object", oldest first.
func (fx *fixture) trail() (all []string) {
	fx.t.Helper()
	rows, err := fx.auth.AuditEntries(fx.t.Context(), fx.user(auth.Admin), store.AuditFilter{}, 0, false, 100)
	require.NoError(fx.t, err)
	for _, row := range slices.Backward(rows) {
		all = append(all, row.Actor+" "+row.Action+" "+row.Object)
	}
	return all
}

func text(label string) birth.CustomField {
	return birth.CustomField{Label: label, Kind: birth.CustomText}
}

func (fx *fixture) define(labels ...string) (all []birth.CustomField) {
	fx.t.Helper()
	for _, label := range labels {
		f, err := fx.Define(fx.user(auth.Admin), text(label))
		require.NoError(fx.t, err, label)
		all = append(all, f)
	}
	return all
}

// fields lists the keys of the practice's custom fields, retired ones in parentheses.
func (fx *fixture) fields() (keys []string) {
	fx.t.Helper()
	all, err := fx.List(context.Background(), fx.p)
	require.NoError(fx.t, err)
	for _, f := range all {
		if f.Retired {
			f.Key = "(" + f.Key + ")"
		}
		keys = append(keys, f.Key)
	}
	return keys
}

func TestTheKeyOfAFieldIsMadeFromItsLabelAndNeverUsedTwice(t *testing.T) {
	fx := opened(t)
	for _, c := range [][2]string{
		{"Birth tub", "birth_tub"},
		{"  Zeit im  Bécken (h) ", "zeit_im_becken_h"},
		{"24/7?", "24_7"},
		{"<script>", "script"},
		{"Ж", "field"},
		{"名", "field_2"},
		{"_", "field_3"},
		{strings.Repeat("long ", 12), strings.Repeat("long_", 7) + "long"},
	} {
		f, err := fx.Define(fx.user(auth.Admin), text(c[0]))
		require.NoError(t, err, c[0])
		require.Equal(t, c[1], f.Key)
		require.Equal(t, "x_"+c[1], f.Name())
	}
	tub := fx.define("Tub!")[0]
	require.Equal(t, "tub", tub.Key)
	require.NoError(t, fx.SetRetired(fx.user(auth.Admin), tub.ID, true))
	require.Equal(t, "tub_2", fx.define("Tub!")[0].Key, "a retired field keeps its key")
	require.NoError(t, fx.Relabel(fx.user(auth.Admin), tub.ID, "Pool"))
	require.Contains(t, fx.fields(), "(tub)", "a key never changes")
}

func TestOnlyAnAdminDefinesFields(t *testing.T) {
	fx := opened(t)
	f := fx.define("Tub")[0]
	for _, role := range []auth.Role{auth.Provider, auth.Scribe, auth.Viewer} {
		who := fx.user(role)
		_, err := fx.Define(who, text("Room"))
		require.ErrorIs(t, err, auth.ErrForbidden)
		require.ErrorIs(t, fx.Relabel(who, f.ID, ""), auth.ErrForbidden)
		require.ErrorIs(t, fx.SetRetired(who, f.ID, true), auth.ErrForbidden)
		require.ErrorIs(t, fx.Move(who, f.ID, true), auth.ErrForbidden)
	}
	require.Equal(t, []string{"tub"}, fx.fields())
}

func TestInvalidFieldsAreRefused(t *testing.T) {
	fx := opened(t)
	admin := fx.user(auth.Admin)
	choice := func(options ...string) birth.CustomField {
		return birth.CustomField{Label: "Room", Kind: birth.CustomChoice, Options: options}
	}
	many := make([]string, MaxChoices+1)
	for i := range many {
		many[i] = fmt.Sprint(i)
	}
	for name, c := range map[string]struct {
		field birth.CustomField
		want  error
	}{
		"no label":              {text(" "), auth.ErrBadLabel},
		"a label of 61":         {text(strings.Repeat("x", 61)), auth.ErrBadLabel},
		"a NUL":                 {text("a\x00b"), auth.ErrBadLabel},
		"text that runs back":   {text("a\u202eb"), auth.ErrBadLabel},
		"no kind":               {birth.CustomField{Label: "Room"}, ErrKind},
		"another kind":          {birth.CustomField{Label: "Room", Kind: "file"}, ErrKind},
		"no choices":            {choice(), ErrChoices},
		"one choice":            {choice("Blue", " "), ErrChoices},
		"the same choice twice": {choice("Blue", "blue "), ErrChoices},
		"a choice too long":     {choice("Blue", strings.Repeat("x", 61)), ErrChoices},
		"too many choices":      {choice(many...), ErrChoices},
	} {
		_, err := fx.Define(admin, c.field)
		require.ErrorIs(t, err, c.want, name)
	}
	require.Empty(t, fx.fields())
	f, err := fx.Define(admin, choice(" Blue  room ", "", "Green"))
	require.NoError(t, err)
	require.Equal(t, []string{"Blue room", "Green"}, f.Options)
	_, err = fx.Define(admin, text("ROOM"))
	require.ErrorIs(t, err, ErrLabelTaken)
	f, err = fx.Define(admin, birth.CustomField{Label: "Hours", Kind: birth.CustomNumber, Options: []string{"x", "y"}})
	require.NoError(t, err)
	require.Empty(t, f.Options, "only a choice has choices")
}

func TestAPracticeHasAtMostFiftyFieldsInUse(t *testing.T) {
	fx := opened(t)
	admin := fx.user(auth.Admin)
	var all []birth.CustomField
	for n := range Max {
		all = append(all, fx.define(fmt.Sprint("Field ", n))...)
	}
	_, err := fx.Define(admin, text("One more"))
	require.ErrorIs(t, err, ErrTooMany)
	require.NoError(t, fx.SetRetired(admin, all[0].ID, true))
	fx.define("One more")
	require.ErrorIs(t, fx.SetRetired(admin, all[0].ID, false), ErrTooMany)
}

func TestFieldsMoveAmongThoseInUse(t *testing.T) {
	fx := opened(t)
	admin := fx.user(auth.Admin)
	all := fx.define("a", "b", "c", "d")
	require.NoError(t, fx.SetRetired(admin, all[1].ID, true))
	require.NoError(t, fx.Move(admin, all[2].ID, true))
	require.Equal(t, []string{"c", "(b)", "a", "d"}, fx.fields())
	require.NoError(t, fx.Move(admin, all[2].ID, true), "it is the first")
	require.NoError(t, fx.Move(admin, all[3].ID, false), "it is the last")
	require.Equal(t, []string{"c", "(b)", "a", "d"}, fx.fields())
	require.NoError(t, fx.Move(admin, all[2].ID, false))
	require.Equal(t, []string{"a", "(b)", "c", "d"}, fx.fields())
}

func TestALabelIsFreeAgainWhenItsFieldIsRetired(t *testing.T) {
	fx := opened(t)
	admin := fx.user(auth.Admin)
	all := fx.define("Tub", "Room")
	require.ErrorIs(t, fx.Relabel(admin, all[1].ID, " tub "), ErrLabelTaken)
	require.NoError(t, fx.Relabel(admin, all[0].ID, "TUB"), "its own label in another case")
	require.NoError(t, fx.SetRetired(admin, all[0].ID, true))
	require.NoError(t, fx.Relabel(admin, all[1].ID, "Tub"))
	require.ErrorIs(t, fx.SetRetired(admin, all[0].ID, false), ErrLabelTaken)
}

func TestTheFieldsOfAnotherPracticeAreNotFound(t *testing.T) {
	fx := opened(t)
	f := fx.define("Tub")[0]
	other := userOf(fx.practice(), auth.Admin)
	require.ErrorIs(t, fx.Relabel(other, f.ID, "Mine"), store.ErrNotFound)
	require.ErrorIs(t, fx.SetRetired(other, f.ID, true), store.ErrNotFound)
	require.ErrorIs(t, fx.Move(other, f.ID, true), store.ErrNotFound)
	others, err := fx.List(t.Context(), other.Practice.ID)
	require.NoError(t, err)
	require.Empty(t, others)
}

func TestChangesOfFieldsAreInTheAuditTrail(t *testing.T) {
	fx := opened(t)
	admin := fx.user(auth.Admin)
	f := fx.define("Tub")[0]
	require.NoError(t, fx.Relabel(admin, f.ID, "Pool"))
	require.NoError(t, fx.SetRetired(admin, f.ID, true))
	require.NoError(t, fx.SetRetired(admin, f.ID, false))
	require.True(t, slices.Equal([]string{
		"Olive field.add x_tub", "Olive field.label x_tub", "Olive field.retire x_tub", "Olive field.restore x_tub",
	}, fx.trail()))
}
