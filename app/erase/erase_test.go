package erase_test

import (
	"bytes"
	"context"
	"database/sql"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/audit"
	"birthregistry/app/birth"
	"birthregistry/app/changes"
	"birthregistry/app/fixture"
	"birthregistry/app/imports"
	"birthregistry/store"
	"birthregistry/store/storetest"
)

// pieces returns parts of every value that is stored under a record: of its sealed values, its
// values in clear, and its hashes.
func pieces(t *testing.T, path, uuid string) (all [][]byte) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?mode=ro")
	require.NoError(t, err)
	defer db.Close() //nolint:errcheck // only read
	rows, err := db.Query(`
		select patient from versions where record = (select id from records where uuid = ?1) and patient is not null
		union all select clinical from versions where record = (select id from records where uuid = ?1) and clinical is not null
		union all select note from versions where record = (select id from records where uuid = ?1) and note is not null
		union all select sealed from custom_values where record = (select id from records where uuid = ?1)
		union all select print from fingerprints where record = (select id from records where uuid = ?1)
		union all select word from names where record = (select id from records where uuid = ?1)`, uuid)
	require.NoError(t, err)
	defer rows.Close() //nolint:errcheck // read to its end
	for rows.Next() {
		var value []byte
		require.NoError(t, rows.Scan(&value))
		if len(value) > 80 { // the ends differ from record to record
			value = value[len(value)-60:]
		}
		all = append(all, value)
	}
	require.NoError(t, rows.Err())
	return all
}

// left counts the pieces that are still in the file or its WAL.
func left(t *testing.T, path string, pieces [][]byte) (n int) {
	t.Helper()
	var content []byte
	for _, name := range []string{path, path + "-wal"} {
		part, err := os.ReadFile(name)
		require.NoError(t, err)
		content = append(content, part...)
	}
	for _, piece := range pieces {
		if bytes.Contains(content, piece) {
			n++
		}
	}
	return n
}

// truncate empties the WAL as the worker does within a minute.
func truncate(c *fixture.Pair) {
	c.Helper()
	require.True(c, c.Ingest.TakeTruncationPending(), "an erasure asks for it")
	clean, err := c.DB.TruncateWAL(context.Background())
	require.NoError(c, err)
	require.True(c, clean)
}

func erases(c *fixture.Pair, chart, reason string) {
	c.Helper()
	r := c.At(chart)
	require.NoError(c, c.Erase.Birth(context.Background(), c.Admin, r.UUID, reason, r.Version))
}

func intact(c *fixture.Pair) {
	c.Helper()
	c.Clean()
	state, err := audit.New(c.DB, c.Vault).Verify(context.Background())
	require.NoError(c, err)
	require.Zero(c, state.Broken, "the chain of the trail")
}

func TestAnErasedBirthIsGoneFromTheFileWithEveryVersion(t *testing.T) {
	c := fixture.NewPair(t)
	c.Push(strings.Replace(fixture.Birth("9", "Zyxwvut", fixture.Evening), `"id":"m"`, `"id":"CNRYmother"`, 1))
	nine := c.At("9")
	on := c.Base("9")
	on.Draft.Children[0].Set(birth.Must("birth_weight_g"), birth.Value{Number: 3333, Source: birth.Manual})
	c.Save(c.Provider, changes.Form{Draft: on.Draft, UUID: nine.UUID, BaseVersion: nine.Version, Custom: map[string]string{"tub": "CNRY"}})
	_, err := c.Changes.Void(c.Provider, nine.UUID, "a reason that names the client", 2)
	require.NoError(t, err)
	held := pieces(t, c.Path, nine.UUID)
	require.GreaterOrEqual(t, len(held), 8)
	require.Equal(t, len(held), left(t, c.Path, held), "each is found as long as it is there")
	before := pieces(t, c.Path, c.One.UUID)

	erases(c, "9", store.ErasedOnRequest)
	truncate(c)
	require.Zero(t, left(t, c.Path, held))
	require.NoError(t, c.DB.Compact(t.Context()))
	require.Zero(t, left(t, c.Path, held))
	require.Equal(t, before, pieces(t, c.Path, c.One.UUID), "another record stays as it is")
	require.Len(t, c.Records(), 2)
	require.Contains(t, c.Trail(), "record.erase-on-request "+nine.UUID)
	intact(c)
}

