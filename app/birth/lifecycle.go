package birth

import "time"

// State is where a record stands.
type State string

// The states. Voided and merged records are left out of statistics.
const (
	Active State = "active"
	Voided State = "voided"
	Merged State = "merged"
)

// Current is the record on file under the submission's chart number; its zero
// value means that there is none.
type Current struct {
	State   State
	Version int
	// Stamp is the source stamp of the last content, zero when none was stated.
	Stamp time.Time
	// Saved is the stamp of what a person last wrote (Saving): a form, a file they
	// confirmed, a void, a restore, a merge. It guards like Stamp; zero for none.
	Saved time.Time
	// MergedAway says that a person merged it into another record. That stands
	// when it is retracted as well: what is sent to its chart number afterwards
	// revives it as merged, and never brings it back into the statistics.
	MergedAway bool
}

// Change is what arrives: content, or the retraction of a chart number.
type Change struct {
	Retraction bool
	Chart      string
	Stamp      Stamp
	// Person says that a person wrote it, who saw what is on file: no stamp judges
	// that.
	Person bool
}

// Match says whether the submission shares a fingerprint with another live
// record. Changed counts only fingerprints the record did not have before, so
// that a pair that is flagged already can still be corrected.
type Match struct {
	Any     bool
	Changed bool
}

// Action is what a submission does.
type Action uint8

// The actions.
const (
	Create Action = iota + 1
	Amend
	Revive
	Void
	NoOp
	Reject
)

func (a Action) String() string {
	return [...]string{"", "create", "amend", "revive", "void", "no-op", "reject"}[a]
}

// Reason says why a submission is rejected.
type Reason uint8

// The reasons.
const (
	Stale Reason = iota + 1
	WouldDuplicate
	UnknownChart
	NoChart
)

// Decision is the outcome of Decide.
type Decision struct {
	Action Action
	Reason Reason // of a Reject
	// Version is the record's version afterwards.
	Version int
	// State is the record's state afterwards.
	State State
	// Suspected flags a record that looks like one already on file.
	Suspected bool
	// Unjudged says that content takes the place of what a person saved although
	// nothing shows that it is newer (decision 20): the practice is to be told.
	Unjudged bool
}

// Decide applies the record lifecycle (spec, "Record lifecycle"). It depends on
// nothing but its arguments.
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
	default: // active, or merged: a merged record is amended without coming back
		next.Action, next.Suspected = Amend, match.Any
	}
	return next
}

// retract voids by chart number alone. It neither obeys nor moves the stamp.
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

// guard is the latest stamp that stands for the record.
func (c Current) guard() time.Time {
	if c.Saved.After(c.Stamp) {
		return c.Saved
	}
	return c.Stamp
}

// stale reports whether an update is older than what is on file, whichever
// instants its stamp means. Equal is not older, and a stamp that is missing on
// either side proves nothing.
func stale(onFile time.Time, incoming Stamp) bool {
	return !onFile.IsZero() && !incoming.IsZero() && incoming.Last.Before(onFile)
}

// overrides reports whether content that is not certainly newer than what a
// person saved takes its place: it has no stamp, or one of the same day.
func (c Current) overrides(s Change) bool {
	return !s.Person && !c.Saved.IsZero() && !s.Stamp.First.After(c.Saved)
}
