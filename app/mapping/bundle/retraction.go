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

// retractions yields the retraction entries of a Bundle and of the Bundles inside it. If within is
// "", the receipt reports each entry at its own place. For an inner Bundle, within is the entry of
// the submitted Bundle that contains it, and all its retractions are reported there.
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

// deleteWord is the method DELETE in plain letters. escape is the beginning of an escaped letter,
// because a document may also contain the method with escapes.
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

// mayRetract reports whether a document may have retraction entries. It doesn't decode the
// document. Most documents have none, and then don't need to be read twice.
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

// retraction reads an entry with the request.method DELETE. Only a chart number identifies the
// record to retract. It is the first of these that is present (decision 25): the identifier of the
// resource, identifier=[system|]value in request.url, the id in Bundle/<id> or Composition/<id>, a
// bare or urn:uuid: url, and fullUrl (inFullURL). The id of any other type is the sender's number
// for a single resource. For example, Observation/4711 is not chart 4711.
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

// distinct returns the possible chart numbers in their normal form ([birth.Chart]), without empty
// ones and duplicates. It returns false if one of them can't be a chart number.
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

// target is the type of the resource that an entry deletes, or "" if the entry doesn't say.
type target string

// targetOf returns the type in an entry's url, as in Type/id or in Type?query. If the url has no
// type, targetOf returns the type of the entry's resource. If there is no resource, it returns the
// type in fullUrl.
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

// isRecord reports whether the target's own id is the id of the record. This is so for a document,
// for its Composition, and if the type isn't known.
func (t target) isRecord() bool { return t == "" || t == "Bundle" || t == "Composition" }

// isNumbered reports whether an identifier of the target may be a chart number. This is so if the
// target is the record or a Patient. An identifier of any other resource, such as an Observation,
// identifies only that resource.
func (t target) isNumbered() bool { return t.isRecord() || t == "Patient" }

// identifierOf returns the first identifier of the resource to delete. In a Bundle, the identifier
// is a single object. In other resources, it is a list or an object. identifierOf returns "" if an
// identifier of this resource type can't be a chart number (isNumbered).
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

// tokenValue returns the value in a FHIR search token, [system|]value. This is the part after the
// first unescaped bar, or the whole token if there is no such bar. tokenValue removes the backslash
// before an escaped bar, comma, dollar sign or backslash.
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

// inFullURL returns the chart number that an address may contain. This is the id after Bundle or
// Composition. If there is no type before it, it is the last segment. inFullURL returns nil if the
// address or the target has another type. Text that isn't an address is read like a url (chartsIn).
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

// chartsIn returns the chart numbers that a url without a query may contain. In Bundle/<id> and
// Composition/<id>, the chart number is the id. A reference with another type has no chart number.
// Any other text is a chart number as a whole. A urn:uuid may be a chart number with or without its
// prefix. A slash doesn't always make a reference: in 2026/17, the chart number is 2026/17 and not
// 17.
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

// typeName matches names of resource types, including those in later FHIR versions. It is used only
// for longer addresses. In a url such as 2026/17, only a type in R4 counts, because a chart number
// may have a word before a slash.
var typeName = regexp.MustCompile(`^[A-Z][A-Za-z]+$`)

// idOf returns the type and the id in a text such as Type/id. The text may be a longer address that
// ends in Type/id, and it may have a version at the end.
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

// isTypeAlone reports whether a url ends in a type and a slash. The sender then had no id to add,
// and a type is never a chart number.
func isTypeAlone(path string) bool {
	path, ends := strings.CutSuffix(path, "/")
	return ends && fhir.IsType(path[strings.LastIndexByte(path, '/')+1:])
}

// unescaped returns a part of a url without percent-escapes. If an escape is broken, it returns the
// part unchanged.
func unescaped(part string) string {
	if meant, err := url.PathUnescape(part); err == nil {
		part = meant
	}
	return part
}
