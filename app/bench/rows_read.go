package main

import (
	stdjson "encoding/json"
	"net/http"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json/jsontext"

	"birthregistry/app/ingest"
	"birthregistry/app/mapping"
	"birthregistry/app/mapping/bundle"
	"birthregistry/assets"
)

// These rows measure the reading of a Bundle, and requests for its receipt.

const (
	serviceRead = "mapping + decode"
	intoAny     = "encoding/json into any"
	servicePoll = "status poll"
	echoJSON    = "Echo answering the same JSON"
)

func readGroups() []group {
	name, _ := realBundle()
	return []group{
		{name: "decode", rows: []row{
			{"mapping + decode of " + name, serviceRead, intoAny, rate, atLeast(7)},
		}, ways: decode},
		{name: "status poll", rows: []row{
			{"status poll, 64 callers", servicePoll, echoJSON, rate, atLeast(0.30)},
		}, ways: polls},
	}
}

// realBundle returns a name for a Bundle, and a function that reads the Bundle. If the environment
// variable BUNDLE_CORPUS names the folder of real Bundles, it is a Bundle that HL7 has published.
// Otherwise it is one of the project's samples.
func realBundle() (name string, read func() ([]byte, error)) {
	if corpus := os.Getenv("BUNDLE_CORPUS"); corpus != "" {
		path := filepath.Join(corpus, "hl7", "2024-07-30.Bundle-bundle-provider-live-birth-babyg-quinn.json")
		return "a real HL7 Bundle", func() ([]byte, error) { return os.ReadFile(path) }
	}
	return "a sample Bundle (BUNDLE_CORPUS names real ones)", func() ([]byte, error) {
		return assets.Samples.ReadFile("samples/01-single-birth.json")
	}
}

func decode(w *workshop) (map[string]way, error) {
	_, read := realBundle()
	text, err := read()
	if err != nil {
		return nil, err
	}
	doc := jsontext.Value(text)
	if err := doc.Compact(); err != nil {
		return nil, err
	}
	mapper := bundle.Reader{Attendants: ingest.Defaults().Attendants}
	return map[string]way{
		serviceRead: func() (Figure, error) {
			return timed(w.scale.round/3, func() error {
				return mapper.ReadWhole(doc, func(mapping.Item) error { return nil })
			}, float64(len(doc)))
		},
		intoAny: func() (Figure, error) {
			return timed(w.scale.round/3, func() error {
				var into any
				return stdjson.Unmarshal(doc, &into)
			}, float64(len(doc)))
		},
	}, nil
}

func polls(w *workshop) (map[string]way, error) {
	s, err := w.installation(1)
	if err != nil {
		return nil, err
	}
	path, err := s.send(numbered(course(lean), 1))
	if err != nil {
		return nil, err
	}
	if err := s.completed(path); err != nil {
		return nil, err
	}
	_, receipt, err := s.ask("GET", path, keyed(s.keys[0]), "", http.StatusOK)
	if err != nil {
		return nil, err
	}
	p := s.post("", 64, w.scale.round)
	p.Method, p.Path, p.Status = "GET", path, http.StatusOK
	fixed, err := w.echo(receipt, p)
	if err != nil {
		return nil, err
	}
	sized := func(of way) way {
		return func() (Figure, error) {
			f, err := of()
			f.Bytes = float64(len(receipt))
			return f, err
		}
	}
	return map[string]way{
		servicePoll: sized(func() (Figure, error) { return s.run(p) }),
		echoJSON:    sized(fixed),
	}, nil
}
