package smart

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// server is an EHR's description of its authorization server (SMART App Launch 2.2.0,
// "Conformance": .well-known/smart-configuration). A field is empty if the description doesn't have
// it.
type server struct {
	Issuer       string `json:"issuer"`
	Authorize    string `json:"authorization_endpoint"`
	Token        string `json:"token_endpoint"`
	Keys         string `json:"jwks_uri"`
	Capabilities texts  `json:"capabilities"`
	Challenges   texts  `json:"code_challenge_methods_supported"`
	AuthMethods  texts  `json:"token_endpoint_auth_methods_supported"`
	Signing      texts  `json:"token_endpoint_auth_signing_alg_values_supported"`
	Scopes       texts  `json:"scopes_supported"`
	// AnswersIss is set if the server adds its issuer to every callback (RFC 9207).
	AnswersIss flag `json:"authorization_response_iss_parameter_supported"`
	// Old is set if only the CapabilityStatement named the endpoints.
	Old bool `json:"-"`
}

// texts is a list of strings in a document from an EHR. Elements that aren't strings are ignored. A
// value that isn't a list is ignored too, because a vendor's mistake in this information must not
// stop a launch.
type texts []string

// UnmarshalJSON reads the strings in a JSON array. Any other value gives an empty list.
func (t *texts) UnmarshalJSON(doc []byte) error {
	*t = nil
	var all []jsontext.Value
	if json.Unmarshal(doc, &all) != nil {
		return nil
	}
	for _, one := range all {
		var text string
		if json.Unmarshal(one, &text) == nil {
			*t = append(*t, text)
		}
	}
	return nil
}

func (t texts) has(text string) bool { return slices.Contains(t, text) }

// flag is a boolean in a document from an EHR. Any value other than true counts as false.
type flag bool

// UnmarshalJSON sets the flag if the value is true. It never fails.
func (f *flag) UnmarshalJSON(doc []byte) error {
	*f = string(bytes.TrimSpace(doc)) == "true"
	return nil
}

// Limits for the two documents that describe an EHR. maxWellKnown is the maximum size of its
// smart-configuration in bytes, and maxCapability of its CapabilityStatement. fallbackWithin is the
// time limit for reading the CapabilityStatement if there is no smart-configuration.
const (
	maxWellKnown   = 256 << 10
	maxCapability  = 5 << 20
	fallbackWithin = 10 * time.Second
)

var (
	errNoEndpoints = fmt.Errorf("%w: its configuration names no authorization and token endpoint", ErrUpstream)
	errNotJSON     = fmt.Errorf("%w: its configuration is not a JSON object", ErrUpstream)
	errNoS256      = fmt.Errorf("%w: its configuration does not offer PKCE with S256", ErrUpstream)
)

// discover asks an EHR which authorization server it uses (M7, M8), and checks that the endpoints
// are on the EHR's hosts. It returns ErrUpstream or ErrSlow if this fails.
func discover(ctx context.Context, o *outbound, base string) (found server, err error) {
	if found, err = configuration(ctx, o, base); err != nil {
		return found, err
	}
	if found.Authorize == "" || found.Token == "" {
		return found, errNoEndpoints
	}
	for _, at := range []*string{&found.Authorize, &found.Token} {
		if *at, err = endpoint(o, base, *at); err != nil {
			return found, err
		}
	}
	if found.Keys != "" {
		if found.Keys, err = endpoint(o, base, found.Keys); err != nil {
			found.Keys = "" // they only verify who launched, which a launch can do without
		}
	}
	if len(found.Challenges) > 0 && !found.Challenges.has("S256") { // athenahealth supports S256 but doesn't list it
		return found, errNoS256
	}
	return found, nil
}

