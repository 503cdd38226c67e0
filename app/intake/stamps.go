package intake

import (
	"time"

	"birthregistry/app/birth"
)

// stampOf returns the first stamp of a submission that is not too far ahead, and
// notes where it is stated. A time without an offset is one of the practice's
// zone.
func (b *board) stampOf(sub *submission) (birth.Stamp, error) {
	for _, stated := range sub.stamps {
		zone := time.UTC
		if _, instant := birth.Instant(stated.Text); !instant {
			var err error
			if zone, err = b.practiceZone(); err != nil {
				return birth.Stamp{}, err
			}
		}
		if stamp, ok := birth.ParseStamp(stated.Text, zone); ok && stamp.Usable(b.tx.Now) {
			sub.stampAt = stated.At
			return stamp, nil
		}
	}
	return birth.Stamp{}, nil
}

// practiceZone is looked up where a stamp needs it: most have an offset.
func (b *board) practiceZone() (*time.Location, error) {
	if b.zone == nil {
		practice, err := b.view.Practice(b.practice)
		if err != nil {
			return nil, err
		}
		b.zone = practice.Location()
	}
	return b.zone, nil
}

// stamped moves the stamp of a record with what is written to it, and returns
// the version's. What a person saved carries the moment (birth.Saving), what was
// pushed its own stamp, where it has one; a retraction by push moves nothing.
// Guards never move back: a date is later than nothing of its own day.
func (e *entry) stamped(saved time.Time, pushed birth.Stamp) time.Time {
	if saved.IsZero() {
		e.Stamp = later(e.Stamp, pushed.First)
		return pushed.First
	}
	e.Saved = birth.Saving(saved, later(e.Stamp, e.Saved))
	return e.Saved
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
