package bundle

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

// retractions yields the retraction entries of a Bundle and of the Bundles in it. For the submitted
// Bundle, within is "", and each entry is reported at its own place. For an inner Bundle, within is
// the entry of the submitted Bundle that holds it, and all its entries are reported there.
func (b entries) retractions(within string, depth int, yield func(mapping.Item) error) error {
	_, err := b(func(e *fhir.Entry) error {
		at := within
		if at == "" {
			at = e.Place.String()
		}
		switch {
		case e.Method == "DELETE":
			return yield(retraction(e, at))
		case e.Kind == "Bundle" && depth < maxNesting && namesDelete(e.Resource):
			return entries(e.ReadBundle).retractions(at, depth+1, yield)
		}
		return nil
	})
	return err
}

// deleteWord is the method DELETE in plain letters. escape is how an escaped letter begins, because
// a document may also write the method with escapes.
var deleteWord, escape = []byte("DELETE"), []byte(`\u00`)

// namesDelete reports whether a document may contain the method DELETE.
func namesDelete(doc []byte) bool {
	if bytes.Contains(doc, deleteWord) {
		return true
	}
	for {
		at := bytes.Index(doc, escape)
		if at < 0 {
			return false
		}
		doc = doc[at+len(escape):]
		if bytes.HasPrefix(doc, []byte("4")) || bytes.HasPrefix(doc, []byte("54")) { // D, E, L or T
			return true
		}
	}
}

// mayRetract reports whether a document can have retraction entries, without decoding it. Most
// have none, and don't have to be read twice.
func mayRetract(r io.Reader) (bool, error) {
	const overlap = len("DELETE") - 1
	window, kept := make([]byte, 4<<10), 0
	for {
		n, err := r.Read(window[kept:])
		seen := window[:kept+n]
		if namesDelete(seen) {
			return true, nil
		}
		kept = copy(window, seen[max(0, len(seen)-overlap):])
		switch {
		case errors.Is(err, io.EOF):
			return false, nil
		case err != nil:
			return false, fmt.Errorf("%w: %w", fhir.ErrUnreadable, err)
		}
	}
}

// retraction reads an entry with request.method DELETE. Only a chart number identifies the record.
// It is the first of these that is present (decision 25): the identifier of the resource,
// identifier=[system|]value in request.url, the id in Bundle/<id> or Composition/<id>, a bare or
// urn:uuid: url, and fullUrl (inFullURL). The id of any other type numbers one of the sender's own
// resources: Observation/4711 is not chart 4711.
func retraction(e *fhir.Entry, at string) mapping.Item {
	item := mapping.Item{Accepted: at, Rejected: at, Retraction: true, ChartAt: e.Place.String() + ".request.url"}
	if e.Shape != nil {
		return misshapen(at, e.Shape)
	}
	if e.Weight() > maxElements {
		return rejection(at, fhir.TooManyElements, at)
	}
	chart, err := identifierOf(e)
	if err != nil {
		return misshapen(at, err)
	}
	target := targetOf(e)
	for _, named := range []struct {
		at     string
		charts []string
	}{
		{".resource.identifier", []string{chart}},
		{".request.url", target.inURL(e.URL)},
		{".fullUrl", target.inFullURL(e.FullURL)},
	} {
		charts, ok := distinct(named.charts)
		switch {
		case !ok:
			return rejection(at, fhir.BadChartNumber, e.Place.String()+named.at)
		case len(charts) > 0:
			item.ChartAt, item.Chart = e.Place.String()+named.at, charts[0]
			item.Others = append(item.Others, charts[1:]...)
			return item
		}
	}
	return item
}

// distinct returns the possible readings of a chart number in their normal form ([birth.Chart]),
// without blank ones and duplicates. It returns false if one of them cannot be a chart number.
func distinct(charts []string) (all []string, ok bool) {
	for _, chart := range charts {
		if chart, ok = birth.Chart(chart); !ok {
			return nil, false
		}
		if chart != "" && !slices.Contains(all, chart) {
			all = append(all, chart)
		}
	}
	return all, true
}

// target is the type of resource that an entry deletes, or "" if it isn't stated.
type target string

// targetOf returns the type that an entry's url names, as in Type/id or in Type?query. If the url
// names none, it returns the type of the entry's resource or, without a resource, the type in
// fullUrl.
func targetOf(e *fhir.Entry) target {
	path, query, conditional := strings.Cut(e.URL, "?")
	if kind, _, found := idOf(path); found {
		return target(kind)
	}
	if conditional && query != "" {
		path = strings.TrimSuffix(path, "/")
		if kind := path[strings.LastIndexByte(path, '/')+1:]; kind != "" {
			return target(kind)
		}
	}
	if e.Kind != "" {
		return target(e.Kind)
	}
	kind, _, _ := idOf(e.FullURL)
	return target(kind)
}

