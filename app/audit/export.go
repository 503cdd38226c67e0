package audit

import (
	"context"
	"io"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"birthregistry/store"
)

// Line is an entry of the trail as one line of JSON. At is in UTC, to the
// millisecond.
type Line struct {
	ID      int64  `json:"id"`
	At      string `json:"at"`
	User    int64  `json:"user,omitzero"` // the number of the account, if the actor has one
	Who     string `json:"who"`
	Action  string `json:"action"`
	Object  string `json:"object"`
	Address string `json:"address,omitzero"`
}

// Selection is the part of a practice's trail to export: from Since up to but not including
// Until; a zero time sets no limit.
type Selection struct {
	Practice     store.PracticeID
	Since, Until time.Time
}

const exportPage = 1000

// Export writes the selected entries to out as NDJSON, oldest first, and returns their number. If
// base is "", each line is a Line. Otherwise each line is a FHIR AuditEvent (Event) of the service
// at the address base. An AuditEvent names the service that observed the act, so Export then leaves
// out the entries that the practice brought along from another installation (negative IDs). Export
// reads a page at a time, so a slow reader blocks nothing, and a trail of any length takes the same
// memory.
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
			if base != "" && e.ID < 0 { // an entry of the installation from which the practice came
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

// LineOf returns an entry in the form of a line of JSON.
func LineOf(e store.Audit) Line {
	return Line{e.ID, e.At.UTC().Format("2006-01-02T15:04:05.000Z07:00"), e.User, e.Actor, e.Action, e.Object, e.Address}
}
