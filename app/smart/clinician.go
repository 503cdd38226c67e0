package smart

import (
	"context"
	"crypto/subtle"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"birthregistry/app/fhir"
	"birthregistry/store"
)

// This file reads the names of the clinician who launched the registry (SMART App Launch 2.2.0,
// "Scopes for requesting identity data"). It does so only if the operator's scopes for the EHR
// contain openid and fhirUser. The form offers this clinician as attendant.
//
// The id_token is verified as OpenID Connect Core 3.1.3.7 requires. Only a Practitioner at the
// EHR's own base address is read, or a PractitionerRole and its Practitioner. A problem here never
// makes a launch fail. The form then offers no attendant.

// The limits for reading the clinician's names. They are a time limit, the sizes of two responses
// in bytes, and how far the EHR's clock may differ from the service's clock.
const (
	clinicianWithin = 10 * time.Second
	maxKeySet       = 256 << 10
	maxClinician    = 256 << 10
	clocksDiffer    = time.Minute
)

var (
	errIDToken   = fmt.Errorf("%w: its id_token cannot be verified", ErrUpstream)
	errFHIRUser  = fmt.Errorf("%w: its fhirUser is no Practitioner at its FHIR base", ErrUpstream)
	errClinician = fmt.Errorf("%w: the Practitioner to which its fhirUser refers cannot be read", ErrUpstream)
)

// signatures lists the algorithms that an id_token may be signed with. All of them sign with a
// private key. If HS256 were accepted, anybody could sign with the EHR's public key as the secret.
var signatures = []jose.SignatureAlgorithm{
	jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512, jose.ES256, jose.ES384, jose.ES512,
}

// clinician returns the names of the clinician who launched the registry. It returns nil without an
// error if the launch requested no id_token, if the EHR publishes no keys or sent no id_token, or
// if the id_token has no fhirUser.
func (s *Service) clinician(ctx context.Context, o *outbound, p pending, ehr store.EHR, got granted) ([]fhir.HumanName, error) {
	if p.Nonce == "" || p.Keys == "" || got.idToken == "" {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, clinicianWithin)
	defer cancel()
	claim, err := launchedBy(ctx, o, p, got.idToken)
	if err != nil || claim == "" {
		return nil, err
	}
	resource, id, ok := userOf(ehr.Issuer, claim)
	if !ok {
		return nil, errFHIRUser
	}
	if resource == "PractitionerRole" {
		var role struct {
			Practitioner fhir.Reference `json:"practitioner"`
		}
		if err := readUser(ctx, o, ehr.Issuer, resource, id, got.token, &role); err != nil {
			return nil, err
		}
		if resource, id, ok = userOf(ehr.Issuer, role.Practitioner.Reference); !ok || resource != "Practitioner" {
			return nil, errFHIRUser
		}
	}
	var who fhir.Practitioner
	err = readUser(ctx, o, ehr.Issuer, resource, id, got.token, &who)
	return who.Name, err
}

// launchedBy verifies an id_token and returns its claim fhirUser. The token must be signed with a
// key from the EHR's published set. It must have been issued by the authorization server for this
// client and this launch, and must be valid now.
func launchedBy(ctx context.Context, o *outbound, p pending, raw string) (fhirUser string, err error) {
	if p.Issuer == "" || p.Keys == "" {
		return "", errIDToken
	}
	token, err := jwt.ParseSigned(raw, signatures)
	if err != nil || len(token.Headers) != 1 {
		return "", errIDToken
	}
	key, err := signingKey(ctx, o, p.Keys, token.Headers[0])
	if err != nil {
		return "", err
	}
	var claims jwt.Claims
	var more struct {
		Nonce    string `json:"nonce"`
		Party    string `json:"azp"`
		FHIRUser string `json:"fhirUser"`
	}
	if token.Claims(key, &claims, &more) != nil {
		return "", errIDToken
	}
	expected := jwt.Expected{Issuer: p.Issuer, AnyAudience: jwt.Audience{p.ClientID}, Time: time.Now()}
	switch {
	case claims.Expiry == nil, claims.ValidateWithLeeway(expected, clocksDiffer) != nil,
		subtle.ConstantTimeCompare([]byte(more.Nonce), []byte(p.Nonce)) != 1,
		len(claims.Audience) > 1 && more.Party == "", more.Party != "" && more.Party != p.ClientID:
		return "", errIDToken
	}
	return more.FHIRUser, nil
}

// signingKey returns the key from an EHR's published set that matches the header of a token. It
// fails unless exactly one key matches.
func signingKey(ctx context.Context, o *outbound, address string, h jose.Header) (key jose.JSONWebKey, err error) {
	status, _, body, err := o.get(ctx, address, "application/json", "", maxKeySet)
	if err != nil {
		return key, err
	}
	var set struct {
		Keys []jsontext.Value `json:"keys"`
	}
	if status != http.StatusOK || json.Unmarshal(body, &set) != nil {
		return key, errIDToken
	}
	var known []jose.JSONWebKey
	for _, raw := range set.Keys {
		var k jose.JSONWebKey
		if k.UnmarshalJSON(raw) == nil { // keys of unknown types are ignored (RFC 7517 §5)
			known = append(known, k)
		}
	}
	fit := slices.DeleteFunc(known, func(k jose.JSONWebKey) bool {
		return h.KeyID != "" && k.KeyID != h.KeyID || !k.Valid() || !k.IsPublic() ||
			k.Use != "" && k.Use != "sig" || k.Algorithm != "" && k.Algorithm != h.Algorithm
	})
	if len(fit) != 1 {
		return key, errIDToken
	}
	return fit[0], nil
}

// userOf splits a relative or absolute reference into a resource type and an id. The argument ok is
// true only for a Practitioner or PractitionerRole at the FHIR base.
func userOf(base, reference string) (resource, id string, ok bool) {
	resource, id, _ = strings.Cut(strings.TrimPrefix(reference, base+"/"), "/")
	return resource, id, (resource == "Practitioner" || resource == "PractitionerRole") && isResourceID(id)
}

// readUser reads a Practitioner or PractitionerRole resource into a struct. It fails unless the
// response is the resource with this type and id.
func readUser(ctx context.Context, o *outbound, base, resource, id, token string, into any) error {
	status, _, body, err := o.get(ctx, base+"/"+resource+"/"+id, "application/fhir+json", token, maxClinician)
	if err != nil {
		return err
	}
	if status != http.StatusOK {
		return errClinician
	}
	if body, err = sound(body); err != nil {
		return err
	}
	found, err := readHead(body)
	if err != nil || found.Type != resource || found.ID != id || json.Unmarshal(body, into) != nil {
		return errClinician
	}
	return nil
}