// configuration reads an EHR's smart-configuration. If there is none, it reads the
// CapabilityStatement.
func configuration(ctx context.Context, o *outbound, base string) (found server, err error) {
	status, _, body, err := o.get(ctx, base+"/.well-known/smart-configuration", "application/json", "", maxWellKnown)
	if err != nil {
		return found, err
	}
	switch status {
	case http.StatusOK:
		err = readJSON(body, &found)
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusGone:
		found, err = fromCapability(ctx, o, base)
	default:
		err = fmt.Errorf("%w: it answered the request for its smart-configuration with status %d", ErrUpstream, status)
	}
	return found, err
}

// endpoint returns the absolute address of an endpoint, which may be relative to the FHIR base. It
// returns an error if the service may not call this address.
func endpoint(o *outbound, base, raw string) (string, error) {
	to, err := resolve(base, raw)
	if err != nil {
		return "", err
	}
	if to, err = o.permitted(to.String()); err != nil {
		return "", err
	}
	return to.String(), nil
}

func resolve(base, raw string) (*url.URL, error) {
	on, err := url.Parse(base + "/")
	if err != nil {
		return nil, errAddress
	}
	to, err := on.Parse(raw)
	if err != nil {
		return nil, errAddress
	}
	return to, nil
}

// oauthURIs is the extension in which EHRs named their endpoints before there
// was a smart-configuration (SMART App Launch 1.0).
const oauthURIs = "http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris"

// capability is the part of a CapabilityStatement that names the endpoints.
type capability struct {
	ResourceType string `json:"resourceType"`
	Rest         []struct {
		Security struct {
			Extension []struct {
				URL       string `json:"url"`
				Extension []struct {
					URL      string `json:"url"`
					ValueURI string `json:"valueUri"`
				} `json:"extension"`
			} `json:"extension"`
		} `json:"security"`
	} `json:"rest"`
}

func fromCapability(ctx context.Context, o *outbound, base string) (found server, err error) {
	ctx, cancel := context.WithTimeout(ctx, fallbackWithin)
	defer cancel()
	status, _, body, err := o.get(ctx, base+"/metadata", "application/fhir+json", "", maxCapability)
	if err != nil {
		return found, err
	}
	if status != http.StatusOK {
		return found, fmt.Errorf("%w: it has no smart-configuration, and it answered the request for /metadata with status %d", ErrUpstream, status)
	}
	var stated capability
	if err := readJSON(body, &stated); err != nil {
		return found, err
	}
	found.Old = true
	for _, rest := range stated.Rest {
		for _, e := range rest.Security.Extension {
			if e.URL != oauthURIs {
				continue
			}
			for _, uri := range e.Extension {
				switch uri.URL {
				case "authorize":
					found.Authorize = uri.ValueURI
				case "token":
					found.Token = uri.ValueURI
				}
			}
		}
	}
	return found, nil
}

// readJSON decodes a JSON object that an EHR sent, regardless of its media type.
func readJSON(body []byte, into any) error {
	if body = bytes.TrimSpace(unmarked(body)); !bytes.HasPrefix(body, []byte("{")) || json.Unmarshal(body, into) != nil {
		return errNotJSON
	}
	return nil
}

// unmarked removes a byte order mark, which some servers write at the beginning.
func unmarked(body []byte) []byte { return bytes.TrimPrefix(body, []byte("\xef\xbb\xbf")) }

// defaultScopes returns the scopes to request, only for the resources that a launch reads (M15).
// They are in the syntax of SMART 1 if the server supports only that version.
func (s server) defaultScopes() string {
	if s.Capabilities.has("permission-v1") && !s.Capabilities.has("permission-v2") {
		return oldScopes
	}
	return UsualScopes
}

// The scopes for the resources that a launch reads, in the syntax of SMART 2 and of SMART 1.
const (
	UsualScopes = "launch patient/Patient.r patient/Observation.rs patient/Condition.rs patient/Encounter.rs"
	oldScopes   = "launch patient/Patient.read patient/Observation.read patient/Condition.read patient/Encounter.read"
)
