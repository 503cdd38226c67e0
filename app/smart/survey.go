package smart

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
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

func (s *survey) tell(state, check, text string, args ...any) {
	s.found = append(s.found, Finding{check, state, fmt.Sprintf(text, args...)})
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
		v.tell(Problem, "configuration", "it is on this machine and without TLS; serve and check reach it with --ehr-loopback only")
		return v.found
	}
	if v.configuration(ctx) {
		v.metadata(ctx)
	}
	return v.found
}

func (v *survey) entry() {
	switch {
	case v.ehr.ID == 0:
		v.tell(Note, "listed", "no; launches from it are refused until it is: birthregistry ehr add")
	case v.ehr.ClientID == "":
		v.tell(Note, "listed", "yes, but without a client id; launches are answered with 503 until it has one")
	default:
		v.tell(OK, "listed", "yes, as %s", map[string]string{
			store.AuthPublic: "a public client", store.AuthSecret: "a client with a secret", store.AuthKey: "a client with a key",
		}[v.ehr.Auth])
	}
}

// configuration looks at the smart-configuration, and reports whether the EHR
// can be reached at all.
func (v *survey) configuration(ctx context.Context) bool {
	at, err := configuration(ctx, v.out, v.ehr.Issuer)
	if err != nil {
		v.tell(Problem, "configuration", "%s", plain(err))
		return false
	}
	if at.Old {
		v.tell(Note, "configuration", "there is no .well-known/smart-configuration; the endpoints are those of its CapabilityStatement")
	} else {
		v.tell(OK, "configuration", "found at .well-known/smart-configuration")
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
		v.tell(OK, "issuer in answers", "yes (RFC 9207); it is compared")
	}
	return true
}

// endpoint looks at where an endpoint is, and returns it when it can be used.
func (v *survey) endpoint(check, raw string) string {
	if raw == "" {
		v.tell(Problem, check, "it names none")
		return ""
	}
	to, err := resolve(v.ehr.Issuer, raw)
	if err != nil {
		v.tell(Problem, check, "%s", plain(err))
		return ""
	}
	_, err = v.out.permitted(to.String())
	switch {
	case errors.Is(err, errHost):
		v.tell(Problem, check, "it is on %s, which is not the issuer's host; if the vendor confirms it, add: --auth-host %s", to.Host, to.Host)
	case err != nil:
		v.tell(Problem, check, "%s", plain(err))
	default:
		v.tell(OK, check, "on %s", to.Host)
		return to.String()
	}
	return ""
}

// reach makes sure that the token endpoint answers: nobody's browser is between.
func (v *survey) reach(ctx context.Context, token string) {
	status, _, _, err := v.out.get(ctx, token, "application/json", "", maxToken)
	switch {
	case err != nil:
		v.tell(Problem, "token endpoint answers", "%s", plain(err))
	case status >= http.StatusInternalServerError:
		v.tell(Note, "token endpoint answers", "with status %d to a bare GET", status)
	default:
		v.tell(OK, "token endpoint answers", "yes")
	}
}

func (v *survey) pkce(at server) {
	switch {
	case len(at.Challenges) == 0:
		v.tell(Note, "PKCE", "it does not say that it knows PKCE; it is used all the same, and most vendors know it")
	case at.Challenges.has("S256"):
		v.tell(OK, "PKCE", "S256")
	default:
		v.tell(Problem, "PKCE", "it does not offer S256, without which there is no launch")
	}
}

