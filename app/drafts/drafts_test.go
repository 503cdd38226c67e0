package drafts

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"birthregistry/app/auth"
	"birthregistry/app/seal"
	"birthregistry/store"
	"birthregistry/store/storetest"
)

func TestMain(m *testing.M) { os.Exit(storetest.OffTheDisk(m)) }

type fixture struct {
	*Service
	t     testing.TB
	users map[string]auth.User // by role
}

func opened(t testing.TB) *fixture {
	t.Helper()
	db, err := store.Open(t.Context(), storetest.Blank(t, filepath.Join(t.TempDir(), "registry.db"), store.Open))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	vault, _, err := seal.Open(db, db.Path()+".key")
	require.NoError(t, err)
	f := &fixture{New(db, vault, auth.New(db, vault)), t, map[string]auth.User{}}
	p, q := f.practice("Riverside"), f.practice("Elsewhere")
	for _, role := range []auth.Role{auth.Admin, auth.Provider, auth.Scribe, auth.Viewer} {
		f.users[string(role)] = f.user(p, role, "one")
	}
	f.users["other scribe"], f.users["stranger"] = f.user(p, auth.Scribe, "two"), f.user(q, auth.Admin, "far")
	return f
}

func (f *fixture) practice(name string) (p store.PracticeID) {
	require.NoError(f.t, f.db.Update(func(tx *store.Tx) (err error) {
		p, err = tx.AddPractice(name, false, true)
		return err
	}))
	return p
}

func (f *fixture) user(p store.PracticeID, role auth.Role, name string) auth.User {
	var id int64
	require.NoError(f.t, f.db.Update(func(tx *store.Tx) (err error) {
		id, err = tx.AddUser(fmt.Sprintf("%s-%s@example.org", role, name), name)
		return err
	}))
	return auth.User{ID: id, Name: name, Role: role, Practice: store.Practice{ID: p}}
}

func typed(family string) Content {
	return Content{Typed: url.Values{"mother_family_name": {family}, "infections": {"herpes", "gonorrhea"}}}
}

func (f *fixture) save(who, token string, seen int, c Content) (Draft, error) {
	return f.Save(context.Background(), f.users[who], token, seen, c)
}

func TestADraftKeepsWhatWasTyped(t *testing.T) {
	f, token := opened(t), uuid.NewString()
	saved, err := f.save("scribe", token, 0, typed("Okonkwo"))
	require.NoError(t, err)
	require.Equal(t, 1, saved.Revision)
	d, err := f.Open(t.Context(), f.users["scribe"], token)
	require.NoError(t, err)
	require.Equal(t, typed("Okonkwo"), d.Content)
	again, err := f.save("scribe", token, 1, typed("Okonkwo"))
	require.NoError(t, err)
	require.Equal(t, 1, again.Revision, "nothing has changed")
}

func TestOnlyItsAuthorAndThoseWithPermissionOpenADraft(t *testing.T) {
	f, token := opened(t), uuid.NewString()
	_, err := f.save("scribe", token, 0, typed("Okonkwo"))
	require.NoError(t, err)
	for who, may := range map[string]bool{
		"scribe": true, "admin": true, "provider": true, "other scribe": false, "viewer": false, "stranger": false,
	} {
		_, err := f.Open(t.Context(), f.users[who], token)
		list, listed := f.List(t.Context(), f.users[who], true, 9)
		require.NoError(t, listed)
		if may {
			require.NoError(t, err, who)
			require.Len(t, list, 1, who)
			continue
		}
		require.ErrorIs(t, err, store.ErrNotFound, who)
		require.Empty(t, list, who)
		require.ErrorIs(t, f.Discard(f.users[who], token), store.ErrNotFound, who)
		if who != "viewer" {
			_, err = f.save(who, token, 1, typed("Taken"))
			require.Error(t, err, who)
		}
	}
	_, err = f.save("viewer", uuid.NewString(), 0, typed("Okonkwo"))
	require.ErrorIs(t, err, auth.ErrForbidden)
	own, err := f.List(t.Context(), f.users["admin"], false, 9)
	require.NoError(t, err)
	require.Empty(t, own)
}

func TestAPageThatHasNotSeenTheLastChangeOverwritesNothing(t *testing.T) {
	f, token := opened(t), uuid.NewString()
	_, err := f.save("scribe", token, 0, typed("Okonkwo"))
	require.NoError(t, err)
	_, err = f.save("scribe", token, 1, typed("Okafor"))
	require.NoError(t, err)
	stored, err := f.save("scribe", token, 1, typed("Stale"))
	require.ErrorIs(t, err, ErrStale)
	require.Equal(t, "Okafor", stored.Typed.Get("mother_family_name"))
	stored, err = f.save("scribe", token, 0, typed("Empty once"))
	require.ErrorIs(t, err, ErrStale)
	require.Equal(t, 2, stored.Revision)
	require.NoError(t, f.Discard(f.users["scribe"], token))
	_, err = f.save("scribe", token, 2, typed("Late"))
	require.ErrorIs(t, err, ErrGone)
}

