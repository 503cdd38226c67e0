package store

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheTrailIsListedByAreaAndObjectPageByPageInBothDirections(t *testing.T) {
	db := opened(t)
	p, other := addPractice(t, db), addPractice(t, db)
	actions := []string{"record.read", "record.amend", "key.mint", "record.export", "user.sign-in", "record.read", "import.run"}
	areas := []string{"read", "record", "key", "read", "user", "read", "import"}
	type entry struct{ object, action, area string }
	var all []entry
	for n := range 60 {
		for _, of := range []PracticeID{p, other, 0} {
			e := entry{fmt.Sprint("object ", n%4), actions[n%7], areas[n%7]}
			update(t, db, func(tx *Tx) error {
				return tx.AddAudit(Audit{Practice: of, Actor: "Carla", Action: e.action, Object: e.object},
					func(TrailHead, Audit, Audit) (mac, headMAC []byte) { return []byte("mac"), []byte("head") })
			})
			if of == p {
				all = append(all, e)
			}
		}
	}
	list := func(f AuditFilter, back bool) (found []entry) {
		var at int64
		for {
			var page []Audit
			view(t, db, func(v *View) (err error) {
				page, err = v.Audits(p, f, at, back, 7)
				return err
			})
			for _, a := range page {
				require.Equal(t, p, a.Practice)
				found, at = append(found, entry{object: a.Object, action: a.Action}), a.ID
			}
			if len(page) < 7 {
				return found
			}
		}
	}
	for _, area := range []string{"", "read", "record", "key", "user", "import", "none"} {
		for _, object := range []string{"", "object 1", "none"} {
			want := []entry{}
			for _, e := range all {
				if (area == "" || e.area == area) && (object == "" || e.object == object) {
					want = append(want, entry{object: e.object, action: e.action})
				}
			}
			name := strings.TrimSpace(area + " " + object)
			require.Equal(t, want, append([]entry{}, list(AuditFilter{area, object}, true)...), name)
			slices.Reverse(want)
			require.Equal(t, want, append([]entry{}, list(AuditFilter{area, object}, false)...), name)
		}
	}
}
