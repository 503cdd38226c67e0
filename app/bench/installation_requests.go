package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"birthregistry/app"
	"birthregistry/app/auth"
)

// oneAnswer is an HTTP client that follows no redirects.
var oneAnswer = http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// ask sends a request to the service and reads the answer. It returns an error unless the answer
// has the given status. Requests whose time is measured to the microsecond use the type wire
// instead.
func (s *installation) ask(method, path string, headers []string, body string, status int) (*http.Response, string, error) {
	r, err := http.NewRequestWithContext(s.w.ctx, method, "http://"+s.address+path, strings.NewReader(body))
	if err != nil {
		return nil, "", err
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	answer, err := oneAnswer.Do(r)
	if err != nil {
		return nil, "", err
	}
	content, err := io.ReadAll(answer.Body)
	if err = errors.Join(err, answer.Body.Close()); err == nil && answer.StatusCode != status {
		err = fmt.Errorf("%s was answered %s", path, answer.Status)
	}
	return answer, string(content), err
}

// keyed returns the headers with which a Bundle is pushed with an API key.
func keyed(key string) []string {
	return append([]string{"Authorization: Bearer " + key}, bundleHeaders...)
}

// through posts a Bundle for the first practice. It returns how long it takes from the answer 202
// until the receipt has the status completed.
func (s *installation) through(body string) (time.Duration, error) {
	receipt, err := s.send(body)
	if err != nil {
		return 0, err
	}
	began := time.Now()
	err = s.completed(receipt)
	return time.Since(began), err
}

// send posts a Bundle for the first practice, and returns the path of the receipt.
func (s *installation) send(body string) (receipt string, err error) {
	answer, _, err := s.ask("POST", bundlePath, keyed(s.keys[0]), body, http.StatusAccepted)
	if err != nil {
		return "", err
	}
	return strings.TrimPrefix(answer.Header.Get("Content-Location"), "http://"+s.address), nil
}

// completed waits until the ingestion of a receipt is completed. It returns an error if the
// ingestion fails.
func (s *installation) completed(receipt string) error {
	for began := time.Now(); time.Since(began) < 10*time.Minute && s.w.ctx.Err() == nil; time.Sleep(5 * time.Millisecond) {
		_, body, err := s.ask("GET", receipt, keyed(s.keys[0]), "", http.StatusOK)
		if err != nil {
			return err
		}
		switch head := body[:min(len(body), 200)]; {
		case strings.Contains(head, `"completed"`):
			return nil
		case strings.Contains(head, `"failed"`):
			return fmt.Errorf("it failed: %s", head)
		}
	}
	return errors.Join(s.w.ctx.Err(), errors.New("it is not completed"))
}

// These are the email address and the password of the admin who signs in.
const benchEmail, benchPassword = "bench@example.org", "correct-horse-battery-staple"

// serveSignedIn starts the program. When it is called for the first time, it also adds an admin to
// the first practice and signs the admin in.
func (s *installation) serveSignedIn() error {
	if err := s.serve(); err != nil || s.cookie != "" {
		return err
	}
	err := s.open(s.w.ctx, func(a *app.App) error {
		_, _, err := a.Auth.AddUser(s.practices[0], benchEmail, "Robin Bench", auth.Admin, benchPassword)
		return err
	})
	if err != nil {
		return err
	}
	form := url.Values{"email": {benchEmail}, "password": {benchPassword}}
	answer, _, err := s.ask("POST", "/sign-in", s.browser(), form.Encode(), http.StatusSeeOther)
	if err != nil {
		return err
	}
	for _, c := range answer.Cookies() {
		s.cookie = c.Name + "=" + c.Value
	}
	if s.cookie == "" {
		return errors.New("the sign-in sets no cookie")
	}
	return nil
}

// browser returns the headers with which the admin's browser sends a form.
func (s *installation) browser() []string {
	return []string{"Cookie: " + s.cookie, "Origin: http://" + s.address, "Content-Type: application/x-www-form-urlencoded"}
}
