package views

import "time"

// Moment writes when something happened, to the minute.
func Moment(t time.Time) string { return t.UTC().Format("Jan 2, 2006, 3:04 PM") + " UTC" }
