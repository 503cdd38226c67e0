package cost_test

import (
	"fmt"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"birthregistry/app/auth"
	"birthregistry/store"
)

// A webhook costs one statement for each ingestion that ends, and nothing without one.
func TestTheEndOfAnIngestionTakesOneStatementWithoutAWebhookAndTwoWithOne(t *testing.T) {
	s := newInstallation(t)
	practice, err := store.Read(t.Context(), s.DB, func(v *store.View) (store.Practice, error) { return v.Practice(s.practice) })
	require.NoError(t, err)
	_, key, err := s.Auth.Mint(s.practice, "nightly", []string{"ingest:write"}, "operator")
	require.NoError(t, err)
	next := 0
	ending := func(n int) (statements int64) {
		var ends []store.Ending
		require.NoError(t, s.DB.Update(func(tx *store.Tx) error {
			for range n {
				next++
				id := fmt.Sprint("ingestion-", next)
				if _, _, err := tx.Accept(s.practice, store.NewIngestion{PublicID: id, APIKey: key.ID, Size: 1, Parts: [][]byte{{1}}}); err != nil {
					return err
				}
				i, err := tx.Ingestion(s.practice, id)
				if err != nil {
					return err
				}
				ends = append(ends, store.Ending{Ingestion: i.ID, Status: store.Completed, Outcome: []byte("sealed")})
			}
			return nil
		}))
		return measure(func() {
			require.NoError(t, s.DB.Update(func(tx *store.Tx) error { return tx.Finish(s.practice, ends...) }))
		}).statements
	}
	perEnd := func() int64 { ending(1); return (ending(31) - ending(1)) / 30 }
	without := perEnd()
	_, err = s.Webhooks.Set(auth.Operator(practice), key.ID, "https://ehr.example.org/hooks")
	require.NoError(t, err)
	require.Equal(t, int64(1), without)
	require.Equal(t, int64(2), perEnd())
}

// deliveries ends ingestions under a key with a webhook.
func deliveries(s *installation, n int) {
	_, key, err := s.Auth.Mint(s.practice, "nightly", []string{"ingest:write"}, "test")
	require.NoError(s, err)
	s.named["key"] = fmt.Sprint(key.ID)
	_, err = s.Webhooks.Set(s.admin, key.ID, "https://ehr.example.org/hooks")
	require.NoError(s, err)
	s.write(func(tx *store.Tx) error {
		for range n {
			id := uuid.NewString()
			if _, _, err := tx.Accept(s.practice, store.NewIngestion{PublicID: id, APIKey: key.ID, Size: 1, Parts: [][]byte{{1}}}); err != nil {
				return err
			}
			i, err := tx.Ingestion(s.practice, id)
			if err == nil {
				err = tx.Finish(s.practice, store.Ending{Ingestion: i.ID, Status: store.Completed, Outcome: []byte("sealed")})
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}
