package changes

import (
	"time"

	"birthregistry/app/birth"
)

// stampOf returns the first stamp of a change that is readable and isn't too far in the future. It
// stores in c.stampAt where the submission states this stamp. If there is none, it returns the zero
// Stamp. A time without an offset is read in the practice's time zone.
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

// practiceZone returns the practice's time zone. The zone is read only when a stamp needs it,
// because most stamps have an offset.
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

// stamped updates the record's stamps, and returns the stamp of its new version. A version that a
// person saved is stamped with the time of saving (birth.Saving). A pushed version has the stamp
// that the push states; a date without a time means the beginning of that day. A pushed retraction
// has no stamp and doesn't change the record's stamps. The record's stamps never move back in time.
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
