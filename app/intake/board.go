package intake

import (
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"

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
	tx       *store.Tx
	vault    *seal.Vault
	practice store.PracticeID

	byChart map[string]*entry
	live    map[birth.Fingerprint][]int64 // active records by fingerprint
	touched []*entry
	known   map[string]store.Provider // by hashed identity

	nextID   int64
	versions []store.Version
}

// entry is a record on the board.
type entry struct {
	store.Record
	prints       []birth.Fingerprint
	attributions []store.Attribution
	fresh        bool // not on file yet
	rewritten    bool // its content changed
	touched      bool
}

// save is the one place where records are written (all four sources). It
// returns what the receipt says of each submission, in order.
func (s *Service) save(tx *store.Tx, p store.PracticeID, ingestion int64, subs []submission) (Outcome, error) {
	out := newOutcome()
	b, err := s.newBoard(tx, p, subs)
	if err != nil {
		return out, err
	}
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
	return out, b.write()
}

func (sub *submission) rejection(problem *fhir.Problem) Rejected {
	if sub.expression != "" {
		return Rejected{Reference: sub.rejected, Outcome: problem.Outcome(sub.expression)}
	}
	return Rejected{Reference: sub.rejected, Outcome: problem.Outcome()}
}

// newBoard looks up everything the submissions may concern.
func (s *Service) newBoard(tx *store.Tx, p store.PracticeID, subs []submission) (*board, error) {
	b := &board{tx: tx, vault: s.vault, practice: p, byChart: map[string]*entry{}}
	var charts []string
	var prints []birth.Fingerprint
	var identities [][]byte
	for i := range subs {
		if subs[i].problem != nil {
			continue
		}
		if subs[i].chart != "" {
			charts = append(charts, subs[i].chart)
		}
		prints = append(prints, subs[i].prints...)
		for _, named := range subs[i].providers {
			identities = append(identities, named.row.Identity)
		}
	}
	onFile, err := tx.RecordsByChart(p, unique(charts))
	if err != nil {
		return nil, err
	}
	ids := make([]int64, len(onFile))
	for i, r := range onFile {
		ids[i] = r.ID
		b.byChart[r.Chart] = &entry{Record: r}
	}
	if len(ids) > 0 {
		have, err := tx.PrintsOf(p, ids)
		if err != nil {
			return nil, err
		}
		for _, e := range b.byChart {
			e.prints = have[e.ID]
			prints = append(prints, e.prints...)
		}
	}
	if b.live, err = tx.LiveByPrint(p, unique(prints)); err != nil {
		return nil, err
	}
	if b.known, err = tx.ProvidersByIdentity(p, identities); err != nil {
		return nil, err
	}
	b.nextID, err = tx.NextRecordID()
	return b, err
}

func unique[T comparable](items []T) []T {
	seen := make(map[T]bool, len(items))
	return slices.DeleteFunc(items, func(item T) bool {
		before := seen[item]
		seen[item] = true
		return before
	})
}

// apply decides one submission and enters what it does.
func (b *board) apply(sub *submission, ingestion int64) (Accepted, *fhir.Problem, error) {
	e := b.byChart[sub.chart]
	if e == nil || sub.chart == "" {
		e = &entry{fresh: true}
	}
	current := birth.Current{State: e.State, Version: e.Version, Stamp: e.Stamp}
	d := birth.Decide(current, birth.Submission{Retraction: sub.retraction, Chart: sub.chart, Stamp: sub.stamp}, b.match(e, sub))
	accepted := Accepted{Reference: sub.accepted, Submission: e.UUID, Suspected: d.Suspected, Version: d.Version}
	version := store.Version{Source: sub.source, Ingestion: ingestion, Item: sub.index, Change: d.Action.String()}
	switch d.Action {
	case birth.Reject:
		return Accepted{}, problems[d.Reason], nil
	case birth.NoOp:
		accepted.Retracted = true
		return accepted, nil, nil
	case birth.Void:
		accepted.Retracted = true
		b.setPrints(e, e.prints, d.State)
	case birth.Create:
		accepted.Submission, accepted.Version = sub.uuid, 0
		e.ID, e.UUID, e.Chart = b.nextID, sub.uuid, sub.chart
		b.nextID++
		if sub.chart != "" {
			b.byChart[sub.chart] = e
		}
	case birth.Amend, birth.Revive:
		accepted.Amended = true
	}
	e.State, e.Version = d.State, d.Version
	if d.Action != birth.Void {
		if err := b.enter(e, sub, d, &version); err != nil {
			return Accepted{}, nil, err
		}
	}
	version.Record, version.Version, version.Content = e.ID, e.Version, e.Content
	b.versions = append(b.versions, version)
	b.touch(e)
	return accepted, nil, nil
}

