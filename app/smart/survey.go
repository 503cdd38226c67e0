package smart

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"birthregistry/store"
)

// Finding is one result of a survey of an EHR.
type Finding struct {
	Check string `json:"check"`
	// State is "ok", "note" or "problem". A note is about something that a launch can do without.
	State string `json:"state"`
	Text  string `json:"text"`
	// Fix is what to do about it, or "" if Text says that or nothing needs to be done.
	Fix string `json:"fix,omitzero"`
}

// The possible states of a Finding.
const (
	OK      = "ok"
	Note    = "note"
	Problem = "problem"
)

// survey is one check of what an EHR publishes about its server, with the findings so far.
type survey struct {
	out   *outbound
	ehr   store.EHR
	code  string // stands for the issuer in the log while it isn't listed
	found []Finding
}

func (v *survey) report(state, check, text string, args ...any) {
	v.found = append(v.found, Finding{Check: check, State: state, Text: fmt.Sprintf(text, args...)})
}

// problem reports something that prevents a launch, and how to fix it.
func (v *survey) problem(check, fix, text string, args ...any) {
	v.report(Problem, check, text, args...)
	v.found[len(v.found)-1].Fix = fix
}

// failed reports the error of a call.
func (v *survey) failed(check string, err error) { v.problem(check, fixOf(err), "%s", plain(err)) }

// surveyWithin is the time limit of a whole survey.
const surveyWithin = 45 * time.Second

// Survey checks an EHR without a patient, and reports what it supports and what it lacks. The EHR
// need not be listed. The findings quote the EHR's responses and name hosts, so they are for a
// terminal and not for a page.
func (s *Service) Survey(ctx context.Context, e store.EHR) []Finding {
	ctx, cancel := context.WithTimeout(ctx, surveyWithin)
	defer cancel()
	v := &survey{out: s.out(e), ehr: e, code: s.issuerCode(e.Issuer)}
	defer v.out.transport.CloseIdleConnections()
	v.entry()
	if strings.HasPrefix(e.Issuer, "http:") && !s.settings.Loopback {
		v.report(Problem, "configuration", "it is on this machine and without TLS; serve and check reach it with --ehr-loopback only")
		return v.found
	}
	if v.configuration(ctx) {
		v.metadata(ctx)
		v.searches()
	}
	return v.found
}

func (v *survey) entry() {
	switch {
	case v.ehr.ID == 0:
		v.report(Note, "listed", "no; launches are refused until you add it (birthregistry ehr add). The log shows its launches under the code %s", v.code)
	case v.ehr.ClientID == "":
		v.report(Note, "listed", "yes, but without a client id; launches are answered with 503 until you repeat birthregistry ehr add with --client-id")
	default:
		v.report(OK, "listed", "yes, as %s", map[string]string{
			store.AuthPublic: "a public client", store.AuthSecret: "a client with a secret", store.AuthKey: "a client with a key",
		}[v.ehr.Auth])
	}
}

// configuration checks the EHR's smart-configuration. If there is none, it checks the endpoints in
// the CapabilityStatement. It returns false if it could read neither.
func (v *survey) configuration(ctx context.Context) bool {
	at, err := configuration(ctx, v.out, v.ehr.Issuer)
	if err != nil {
		v.failed("configuration", err)
		return false
	}
	if at.Old {
		v.report(Note, "configuration", "there is no .well-known/smart-configuration; the endpoints are those of its CapabilityStatement")
	} else {
		v.report(OK, "configuration", "found at .well-known/smart-configuration")
	}
	v.endpoint("authorization endpoint", at.Authorize)
	if token := v.endpoint("token endpoint", at.Token); token != "" {
		v.reach(ctx, token)
	}
	v.pkce(at)
	v.client(at)
	v.capabilities(at)
	v.scopes(at)
	if at.AnswersIss {
		v.report(OK, "issuer in answers", "yes (RFC 9207); it is compared")
	}
	return true
}

// endpoint checks an endpoint's address and adds a finding if there is a problem. It returns the
// address, or "" if the address can't be used.
func (v *survey) endpoint(check, raw string) string {
	if raw == "" {
		v.problem(check, "ask the vendor to state it in the smart-configuration of this issuer", "the EHR states no such endpoint")
		return ""
	}
	to, err := resolve(v.ehr.Issuer, raw)
	if err != nil {
		v.failed(check, err)
		return ""
	}
	_, err = v.out.permitted(to.String())
	switch {
	case errors.Is(err, errHost):
		v.report(Problem, check, "it is on %s, which is not the issuer's host; if the vendor confirms it, repeat birthregistry ehr add with --auth-host %s", to.Host, to.Host)
	case err != nil:
		v.failed(check, err)
	default:
		v.report(OK, check, "on %s", to.Host)
		return to.String()
	}
	return ""
}

// reach checks whether the token endpoint responds to this machine. Launches call the token
// endpoint from here and not from the browser.
func (v *survey) reach(ctx context.Context, token string) {
	status, _, _, err := v.out.get(ctx, token, "application/json", "", maxToken)
	switch {
	case err != nil:
		v.failed("token endpoint answers", err)
	case status >= http.StatusInternalServerError:
		v.report(Note, "token endpoint answers", "it answered a plain GET with status %d", status)
	default:
		v.report(OK, "token endpoint answers", "yes")
	}
}

// list joins texts from an EHR with commas, and shortens the result with the function words.
func list(all []string) string { return words(strings.Join(all, ", ")) }

// plain returns the text of a call's error without the prefix that this package adds.
func plain(err error) string {
	text := strings.TrimPrefix(err.Error(), ErrUpstream.Error()+": ")
	return strings.TrimPrefix(text, "smart: ")
}
