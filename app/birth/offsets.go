package birth

import "time"

// KeepOffsets restores the times of an earlier version that a draft states again without their
// offset. People type times in the practice's time zone and leave the offset out. The earlier time is
// the same minute and says more: without its offset, the birth would have another fingerprint. The
// children of both versions must be in the same order. KeepOffsets changes the draft's values in
// place.
func (d *Draft) KeepOffsets(before Draft, zone *time.Location) {
	keepOffsets(d.Mother, before.Mother, zone)
	keepOffsets(d.Care, before.Care, zone)
	for i := range min(len(d.Children), len(before.Children)) {
		keepOffsets(d.Children[i], before.Children[i], zone)
	}
	for i := range min(len(d.Transfers), len(before.Transfers)) {
		d.Transfers[i].keepOffset(before.Transfers[i], zone)
	}
	if repeatsTime(d.Consent.DateTime, before.Consent.DateTime, zone) {
		d.Consent.DateTime = before.Consent.DateTime
	}
}

// keepOffset restores the time of a transfer. If the transfer then states nothing new, it keeps its
// source as well.
func (t *Transfer) keepOffset(before Transfer, zone *time.Location) {
	if !repeatsTime(t.DateTime, before.DateTime, zone) {
		return
	}
	t.DateTime = before.DateTime
	same := *t
	if same.Source = before.Source; same == before {
		*t = before
	}
}

func keepOffsets(now, before Values, zone *time.Location) {
	for i, s := range now {
		if s.Field.Kind != DateTime {
			continue
		}
		if earlier, stated := before.Get(s.Field.Name); stated && repeatsTime(s.Value.Text, earlier.Text, zone) {
			now[i].Value = earlier
		}
	}
}

// repeatsTime reports whether a time without an offset, read in a time zone, is the minute of a time
// with an offset. Seconds count only if typed isn't a whole minute.
func repeatsTime(typed, onFile string, zone *time.Location) bool {
	t, offset, ok := parseTime(typed)
	if !ok || offset {
		return false
	}
	at, ok := Instant(onFile)
	if !ok {
		return false
	}
	layout := "2006-01-02T15:04"
	if t.Second() != 0 {
		layout += ":05"
	}
	return at.In(zone).Format(layout) == t.Format(layout)
}
