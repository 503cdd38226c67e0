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

// Finding is one thing that a survey of an EHR has looked at.
type Finding struct {
	Check string `json:"check"`
	// State is "ok", "note" for what a launch can do without, or "problem".
	State string `json:"state"`
	Text  string `json:"text"`
}

// The states of a finding.
const (
	OK      = "ok"
	Note    = "note"
	Problem = "problem"
)

// survey walks through what an EHR says of itself.
type survey struct {
	out   *outbound
	ehr   store.EHR
	found []Finding
}

func (v *survey) report(state, check, text string, args ...any) {
	v.found = append(v.found, Finding{check, state, fmt.Sprintf(text, args...)})
}

// surveyWithin is how long a survey may take in all.
const surveyWithin = 45 * time.Second

// Survey looks at what an EHR offers and lacks, without a patient: an EHR that
// is listed, or one that is not yet. It tells the operator what the EHR said,
// host names included, so its findings are for a terminal and not for a page.
func (s *Service) Survey(ctx context.Context, e store.EHR) []Finding {
	ctx, cancel := context.WithTimeout(ctx, surveyWithin)
	defer cancel()
	v := &survey{out: s.out(e), ehr: e}
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
		v.report(Note, "listed", "no; launches from it are refused until it is: birthregistry ehr add")
	case v.ehr.ClientID == "":
		v.report(Note, "listed", "yes, but without a client id; launches are answered with 503 until it has one")
	default:
		v.report(OK, "listed", "yes, as %s", map[string]string{
			store.AuthPublic: "a public client", store.AuthSecret: "a client with a secret", store.AuthKey: "a client with a key",
		}[v.ehr.Auth])
	}
}

// configuration looks at the smart-configuration, and reports whether the EHR
// can be reached at all.
func (v *survey) configuration(ctx context.Context) bool {
	at, err := configuration(ctx, v.out, v.ehr.Issuer)
	if err != nil {
		v.report(Problem, "configuration", "%s", plain(err))
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

// endpoint looks at where an endpoint is, and returns it when it can be used.
func (v *survey) endpoint(check, raw string) string {
	if raw == "" {
		v.report(Problem, check, "it names none")
		return ""
	}
	to, err := resolve(v.ehr.Issuer, raw)
	if err != nil {
		v.report(Problem, check, "%s", plain(err))
		return ""
	}
	_, err = v.out.permitted(to.String())
	switch {
	case errors.Is(err, errHost):
		v.report(Problem, check, "it is on %s, which is not the issuer's host; if the vendor confirms it, add: --auth-host %s", to.Host, to.Host)
	case err != nil:
		v.report(Problem, check, "%s", plain(err))
	default:
		v.report(OK, check, "on %s", to.Host)
		return to.String()
	}
	return ""
}

// reach makes sure that the token endpoint answers: nobody's browser is between.
func (v *survey) reach(ctx context.Context, token string) {
	status, _, _, err := v.out.get(ctx, token, "application/json", "", maxToken)
	switch {
	case err != nil:
		v.report(Problem, "token endpoint answers", "%s", plain(err))
	case status >= http.StatusInternalServerError:
		v.report(Note, "token endpoint answers", "with status %d to a bare GET", status)
	default:
		v.report(OK, "token endpoint answers", "yes")
	}
}

// list writes out what an EHR listed, shortened.
func list(all []string) string { return words(strings.Join(all, ", ")) }

// plain is the error of a call without this package's prefix.
func plain(err error) string {
	text := strings.TrimPrefix(err.Error(), ErrUpstream.Error()+": ")
	return strings.TrimPrefix(text, "smart: ")
}