func TestAReceiptNoLongerSaysWhichResourceWasTheErasedBirth(t *testing.T) {
	c := fixture.NewPair(t)
	first := c.Accept(fixture.Birth("9", "Zyxwvut", fixture.Evening))
	c.Drain()
	again := c.Accept(fixture.Birth("9", "Zyxwvut", fixture.Evening))
	c.Drain()
	c.Retract("9")
	nothing := c.Accept(`{"resourceType":"Bundle","type":"document","identifier":{"value":"9"},"entry":[
		{"resource":{"resourceType":"Composition","id":"CNRY","status":"entered-in-error"}}]}`)
	c.Drain()
	other := c.Accept(fixture.Birth("10", "Abcdef", fixture.Evening))
	c.Drain()
	uuid := c.At("9").UUID
	untouched := c.Receipt(other)
	erases(c, "9", store.ErasedByMistake)
	for _, id := range []string{first, again, nothing} {
		out := c.Outcome(id)
		require.Len(t, out.Accepted, 1)
		require.Equal(t, "erased", out.Accepted[0].Reference)
		require.Equal(t, uuid, out.Accepted[0].Submission)
	}
	require.Equal(t, untouched, c.Receipt(other))
	intact(c)
}

func TestAnErasedChartNumberComesBackOnlyAfterAnAdminAllowsIt(t *testing.T) {
	c := fixture.NewPair(t)
	id := c.At("1").ID
	erases(c, "2", store.ErasedOnRequest)
	erases(c, "1", store.ErasedOnRequest)
	push := fixture.Birth("2", "Okonkwo", fixture.Evening)
	require.Equal(t, "erased", c.Only(c.Push(push)))
	require.Equal(t, "erased", c.Only(c.Push(push)))
	require.Equal(t, "unknown-chart", c.Only(c.Retract("2")), "a retraction brings nothing back")
	_, err := c.Changes.Save(c.Provider, changes.Form{Draft: fixture.Typed("2", "Okonkwo", 3000)})
	require.ErrorIs(t, err, changes.ErrErased)
	require.Empty(t, c.Records())

	stones, err := c.Erase.Tombstones(context.Background(), c.Caller.Practice, 10)
	require.NoError(t, err)
	require.Len(t, stones, 2)
	require.Equal(t, []any{2, c.Two.UUID, store.ErasedOnRequest}, []any{stones[0].Refused, stones[0].UUID, stones[0].Reason})
	attention := func() int {
		w, err := store.Read(context.Background(), c.DB, func(v *store.View) (store.NeedsAttention, error) {
			return v.NeedsAttention(c.Caller.Practice, time.Now())
		})
		require.NoError(t, err)
		return w.Refused
	}
	require.Equal(t, 1, attention())
	require.NoError(t, c.Erase.Keep(c.Admin, stones[0].ID))
	require.Contains(t, c.Trail(), "record.keep-out "+stones[0].UUID)
	require.Zero(t, attention(), "an admin has seen it")
	require.Error(t, c.Erase.Lift(c.Provider, stones[0].ID), "only an admin")
	require.NoError(t, c.Erase.Lift(c.Admin, stones[0].ID))
	require.ErrorIs(t, c.Erase.Lift(c.Admin, stones[0].ID), store.ErrNotFound)
	require.Empty(t, c.Only(c.Push(push)))
	require.Greater(t, c.At("2").ID, id+1, "the number of an erased record is never given again")
	require.Contains(t, c.Trail(), "record.allow-again "+c.Two.UUID)
	intact(c)
}

func TestANumberThatTheRegistryAssignedIsErasedInItsOwnNamespace(t *testing.T) {
	c := fixture.NewPair(t)
	saved := c.Save(c.Provider, changes.Form{Draft: fixture.Typed("", "Haddad", 3200)})
	erases(c, saved.Chart, store.ErasedByMistake)
	require.Empty(t, c.Only(c.Push(fixture.Birth(saved.Chart, "Another", fixture.Evening))), "another system may have the same number")
	next := c.Save(c.Provider, changes.Form{Draft: fixture.Typed("", "Haddad", 3200)})
	require.NotEqual(t, saved.Chart, next.Chart)
	intact(c)
}

