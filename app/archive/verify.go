package archive

import (
	"context"
	"io"
	"time"

	"birthregistry/store"
)

// verify reads the whole archive once and checks what can be checked without a database. It returns
// the practice, its users, and the ranges of IDs in its tables.
func (a *reader) verify(ctx context.Context) (incoming store.Incoming, err error) {
	addresses, present := map[string]bool{}, participants{}
	incoming = store.Incoming{Digest: a.digest[:], Spans: map[string]store.Span{}}
	for i := range store.ArchiveTables {
		t := &store.ArchiveTables[i]
		order := ordered{}
		err := a.rows(ctx, t, func(r row) error {
			if err := r.admit(); err != nil {
				return err
			}
			switch t.Name {
			case "practice":
				incoming.Practice = practiceOf(r)
				if incoming.Practice.Name != a.manifest.Practice || incoming.Practice.Sandbox != a.manifest.Sandbox {
					return damaged("%s names another practice", manifestName)
				}
			case "users":
				if addresses[r.text("email")] {
					return damaged("two users have the same address")
				}
				addresses[r.text("email")] = true
				incoming.Users = append(incoming.Users, store.User{ID: r.number("id"), Email: r.text("email"), Name: r.text("name")})
			case "records":
				return order.next(r.number("id"), 1)
			case "versions", "custom_values":
				return order.next(r.number("record"), r.number("version"))
			case "participants":
				return present.next(r.number("record"), r.number("version"))
			}
			return nil
		})
		if err != nil {
			return incoming, err
		}
		if m := a.members[t.Name+lines]; m.To > 0 && t.Name != "users" && t.Name != "practice" {
			incoming.Spans[t.Table] = store.Span{First: m.First, To: m.To}
		}
	}
	counts := a.members["records"+lines].Rows == a.manifest.Records && a.members["versions"+lines].Rows == a.manifest.Versions
	if a.members["practice"+lines].Rows != 1 || !counts {
		return incoming, damaged("%s states wrong numbers of rows", manifestName)
	}
	return incoming, a.verifyBirths()
}

func practiceOf(r row) store.Practice {
	return store.Practice{
		Name: r.text("name"), Sandbox: r.number("is_sandbox") == 1, EHRBeta: r.number("ehr_beta") == 1, TimeZone: r.text("time_zone"),
		CreatedAt: time.UnixMilli(r.number("created_at")).UTC(),
	}
}

// ordered checks that rows are in ascending order. An import needs this order, because it reads
// records and their versions in parallel.
type ordered struct{ first, second int64 }

func (o *ordered) next(first, second int64) error {
	if first < o.first || first == o.first && second <= o.second {
		return damaged("rows are out of order")
	}
	o.first, o.second = first, second
	return nil
}

func (a *reader) verifyBirths() error {
	m, err := a.open(birthsName)
	if err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, m); err != nil {
		return err
	}
	return m.end(m.Rows)
}
