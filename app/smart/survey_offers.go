package smart

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"birthregistry/app/fhir"
	"birthregistry/store"
)

// This file checks what an EHR says it supports: PKCE, client authentication, capabilities, scopes
// and FHIR.

func (v *survey) pkce(at server) {
	switch {
	case len(at.Challenges) == 0:
		v.report(Note, "PKCE", "it does not say that it supports PKCE; the registry uses PKCE anyway, and most vendors support it")
	case at.Challenges.has("S256"):
		v.report(OK, "PKCE", "S256")
	default:
		v.problem("PKCE", "ask the vendor to offer it", "it does not offer S256, which every launch needs")
	}
}

// client checks whether the EHR supports the way in which this installation authenticates to it:
// without a secret, with a secret, or with a key.
func (v *survey) client(at server) {
	if v.ehr.ID == 0 {
		if len(at.AuthMethods) > 0 {
			v.report(Note, "client authentication", "it offers %s", list(at.AuthMethods))
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
		v.report(OK, "client authentication", "%s", method)
	case len(at.AuthMethods) == 0:
		v.report(Note, "client authentication", "the EHR does not say whether it accepts %s", method)
	case v.ehr.Auth == store.AuthPublic: // "none" is often left out
		v.report(Note, "client authentication", "it offers %s; ask the vendor whether public clients are taken", list(at.AuthMethods))
	default:
		v.problem("client authentication", "ask the vendor to register the client otherwise, or repeat birthregistry ehr add with --key, with --client-secret-file, or with neither",
			"it offers %s and not %s", list(at.AuthMethods), method)
	}
	if v.ehr.Auth != store.AuthKey {
		return
	}
	switch {
	case len(at.Signing) == 0:
		v.report(Note, "signing", "it does not say which algorithms it knows; RS384 is used")
	case at.Signing.has("ES384"):
		v.report(OK, "signing", "ES384")
	case at.Signing.has("RS384"):
		v.report(OK, "signing", "RS384")
	default:
		v.problem("signing", "ask the vendor for one of the two, or for a client secret, and repeat birthregistry ehr add with --client-secret-file",
			"it offers %s, but neither RS384 nor ES384", list(at.Signing))
	}
}

func (v *survey) capabilities(at server) {
	if len(at.Capabilities) == 0 {
		v.report(Note, "launch", "it lists no capabilities; ask the vendor whether EHR launches are enabled")
		return
	}
	if at.Capabilities.has("launch-ehr") {
		v.report(OK, "launch", "EHR launch")
	} else {
		v.report(Problem, "launch", "EHR launch is not among its capabilities; ask the vendor to enable it")
	}
	if !at.Capabilities.has("context-ehr-patient") {
		v.report(Note, "patient in context", "not among its capabilities; a launch without a patient fails")
	}
	if !at.Capabilities.has("context-ehr-encounter") {
		v.report(Note, "encounter in context", "not among its capabilities; the birth is then chosen by its date")
	}
}

func (v *survey) scopes(at server) {
	asked := v.ehr.Scopes
	if asked == "" {
		asked = at.defaultScopes()
	}
	v.report(OK, "scopes asked for", "%s", asked)
	missing := slices.DeleteFunc(strings.Fields(asked), at.Scopes.has)
	if len(at.Scopes) > 0 && len(missing) > 0 {
		v.report(Note, "scopes it lists", "not %s; many vendors list less than they grant, so ask", strings.Join(missing, ", "))
	}
}

// metadata checks the CapabilityStatement. It checks the version of FHIR, and whether the EHR has
// the resource types that a launch reads.
func (v *survey) metadata(ctx context.Context) {
	status, _, body, err := v.out.get(ctx, v.ehr.Issuer+"/metadata", "application/fhir+json", "", maxCapability)
	var stated struct {
		FHIRVersion string `json:"fhirVersion"`
		Rest        []struct {
			Resource []statedResource `json:"resource"`
		} `json:"rest"`
	}
	if err == nil && status == http.StatusOK {
		err = readJSON(body, &stated)
	}
	if err != nil || status != http.StatusOK {
		v.report(Note, "FHIR", "its CapabilityStatement cannot be read")
		return
	}
	if strings.HasPrefix(stated.FHIRVersion, "4.") {
		v.report(OK, "FHIR", "version %s", words(stated.FHIRVersion))
	} else {
		v.report(Problem, "FHIR", "it is not R4; ask the vendor for the R4 address")
	}
	missing := slices.Clone(fhir.ChartTypes)
	for _, rest := range stated.Rest {
		for _, resource := range rest.Resource {
			missing = slices.DeleteFunc(missing, func(known string) bool { return known == resource.Type })
			v.parameters(resource)
		}
	}
	if len(missing) > 0 {
		v.report(Note, "resources", "it does not list %s", strings.Join(missing, ", "))
	} else {
		v.report(OK, "resources", "%s", strings.Join(fhir.ChartTypes, ", "))
	}
}

// statedResource is a resource type in a CapabilityStatement.
type statedResource struct {
	Type        string `json:"type"`
	SearchParam []struct {
		Name string `json:"name"`
	} `json:"searchParam"`
}

// parameters checks which search parameters the EHR lists for Observations. It reports nothing if
// the EHR lists none.
func (v *survey) parameters(of statedResource) {
	if of.Type != "Observation" || len(of.SearchParam) == 0 {
		return
	}
	missing := []string{"patient", "code", "category", "date"}
	for _, p := range of.SearchParam {
		missing = slices.DeleteFunc(missing, func(name string) bool { return name == p.Name })
	}
	if len(missing) > 0 {
		v.report(Note, "search parameters", "it does not list %s for Observation; US Core requires them", strings.Join(missing, ", "))
	} else {
		v.report(OK, "search parameters", "patient, code, category and date for Observation")
	}
}

// searches reports how the EHR answered the searches of the last launch. The survey itself has no
// patient to search for.
func (v *survey) searches() {
	switch {
	case v.ehr.ID == 0:
	case !v.ehr.Seen:
		v.report(Note, "searches", "not known before the first launch: the registry does not rely on what the EHR states")
	case v.ehr.Conduct == "":
		v.report(OK, "searches", "the last launch found that its answers match the searches")
	default:
		for _, seen := range strings.Fields(v.ehr.Conduct) {
			v.report(Note, "searches", "the last launch found: %s", conducts[Conduct(seen)].operator)
		}
	}
}
