package audit

import (
	"context"
	"io"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"birthregistry/store"
)

// Line is an entry of the audit trail in the form in which it is exported as a line of JSON. At is
// in UTC, with milliseconds.
type Line struct {
	ID      int64  `json:"id"`
	At      string `json:"at"`
	User    int64  `json:"user,omitzero"` // the ID of the user's account; 0 if the actor has none
	Who     string `json:"who"`
	Action  string `json:"action"`
	Object  string `json:"object"`
	Address string `json:"address,omitzero"`
}

// Selection says which part of a practice's trail to export: the entries at or after Since and
// before Until. A zero time means no limit.
type Selection struct {
	Practice     store.PracticeID
	Since, Until time.Time
}

const exportPage = 1000

// Export writes the selected entries to out as NDJSON, oldest first, and returns how many it wrote.
// If base is "", each line is a Line. Otherwise base is the URL of the service, and each line is a
// FHIR AuditEvent (Event). An AuditEvent names the service that observed the action. Export then
// leaves out entries from another installation from which the practice moved here (negative IDs).
// Entries are read a page at a time, so a slow reader blocks nothing, and the memory needed doesn't
// depend on the length of the trail.
func (t *Trail) Export(ctx context.Context, s Selection, base string, out io.Writer) (n int, err error) {
	to := jsontext.NewEncoder(out)
	for after := int64(0); ; {
		page, err := t.Entries(ctx, s.Practice, store.AuditFilter{}, after, true, exportPage)
		if err != nil {
			return n, err
		}
		for _, e := range page {
			after = e.ID
			if e.At.Before(s.Since) || !s.Until.IsZero() && !e.At.Before(s.Until) {
				continue
			}
			if base != "" && e.ID < 0 { // an entry from the installation where the practice was before
				continue
			}
			if err := json.MarshalEncode(to, shape(e, base)); err != nil {
				return n, err
			}
			n++
		}
		if len(page) < exportPage {
			return n, nil
		}
	}
}

func shape(e store.Audit, base string) any {
	if base != "" {
		return newEvent(e, base)
	}
	return LineOf(e)
}

// LineOf converts an entry to a Line.
func LineOf(e store.Audit) Line {
	return Line{e.ID, e.At.UTC().Format("2006-01-02T15:04:05.000Z07:00"), e.User, e.Actor, e.Action, e.Object, e.Address}
}
