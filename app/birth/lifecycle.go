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

// Current describes the record on file that has a submission's chart number. The zero value means
// that no record has this number.
type Current struct {
	State   State
	Version int
	// Stamp is when the source system last changed the present content, or zero if that wasn't
	// stated.
	Stamp time.Time
	// Saved is when a person last changed the record: with a form or a confirmed file, or by
	// voiding, restoring or merging the record. Like Stamp, it protects the record from older
	// pushes. It is zero if no person has changed the record. The function Saving computes it.
	Saved time.Time
	// MergedAway is set if a person merged the record into another one. It stays set even after a
	// retraction. A later submission with the chart number then revives the record as merged, so
	// the record doesn't return to the statistics.
	MergedAway bool
}

// Change is what a submission or a person asks to do to one record: to give it new content, or to
// retract it by its chart number. Decide determines whether that happens.
type Change struct {
	Retraction bool
	Chart      string
	Stamp      Stamp
	// Person is set if the change was made by a person who saw the record on file. Time stamps are
	// then not compared.
	Person bool
}

// Match describes how the fingerprints of a submission match those of other active records. Any is
// set if another record has one of the fingerprints. Changed is set if, in addition, the record
// that the submission amends doesn't have this fingerprint yet. A record that is already flagged as
// a duplicate can therefore still be corrected.
type Match struct {
	Any     bool
	Changed bool
}

// Action is the effect of a submission.
type Action uint8

// The possible actions. NoOp means that a retraction changes nothing, because the record is voided
// already.
const (
	Create Action = iota + 1
	Amend
	Revive
	Void
	NoOp
	Reject
)

// String returns the name that the action has in stored versions and in the reports of the lint
// command.
func (a Action) String() string {
	return [...]string{"", "create", "amend", "revive", "void", "no-op", "reject"}[a]
}

// Reason is why a submission is rejected.
type Reason uint8

// The possible reasons. Stale means that an update is older than the record on file. WouldDuplicate
// means that an amendment would make the record a duplicate. UnknownChart and NoChart mean that the
// chart number of a retraction isn't on file, or is missing.
const (
	Stale Reason = iota + 1
	WouldDuplicate
	UnknownChart
	NoChart
)

// Decision is the effect of a Change on a record. Decide returns it.
type Decision struct {
	Action Action
	Reason Reason // set if Action is Reject
	// Version is the record's version number after the change.
	Version int
	// State is the record's state after the change.
	State State
	// Suspected is set if the record looks like a duplicate of a record on file.
	Suspected bool
	// Unjudged is set if new content replaces values that a person saved, although it isn't known
	// to be newer (decision 20). The practice must then be notified.
	Unjudged bool
}

// Decide returns the effect of a change on the record on file (spec, "Record lifecycle"). It
// depends only on its arguments.
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
	default: // active or merged: an amendment doesn't undo a merge
		next.Action, next.Suspected = Amend, match.Any
	}
	return next
}

// retract returns the decision to void the record, or the reason why it can't be voided. Time
// stamps are neither compared nor changed.
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

// guard returns the later of the record's times Saved and Stamp. A pushed update from before that
// time is stale.
func (c Current) guard() time.Time {
	if c.Saved.After(c.Stamp) {
		return c.Saved
	}
	return c.Stamp
}

// stale reports whether an update is certainly older than the content on file. A stamp may mean any
// time within a day or a longer period, so stale compares the end of that period. An update isn't
// stale if the times are equal, or if one of them is missing.
func stale(onFile time.Time, incoming Stamp) bool {
	return !onFile.IsZero() && !incoming.IsZero() && incoming.Last.Before(onFile)
}

// overrides reports whether pushed content replaces what a person saved, although it isn't
// certainly newer. That is so if the content has no stamp, or if the stamp may mean the same time
// or an earlier one. For example, it is a date of the same day.
func (c Current) overrides(s Change) bool {
	return !s.Person && !c.Saved.IsZero() && !s.Stamp.First.After(c.Saved)
}
