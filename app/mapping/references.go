package mapping

import "strings"

// references finds a resource of the course by a reference to it: by fullUrl
// first, then by its id. What two resources claim finds neither, since a fact
// entered with the wrong twin is worse than one left out.
type references struct{ byURL, byID map[string]int }

const ambiguous = -1

func newReferences() references { return references{map[string]int{}, map[string]int{}} }

func (r references) add(i int, kind, id, fullURL string) {
	claim(r.byURL, fullURL, i)
	if id == "" {
		return
	}
	bare := strings.TrimPrefix(id, "urn:uuid:")
	for _, key := range []string{id, kind + "/" + id, "urn:uuid:" + bare, kind + "/" + bare} {
		claim(r.byID, key, i)
	}
}

func claim(keys map[string]int, key string, i int) {
	if before, taken := keys[key]; taken && before != i {
		i = ambiguous
	}
	if key != "" {
		keys[key] = i
	}
}

// find resolves relative, absolute and urn:uuid references.
func (r references) find(reference string) (int, bool) {
	if reference == "" {
		return 0, false
	}
	reference, _, _ = strings.Cut(reference, "/_history/")
	for _, keys := range []map[string]int{r.byURL, r.byID} {
		if i, ok := keys[reference]; ok && i != ambiguous {
			return i, true
		}
	}
	if parts := strings.Split(reference, "/"); len(parts) > 2 {
		i, ok := r.byID[strings.Join(parts[len(parts)-2:], "/")]
		return i, ok && i != ambiguous
	}
	return 0, false
}
