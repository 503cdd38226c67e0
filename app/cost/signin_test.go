package cost_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
	"birthregistry/store"
)

// aSignIn are the cases of a sign-in, successful or not, each with many of one thing that a
// sign-in reads.
var aSignIn = append(append(append(append(append(
	signIn("failed sign-ins of others", func(s *installation, n int) {
		for i := range n {
			s.fails(fmt.Sprintf("nobody%d@example.org", i), address(i))
		}
	}),
	signIn("failed sign-ins of the person", func(s *installation, n int) {
		for i := range n {
			s.fails(midwife, address(i))
		}
	})...),
	signIn("sessions of the person", func(s *installation, n int) {
		for range n {
			s.session(s.member)
		}
	})...),
	signIn("sessions of strangers", strangers)...),
	signIn("people", func(s *installation, n int) {
		s.write(func(tx *store.Tx) error {
			for i := range n {
				if _, err := tx.AddUser(fmt.Sprintf("u%d@example.org", i), "U"); err != nil {
					return err
				}
			}
			return nil
		})
	})...),
	grows{"a sign-out with many sessions of strangers", 100, logN, func(s *installation, n int) func() {
		s.addMidwife()
		s.signsOut() // does what is done only once
		strangers(s, n)
		return s.signsOut
	}},
	grows{"many failed sign-ins", 25, nLogN, func(s *installation, n int) func() {
		return func() {
			for i := range n {
				s.signsIn(fmt.Sprintf("nobody%d@example.org", i), "no password at all", address(i), http.StatusUnprocessableEntity)
			}
		}
	}},
	grows{"many sign-ins", 25, nLogN, func(s *installation, n int) func() {
		s.addMidwife()
		return func() {
			for range n {
				s.signsIn(midwife, password, address(0), http.StatusSeeOther)
			}
		}
	}},
)

func strangers(s *installation, n int) {
	for range n {
		s.session(0)
	}
}

func signIn(many string, fill func(s *installation, n int)) []grows {
	act := func(password string, status ...int) func(s *installation, n int) func() {
		return func(s *installation, n int) func() {
			s.addMidwife()
			s.signsIn(midwife, password, address(-1), status...) // does what is done only once
			fill(s, n)
			return func() { s.signsIn(midwife, password, address(-1), status...) }
		}
	}
	return []grows{
		{"a sign-in with many " + many, 100, logN, act(password, http.StatusSeeOther)},
		{"a failed sign-in with many " + many, 50, logN, act("another password", http.StatusUnprocessableEntity, http.StatusTooManyRequests)},
	}
}

// midwife is the email address of a person with a password.
const (
	midwife  = "ida@example.org"
	password = "seven wet otters ran home"
)

func (s *installation) addMidwife() {
	s.Helper()
	_, made, err := s.Auth.AddUser(s.practice, midwife, "Ida", auth.Provider, password)
	require.NoError(s, err)
	require.False(s, made, "there is no link")
	s.write(func(tx *store.Tx) error {
		u, err := tx.UserByEmail(midwife)
		s.member = u.ID
		return err
	})
}

// address returns an address in the ith of many networks.
func address(i int) string { return fmt.Sprintf("10.%d.%d.1", (i+1)/250, (i+1)%250) }

// fails tries a password without the page.
func (s *installation) fails(email, from string) {
	s.Helper()
	_, err := s.Auth.SignIn(s.Context(), email, "no password at all", auth.Visitor{Address: from})
	require.Error(s, err)
}

// signsIn submits the sign-in form.
func (s *installation) signsIn(email, password, from string, status ...int) {
	s.Helper()
	form := url.Values{"email": {email}, "password": {password}}
	r := httptest.NewRequestWithContext(s.Context(), http.MethodPost, base+"/sign-in", strings.NewReader(form.Encode()))
	r.RemoteAddr = from + ":4000"
	r.Header.Set("Origin", base)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer := s.do(r)
	require.Contains(s, status, answer.Code, "%s", answer.Body)
}

// signsOut ends a session and leaves a session without a user, which shows that the person
// signed out.
func (s *installation) signsOut() {
	s.Helper()
	r := httptest.NewRequestWithContext(s.Context(), http.MethodPost, base+"/sign-out", nil)
	r.Header.Set("Origin", base)
	r.AddCookie(&http.Cookie{Name: s.cookie.Name, Value: s.session(s.member)})
	require.Equal(s, http.StatusSeeOther, s.do(r).Code)
}

// aRefusal are requests that are refused.
var aRefusal = []grows{
	{"a refused request with many", 100, logN, func(s *installation, n int) func() {
		s.refusals(n)
		return s.refused
	}},
	{"many refused requests", 25, nLogN, func(s *installation, n int) func() {
		s.refused() // the service notes one of each kind per second
		return func() {
			for range n {
				s.refused()
			}
		}
	}},
	{"many refused courses", 100, nLogN, func(s *installation, n int) func() {
		body := apptest.Batch(each(n, func(i int) string { c := distinct(i); c.Mothers = -1; return c.Bundle() })...)
		return func() { require.Len(s, s.push(body).Rejected, n) }
	}},
}

// refused sends requests that are refused: one that isn't a Bundle, one with an unknown key,
// one with a key without the scope, and one for a receipt that doesn't exist.
func (s *installation) refused() {
	s.Helper()
	for _, of := range []struct {
		status                     int
		method, address, key, body string
	}{
		{http.StatusBadRequest, http.MethodPost, apptest.BundlePath, s.key, "{"},
		{http.StatusUnauthorized, http.MethodPost, apptest.BundlePath, "nobody's", "{}"},
		{http.StatusForbidden, http.MethodPost, apptest.BundlePath, s.readKey, "{}"},
		{http.StatusNotFound, http.MethodGet, "/api/registry/fhir/ingestions/0199d3a1-7c4e-7b52-9d6f-3f0c8f6a1b27", s.key, ""},
	} {
		r := httptest.NewRequestWithContext(s.Context(), of.method, base+of.address, strings.NewReader(of.body))
		r.Header.Set("Authorization", "Bearer "+of.key)
		r.Header.Set("Content-Type", "application/fhir+json")
		require.Equal(s, of.status, s.do(r).Code, of.address)
	}
}
