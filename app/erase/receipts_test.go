package erase_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/auth"
	"birthregistry/app/fixture"
	"birthregistry/store"
)

const receipts = 120

// pushedNightly returns the receipts of a birth that its system sends every night.
func pushedNightly(c *fixture.Pair) (ids []string) {
	for range receipts {
		ids = append(ids, c.Accept(fixture.Birth("9", "Zyxwvut", fixture.Evening)))
	}
	c.Drain()
	return ids
}

// references counts the receipts that still say which resource was the birth.
func references(c *fixture.Pair, ids []string) (n int) {
	for _, id := range ids {
		for _, a := range c.Outcome(id).Accepted {
			if a.Reference != "erased" {
				n++
			}
		}
	}
	return n
}

func TestAnErasureRewritesReceiptsInTransactionsOfBoundedSize(t *testing.T) {
	c := fixture.NewPair(t)
	ids := pushedNightly(c)
	require.Equal(t, receipts, references(c, ids))
	var rows []int
	c.Erase.Before(func(n, bytes int) error {
		require.LessOrEqual(t, bytes, 1<<20)
		rows = append(rows, n)
		return nil
	})
	erases(c, "9", store.ErasedOnRequest)
	require.Equal(t, []int{50, 50, 20}, rows)
	require.Zero(t, references(c, ids))
	intact(c)
}

// Until the last transaction, the birth is there, so it can be erased again.
func TestAnErasureThatIsStoppedAnywhereIsFinishedByTheNextOne(t *testing.T) {
	c := fixture.NewPair(t)
	ids := pushedNightly(c)
	nine := c.At("9")
	stopped := errors.New("stopped")
	for n := range 3 {
		steps := 0
		c.Erase.Before(func(int, int) error {
			if steps++; steps > 1 || n == 0 {
				return stopped
			}
			return nil
		})
		require.ErrorIs(t, c.Erase.Birth(context.Background(), c.Admin, nine.UUID, store.ErasedOnRequest, nine.Version), stopped)
		require.Equal(t, nine.Version, c.At("9").Version, "the birth goes last")
		require.Equal(t, receipts-50*min(n, 2), references(c, ids))
		require.Contains(t, c.Trail(), "record.erase-begin "+nine.UUID, "who has rewritten the receipts")
		require.NotContains(t, strings.Join(c.Trail(), " "), "record.erase-on-request")
		if n == 2 {
			break
		}
	}
	c.Erase.Before(nil)
	erases(c, "9", store.ErasedOnRequest)
	require.Zero(t, references(c, ids))
	require.Len(t, c.Records(), 2)
	intact(c)
}

func TestAReceiptThatComesDuringAnErasureLosesItsReferenceToo(t *testing.T) {
	c := fixture.NewPair(t)
	ids := pushedNightly(c)
	c.Retract("9")
	var late string
	c.Erase.Before(func(int, int) error {
		if late == "" { // another retraction changes nothing, but its receipt names the record
			late = c.Accept(`{"resourceType":"Bundle","type":"document","identifier":{"value":"9"},"entry":[
				{"resource":{"resourceType":"Composition","id":"CNRY","status":"entered-in-error"}}]}`)
			c.Drain()
			require.Equal(t, 1, references(c, []string{late}))
		}
		return nil
	})
	erases(c, "9", store.ErasedOnRequest)
	require.Zero(t, references(c, append(ids, late)))
	intact(c)
}

func TestAUserWhoseSessionHasEndedErasesNothingNotEvenInPart(t *testing.T) {
	c := fixture.NewPair(t)
	ids := pushedNightly(c)
	i := c.Imported(c.Admin, fixture.Head+"9,Zyxwvut,Ada,"+fixture.Evening+",3000,\n10,Abcdef,Ada,not a date,3000,\n")
	i, err := c.Imports.Import(t.Context(), c.Admin, i.ID)
	require.NoError(t, err)
	who := c.Admin
	who.Session = "ended"
	before := references(c, ids)
	err = c.Erase.Birth(t.Context(), who, c.At("9").UUID, store.ErasedOnRequest, c.At("9").Version)
	require.ErrorIs(t, err, auth.ErrSessionEnded)
	require.Equal(t, before, references(c, ids))
	after, err := c.Imports.Import(t.Context(), c.Admin, i.ID)
	require.NoError(t, err)
	require.Equal(t, i, after)
}