// enter gives a record new content.
func (b *board) enter(e *entry, sub *submission, d birth.Decision, version *store.Version) error {
	e.Content, e.IGVersion, e.Suspected, e.rewritten = d.Version, sub.course.Draft().IGVersion, d.Suspected, true
	if !sub.stamp.IsZero() {
		e.Stamp = sub.stamp
	}
	b.setPrints(e, sub.prints, d.State)
	sealed, err := b.vault.Seal(PatientPlace(b.practice, e.UUID, d.Version), sub.course.Patient())
	if err != nil {
		return err
	}
	version.Stamp, version.IGVersion = sub.stamp, e.IGVersion
	version.Course, version.Patient = &sub.course, sealed
	e.attributions = nil
	for _, named := range sub.providers {
		id, err := b.provider(named)
		if err != nil {
			return err
		}
		e.attribute(id, named.attending)
	}
	return nil
}

// attribute enters a provider once, attending if any mention says so.
func (e *entry) attribute(provider int64, attending bool) {
	for i := range e.attributions {
		if e.attributions[i].Provider == provider {
			e.attributions[i].Attending = e.attributions[i].Attending || attending
			return
		}
	}
	e.attributions = append(e.attributions, store.Attribution{Provider: provider, Attending: attending})
}

// PatientPlace is where the sealed half of a version belongs.
func PatientPlace(p store.PracticeID, uuid string, version int) seal.Place {
	return seal.Place{Practice: int64(p), Table: "versions", Row: fmt.Sprintf("%s/%d", uuid, version)}
}

// match compares a submission with the other live records.
func (b *board) match(e *entry, sub *submission) birth.Match {
	var m birth.Match
	for _, print := range sub.prints {
		for _, id := range b.live[print] {
			if id == e.ID {
				continue
			}
			m.Any = true
			m.Changed = m.Changed || !slices.Contains(e.prints, print)
		}
	}
	return m
}

// setPrints keeps the picture of live fingerprints true.
func (b *board) setPrints(e *entry, prints []birth.Fingerprint, state birth.State) {
	for _, print := range e.prints {
		b.live[print] = slices.DeleteFunc(b.live[print], func(id int64) bool { return id == e.ID })
	}
	e.prints = prints
	if state != birth.Active {
		return
	}
	for _, print := range prints {
		b.live[print] = append(b.live[print], e.ID)
	}
}

func (b *board) touch(e *entry) {
	if !e.touched {
		e.touched = true
		b.touched = append(b.touched, e)
	}
}

// provider returns the id of a named provider, entering one that is new and
// what is new of one that is known.
func (b *board) provider(named provider) (int64, error) {
	now := named.row
	known, ok := b.known[string(now.Identity)]
	if !ok {
		return b.newProvider(named)
	}
	if now.Name == "" {
		now.Name = known.Name
	}
	if now.Credentials == "" {
		now.Credentials, now.Role = known.Credentials, known.Role
	}
	if now.Name == known.Name && now.Credentials == known.Credentials && now.Role == known.Role {
		return known.ID, nil
	}
	known.Name, known.Credentials, known.Role = now.Name, now.Credentials, now.Role
	b.known[string(now.Identity)] = known
	return known.ID, b.tx.UpdateProvider(b.practice, known)
}

func (b *board) newProvider(named provider) (int64, error) {
	row := named.row
	doc, err := json.Marshal(map[string]string{"key": named.named.Key, "npi": named.named.NPI})
	if err != nil {
		return 0, errors.New("intake: a provider cannot be written as JSON")
	}
	if row.Sealed, err = b.vault.Seal(providerPlace(b.practice, row.Identity), doc); err != nil {
		return 0, err
	}
	if row.ID, err = b.tx.AddProvider(b.practice, row); err != nil {
		return 0, err
	}
	b.known[string(row.Identity)] = row
	return row.ID, nil
}

// write puts the board on file.
func (b *board) write() error {
	var fresh []store.Record
	prints, attributions, isFresh := map[int64][]birth.Fingerprint{}, map[int64][]store.Attribution{}, map[int64]bool{}
	for _, e := range b.touched {
		if e.fresh {
			fresh = append(fresh, e.Record)
			isFresh[e.ID] = true
		} else if err := b.tx.UpdateRecord(b.practice, e.Record); err != nil {
			return err
		}
		if e.rewritten {
			prints[e.ID], attributions[e.ID] = e.prints, e.attributions
		}
	}
	if err := b.tx.AddRecords(b.practice, fresh); err != nil {
		return err
	}
	if err := b.tx.AddVersions(b.practice, b.versions); err != nil {
		return err
	}
	if err := b.tx.SetPrints(b.practice, prints, isFresh); err != nil {
		return err
	}
	return b.tx.SetAttributions(b.practice, attributions, isFresh)
}

// problems says how the receipt words a lifecycle rejection.
var problems = map[birth.Reason]*fhir.Problem{
	birth.Stale:          fhir.Stale,
	birth.WouldDuplicate: fhir.WouldDuplicate,
	birth.UnknownChart:   fhir.UnknownChart,
	birth.NoChart:        fhir.NoChartNumber,
}
