package mapping

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
)

// retractions yields the retraction entries of a Bundle and of the Bundles in
// it. Those of an inner one are reported under the submitted Bundle's entry,
// within, which is "" for the submitted one itself.
func (b entries) retractions(within string, depth int, yield func(Item) error) error {
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

// deleteWords are how the method DELETE can stand in a document: in letters, or with
// one of them escaped.
var deleteWords = [][]byte{[]byte("DELETE"), []byte(`\u004`), []byte(`\u0054`)}

func namesDelete(doc []byte) bool {
	return slices.ContainsFunc(deleteWords, func(word []byte) bool { return bytes.Contains(doc, word) })
}

// mayRetract reports whether a document can have retraction entries at all,
// without decoding it: most have none, and need not be read twice.
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

// retraction reads an entry with request.method DELETE. The record is named by
// chart number alone, by the first of these that is there (decisions 25): the
// resource's identifier.value, identifier=[system|]value in request.url, the
// id in Type/id, a bare or urn:uuid: url, the last segment of fullUrl.
func retraction(e *fhir.Entry, at string) Item {
	item := Item{Accepted: at, Rejected: at, Retraction: true, ChartAt: e.Place.String() + ".request.url"}
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
	for _, named := range []struct {
		at     string
		charts []string
	}{
		{".resource.identifier", []string{chart}},
		{".request.url", chartsInURL(e.URL)},
		{".fullUrl", chartsInFullURL(e.FullURL)},
	} {
		charts := distinct(named.charts)
		if len(charts) > 0 {
			item.ChartAt, item.Chart = e.Place.String()+named.at, charts[0]
			item.Others = append(item.Others, charts[1:]...)
			break
		}
	}
	return item
}

// distinct tidies the ways in which a chart number can be read, each once.
func distinct(charts []string) (all []string) {
	for _, chart := range charts {
		if chart = birth.Chart(chart); chart != "" && !slices.Contains(all, chart) {
			all = append(all, chart)
		}
	}
	return all
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

func chartsInURL(raw string) []string {
	path, query, _ := strings.Cut(raw, "?")
	if values, err := url.ParseQuery(query); err == nil {
		if token := values.Get("identifier"); token != "" {
			if _, value, found := strings.Cut(token, "|"); found {
				token = value
			}
			return []string{token}
		}
	}
	if query != "" { // a conditional delete by something else names no record
		return nil
	}
	return chartsIn(path)
}

// chartsInFullURL is the last segment of an address, or what is none as a url
// would be read.
func chartsInFullURL(full string) []string {
	if _, path, address := strings.Cut(full, "://"); address {
		if charts, found := idOf(path); found {
			return charts
		}
		path = strings.TrimSuffix(path, "/")
		return unescaped(path[strings.LastIndexByte(path, '/')+1:])
	}
	return chartsIn(full)
}

// chartsIn reads a url without a query: the id of Type/id, else the whole of
// it, as it is written and then without what a urn puts before it. A slash
// alone makes no reference: 2026/17 is a chart number, and not 17.
func chartsIn(path string) []string {
	if charts, found := idOf(path); found {
		return charts
	}
	all := unescaped(path)
	if bare, isURN := strings.CutPrefix(path, "urn:uuid:"); isURN {
		all = append(all, bare)
	}
	return all
}

// idOf returns the id of Type/id, at the end of a longer address as well, with
// or without a version behind it.
func idOf(path string) ([]string, bool) {
	path, _, _ = strings.Cut(path, "/_history/")
	segments := strings.Split(strings.TrimSuffix(path, "/"), "/")
	n := len(segments)
	if n < 2 || !fhir.IsType(segments[n-2]) {
		return nil, false
	}
	return unescaped(segments[n-1]), true
}

// unescaped returns a part of a url as it was meant; a broken escape is taken
// as it is.
func unescaped(part string) []string {
	if meant, err := url.PathUnescape(part); err == nil {
		part = meant
	}
	return []string{part}
}