// isRecord reports whether the target's own id is the record's: the target is the document or its
// Composition, or its type isn't stated.
func (t target) isRecord() bool { return t == "" || t == "Bundle" || t == "Composition" }

// isNumbered reports whether an identifier of the target may be a chart number. It may be one if
// the target is the record or a Patient. An identifier of any other resource, such as an
// Observation, identifies only that resource.
func (t target) isNumbered() bool { return t.isRecord() || t == "Patient" }

// identifierOf returns the first identifier of the resource to delete. A Bundle has one object as
// its identifier, and other resources have a list or one object. identifierOf returns "" if
// identifiers of resources of this type aren't chart numbers (isNumbered).
func identifierOf(e *fhir.Entry) (string, error) {
	if e.Kind == "" || !target(e.Kind).isNumbered() {
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
		if strings.TrimSpace(id.Value) != "" {
			return id.Value, nil
		}
	}
	return "", nil
}

func (t target) inURL(raw string) []string {
	path, query, _ := strings.Cut(raw, "?")
	if query == "" {
		return t.chartsIn(path)
	}
	values, err := url.ParseQuery(query)
	if tokens := values["identifier"]; err == nil && t.isNumbered() && len(tokens) == 1 { // with two identifiers, a match would need both
		return []string{tokenValue(tokens[0])}
	}
	return nil // a conditional delete by another parameter names no record
}

// tokenValue returns the value of a FHIR search token, [system|]value: the part after the first
// unescaped bar, or the whole token if it has none. It removes the backslash before an escaped bar,
// comma, dollar sign or backslash.
func tokenValue(token string) string {
	value := make([]byte, 0, len(token))
	for i, inSystem := 0, true; i < len(token); i++ {
		switch c := token[i]; {
		case c == '\\' && i+1 < len(token) && strings.IndexByte(`|,$\`, token[i+1]) >= 0:
			i++
			value = append(value, token[i])
		case c == '|' && inSystem:
			value, inSystem = value[:0], false
		default:
			value = append(value, c)
		}
	}
	return string(value)
}

// inFullURL returns the chart number that an address may mean: the id after Bundle or Composition
// or, if no type precedes it, the last segment. It returns nil if the address or the target has
// another type. Text that isn't an address is read like a url (chartsIn).
func (t target) inFullURL(full string) []string {
	_, path, address := strings.Cut(full, "://")
	if !address || isTypeAlone(full) {
		return t.chartsIn(full)
	}
	if kind, id, found := idOf(path); found && target(kind).isRecord() && t.isRecord() {
		return []string{id}
	} else if found || !t.isRecord() {
		return nil
	}
	path = strings.TrimSuffix(path, "/")
	return []string{unescaped(path[strings.LastIndexByte(path, '/')+1:])}
}

// chartsIn returns the chart numbers that a url without a query may mean. In Bundle/<id> and
// Composition/<id>, the chart number is the id. A reference with another type contains no chart
// number. Any other text is itself a chart number; a urn:uuid may be one with or without its
// prefix. A slash doesn't always make a reference: in 2026/17, the chart number is 2026/17, not 17.
func (t target) chartsIn(path string) []string {
	if !t.isRecord() || isTypeAlone(path) {
		return nil
	}
	if kind, id, found := idOf(path); found && target(kind).isRecord() {
		return []string{id}
	} else if found {
		return nil
	}
	all := []string{unescaped(path)}
	if bare, isURN := strings.CutPrefix(path, "urn:uuid:"); isURN {
		all = append(all, bare)
	}
	return all
}

// typeName matches names of resource types, including those of later FHIR versions. It applies only
// to longer addresses. In a url such as 2026/17, only a type of R4 counts, because a chart number
// may have a word before a slash.
var typeName = regexp.MustCompile(`^[A-Z][A-Za-z]+$`)

// idOf returns the type and the id of Type/id, even at the end of a longer address, with or without
// a version after it.
func idOf(path string) (kind, id string, found bool) {
	path, _, _ = strings.Cut(path, "/_history/")
	segments := strings.Split(strings.TrimSuffix(path, "/"), "/")
	n := len(segments)
	if n < 2 {
		return "", "", false
	}
	if kind = segments[n-2]; !fhir.IsType(kind) && (n == 2 || !typeName.MatchString(kind)) {
		return "", "", false
	}
	return kind, unescaped(segments[n-1]), true
}

// isTypeAlone reports whether a url ends in Type/: the sender had no id to put after it, and a type
// is never a chart number.
func isTypeAlone(path string) bool {
	path, ends := strings.CutSuffix(path, "/")
	return ends && fhir.IsType(path[strings.LastIndexByte(path, '/')+1:])
}

// unescaped returns a part of a url unescaped, or unchanged if an escape is broken.
func unescaped(part string) string {
	if meant, err := url.PathUnescape(part); err == nil {
		part = meant
	}
	return part
}
