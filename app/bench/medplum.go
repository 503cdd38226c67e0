package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// medplum returns a way that posts the same course of care to a FHIR server made of Medplum's
// packages (app/bench/medplum). The server checks every resource of the Bundle against R4, and
// stores the resources in memory, in one transaction. It does less than the service. It doesn't
// authenticate the caller, look for duplicates or an earlier version of the record, map, seal, or
// wait for a disk.
func (w *workshop) medplum(body string, callers int, long time.Duration) (way, error) {
	program, err := w.medplumServer()
	if err != nil {
		return nil, err
	}
	server, err := w.start("", "node", "--max-old-space-size=8192", program)
	if err != nil {
		return nil, err
	}
	if body, err = transaction(body); err != nil {
		return nil, err
	}
	p := plan{
		Address: server.address, Method: "POST", Path: "/", Headers: []string{"Content-Type: application/fhir+json"},
		Body: body, Status: 200, Callers: callers, Warm: long.Seconds() / 4, Time: long.Seconds(),
	}
	return w.loads(p), nil
}

// medplumServer installs the packages in the server's lock file, and returns the path of the
// server's program.
func (w *workshop) medplumServer() (string, error) {
	from, err := sources("app/bench/medplum")
	if err != nil {
		return "", err
	}
	to := filepath.Join(w.folder, "medplum")
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		return "", err
	}
	cmd := exec.CommandContext(w.ctx, "npm", "ci", "--silent", "--no-audit", "--no-fund", "--ignore-scripts")
	cmd.Dir = to
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", errors.Join(errors.New("install Medplum's packages: Node.js 20.19 and npm are needed"), err, errors.New(strings.TrimSpace(string(out))))
	}
	return filepath.Join(to, "server.mjs"), nil
}

// transaction converts a document Bundle to a transaction Bundle, in which each entry is a request
// to create the entry's resource. Medplum's server accepts only Bundles of requests.
func transaction(document string) (string, error) {
	var d struct {
		Entry []struct {
			FullURL  string         `json:"fullUrl,omitzero"`
			Resource jsontext.Value `json:"resource"`
			Request  struct {
				Method string `json:"method"`
				URL    string `json:"url"`
			} `json:"request"`
		} `json:"entry"`
	}
	if err := json.Unmarshal([]byte(document), &d); err != nil {
		return "", err
	}
	for n := range d.Entry {
		e := &d.Entry[n]
		var of struct {
			Type string `json:"resourceType"`
		}
		if err := json.Unmarshal(e.Resource, &of); err != nil {
			return "", err
		}
		e.Request.Method, e.Request.URL = "POST", of.Type
	}
	entries, err := json.Marshal(d.Entry)
	return `{"resourceType":"Bundle","type":"transaction","entry":` + string(entries) + `}`, err
}
