package changes

import (
	"time"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/store"
)

// Result is the outcome of one change.
type Result struct {
	Change *Change
	// Problem is why the change was rejected, or nil.
	Problem *fhir.Problem
	// UUID identifies the record, and Version is its new version. Action is what was done to the
	// record.
	UUID      string
	Version   int
	Action    birth.Action
	Suspected bool
	// Unchanged is set if a partial change states only what is already on file.
	Unchanged bool
	// Doubtful is the attendant whom the change names, if providers on file have the same name but
	// it isn't certain which of them is meant. The change then adds another provider with that
	// name. Only a Preview sets Doubtful.
	Doubtful birth.Provider

	target *Target
}

// Differences returns the labels of the fields that a row of a spreadsheet changes in a record on file.
func (r Result) Differences() []string { return r.Change.differences }

// Partial reports whether the change stated only some values, like a row of a spreadsheet.
func (r Result) Partial() bool { return r.Change.partial != nil }

// Rejection returns what the receipt says about a rejected change: what is wrong, and where in the
// submission.
func (r Result) Rejection() fhir.OperationOutcome {
	c := r.Change
	if r.Problem == ImpossibleRow {
		return c.impossible()
	}
	at := c.expression
	switch r.Problem {
	case fhir.Stale:
		at = c.stampAt
	case fhir.WouldDuplicate, fhir.UnknownChart, fhir.NoChartNumber, fhir.Erased:
		at = c.chartAt
	}
	if at != "" {
		return r.Problem.Outcome(at)
	}
	return r.Problem.Outcome()
}

// problems maps each reason for which birth.Decide rejects a change to the problem that appears in
// the receipt.
var problems = map[birth.Reason]*fhir.Problem{
	birth.Stale:          fhir.Stale,
	birth.WouldDuplicate: fhir.WouldDuplicate,
	birth.UnknownChart:   fhir.UnknownChart,
	birth.NoChart:        fhir.NoChartNumber,
}

// Saved describes a record after an action such as Save or Void.
type Saved struct {
	UUID, Chart string
	Version     int
	State       birth.State
	Suspected   bool
	// At is when a person last saved the record.
	At time.Time
	// Unchanged is set if nothing was written, because nothing differs.
	Unchanged bool
}

// SavedAs returns a Saved that describes r.
func SavedAs(r store.Record) Saved {
	return Saved{UUID: r.UUID, Chart: r.Chart, Version: r.Version, State: r.State, Suspected: r.Suspected, At: r.Saved}
}
