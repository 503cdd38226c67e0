package changes

import (
	"cmp"
	"time"

	"github.com/google/uuid"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
	"birthregistry/app/task"
	"birthregistry/store"
)

// Change is one item of a submission, or one action of a person, prepared for the transaction that
// writes it: mapped to the registry's fields, masked, and with its fingerprints. The transaction
// only compares the change with what is on file, seals it and writes it. A row of a spreadsheet is
// prepared again within the transaction if its record has changed in the meantime (rebase.go).
type Change struct {
	// Accepted and Rejected are the references under which a receipt lists the item. Index is
	// the item's position in the ingestion.
	Accepted, Rejected string
	Index              int
	// User wrote the change at Saved. Both are zero for a push.
	User  int64
	Saved time.Time
	// Problem, if set, rejects the item without a decision (birth.Decide).
	Problem *fhir.Problem
	// Panicked is set if the preparation panicked, which is a defect of this program.
	Panicked bool
	// Wrong and Notes hold what the form's checks found in a row of a spreadsheet: errors
	// (Wrong) and unlikely values (Notes); see checks.go.
	Wrong, Notes []Finding

	source     birth.Source
	expression string // the place of the problem

	retraction bool
	chart      string
	others     []string // other chart numbers that a retraction may mean (mapping.Item)
	chartAt    string   // the place where the chart number is stated

	course       birth.Course
	stamps       []mapping.Stamp // when the source system last changed the course; the best first
	stampAt      string          // the place of the stamp that stampOf chose
	fingerprints []birth.Fingerprint
	names        []birth.NameWord
	providers    []provider
	custom       map[string]string // custom fields by key; nil leaves them unchanged
	uuid         string            // the UUID of a new record

	// record is the UUID of the record that a person works on. If it is set, the chart number
	// doesn't matter. restore brings that record back without new content. draft is the token of
	// the draft that is deleted when the change is written.
	record  string
	restore bool
	draft   string
	note    string // the reason for a void or a restore

	// partial is set if the item states only some values and leaves the rest of a record
	// unchanged. Rebase combines it with the record on file, and stores that record's version in
	// baseVersion. unchanged is set if the combination equals what is on file.
	partial     *partial
	baseVersion int
	unchanged   bool
	checked     bool // the form's checks have run
	// differences holds the labels of the fields that a partial change changes in the record on file.
	differences []string
}

// partial holds the values that a row of a spreadsheet states.
type partial struct {
	draft  birth.Draft // the content if the row makes a new record
	custom map[string]string
	amend  func(onFile birth.Draft) (*birth.Draft, *fhir.Problem)
	states func(at birth.Path) bool
}

// provider is a provider whom a change names: as stated (named), and as a row for the database.
type provider struct {
	row       store.Provider // without the sealed values
	named     birth.Provider
	attending bool
}

// Prepare makes a Change of an item before the transaction begins: it masks the values, and hashes
// what identifies the birth, the mother and the providers. If that panics, only this item is
// rejected.
func (w *Writer) Prepare(p store.PracticeID, source birth.Source, item mapping.Item, index int) (c Change) {
	defer func() {
		if recover() != nil { // the panic's value may quote the document, so it is not logged
			task.Caught(w.log, "item", task.Stack())
			c = Change{Rejected: item.Rejected, Index: index, Problem: fhir.NotProcessed, Panicked: true}
		}
	}()
	if w.OnItem != nil {
		w.OnItem(item)
	}
	if item.Panic != "" {
		task.Caught(w.log, "mapping", item.Panic)
	}
	c = Change{
		source: source, Accepted: item.Accepted, Rejected: item.Rejected, Index: index,
		retraction: item.Retraction, chart: cmp.Or(item.Chart, item.RejectedChart), others: item.Others, chartAt: item.ChartAt,
		Problem: item.Problem, expression: item.Expression, Panicked: item.Panic != "", custom: item.Custom,
	}
	if item.Draft == nil || item.Problem != nil {
		return c
	}
	if item.Amend != nil {
		c.partial = &partial{*item.Draft, item.Custom, item.Amend, item.States}
	}
	w.fill(p, &c, *item.Draft)
	c.stamps = item.Stamps
	id, err := uuid.NewV7()
	if err != nil {
		panic(err) // without randomness, the program can't continue
	}
	c.uuid = id.String()
	return c
}

// fill prepares the content of a change. It rejects a course of care from any source if it holds
// too much (birth.Draft.Exceeds), because all other writers wait while a course is written.
func (w *Writer) fill(p store.PracticeID, c *Change, d birth.Draft) {
	if d.Exceeds() {
		c.Problem = fhir.TooManyElements
		return
	}
	c.course = birth.Mask(d)
	c.chart = c.course.Chart()
	derived := w.Derive(p, c.course)
	c.fingerprints, c.names = derived.Fingerprints, derived.Names
	c.providers = nil
	for _, named := range c.course.Draft().Providers {
		c.providers = append(c.providers, w.provider(p, named))
	}
}

// provider returns a named provider with the keyed hashes of their stable identity and NPI.
func (w *Writer) provider(p store.PracticeID, named birth.Provider) provider {
	row := store.Provider{Name: named.Name, Credentials: named.Credentials, Role: named.Role}
	row.Identity, row.NPI = w.ProviderHashes(p, named.Key, named.NPI)
	return provider{row, named, named.Attending}
}

// Rows estimates how many rows a change writes, which determines how long other writers wait. Each
// database page that its documents fill counts as a row. Every provider counts as if new.
func (c *Change) Rows() int {
	switch {
	case c.Problem != nil:
		return 0
	case c.retraction || c.restore:
		return 2
	}
	const page = 4096
	n := 2 + len(c.fingerprints) + len(c.names) + 3*len(c.providers) + (len(c.course.Clinical())+len(c.course.Patient()))/page
	if c.custom != nil {
		n++
	}
	return n
}

// Rows estimates how many rows changes write.
func Rows(changes []Change) (n int) {
	for i := range changes {
		n += changes[i].Rows()
	}
	return n
}
