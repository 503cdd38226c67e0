package intake

import (
	"cmp"
	"time"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/seal"
	"birthregistry/store"
)

// board is the working picture of the records a chunk concerns: what is on
// file is looked up once for all of them, every submission is decided in order
// against the picture, and what has changed is written once. Submissions of one
// chunk see each other.
type board struct {
	view     *store.View // where it looks things up
	tx       *store.Tx   // where it writes them; nil on a board that only forecasts
	vault    *seal.Vault
	practice store.PracticeID

	byChart map[string]*entry // by chart number, sent or typed
	byGiven map[string]*entry // by chart number that the registry gave
	byUUID  map[string]*entry // those that a person works on
	touched []*entry
	known   map[string]store.Provider // by hashed identity

	live map[birth.Fingerprint]crowd // active records by fingerprint
	most int                         // how many of them are looked up by fingerprint; 0 for all
	kept map[int64]map[int64]bool    // those that a person marked as no duplicates, by record

	zone    *time.Location                 // of the practice, once a stamp needed it
	careers map[int64]birth.Career         // of the known providers
	roles   map[int64]map[int64]birth.Role // that records on the board name, by provider

	nextID   int64
	versions []store.Version
	people   []store.Attribution
	customs  []store.CustomValues
	alone    []int64             // records that may no longer look like another
	crowded  []birth.Fingerprint // fingerprints of several records that may have such
	lapsed   []int64             // records whose fingerprints have changed, which ends their marks as no duplicates
}

// entry is a record on the board.
type entry struct {
	store.Record
	was     birth.State // on file
	filed   []birth.Fingerprint
	prints  []birth.Fingerprint
	fresh   bool // not on file yet
	touched bool
}

// printed returns the fingerprints of a record to write; false when they are on file
// already.
func (e *entry) printed() (store.Prints, bool) {
	live := e.State == birth.Active
	same := !e.fresh && samePrints(e.filed, e.prints) && (e.was == birth.Active) == live
	return store.Prints{Record: e.ID, All: e.prints, Live: live, Fresh: e.fresh}, !same
}

// save is the one place where records are written (all four sources). It
// returns what the receipt says of each submission, in order.
func (s *Service) save(tx *store.Tx, p store.PracticeID, ingestion int64, subs []submission) (Outcome, error) {
	b, err := s.newBoard(tx, p, subs)
	if err != nil {
		return Outcome{}, err
	}
	out, err := b.decide(ingestion, subs)
	if err != nil {
		return out, err
	}
	return out, b.write()
}

// decide decides the submissions of an ingestion, which the board was made for.
func (b *board) decide(ingestion int64, subs []submission) (Outcome, error) {
	out := newOutcome()
	for i := range subs {
		if subs[i].problem != nil {
			out.Rejected = append(out.Rejected, subs[i].rejection(subs[i].problem))
			continue
		}
		accepted, problem, err := b.apply(&subs[i], ingestion)
		if err != nil {
			return out, err
		}
		if problem != nil {
			out.Rejected = append(out.Rejected, subs[i].rejection(problem))
			continue
		}
		out.Accepted = append(out.Accepted, accepted)
	}
	return out, nil
}

// rejection says what is wrong and where in what was submitted.
func (sub *submission) rejection(problem *fhir.Problem) Rejected {
	if problem == ImpossibleRow {
		return Rejected{Reference: sub.rejected, Outcome: sub.impossible()}
	}
	at := sub.expression
	switch problem {
	case fhir.Stale:
		at = sub.stampAt
	case fhir.WouldDuplicate, fhir.UnknownChart, fhir.NoChartNumber:
		at = sub.chartAt
	}
	if at != "" {
		return Rejected{Reference: sub.rejected, Outcome: problem.Outcome(at)}
	}
	return Rejected{Reference: sub.rejected, Outcome: problem.Outcome()}
}

// apply decides one submission and enters what it does.
func (b *board) apply(sub *submission, ingestion int64) (Accepted, *fhir.Problem, error) {
	e := b.find(sub)
	if sub.unchanged && e.Version == sub.baseVersion {
		return Accepted{Reference: sub.accepted, Submission: e.UUID, Unchanged: true}, nil, nil
	}
	if sub.restore {
		sub.prints = e.prints
	}
	stamp, err := b.stampOf(sub)
	if err != nil {
		return Accepted{}, nil, err
	}
	d := birth.Decide(e.current(), birth.Submission{
		Retraction: sub.retraction, Chart: cmp.Or(sub.chart, sub.record), Stamp: stamp, Person: !sub.saved.IsZero(),
	}, b.match(e, sub))
	accepted := Accepted{Reference: sub.accepted, Submission: e.UUID, Suspected: d.Suspected, Version: d.Version}
	switch d.Action {
	case birth.Reject:
		return Accepted{}, problems[d.Reason], nil
	case birth.NoOp:
		accepted.Retracted = true
		return accepted, nil, nil
	case birth.Void:
		accepted.Retracted = true
	case birth.Create:
		accepted.Submission, accepted.Version = sub.uuid, 0
		err = b.enroll(e, sub)
	case birth.Amend, birth.Revive:
		accepted.Amended = true
		accepted.Revived = d.Action == birth.Revive && sub.partial != nil
	}
	if err != nil {
		return Accepted{}, nil, err
	}
	version := store.Version{Source: sub.source, Ingestion: ingestion, Item: sub.index, Change: d.Action.String(), User: sub.user}
	return accepted, nil, b.carryOut(e, sub, d, stamp, version)
}

