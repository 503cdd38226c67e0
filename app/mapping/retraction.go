package mapping

import (
	"net/url"
	"strings"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
)

// retraction reads an entry with request.method DELETE. The record is named by
// chart number alone, by the first of these that is there (decisions 25): the
// resource's identifier.value, identifier=[system|]value in request.url, the
// id in Type/id, a bare or urn:uuid: url, the last segment of fullUrl.
func retraction(e *fhir.Entry, at string) Item {
	item := Item{Accepted: at, Rejected: at, Retraction: true}
	if e.Shape != nil {
		return misshapen(at, e.Shape)
	}
	if fhir.Weight(e.Resource) > maxElements {
		return rejection(at, fhir.TooManyElements, at)
	}
	chart, err := identifierOf(e)
	if err != nil {
		return misshapen(at, err)
	}
	for _, from := range []func() string{
		func() string { return chart },
		func() string { return chartInURL(e.URL) },
		func() string { return lastPart(e.FullURL) },
	} {
		if item.Chart = birth.Chart(from()); item.Chart != "" {
			break
		}
	}
	return item
}

// identifierOf returns the first identifier of the resource that is to be
// deleted: one object in a Bundle, a list elsewhere.
func identifierOf(e *fhir.Entry) (string, error) {
	if e.Kind == "" {
		return "", nil
	}
	if e.Kind == "Bundle" {
		var bundle struct {
			Identifier fhir.Identifier `json:"identifier"`
		}
		err := e.Decode(&bundle)
		return bundle.Identifier.Value, err
	}
	var resource struct {
		Identifier fhir.Identifiers `json:"identifier"`
	}
	if err := e.Decode(&resource); err != nil {
		return "", err
	}
	for _, id := range resource.Identifier {
		if birth.Chart(id.Value) != "" {
			return id.Value, nil
		}
	}
	return "", nil
}

func chartInURL(raw string) string {
	path, query, _ := strings.Cut(raw, "?")
	if values, err := url.ParseQuery(query); err == nil {
		if token := values.Get("identifier"); token != "" {
			if _, value, found := strings.Cut(token, "|"); found {
				return value
			}
			return token
		}
	}
	if query != "" { // a conditional delete by something else names no record
		return ""
	}
	part := lastPart(path)
	if unescaped, err := url.PathUnescape(part); err == nil {
		return unescaped
	}
	return part
}

// lastPart returns the id of Type/id, of a bare url or of a urn:uuid:.
func lastPart(ref string) string {
	ref = strings.TrimPrefix(ref, "urn:uuid:")
	ref, _, _ = strings.Cut(ref, "/_history/")
	ref = strings.TrimSuffix(ref, "/")
	return ref[strings.LastIndexByte(ref, '/')+1:]
}