func TestErasingOneOfAPairLeavesTheOtherUnsuspected(t *testing.T) {
	c := fixture.NewPair(t)
	require.Equal(t, 1, c.Waiting())
	erases(c, "1", store.ErasedByMistake)
	require.Zero(t, c.Waiting())
	require.False(t, c.At("2").Suspected)
	intact(c)
}

func TestAMergedBirthIsErasedAsOne(t *testing.T) {
	c := fixture.NewPair(t)
	c.Did(c.Review.Merge(c.Provider, c.Of(), "typed twice", nil))
	two := c.At("2")
	err := c.Erase.Birth(context.Background(), c.Admin, two.UUID, store.ErasedOnRequest, two.Version)
	require.ErrorIs(t, err, changes.ErrMergedAway, "what was merged away is not erased alone")
	require.Len(t, c.Records(), 2)
	held := append(pieces(t, c.Path, c.One.UUID), pieces(t, c.Path, c.Two.UUID)...)
	erases(c, "1", store.ErasedOnRequest)
	truncate(c)
	require.Zero(t, left(t, c.Path, held))
	require.Empty(t, c.Records())
	for _, chart := range []string{"1", "2"} {
		require.Equal(t, "erased", c.Only(c.Push(fixture.Birth(chart, "Okonkwo", fixture.Evening))))
	}
	intact(c)
}

func TestARecordVoidedAsADuplicateStaysWhenTheOtherIsErased(t *testing.T) {
	c := fixture.NewPair(t)
	c.Did(c.Review.VoidOne(c.Provider, c.Of(), "typed twice"))
	erases(c, "1", store.ErasedByMistake)
	require.Equal(t, birth.Voided, c.At("2").State)
	_, err := c.Changes.Restore(c.Provider, c.Two.UUID, "it is the birth")
	require.NoError(t, err)
	intact(c)
}

func TestOnlyAnAdminErasesAndOnlyTheVersionThatWasSeen(t *testing.T) {
	c := fixture.NewPair(t)
	one := c.At("1")
	require.Error(t, c.Erase.Birth(context.Background(), c.Provider, one.UUID, store.ErasedOnRequest, one.Version))
	require.ErrorIs(t, c.Erase.Birth(context.Background(), c.Admin, one.UUID, store.ErasedOnRequest, one.Version+1), changes.ErrChanged)
	require.Error(t, c.Erase.Birth(context.Background(), c.Admin, one.UUID, "because", one.Version))
	require.ErrorIs(t, c.Erase.Birth(context.Background(), c.Admin, "nobody", store.ErasedOnRequest, 1), store.ErrNotFound)
	require.Len(t, c.Records(), 2)
	require.NotContains(t, strings.Join(c.Trail(), " "), "record.erase")
}

func TestDataKeptAboutAnImportedFileIsErasedWithABirthInIt(t *testing.T) {
	c := fixture.NewPair(t)
	i := c.Imported(c.Admin, fixture.Head+"9,Zyxwvut,Ada,2026-03-02T16:18:00-05:00,3000,\n10,Abcdef,Ada,not a date,3000,\n")
	require.NotEmpty(t, i.About.Preview.Values)
	require.NotEmpty(t, i.About.Preview.First)
	erases(c, "9", store.ErasedOnRequest)
	i, err := c.Imports.Import(t.Context(), c.Admin, i.ID)
	require.NoError(t, err)
	require.Empty(t, i.About.Preview.Values[0].Value)
	for _, row := range i.About.Preview.First {
		require.Empty(t, row.Chart+row.Born)
	}
	intact(c)
}

func TestABirthIsNotErasedWhileAFileThatHasItIsImported(t *testing.T) {
	c := fixture.NewPair(t)
	i := c.Imported(c.Admin, fixture.Head+"9,Zyxwvut,Ada,2026-03-02T16:18:00-05:00,3000,\n")
	storetest.Exec(t, c.Path, `update ingestions set status = 'processing' where public_id = '`+i.ID+`'`)
	require.ErrorIs(t, c.Erase.Birth(t.Context(), c.Admin, c.At("9").UUID, store.ErasedOnRequest, 1), imports.ErrRunning)
	require.Len(t, c.Records(), 3)
}