// carryOut enters what was decided of a submission.
func (b *board) carryOut(e *entry, sub *submission, d birth.Decision, stamp birth.Stamp, version store.Version) error {
	was, err := b.saidBy(e, d)
	if err != nil {
		return err
	}
	e.State, e.Version = d.State, d.Version
	version.Stamp = e.stamped(sub.saved, stamp)
	switch {
	case d.Action == birth.Void:
		b.setPrints(e, e.prints, d.State)
	case sub.restore: // as it was
		e.Suspected = d.Suspected
		b.setPrints(e, e.prints, d.State)
	default:
		if err := b.enter(e, sub, d, &version); err != nil {
			return err
		}
	}
	if err := b.noteReplaced(e, sub, d, was); err != nil {
		return err
	}
	version.Record, version.Version, version.Content = e.ID, e.Version, e.Content
	if err := b.annotate(e, sub, &version); err != nil {
		return err
	}
	b.versions = append(b.versions, version)
	b.touch(e)
	return nil
}

// find returns the record that a submission is about, or else a new one. Only the
// practice knows a chart number that the registry gave, so only a spreadsheet names a
// record by it (decision 21).
func (b *board) find(sub *submission) *entry {
	if sub.record != "" {
		return b.byUUID[sub.record]
	}
	for _, chart := range append([]string{sub.chart}, sub.others...) {
		if e := b.byChart[chart]; e != nil && chart != "" {
			return e
		}
	}
	if e := b.byGiven[sub.chart]; e != nil && sub.partial != nil { // an export that comes back
		return e
	}
	return &entry{fresh: true}
}

func (b *board) touch(e *entry) {
	if !e.touched {
		e.touched = true
		b.touched = append(b.touched, e)
	}
}

// write puts the board on file.
func (b *board) write() error {
	var fresh []store.Record
	var printed []store.Prints
	for _, e := range b.touched {
		if e.fresh {
			fresh = append(fresh, e.Record)
		} else if err := b.tx.UpdateRecord(b.practice, e.Record); err != nil {
			return err
		}
		if prints, anew := e.printed(); anew {
			printed = append(printed, prints)
		}
	}
	if err := b.tx.AddRecords(b.practice, fresh); err != nil {
		return err
	}
	if err := b.tx.AddVersions(b.practice, b.versions); err != nil {
		return err
	}
	if err := b.tx.SetPrints(b.practice, printed...); err != nil {
		return err
	}
	if err := b.tx.SetCustom(b.practice, b.customs); err != nil {
		return err
	}
	if err := b.tx.AddAttributions(b.practice, b.people); err != nil {
		return err
	}
	if len(b.lapsed) > 0 {
		if err := b.tx.Unkeep(b.practice, b.lapsed); err != nil {
			return err
		}
	}
	if err := b.reopen(); err != nil {
		return err
	}
	return b.unsuspect()
}

// reopen brings the merges into a record that counts no longer back for review,
// and takes those away whose record counts again (decision 26).
func (b *board) reopen() error {
	var left, back []int64
	for _, e := range b.touched {
		switch {
		case e.fresh || e.was == e.State:
		case e.was == birth.Active:
			left = append(left, e.ID)
		case e.State == birth.Active:
			back = append(back, e.ID)
		}
	}
	if len(left)+len(back) == 0 {
		return nil
	}
	return b.tx.ReopenMerges(b.practice, left, back)
}

// current is the record as the lifecycle sees it.
func (e *entry) current() birth.Current {
	return birth.Current{State: e.State, Version: e.Version, Stamp: e.Stamp, Saved: e.Saved, MergedAway: e.MergedInto != 0}
}

// problems says how the receipt words a lifecycle rejection.
var problems = map[birth.Reason]*fhir.Problem{
	birth.Stale:          fhir.Stale,
	birth.WouldDuplicate: fhir.WouldDuplicate,
	birth.UnknownChart:   fhir.UnknownChart,
	birth.NoChart:        fhir.NoChartNumber,
}
