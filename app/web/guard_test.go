package web

import (
	"cmp"
	"io"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/fhir"
	"birthregistry/store"
	"birthregistry/store/storetest"
)

// post sends a Bundle's body with the installation's key.
func (s installation) post(body io.Reader, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("POST", "/api/registry/fhir/Bundle", body)
	r.Header.Set("Authorization", "Bearer "+s.key)
	for n := 0; n < len(headers); n += 2 {
		r.Header.Set(headers[n], headers[n+1])
	}
	return s.serve(r)
}

func TestAKeyThatIsRevokedWhileTheBodyIsOnItsWayAcknowledgesNothing(t *testing.T) {
	s := newInstallation(t, Defaults())
	require.Equal(t, 401, s.post(io.MultiReader(revoking{s.db}, strings.NewReader(`{"resourceType":"Bundle"}`))).Code)
	require.NoError(t, s.db.View(t.Context(), func(v *store.View) error {
		waiting, err := v.Unfinished(1, 1)
		require.Empty(t, waiting)
		return err
	}))
}

// revoking is a body that revokes the one key when it is read.
type revoking struct{ db *store.DB }

func (r revoking) Read([]byte) (int, error) {
	err := r.db.Update(func(tx *store.Tx) error { return tx.RevokeAPIKey(1, 1) })
	return 0, cmp.Or(err, io.EOF)
}

func TestAKeyThatCannotBeCheckedGetsNoData(t *testing.T) {
	settings := Defaults()
	settings.RateLimit = 7
	s := newInstallation(t, settings)
	require.Equal(t, 202, s.post(strings.NewReader(`{"resourceType":"Bundle"}`), "Idempotency-Key", "known").Code)
	require.NoError(t, s.db.Close())
	uses := []func() *httptest.ResponseRecorder{
		func() *httptest.ResponseRecorder { return s.post(strings.NewReader(`{"resourceType":"Bundle"}`)) },
		func() *httptest.ResponseRecorder { return s.post(strings.NewReader("{"), "Idempotency-Key", "known") },
		func() *httptest.ResponseRecorder { return s.post(strings.NewReader("{"), "Idempotency-Key", "é") },
		func() *httptest.ResponseRecorder { return s.post(strings.NewReader("{"), "Content-Type", "text/xml") },
		func() *httptest.ResponseRecorder { return s.post(strings.NewReader("{")) },
		func() *httptest.ResponseRecorder { return s.poll("192.0.2.1:1", "Bearer "+s.key) },
		func() *httptest.ResponseRecorder { return s.poll("192.0.2.1:1", "Bearer "+s.key) }, // over its limit
	}
	for n, use := range uses {
		answer := use()
		require.Equal(t, 503, answer.Code, "use %d", n)
		require.Contains(t, answer.Body.String(), fhir.Busy.Name, "use %d", n)
		require.Equal(t, retryAfter, answer.Header().Get("Retry-After"), "use %d", n)
	}
}

// Readers can see a submission that the disk doesn't have.
func TestAnIdempotencyKeyIsNotReplayedWhileTheDiskMayNotHaveTheSubmission(t *testing.T) {
	s := newInstallation(t, Defaults())
	again := func() *httptest.ResponseRecorder {
		return s.post(strings.NewReader(`{"resourceType":"Bundle"}`), "Idempotency-Key", "k")
	}
	first := again()
	require.Equal(t, 202, first.Code)
	storetest.Moved(t, s.db.Path(), func() {
		refused := again()
		require.Equal(t, 503, refused.Code)
		require.Contains(t, refused.Body.String(), fhir.Busy.Name)
		require.Equal(t, retryAfter, refused.Header().Get("Retry-After"))
	})
	replayed := again()
	require.Equal(t, 202, replayed.Code)
	require.Equal(t, "true", replayed.Header().Get("Idempotent-Replayed"))
	require.Equal(t, first.Header().Get("Content-Location"), replayed.Header().Get("Content-Location"))
}
