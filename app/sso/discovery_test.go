package sso

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/seal"
	"birthregistry/store"
	"birthregistry/store/storetest"
)

const configuration = `{"issuer":"https://id.example","authorization_endpoint":"https://id.example/a","token_endpoint":"https://id.example/t","jwks_uri":"https://id.example/k"}`

// calls answers the calls of a Service.
type calls func(*http.Request) (*http.Response, error)

func (f calls) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

func ok(text string) *http.Response {
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewBufferString(text)),
	}
}

// calling makes a Service without a database whose calls are answered by f.
func calling(f calls) *Service {
	s := New(nil, nil, Settings{BaseURL: "https://births.example"})
	s.http.Transport = f
	return s
}

var listed = store.SSOProvider{ID: 1, Name: "Clinic ID", Slug: "clinic-id", Issuer: "https://id.example", ClientID: "registry"}

func TestASilentProviderIsAskedOnceAndHoldsFewSignIns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked, answer := 0, make(chan struct{})
		s := calling(func(*http.Request) (*http.Response, error) {
			asked++
			<-answer
			return ok(configuration), nil
		})
		results := make(chan error, 30)
		for range cap(results) {
			go func() {
				_, err := s.describe(t.Context(), listed)
				results <- err
			}()
		}
		synctest.Wait()
		require.Len(t, results, cap(results)-maxWaiting, "the others wait")
		for range cap(results) - maxWaiting {
			require.ErrorIs(t, <-results, ErrSlow)
		}
		close(answer)
		for range maxWaiting {
			require.NoError(t, <-results)
		}
		require.Equal(t, 1, asked)
		_, err := s.describe(t.Context(), listed)
		require.NoError(t, err)
		require.Equal(t, 1, asked)
		require.Empty(t, s.waiting)
	})
}

func TestAProviderThatFailedIsAskedAgainAfterAMoment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked, failure := 0, errors.New("refused")
		s := calling(func(*http.Request) (*http.Response, error) {
			if asked++; failure != nil {
				return nil, failure
			}
			return ok(configuration), nil
		})
		for range 9 {
			_, err := s.describe(t.Context(), listed)
			require.ErrorIs(t, err, ErrUpstream)
		}
		require.Equal(t, 1, asked)
		failure = nil
		time.Sleep(failedFor)
		_, err := s.describe(t.Context(), listed)
		require.NoError(t, err)
		require.Equal(t, 2, asked)
		changed := listed
		changed.Issuer = "https://other.example"
		_, err = s.describe(t.Context(), changed)
		require.ErrorIs(t, err, errIssuer, "the description of another issuer is not used")
	})
}

// The visitor who asks may give up; the others still get the answer.
func TestAVisitorWhoLeavesTakesTheAnswerFromNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answer := make(chan struct{})
		s := calling(func(req *http.Request) (*http.Response, error) {
			select {
			case <-answer:
				return ok(configuration), nil
			case <-req.Context().Done():
				return nil, req.Context().Err()
			}
		})
		ctx, leave := context.WithCancel(t.Context())
		results := make(chan error, 2)
		go func() {
			_, err := s.describe(ctx, listed)
			results <- err
		}()
		synctest.Wait()
		go func() {
			_, err := s.describe(t.Context(), listed)
			results <- err
		}()
		synctest.Wait()
		leave()
		synctest.Wait()
		close(answer)
		require.NoError(t, <-results)
		require.NoError(t, <-results)
	})
}

// Discovery, the token and the keys take nine seconds each.
func TestASignInWaitsAQuarterOfAMinuteForAllCallsTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, err := store.Open(t.Context(), storetest.Blank(t, filepath.Join(t.TempDir(), "registry.db"), store.Open))
		require.NoError(t, err)
		defer func() { require.NoError(t, db.Close()) }()
		vault, _, err := seal.Open(db, db.Path()+".key")
		require.NoError(t, err)
		s := New(db, vault, Settings{BaseURL: "https://births.example"})
		s.http.Transport = calls(func(req *http.Request) (*http.Response, error) {
			select {
			case <-time.After(9 * time.Second):
				return ok(configuration), nil
			case <-req.Context().Done():
				return nil, req.Context().Err()
			}
		})
		_, _, err = s.Add(Entry{SSOProvider: listed})
		require.NoError(t, err)
		_, p, err := s.Begin(t.Context(), listed.Slug, false)
		require.NoError(t, err)
		s.forget(p.Provider)
		began := time.Now()
		_, err = s.Finish(t.Context(), listed.Slug, p, map[string][]string{"state": {p.State}, "code": {"c"}})
		require.ErrorIs(t, err, ErrSlow)
		require.Equal(t, within, time.Since(began))
	})
}

func TestAProviderIsAskedOnceThereIsRoomThoughThereWasNoneBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := calling(func(*http.Request) (*http.Response, error) { return ok(configuration), nil })
		var leave []func()
		for range maxWaiting { // for the answer to their code
			out, err := s.wait(listed.ID)
			require.NoError(t, err)
			leave = append(leave, out)
		}
		_, err := s.describe(t.Context(), listed)
		require.ErrorIs(t, err, ErrSlow)
		for _, out := range leave {
			out()
		}
		_, err = s.describe(t.Context(), listed)
		require.NoError(t, err)
	})
}
