package bundle

import (
	"net/url"
	"strings"

	"birthregistry/app/fhir"
)

// references resolves a reference to a resource in the course of care, first by fullUrl and then by
// id. If two resources share a key, it resolves to neither, because a fact about the wrong twin is
// worse than a missing fact.
type references struct {
	byURL, byID map[string]int
	// elsewhere has the ids of resources that have their own http address. An http reference to
	// such a resource must match this address, and not only the id.
	elsewhere map[string]bool
	// identified has the identifiers of resources. It is for references that have only an
	// identifier.
	identified []identities
	byIdentity map[fhir.Identity]int // built from identified when it is first needed
}

type identities struct {
	all fhir.Identities
	of  int
}

const ambiguous = -1

func (r *references) add(i int, kind, id, fullURL string) {
	if r.byURL == nil {
		r.byURL, r.byID = map[string]int{}, map[string]int{}
	}
	claim(r.byURL, fullURL, i)
	if id == "" {
		return
	}
	bare := strings.TrimPrefix(id, "urn:uuid:")
	for _, key := range []string{id, kind + "/" + id, "urn:uuid:" + bare, kind + "/" + bare} {
		claim(r.byID, key, i)
	}
	if isAddress(fullURL) {
		if r.elsewhere == nil {
			r.elsewhere = map[string]bool{}
		}
		r.elsewhere[kind+"/"+id] = true
	}
}

// plain returns a urn:uuid in lower case, because upper and lower case mean the same there (RFC
// 4122). It returns any other reference unchanged.
func plain(reference string) string {
	const scheme = "urn:uuid:"
	if len(reference) > len(scheme) && strings.EqualFold(reference[:len(scheme)], scheme) {
		return strings.ToLower(reference)
	}
	return reference
}

func claim(keys map[string]int, key string, i int) {
	key = plain(key)
	if before, taken := keys[key]; taken && before != i {
		i = ambiguous
	}
	if key != "" {
		keys[key] = i
	}
}

// identify adds the identifiers of resource i. A reference may use any of them.
func (r *references) identify(i int, all fhir.Identities) {
	if len(all) > 0 {
		r.identified = append(r.identified, identities{all, i})
	}
}

// findIdentity returns the resource with an identifier. It returns false if no resource has the
// identifier, or if several do.
func (r *references) findIdentity(identity fhir.Identity) (i int, found bool) {
	if r.byIdentity == nil {
		r.byIdentity = map[fhir.Identity]int{}
		for _, one := range r.identified {
			for _, known := range one.all {
				if before, taken := r.byIdentity[known]; taken && before != one.of {
					r.byIdentity[known] = ambiguous
				} else {
					r.byIdentity[known] = one.of
				}
			}
		}
	}
	i, found = r.byIdentity[identity]
	return i, found && i != ambiguous && identity.Known()
}

// findPerson resolves a reference by its text. If the text matches nothing in the document, it uses
// the identifier. It returns false if the text and the identifier belong to different resources.
func (r *references) findPerson(ref fhir.Reference) (int, bool) {
	i, found := r.find(ref.Reference)
	switch by, known := r.findIdentity(identityIn(ref)); {
	case !known:
		return i, found
	case found && i != by:
		return 0, false
	default:
		return by, true
	}
}

// identityIn returns the identifier in a reference. It may be the reference's own identifier, or
// the one in a search such as Patient?identifier=system|value (FHIR R4, "Conditional References").
func identityIn(ref fhir.Reference) fhir.Identity {
	if ref.Identifier.Stated || ref.Reference == "" {
		return ref.Identifier
	}
	_, query, conditional := strings.Cut(ref.Reference, "?identifier=")
	if !conditional {
		return fhir.Identity{}
	}
	value, err := url.QueryUnescape(query)
	system, value, whole := strings.Cut(value, "|")
	if err != nil || !whole || strings.ContainsAny(query, `&\\`) {
		return fhir.Identity{Stated: true}
	}
	return fhir.IdentityOf(system, value)
}

// find resolves a relative, absolute or urn:uuid reference. It returns false if there is no such
// resource.
func (r *references) find(reference string) (int, bool) {
	if reference == "" {
		return 0, false
	}
	reference, _, _ = strings.Cut(reference, "/_history/")
	reference = plain(reference)
	for _, keys := range []map[string]int{r.byURL, r.byID} {
		if i, ok := keys[reference]; ok {
			return i, i != ambiguous
		}
	}
	if cut := strings.LastIndexByte(reference[:max(0, strings.LastIndexByte(reference, '/'))], '/'); cut >= 0 {
		last := reference[cut+1:] // the last two segments: the type and the id
		i, ok := r.byID[last]
		return i, ok && i != ambiguous && !(isAddress(reference) && r.elsewhere[last])
	}
	return 0, false
}

func isAddress(url string) bool {
	return strings.HasPrefix(url, "http://") || strings.HasPrefix(url, "https://")
}
