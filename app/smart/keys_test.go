package smart

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"birthregistry/store"
)

func (r *installation) keys() []Key {
	r.t.Helper()
	all, err := r.Keys(context.Background())
	require.NoError(r.t, err)
	return all
}

func (r *installation) signsWith() (ids []string) {
	for _, k := range r.keys() {
		if k.Signs {
			ids = append(ids, k.ID)
		}
	}
	return ids
}

func TestTheKeySetIsEmptyUntilAnEHRAsksForAKey(t *testing.T) {
	r := opened(t)
	doc, err := r.KeySet(t.Context())
	require.NoError(t, err)
	require.JSONEq(t, `{"keys": []}`, string(doc))
	_, _, err = r.List(Listing{EHR: store.EHR{Issuer: "https://ehr.example.org/fhir", ClientID: "x", Auth: store.AuthKey}})
	require.NoError(t, err)
	require.Len(t, r.keys(), 2)
	require.NoError(t, r.EnsureKeys())
	require.Len(t, r.keys(), 2, "the first pair is enough")
}

func TestTheKeySetPublishesPublicHalvesOnly(t *testing.T) {
	r := opened(t)
	require.NoError(t, r.EnsureKeys())
	doc, err := r.KeySet(t.Context())
	require.NoError(t, err)
	var set struct {
		Keys []map[string]any `json:"keys"`
	}
	require.NoError(t, json.Unmarshal(doc, &set))
	require.Len(t, set.Keys, 2)
	for _, key := range set.Keys {
		for _, private := range []string{"d", "p", "q", "dp", "dq", "qi", "k"} {
			require.NotContains(t, key, private)
		}
		require.Equal(t, "sig", key["use"])
		require.NotEmpty(t, key["kid"])
	}
	algorithms := []any{set.Keys[0]["alg"], set.Keys[1]["alg"]}
	require.ElementsMatch(t, []any{"ES384", "RS384"}, algorithms)
	require.NoError(t, r.db.View(t.Context(), func(v *store.View) error {
		rows, err := v.ClientKeys()
		for _, row := range rows {
			require.False(t, strings.Contains(string(row.Sealed), `"kty"`), "they are sealed")
		}
		return err
	}))
}

func TestARotatedKeyIsPublishedAtOnceAndSignedWithAfterAnHour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := opened(t)
		require.NoError(t, r.EnsureKeys())
		first := r.signsWith()
		require.Len(t, first, 2, "the first pair signs at once: nobody knows another")
		time.Sleep(24 * time.Hour)
		require.NoError(t, r.RotateKeys())
		require.Len(t, r.keys(), 4)
		require.Equal(t, first, r.signsWith())
		time.Sleep(SignAfter)
		second := r.signsWith()
		require.Len(t, second, 2)
		require.NotContains(t, first, second[0])
		require.NotContains(t, first, second[1])
		require.Len(t, r.keys(), 4, "the pair before it stays published")
		require.NoError(t, r.RotateKeys())
		require.Len(t, r.keys(), 4)
		require.Equal(t, second, r.signsWith())
		for _, k := range r.keys() {
			require.NotContains(t, first, k.ID, "the first pair is gone")
		}
	})
}

func TestWithoutAKeyNothingIsSigned(t *testing.T) {
	r := opened(t)
	_, err := r.assertion(t.Context(), pending{})
	require.ErrorContains(t, err, "birthregistry ehr keys")
	require.Equal(t, -1, signing(nil, jose.ES384, time.Now()))
}
