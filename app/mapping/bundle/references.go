package bundle

import "strings"

// references resolves a reference to a resource of the course: by fullUrl first, then by
// its id. A key that two resources share resolves to neither, because a fact entered for
// the wrong twin is worse than a missing one.
type references struct {
	byURL, byID map[string]int
	// elsewhere has the ids of resources that have an http address of their own. An http
	// reference to such a resource must match the address, not only the id.
	elsewhere map[string]bool
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

func claim(keys map[string]int, key string, i int) {
	if before, taken := keys[key]; taken && before != i {
		i = ambiguous
	}
	if key != "" {
		keys[key] = i
	}
}

// find resolves relative, absolute and urn:uuid references.
func (r *references) find(reference string) (int, bool) {
	if reference == "" {
		return 0, false
	}
	reference, _, _ = strings.Cut(reference, "/_history/")
	for _, keys := range []map[string]int{r.byURL, r.byID} {
		if i, ok := keys[reference]; ok && i != ambiguous {
			return i, true
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
