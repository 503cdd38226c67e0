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

// Change is an item of a submission, or an action of a person, after everything was computed that
// needs no transaction: its values are mapped to the registry's fields and masked, and its
// fingerprints are known. The transaction only compares the change with what is on file, seals it
// and writes it. If a row of a spreadsheet amends a record that has changed in the meantime, the
// row is prepared again within the transaction (rebase.go).
type Change struct {
	// Accepted and Rejected are the names that a receipt uses for the item, depending on the
	// outcome. Index is the item's position in the submission.
	Accepted, Rejected string
	Index              int
	// User is the person who made the change, at the time Saved. Both are zero for a push.
	User  int64
	Saved time.Time
	// Problem is why the item is rejected before anything is decided (birth.Decide), or nil.
	Problem *fhir.Problem
	// Panicked is set if preparing the item caused a panic, which is a defect of this program.
	Panicked bool
	// Wrong and Notes hold what the form's checks found in a row of a spreadsheet. Wrong holds
	// errors, and Notes holds unlikely values (checks.go).
	Wrong, Notes []Finding

	source     birth.Source
	expression string // where in the submission the problem is

	retraction bool
	chart      string
	others     []string // other chart numbers that a retraction may mean (mapping.Item)
	chartAt    string   // where in the submission the chart number is stated

	course       birth.Course
	stamps       []mapping.Stamp // when the source system last changed the course of care, the best statement first
	stampAt      string          // where in the submission the stamp is stated that stampOf chose
	fingerprints []birth.Fingerprint
	names        []birth.NameWord
	providers    []provider
	custom       map[string]string // custom fields by key; nil leaves all of them unchanged
	uuid         string            // the UUID of a new record

	// record is the UUID of the record on which a person acts. If it is set, the chart number
	// doesn't matter. restore is set if the person restores that voided record with its present
	// content. draft is the token of the draft that is deleted when the change is written.
	record  string
	restore bool
	draft   string
	note    string // the reason for a void or a restore

	// partial is set if the item states only some values, and leaves the rest of the record
	// unchanged. Rebase combines these values with the record on file, and stores that record's
	// version in baseVersion. unchanged is set if the combined content equals what is on file.
	partial     *partial
	baseVersion int
	unchanged   bool
	checked     bool // the form's checks have run
	// differences holds the labels of the fields that a partial change changes in the record on file.
	differences []string
}

// partial holds the values of a spreadsheet's row, which leaves the rest of a record unchanged.
type partial struct {
	draft  birth.Draft // the content of the record if the row creates one
	custom map[string]string
	amend  func(onFile birth.Draft) (*birth.Draft, *fhir.Problem)
	states func(at birth.Path) bool
}

// provider is a provider whom a change names, in two forms: named holds what the change states, and
// row holds what the database stores.
type provider struct {
	row       store.Provider // without the sealed values
	named     birth.Provider
	attending bool
}

// Prepare makes a Change from an item, before the transaction begins. It masks the values, and
// computes the hashes that identify the birth, the mother and the providers. If it panics, it
// returns a Change that rejects only this item.
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

// fill prepares the content of a change. It rejects a course of care that is too large
// (birth.Draft.Exceeds), from any source, because all other writers wait while a course is written.
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

// provider returns a provider together with the provider's row for the database. It computes the
// keyed hashes of the provider's key and NPI for the row.
func (w *Writer) provider(p store.PracticeID, named birth.Provider) provider {
	row := store.Provider{Name: named.Name, Credentials: named.Credentials, Role: named.Role}
	row.Identity, row.NPI = w.ProviderHashes(p, named.Key, named.NPI)
	return provider{row, named, named.Attending}
}

// Rows estimates how many rows a change writes. The number of rows determines how long other
// writers wait. Each database page that the change's documents fill counts as a row, and every
// provider counts as a new one.
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

// Rows estimates how many rows the changes write in all.
func Rows(changes []Change) (n int) {
	for i := range changes {
		n += changes[i].Rows()
	}
	return n
}
