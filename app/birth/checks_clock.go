package birth

import (
	"strings"
	"time"
)

// CheckClock returns warnings of dates and times that are later than now, and of times that the clocks
// skipped when daylight saving time began. now is the present time in the practice's time zone, in
// which people type times. Check finds dates that are in the future wherever the birth was.
func CheckClock(d Draft, now time.Time) []CheckFinding {
	c := &checking{Draft: d}
	stated, zone := now.Format("2006-01-02T15:04:05-07:00"), now.Location() // never Z: the local day is known
	look := func(p Path, label, at string) {
		switch {
		case After(at, stated):
			c.warn("later", label+" is later than now. Check the date and the time", p)
		case skipped(at, zone):
			c.warn("skipped", label+": on this day, the clocks were set forward and skipped this time. Check it", p)
		}
	}
	c.each(func(p Path, f *Field, v Value) {
		dated := f.Kind == Date || f.Kind == DateTime
		if !dated || f.Derived || f.Name == "estimated_due_date" || f.Fault(v) != "" {
			return
		}
		if p.Field == "birth_datetime" && After(d.Children[p.Index].Text("birth_date"), stated) {
			return // the date of birth is the mistake
		}
		look(p, f.Label, v.Text)
	})
	for i, t := range d.Transfers {
		look(Of(TransferList, i, "datetime"), "The transfer", t.DateTime)
	}
	look(At("consent.date_time"), "The date of the consent", d.Consent.DateTime)
	return c.found
}

// skipped reports whether a local time doesn't exist, because the clocks of the zone were set forward
// over it.
func skipped(at string, zone *time.Location) bool {
	t, offset, ok := parseTime(at)
	if !ok || offset {
		return false
	}
	local := time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, zone)
	return !strings.HasPrefix(local.Format("2006-01-02T15:04:05"), t.Format("2006-01-02T15:04"))
}
