package views

import (
	"context"
	"time"
)

// Moment writes when something happened, to the minute, in a zone: "Mar 2,
// 2026, 4:18 AM EST".
func Moment(t time.Time, zone *time.Location) string {
	return t.In(zone).Format("Jan 2, 2006, 3:04 PM MST")
}

type zoneKey struct{}

// InZone sets the zone in which a page writes its times.
func InZone(ctx context.Context, zone *time.Location) context.Context {
	return context.WithValue(ctx, zoneKey{}, zone)
}

// zoneOf returns the page's zone, or UTC if nobody is signed in.
func zoneOf(ctx context.Context) *time.Location {
	if zone, ok := ctx.Value(zoneKey{}).(*time.Location); ok {
		return zone
	}
	return time.UTC
}
