package birth

import "time"

// State is the state of a record.
type State string

// The states. Voided and merged records are left out of statistics.
const (
	Active State = "active"
	Voided State = "voided"
	Merged State = "merged"
)

// Current is the state of the record on file with the submission's chart number. The zero value
// means that no record has that number.
type Current struct {
	State   State
	Version int
	// Stamp is the source stamp of the last content, or zero if none was stated.
	Stamp time.Time
	// Saved is when a person last changed the record, as Saving returns it: with a form or a
	// confirmed file, or by voiding, restoring or merging the record. Like Stamp, it protects the
	// record from older pushes. It is zero if no person has changed the record.
	Saved time.Time
	// MergedAway is set when a person merged the record into another one. It stays set even after a
	// retraction: a later submission with the chart number revives the record as merged, so the
	// record doesn't return to the statistics.
	MergedAway bool
}

// Change is what a submission or a person asks to do to one record: give it new content, or retract
// it by its chart number. Decide returns the Action that follows.
type Change struct {
	Retraction bool
	Chart      string
	Stamp      Stamp
	// Person is set if the change was made by a person who saw the record on file. Stamps
	// are then not compared.
	Person bool
}

// Match states how the fingerprints of a submission match those of other active records. Any is set
// if they share a fingerprint. Changed is set if they share one that the record on file doesn't
// have yet. A record that is already flagged as a duplicate can still be corrected, because a
// fingerprint that it already shared doesn't set Changed.
type Match struct {
	Any     bool
	Changed bool
}

// Action is the effect of a submission.
type Action uint8

// The actions. NoOp means that a retraction finds the record voided already.
const (
	Create Action = iota + 1
	Amend
	Revive
	Void
	NoOp
	Reject
)

// String returns the action's name in stored versions and in lint's reports.
func (a Action) String() string {
	return [...]string{"", "create", "amend", "revive", "void", "no-op", "reject"}[a]
}

// Reason says why a submission is rejected.
type Reason uint8

// The reasons. Stale rejects an update that is older than the record on file, and WouldDuplicate an
// amendment that would make the record a duplicate. UnknownChart and NoChart reject a
// retraction whose chart number isn't on file or is missing.
const (
	Stale Reason = iota + 1
	WouldDuplicate
	UnknownChart
	NoChart
)

// Decision is what a Change does to a record, as Decide returns it.
type Decision struct {
	Action Action
	Reason Reason // set if Action is Reject
	// Version is the record's version afterwards.
	Version int
	// State is the record's state afterwards.
	State State
	// Suspected flags a record that looks like one already on file.
	Suspected bool
	// Unjudged is set if new content replaces values that a person saved, although nothing shows
	// that the new content is newer (decision 20). The practice must be notified.
	Unjudged bool
}

// Decide returns what a change does to the record on file (spec, "Record lifecycle"). The decision
// depends only on the arguments.
func Decide(current Current, s Change, match Match) Decision {
	if s.Retraction {
		return retract(current, s)
	}
	if current.Version == 0 {
		return Decision{Action: Create, Version: 1, State: Active, Suspected: match.Any}
	}
	if !s.Person && stale(current.guard(), s.Stamp) {
		return Decision{Action: Reject, Reason: Stale}
	}
	next := Decision{Version: current.Version + 1, State: current.State, Unjudged: current.overrides(s)}
	switch {
	case current.State == Voided:
		next.Action, next.State, next.Suspected = Revive, Active, match.Any
		if current.MergedAway {
			next.State = Merged
		}
	case current.State == Active && match.Changed:
		return Decision{Action: Reject, Reason: WouldDuplicate}
	default: // active or merged; an amendment doesn't undo a merge
		next.Action, next.Suspected = Amend, match.Any
	}
	return next
}

// retract voids the record with the chart number. It neither compares nor changes the
// stamp.
func retract(current Current, s Change) Decision {
	switch {
	case s.Chart == "":
		return Decision{Action: Reject, Reason: NoChart}
	case current.Version == 0:
		return Decision{Action: Reject, Reason: UnknownChart}
	case current.State == Voided:
		return Decision{Action: NoOp, Version: current.Version, State: Voided}
	default:
		return Decision{Action: Void, Version: current.Version + 1, State: Voided}
	}
}

// guard returns the later of the record's two stamps. A pushed update with an older stamp is stale.
func (c Current) guard() time.Time {
	if c.Saved.After(c.Stamp) {
		return c.Saved
	}
	return c.Stamp
}

// stale reports whether an update is certainly older than the content on file: it compares the
// last instant that the update's stamp can mean. An update isn't stale if the stamps are equal,
// or if either is missing.
func stale(onFile time.Time, incoming Stamp) bool {
	return !onFile.IsZero() && !incoming.IsZero() && incoming.Last.Before(onFile)
}

// overrides reports whether pushed content replaces what a person saved, but isn't certainly newer:
// the content has no stamp, or its stamp may mean the same time, such as a date of the same day.
func (c Current) overrides(s Change) bool {
	return !s.Person && !c.Saved.IsZero() && !s.Stamp.First.After(c.Saved)
}
