package intake

import (
	"time"

	"github.com/google/uuid"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
	"birthregistry/app/seal"
	"birthregistry/app/task"
	"birthregistry/store"
)

// submission is one item made ready outside the writer: mapped, masked and
// hashed, so that the transaction only compares, seals and writes.
type submission struct {
	source             birth.Source
	accepted, rejected string // references
	index              int    // of the item in its ingestion

	retraction bool
	chart      string
	others     []string // further readings of the chart number of a retraction
	chartAt    string   // where it is named

	course    birth.Course
	stamps    []mapping.Stamp // of the source, best first
	stampAt   string          // where the one that counts is stated
	prints    []birth.Fingerprint
	providers []provider
	uuid      string // of the record, should it be a new one

	// record is the uuid of the record a person works on: it counts instead of
	// the chart number. restore brings it back without new content.
	record  string
	restore bool
	user    int64
	saved   time.Time         // when a person saved it; zero for a push
	note    string            // the reason of a void or a restore
	custom  map[string]string // the practice's own fields by key; nil leaves them

	// partial is there where the item states some values and leaves the rest of a
	// record as it stands. Laid over the record on file as of the base version, it
	// may leave it unchanged (rebase.go).
	partial     *partial
	baseVersion int
	unchanged   bool
	// checked says that it passed through the checks of the form, which found what
	// is wrong and what is improbable (looked.go).
	checked      bool
	wrong, notes []birth.Finding

	// problem rejects the item before it is compared with anything.
	problem    *fhir.Problem
	expression string
	// panicked marks a defect of this program.
	panicked bool
}

// partial is what a row of a spreadsheet states.
type partial struct {
	draft  birth.Draft // of a new record
	custom map[string]string
	amend  func(onFile birth.Draft) (*birth.Draft, *fhir.Problem)
}

type provider struct {
	row       store.Provider // but for what is sealed
	named     birth.Provider
	attending bool
}

// prepare makes an item ready. A panic is a defect met by this item alone.
func (s *Service) prepare(p store.PracticeID, source birth.Source, item mapping.Item, index int) (sub submission) {
	defer func() {
		if recover() != nil { // the value may quote the document: it goes nowhere
			task.Caught(s.log, "item", task.Stack())
			sub = submission{rejected: item.Rejected, index: index, problem: fhir.NotProcessed, panicked: true}
		}
	}()
	if s.onItem != nil {
		s.onItem(item)
	}
	if item.Panic != "" {
		task.Caught(s.log, "mapping", item.Panic)
	}
	sub = submission{
		source: source, accepted: item.Accepted, rejected: item.Rejected, index: index,
		retraction: item.Retraction, chart: item.Chart, others: item.Others, chartAt: item.ChartAt,
		problem: item.Problem, expression: item.Expression, panicked: item.Panic != "", custom: item.Custom,
	}
	if item.Draft == nil || item.Problem != nil {
		return sub
	}
	if item.Amend != nil {
		sub.partial = &partial{*item.Draft, item.Custom, item.Amend}
	}
	s.fill(p, &sub, *item.Draft)
	sub.stamps = item.Stamps
	id, err := uuid.NewV7()
	if err != nil {
		panic(err) // no randomness: nothing can go on
	}
	sub.uuid = id.String()
	return sub
}

// fill prepares the content of a submission. From every source, it rejects more than a
// course of care may hold, since everybody who waits for the writer waits for all of it.
func (s *Service) fill(p store.PracticeID, sub *submission, d birth.Draft) {
	if d.Exceeds() {
		sub.problem = fhir.TooManyElements
		return
	}
	sub.course = birth.Mask(d)
	sub.chart = sub.course.Chart()
	sub.prints = sub.course.Fingerprints(s.fingerprintKey, int64(p))
	sub.providers = nil
	for _, named := range sub.course.Draft().Providers {
		sub.providers = append(sub.providers, s.provider(p, named))
	}
}

// provider hashes what identifies a provider.
func (s *Service) provider(p store.PracticeID, named birth.Provider) provider {
	row := store.Provider{
		Identity: seal.Hash(s.providerKey, int64(p), named.Key),
		Name:     named.Name, Credentials: named.Credentials, Role: named.Role,
	}
	if named.NPI != "" {
		row.NPI = seal.Hash(s.providerKey, int64(p), "npi "+named.NPI)
	}
	return provider{row, named, named.Attending}
}
