package sso

import (
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"birthregistry/app/dial"
)

// problem returns the finding of Check that prevents a sign-in.
func problem(t *testing.T, s *Service) Finding {
	t.Helper()
	for _, f := range s.Check(t.Context(), listed) {
		if !f.OK {
			return f
		}
	}
	return Finding{}
}

// keyless answers with a good configuration, and lets answer answer the request for the keys.
func keyless(answer calls) *Service {
	s := calling(nil)
	s.http.Transport = gate{next: calls(func(req *http.Request) (*http.Response, error) {
		if req.URL.Path == "/k" {
			return answer(req)
		}
		return ok(configuration), nil
	})}
	return s
}

func TestKeysThatComeTooLateAreReportedAsLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := keyless(func(req *http.Request) (*http.Response, error) {
			<-req.Context().Done()
			return nil, req.Context().Err()
		})
		late := problem(t, s)
		require.Equal(t, "keys: the provider was too slow", late.Check+": "+late.Text)
		require.Contains(t, late.Fix, "try again")
		d, err := s.describe(t.Context(), listed)
		require.NoError(t, err)
		_, err = verified(t.Context(), listed, d, Pending{}, noToken)
		require.ErrorIs(t, err, ErrSlow)
	})
}

func TestKeysThatCannotBeReadAreReportedAsSuch(t *testing.T) {
	s := keyless(func(*http.Request) (*http.Response, error) { return ok("no keys"), nil })
	require.Contains(t, problem(t, s).Text, "its keys cannot be read")
	s = keyless(func(*http.Request) (*http.Response, error) { return ok(strings.Repeat(" ", maxAnswer+1)), nil })
	require.Contains(t, problem(t, s).Text, "its answer is too large")
	s = keyless(func(*http.Request) (*http.Response, error) { return ok(`{"keys":[]}`), nil })
	require.Zero(t, problem(t, s))
	d, err := s.describe(t.Context(), listed)
	require.NoError(t, err)
	_, err = verified(t.Context(), listed, d, Pending{}, noToken)
	require.Equal(t, errIDToken, err, "the keys are there, but none of them signed it")
}

func TestAConfigurationThatIsTooLargeIsReportedAsSuch(t *testing.T) {
	s := calling(nil)
	s.http.Transport = gate{next: calls(func(*http.Request) (*http.Response, error) {
		return ok(configuration + strings.Repeat(" ", maxAnswer)), nil
	})}
	require.Contains(t, problem(t, s).Text, "its answer is too large")
}

func TestAProviderThatCannotBeReachedIsReportedInOneLineWithWhatToDo(t *testing.T) {
	for _, c := range []struct {
		err       error
		says, fix string
	}{
		{&net.DNSError{IsNotFound: true}, "the name cannot be resolved", "getent hosts"},
		{errors.New("refused"), "the connection failed", "firewall"},
		{dial.ErrForbidden, "its name leads to a private address; start with --sso-networks (or --sso-loopback for development)", ""},
	} {
		s := calling(nil)
		s.http.Transport = gate{next: calls(func(*http.Request) (*http.Response, error) { return nil, c.err })}
		f := problem(t, s)
		require.Equal(t, c.says, f.Text)
		require.Contains(t, f.Fix, c.fix)
	}
}
