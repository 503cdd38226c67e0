package cost_test

import (
	"fmt"

	"github.com/stretchr/testify/require"

	"birthregistry/app/access"
	"birthregistry/app/apptest"
	"birthregistry/store"
)

// onAPage open every list beside many of what it lists.
var onAPage = []grows{
	page("births", "/registry/records", 100, distinct),
	page("records of one birth", "/registry/duplicates", 100, alike),
	page("records of one birth", "/registry", 100, alike),
	page("births", "/registry/statistics", 100, distinct),
	page("identities of one midwife", "/registry/providers", 100, newIdentity),
	page("midwives", "/registry/providers", 100, func(i int) apptest.Course {
		return attendedBy(distinct(i), fmt.Sprintf(`{"resourceType":"Practitioner","id":"q%d","name":[{"family":"Lindqvist %d"}]}`, i, i), fmt.Sprint("q", i))
	}),
	page("amendments of one chart", "/registry/records", 100, func(i int) apptest.Course { c := distinct(i); c.Chart = "A"; return c }),
	prepared("practices", "/registry/statistics", 50, func(s *site, n int) {
		for i := range n {
			s.addPractice(fmt.Sprint("Practice ", i))
		}
	}),
	prepared("keys", "/registry/settings", 20, func(s *site, n int) { // 20 are in force at most
		for i := range n {
			_, key, err := s.Access.Mint(s.practice, fmt.Sprint("key ", i), []string{"ingest:write"}, "test")
			require.NoError(s, err)
			require.NoError(s, s.DB.Update(func(tx *store.Tx) error { return tx.RevokeAPIKey(s.practice, key.ID) }))
		}
	}),
	prepared("sessions", "/account", 50, func(s *site, n int) {
		for range n {
			s.session(s.admin.User)
		}
	}),
	prepared("audit rows", "/registry/audit", 100, func(s *site, n int) {
		for i := range n {
			require.NoError(s, s.Access.NoteAlone(s.admin, "statistics.export", fmt.Sprint("row ", i)))
		}
	}),
	prepared("ingestions", "/registry/ingestions", 50, func(s *site, n int) {
		for i := range n {
			s.accept(distinct(i).Bundle())
		}
		s.drain()
	}),
	prepared("members", "/registry/users", 50, func(s *site, n int) {
		require.NoError(s, s.DB.Update(func(tx *store.Tx) error {
			for i := range n {
				user, err := tx.AddUser(fmt.Sprintf("u%d@example.org", i), "U")
				if err != nil {
					return err
				}
				if err := tx.AddMembership(s.practice, user, string(access.Viewer)); err != nil {
					return err
				}
			}
			return nil
		}))
	}),
}

// page opens a page beside many of what was pushed.
func page(of, path string, n int, one func(int) apptest.Course) grows {
	return prepared(of, path, n, func(s *site, n int) {
		s.pushed(apptest.Batch(each(n, func(i int) string { return one(i).Bundle() })...))
	})
}

func prepared(of, path string, n int, with func(s *site, n int)) grows {
	return grows{path + " beside many " + of, n, nLogN, func(s *site, n int) func() {
		with(s, n)
		s.get(path) // what is done once at first
		return func() { s.get(path) }
	}}
}
