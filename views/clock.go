package views

import "time"

// clock writes when something happened, to the minute.
func clock(t time.Time) string { return t.UTC().Format("Jan 2, 2006, 3:04 PM") + " UTC" }
