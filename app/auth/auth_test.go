package auth

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/auth/internal/cost"
	"birthregistry/app/seal"
	"birthregistry/store"
	"birthregistry/store/storetest"
)

// TestMain makes password hashes cheap, and lets the test binary run as another process, which
// revokes a key.
func TestMain(m *testing.M) {
	cost.Now = cost.Argon2id{Memory: 8, Passes: 1}
	path := os.Getenv("ACCESS_CHILD_DB")
	if path == "" {
		os.Exit(storetest.OffTheDisk(m))
	}
	db, err := store.Open(context.Background(), path)
	if err == nil {
		err = errors.Join(db.Update(func(tx *store.Tx) error { return tx.RevokeAPIKey(1, 1) }), db.Close())
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// gate is an Access on a real database with a practice that may mint keys.
type gate struct {
	*Service
	t  testing.TB
	db *store.DB
	p  store.PracticeID
}

// RedeemLink uses a link with a password, and returns the address of its user.
func (g *gate) RedeemLink(ctx context.Context, code, password, address string) (email string, err error) {
	done, err := g.Redeem(ctx, LinkUse{Code: code, Password: password, Address: address})
	return done.Email, err
}

func opened(t testing.TB) *gate {
	t.Helper()
	db, err := store.Open(t.Context(), storetest.Blank(t, filepath.Join(t.TempDir(), "registry.db"), store.Open))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	vault, _, err := seal.Open(db, db.Path()+".key")
	require.NoError(t, err)
	require.NoError(t, vault.Ready())
	g := &gate{New(db, vault), t, db, 0}
	g.p = g.practice(true)
	return g
}

func (g *gate) practice(beta bool) (p store.PracticeID) {
	g.t.Helper()
	require.NoError(g.t, g.db.Update(func(tx *store.Tx) (err error) {
		p, err = tx.AddPractice("Riverside", false, beta)
		return err
	}))
	return p
}

func (g *gate) mint(scopes ...string) (string, store.APIKey) {
	g.t.Helper()
	key, minted, err := g.Mint(g.p, "nightly", scopes, "operator")
	require.NoError(g.t, err)
	return key, minted
}

func (g *gate) keys(p store.PracticeID) (all []store.APIKey) {
	g.t.Helper()
	require.NoError(g.t, g.db.View(context.Background(), func(v *store.View) (err error) {
		all, err = v.APIKeys(p)
		return err
	}))
	return all
}

func TestAMintedKeyIdentifiesItsCallerAndScopes(t *testing.T) {
	g := opened(t)
	for _, c := range []struct {
		scopes      []string
		write, read bool
	}{
		{[]string{"ingest:write"}, true, false},
		{[]string{"ingest:read"}, false, true},
		{[]string{"ingest:read", "ingest:write", "ingest:read"}, true, true},
	} {
		key, minted := g.mint(c.scopes...)
		who, err := g.Identify(t.Context(), key)
		require.NoError(t, err)
		require.Equal(t, g.p, who.Practice)
		require.Equal(t, minted.ID, who.Key)
		require.Equal(t, c.write, who.May(IngestWrite))
		require.Equal(t, c.read, who.May(IngestRead))
		require.False(t, who.May("ingest"))
		require.False(t, who.May(""))
	}
	require.False(t, Caller{}.May(IngestRead))
	all := g.keys(g.p)
	require.Len(t, all, 3)
	require.Equal(t, []string{"ingest:write", "ingest:read"}, all[2].Scopes, "each once, in the order of the list")
}

func TestAMintedKeyIsListedAsItWasMinted(t *testing.T) {
	g := opened(t)
	key, minted, err := g.Mint(g.p, "  nightly ♥ sync\t", []string{"ingest:write"}, "ann@example.org")
	require.NoError(t, err)
	require.Equal(t, store.APIKey{
		ID: minted.ID, Practice: g.p, Label: "nightly ♥ sync", Scopes: []string{"ingest:write"}, Prefix: key[:8],
		MintedBy: "ann@example.org", CreatedAt: minted.CreatedAt,
	}, minted)
	require.Equal(t, []store.APIKey{minted}, g.keys(g.p))
}

func TestMintingIsRefusedWithoutBetaScopeOrLabelAndStoresNothing(t *testing.T) {
	g := opened(t)
	without := g.practice(false)
	for _, c := range []struct {
		p      store.PracticeID
		label  string
		scopes []string
		want   error
	}{
		{without, "nightly", []string{"ingest:write"}, ErrNoBeta},
		{77, "nightly", []string{"ingest:write"}, store.ErrNotFound},
		{g.p, "nightly", nil, ErrNoScope},
		{g.p, "nightly", []string{"ingest:admin"}, ErrNoScope},
		{g.p, "nightly", []string{"ingest:write", "ingest:admin"}, ErrNoScope},
		{g.p, "nightly", []string{"INGEST:WRITE"}, ErrNoScope},
		{g.p, "nightly", []string{""}, ErrNoScope},
		{g.p, "nightly", []string{"ingest:write ingest:read"}, ErrNoScope},
		{g.p, "", []string{"ingest:write"}, ErrBadLabel},
		{g.p, "", nil, ErrBadLabel},
		{g.p, "", nil, ErrNoScope},
		{g.p, " \t\n ", []string{"ingest:write"}, ErrBadLabel},
		{g.p, strings.Repeat("ü", 61), []string{"ingest:write"}, ErrBadLabel},
		{g.p, "two\nlines", []string{"ingest:write"}, ErrBadLabel},
		{g.p, "red \x1b[31m", []string{"ingest:write"}, ErrBadLabel},
		{g.p, "turned \u202e round", []string{"ingest:write"}, ErrBadLabel},
		{g.p, "not UTF-8 \xff", []string{"ingest:write"}, ErrBadLabel},
	} {
		key, minted, err := g.Mint(c.p, c.label, c.scopes, "operator")
		require.ErrorIs(t, err, c.want, "%q %v", c.label, c.scopes)
		require.Empty(t, key)
		require.Empty(t, minted)
	}
	require.Empty(t, g.keys(g.p))
	require.Empty(t, g.keys(without))
	_, _, err := g.Mint(g.p, strings.Repeat("ü", 60), []string{"ingest:write"}, "operator")
	require.NoError(t, err)
}

func TestARevokedKeyIsUnknownFromTheNextRequestOn(t *testing.T) {
	g := opened(t)
	key, minted := g.mint("ingest:write")
	kept, _ := g.mint("ingest:write")
	_, err := g.Identify(t.Context(), key)
	require.NoError(t, err)
	require.NoError(t, g.db.Update(func(tx *store.Tx) error { return tx.RevokeAPIKey(g.p, minted.ID) }))
	_, err = g.Identify(t.Context(), key)
	require.ErrorIs(t, err, ErrUnknownKey)
	_, err = g.Identify(t.Context(), kept)
	require.NoError(t, err)
}

func TestARevocationByAnotherProcessHoldsFromTheNextRequestOn(t *testing.T) {
	g := opened(t)
	key, minted := g.mint("ingest:write")
	require.Equal(t, int64(1), minted.ID)
	_, err := g.Identify(t.Context(), key)
	require.NoError(t, err)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "ACCESS_CHILD_DB="+g.db.Path())
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	_, err = g.Identify(t.Context(), key)
	require.ErrorIs(t, err, ErrUnknownKey)
}

func TestKeysMintedBeforeTheBetaWasWithdrawnStayValid(t *testing.T) {
	g := opened(t)
	key, _ := g.mint("ingest:write")
	require.NoError(t, g.db.Update(func(tx *store.Tx) error { return tx.SetEHRBeta(g.p, false) }))
	who, err := g.Identify(t.Context(), key)
	require.NoError(t, err)
	require.True(t, who.May(IngestWrite))
	_, _, err = g.Mint(g.p, "another", []string{"ingest:write"}, "operator")
	require.ErrorIs(t, err, ErrNoBeta)
}

func TestAKeyBelongsToItsPracticeAlone(t *testing.T) {
	g := opened(t)
	other := g.practice(true)
	key, minted := g.mint("ingest:write")
	foreign, _, err := g.Mint(other, "theirs", []string{"ingest:read"}, "operator")
	require.NoError(t, err)
	who, err := g.Identify(t.Context(), foreign)
	require.NoError(t, err)
	require.Equal(t, other, who.Practice)
	require.False(t, who.May(IngestWrite))
	require.ErrorIs(t, g.db.Update(func(tx *store.Tx) error { return tx.RevokeAPIKey(other, minted.ID) }), store.ErrNotFound)
	_, err = g.Identify(t.Context(), key)
	require.NoError(t, err)
	require.Len(t, g.keys(g.p), 1)
	require.Len(t, g.keys(other), 1)
}

func TestTheUseOfAKeyIsNotedOnceAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := opened(t)
		key, _ := g.mint("ingest:write")
		second, _ := g.mint("ingest:write")
		who, err := g.Identify(t.Context(), key)
		require.NoError(t, err)
		other, err := g.Identify(t.Context(), second)
		require.NoError(t, err)
		require.Nil(t, g.keys(g.p)[0].LastUsedAt)

		var due atomic.Int64
		var wg sync.WaitGroup
		for range 50 {
			wg.Go(func() {
				if g.UseDue(who) {
					due.Add(1)
				}
			})
		}
		wg.Wait()
		require.Equal(t, int64(1), due.Load())
		require.True(t, g.UseDue(other), "each key has its own minute")
		require.NoError(t, g.NoteUse(who))
		noted := time.Now().UTC().Truncate(time.Millisecond)
		time.Sleep(time.Minute - time.Millisecond)
		require.False(t, g.UseDue(who))
		time.Sleep(time.Millisecond)
		require.True(t, g.UseDue(who))
		require.False(t, g.UseDue(who))
		require.Equal(t, noted, *g.keys(g.p)[0].LastUsedAt)
		require.Nil(t, g.keys(g.p)[1].LastUsedAt)
	})
}
