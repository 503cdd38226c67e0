package changes

import (
	"time"

	"birthregistry/app/birth"
)

// stampOf returns the first stamp of a change that is not too far ahead, and
// notes where it is stated. A time without an offset is one of the practice's
// zone.
func (s *Set) stampOf(c *Change) (birth.Stamp, error) {
	for _, stated := range c.stamps {
		zone := time.UTC
		if _, instant := birth.Instant(stated.Text); !instant {
			var err error
			if zone, err = s.practiceZone(); err != nil {
				return birth.Stamp{}, err
			}
		}
		if stamp, ok := birth.ParseStamp(stated.Text, zone); ok && stamp.Usable(s.tx.Now) {
			c.stampAt = stated.At
			return stamp, nil
		}
	}
	return birth.Stamp{}, nil
}

// practiceZone is read where a stamp needs it: most have an offset.
func (s *Set) practiceZone() (*time.Location, error) {
	if s.zone == nil {
		practice, err := s.view.Practice(s.practice)
		if err != nil {
			return nil, err
		}
		s.zone = practice.Location()
	}
	return s.zone, nil
}

// stamped moves the stamp of a record with what is written to it, and returns
// the version's. What a person saved carries the moment (birth.Saving), what was
// pushed its own stamp, where it has one; a retraction by push moves nothing.
// Guards never move back: a date is later than nothing of its own day.
func (t *Target) stamped(saved time.Time, pushed birth.Stamp) time.Time {
	if saved.IsZero() {
		t.Stamp = later(t.Stamp, pushed.First)
		return pushed.First
	}
	t.Saved = birth.Saving(saved, later(t.Stamp, t.Saved))
	return t.Saved
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