func TestADraftIsSealedToItsPlace(t *testing.T) {
	f, one, two := opened(t), uuid.NewString(), uuid.NewString()
	for _, token := range []string{one, two} {
		_, err := f.save("scribe", token, 0, typed("Okonkwo"))
		require.NoError(t, err)
	}
	var sealed store.Draft
	require.NoError(t, f.db.Update(func(tx *store.Tx) (err error) {
		p := f.users["scribe"].Practice.ID
		if sealed, err = tx.Draft(p, one); err != nil {
			return err
		}
		return tx.SetDraft(p, two, 1, sealed.Sealed)
	}))
	require.NotContains(t, string(sealed.Sealed), "Okonkwo")
	_, err := f.Open(t.Context(), f.users["scribe"], two)
	require.ErrorIs(t, err, seal.ErrSealed)
}

func TestDraftsAreBounded(t *testing.T) {
	f := opened(t)
	large := typed(strings.Repeat("x", MaxTyped))
	_, err := f.save("scribe", uuid.NewString(), 0, large)
	require.ErrorIs(t, err, ErrTooLarge)
	_, err = f.save("scribe", "not a token", 0, typed("Okonkwo"))
	require.ErrorIs(t, err, store.ErrNotFound)
	who := f.users["scribe"]
	require.NoError(t, f.db.Update(func(tx *store.Tx) error {
		for range mostOfAuthor {
			if err := tx.AddDraft(who.Practice.ID, store.Draft{Token: uuid.NewString(), Author: who.ID, Sealed: []byte("x")}); err != nil {
				return err
			}
		}
		return nil
	}))
	_, err = f.save("scribe", uuid.NewString(), 0, typed("Okonkwo"))
	require.ErrorIs(t, err, ErrTooMany)
	_, err = f.save("admin", uuid.NewString(), 0, typed("Okonkwo"))
	require.NoError(t, err, "another author's are counted apart")
}

func TestADraftAgesOutAfterThirtyDaysWithANoticeSevenDaysBefore(t *testing.T) {
	saved := time.Date(2026, 3, 2, 16, 0, 0, 0, time.UTC)
	d := Draft{SavedAt: saved}
	require.False(t, d.EndsSoon(saved.Add(22*24*time.Hour)))
	require.True(t, d.EndsSoon(saved.Add(23*24*time.Hour+time.Minute)))
	require.Equal(t, saved.Add(30*24*time.Hour), d.EndsAt())
}

func TestTheAuditTrailRecordsWhoOpensAnothersDraftAndWhoDiscardsOne(t *testing.T) {
	f, token := opened(t), uuid.NewString()
	_, err := f.save("scribe", token, 0, typed("Okonkwo"))
	require.NoError(t, err)
	for _, who := range []string{"scribe", "admin"} {
		_, err = f.Open(t.Context(), f.users[who], token)
		require.NoError(t, err)
	}
	require.NoError(t, f.Discard(f.users["scribe"], token))
	entries, err := f.auth.AuditEntries(t.Context(), f.users["admin"], store.AuditFilter{}, 0, false, 9)
	require.NoError(t, err)
	var acts []string
	for _, e := range entries {
		require.Equal(t, token, e.Object)
		acts = append(acts, fmt.Sprint(e.Action, " ", e.User))
	}
	require.Equal(t, []string{
		fmt.Sprint("draft.discard ", f.users["scribe"].ID), fmt.Sprint("draft.open ", f.users["admin"].ID),
	}, acts)
}

func TestAPageHasSeenEverythingThatItSentInWhateverOrderItArrives(t *testing.T) {
	f, token := opened(t), uuid.NewString()
	from := func(page string, step int, family string) Content {
		c := typed(family)
		c.Page, c.Step = page, step
		return c
	}
	for _, row := range []struct {
		content Content
		seen    int
		stale   bool
		stored  string
	}{
		{from("a", 1, "Ok"), 0, false, "Ok"},
		{from("a", 3, "Okafor"), 0, false, "Okafor"},
		{from("a", 2, "Oka"), 0, false, "Okafor"}, // out of date
		{from("b", 1, "Lindqvist"), 1, true, "Okafor"},
		{from("b", 1, "Lindqvist"), 2, false, "Lindqvist"},
		{from("a", 4, "Okafor-Lee"), 2, true, "Lindqvist"},
		{from("b", 1, "Back"), 2, true, "Lindqvist"}, // the earlier page, shown again
	} {
		_, err := f.save("scribe", token, row.seen, row.content)
		require.Equal(t, row.stale, errors.Is(err, ErrStale), row.content)
		d, err := f.Open(t.Context(), f.users["scribe"], token)
		require.NoError(t, err)
		require.Equal(t, row.stored, d.Typed.Get("mother_family_name"))
	}
}

func TestSimultaneousRequestsOfOnePageAreNotStale(t *testing.T) {
	f, token := opened(t), uuid.NewString()
	var sending sync.WaitGroup
	for n := range 20 {
		sending.Go(func() {
			c := typed(fmt.Sprint("Okonkwo ", n))
			c.Page, c.Step = "a", n+1
			_, err := f.save("scribe", token, 0, c)
			assert.NoError(t, err)
		})
	}
	sending.Wait()
	d, err := f.Open(t.Context(), f.users["scribe"], token)
	require.NoError(t, err)
	require.Equal(t, "Okonkwo 19", d.Typed.Get("mother_family_name"))
}