// client looks at whether the EHR takes the kind of client that we are.
func (v *survey) client(at server) {
	if v.ehr.ID == 0 {
		if len(at.AuthMethods) > 0 {
			v.tell(Note, "client authentication", "it offers %s", list(at.AuthMethods))
		}
		return
	}
	method := map[string]string{
		store.AuthPublic: "none", store.AuthSecret: "client_secret_basic", store.AuthKey: "private_key_jwt",
	}[v.ehr.Auth]
	capability := map[string]string{
		store.AuthPublic: "client-public", store.AuthSecret: "client-confidential-symmetric", store.AuthKey: "client-confidential-asymmetric",
	}[v.ehr.Auth]
	switch {
	case at.AuthMethods.has(method), at.Capabilities.has(capability):
		v.tell(OK, "client authentication", "%s", method)
	case len(at.AuthMethods) == 0:
		v.tell(Note, "client authentication", "it does not say whether it takes %s", method)
	case v.ehr.Auth == store.AuthPublic: // "none" is often left out
		v.tell(Note, "client authentication", "it offers %s; ask the vendor whether public clients are taken", list(at.AuthMethods))
	default:
		v.tell(Problem, "client authentication", "it offers %s and not %s", list(at.AuthMethods), method)
	}
	if v.ehr.Auth != store.AuthKey {
		return
	}
	switch {
	case len(at.Signing) == 0:
		v.tell(Note, "signing", "it does not say which algorithms it knows; RS384 is used")
	case at.Signing.has("ES384"):
		v.tell(OK, "signing", "ES384")
	case at.Signing.has("RS384"):
		v.tell(OK, "signing", "RS384")
	default:
		v.tell(Problem, "signing", "it offers %s, and neither RS384 nor ES384", list(at.Signing))
	}
}

func (v *survey) capabilities(at server) {
	if len(at.Capabilities) == 0 {
		v.tell(Note, "launch", "it lists no capabilities; ask the vendor whether EHR launches are enabled")
		return
	}
	if at.Capabilities.has("launch-ehr") {
		v.tell(OK, "launch", "EHR launch")
	} else {
		v.tell(Problem, "launch", "EHR launch is not among its capabilities; ask the vendor to enable it")
	}
	if !at.Capabilities.has("context-ehr-patient") {
		v.tell(Note, "patient in context", "not among its capabilities; without the patient a launch ends there")
	}
	if !at.Capabilities.has("context-ehr-encounter") {
		v.tell(Note, "encounter in context", "not among its capabilities; the birth is then chosen by its date")
	}
}

func (v *survey) scopes(at server) {
	asked := v.ehr.Scopes
	if asked == "" {
		asked = at.defaultScopes()
	}
	v.tell(OK, "scopes asked for", "%s", asked)
	var missing []string
	for _, scope := range strings.Fields(asked) {
		if !at.Scopes.has(scope) {
			missing = append(missing, scope)
		}
	}
	if len(at.Scopes) > 0 && len(missing) > 0 {
		v.tell(Note, "scopes it lists", "not %s; many vendors list less than they grant, so ask", strings.Join(missing, ", "))
	}
}

// readTypes are the resources that a launch reads.
var readTypes = []string{"Patient", "Observation", "Condition", "Encounter"}

// metadata looks at the CapabilityStatement: which FHIR it is, and whether it
// has what a launch reads.
func (v *survey) metadata(ctx context.Context) {
	status, _, body, err := v.out.get(ctx, v.ehr.Issuer+"/metadata", "application/fhir+json", "", maxCapability)
	var said struct {
		FHIRVersion string `json:"fhirVersion"`
		Rest        []struct {
			Resource []struct {
				Type string `json:"type"`
			} `json:"resource"`
		} `json:"rest"`
	}
	if err == nil && status == http.StatusOK {
		err = readJSON(body, &said)
	}
	if err != nil || status != http.StatusOK {
		v.tell(Note, "FHIR", "its CapabilityStatement cannot be read")
		return
	}
	if strings.HasPrefix(said.FHIRVersion, "4.") {
		v.tell(OK, "FHIR", "version %s", words(said.FHIRVersion))
	} else {
		v.tell(Problem, "FHIR", "it is not R4; ask the vendor for the R4 address")
	}
	missing := slices.Clone(readTypes)
	for _, rest := range said.Rest {
		for _, resource := range rest.Resource {
			missing = slices.DeleteFunc(missing, func(known string) bool { return known == resource.Type })
		}
	}
	if len(missing) > 0 {
		v.tell(Note, "resources", "it does not list %s", strings.Join(missing, ", "))
	} else {
		v.tell(OK, "resources", "%s", strings.Join(readTypes, ", "))
	}
}

// list writes out what an EHR listed, shortened.
func list(all []string) string { return words(strings.Join(all, ", ")) }

// plain is an error of a call without the room's words before it.
func plain(err error) string {
	text := strings.TrimPrefix(err.Error(), ErrUpstream.Error()+": ")
	return strings.TrimPrefix(text, "smart: ")
}
