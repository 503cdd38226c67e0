package smart

import (
	"bytes"
	"errors"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"birthregistry/app/fhir"
)

// page is one page of search results, a Bundle of the type searchset.
type page struct {
	Type string `json:"resourceType"`
	Link []struct {
		Relation string `json:"relation"`
		URL      string `json:"url"`
	} `json:"link"`
	Entry []jsontext.Value `json:"entry"`
	Total jsontext.Value   `json:"total"`
}

// total returns the number of results that the server counted for the whole search. It returns 0 if
// the server doesn't say.
func (p page) total() int {
	n, err := strconv.Atoi(string(p.Total))
	if err != nil {
		return 0
	}
	return n
}

// next returns the link to the next page, or "" if there is none.
func (p page) next() string {
	for _, link := range p.Link {
		if link.Relation == "next" {
			return link.URL
		}
	}
	return ""
}

// head holds the members that identify a resource.
type head struct {
	Type    string         `json:"resourceType"`
	ID      string         `json:"id"`
	Subject fhir.Reference `json:"subject"`
}

// entry is one entry of a page.
type entry struct {
	Resource jsontext.Value `json:"resource"`
	Search   struct {
		Mode string `json:"mode"`
	} `json:"search"`
	head head
}

// isNotData reports whether an entry is something that the server has added to the results.
// Examples are an OperationOutcome with remarks and a resource of another type than asked (M23).
func (e entry) isNotData(asked string) bool {
	return e.head.Type != asked || e.Search.Mode == "outcome" || e.Search.Mode == "include"
}

// saysIncomplete reports whether an entry is an OperationOutcome that says that results are missing,
// or that a part of the search has failed. A warning of another kind may only be a remark. Epic, for
// example, adds one with the code suppressed to every answer.
func (e entry) saysIncomplete() bool {
	if e.head.Type != "OperationOutcome" {
		return false
	}
	var outcome struct {
		Issue []struct {
			Severity string `json:"severity"`
			Code     string `json:"code"`
		} `json:"issue"`
	}
	if json.Unmarshal(e.Resource, &outcome) != nil {
		return true
	}
	for _, issue := range outcome.Issue {
		if issue.Severity == "fatal" || issue.Severity == "error" || slices.Contains(incomplete, issue.Code) {
			return true
		}
	}
	return false
}

// incomplete lists the codes of issues that mean that a server has not searched everything (R4,
// IssueType).
var incomplete = []string{"incomplete", "timeout", "too-costly", "throttled", "transient", "exception", "lock-error", "no-store", "forbidden"}

// sound removes a byte order mark and NULs from body. It returns errUnreadable unless the result is
// JSON that meets the rules for pushed Bundles: at most 64 levels deep, valid UTF-8, and no
// repeated member names. If a birth date appeared twice, for example, either could be the right
// one.
func sound(body []byte) ([]byte, error) {
	body = withoutNUL(bytes.TrimPrefix(body, []byte("\uFEFF")))
	if err := fhir.Scan(bytes.NewReader(body)); err != nil && !errors.Is(err, fhir.NotABundle) {
		return nil, errUnreadable
	}
	return body, nil
}

// withoutNUL removes the escape \u0000 from JSON. No FHIR string may contain this character, but a
// single one in a name must not make the whole chart unreadable.
func withoutNUL(body []byte) []byte {
	nul := []byte(`\u0000`)
	if !bytes.Contains(body, nul) {
		return body
	}
	kept := make([]byte, 0, len(body))
	for len(body) > 0 {
		n := 1
		switch {
		case bytes.HasPrefix(body, nul):
			body = body[len(nul):]
			continue
		case body[0] == '\\' && len(body) > 1:
			n = 2 // skips an escaped backslash, which doesn't begin another escape
		}
		kept, body = append(kept, body[:n]...), body[n:]
	}
	return kept
}

// readPage decodes a page of search results. It returns errUnreadable if body isn't a Bundle.
func readPage(body []byte) (p page, err error) {
	if json.Unmarshal(body, &p) != nil || p.Type != "Bundle" {
		return p, errUnreadable
	}
	return p, nil
}

// readEntry decodes an entry of a page. If the entry has no resource, its head is empty, and
// isNotData returns true for it.
func readEntry(raw jsontext.Value) (e entry, err error) {
	if err := json.Unmarshal(raw, &e); err != nil || len(e.Resource) == 0 || e.Resource.Kind() == 'n' {
		return e, err
	}
	return e, json.Unmarshal(e.Resource, &e.head)
}

// readHead decodes the type, the ID and the subject of a resource. It leaves a field empty if the
// resource doesn't have it. readHead returns errUnreadable if a field has the wrong JSON type.
func readHead(body []byte) (h head, err error) {
	if json.Unmarshal(body, &h) != nil {
		return h, errUnreadable
	}
	return h, nil
}

// labels holds the fields by which Observations and Encounters can be searched.
type labels struct {
	Type       string                 `json:"resourceType"`
	Code       fhir.CodeableConcept   `json:"code"`
	Category   []fhir.CodeableConcept `json:"category"`
	Types      []fhir.CodeableConcept `json:"type"` // of an Encounter
	Parts      []labels               `json:"component"`
	unreadable bool
}

// labels returns an entry's labels. If a field has the wrong JSON type, it sets unreadable.
func (e entry) labels() (says labels) {
	says.unreadable = json.Unmarshal(e.Resource, &says) != nil
	return says
}

// has reports whether the Observation, or one of its components, has one of the codes. It ignores
// the code system.
func (l labels) has(codes ...string) bool {
	is := func(c fhir.CodeableConcept) bool {
		return slices.ContainsFunc(c.Coding, func(coding fhir.Coding) bool { return slices.Contains(codes, coding.Code) })
	}
	return is(l.Code) || slices.ContainsFunc(l.Parts, func(part labels) bool { return part.has(codes...) })
}

// of reports whether the Observation is in the category.
func (l labels) of(category string) bool {
	return slices.ContainsFunc(l.Category, func(c fhir.CodeableConcept) bool { return c.HasCode(category) })
}

// forBirth reports whether the Encounter has one of the birthTypes.
func (l labels) forBirth() bool {
	return slices.ContainsFunc(l.Types, func(c fhir.CodeableConcept) bool { return c.HasCode(birthTypes...) })
}

// matters reports whether a resource that couldn't be read may leave a gap in the chart. An
// Observation matters only if the mapping uses its code, or if its code couldn't be read.
func (l labels) matters() bool {
	return l.Type != "Observation" || l.unreadable || l.has(chartCodes...)
}
