package cost_test

import (
	"fmt"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/changes"
	"birthregistry/store"
)

// ofPractice are the things that can be numerous in a practice, for its people and for its systems.
var ofPractice = []many{
	{"practices", 50, func(s *installation, n int) {
		for i := range n {
			p := s.addPractice(fmt.Sprint("Practice ", i))
			s.write(func(tx *store.Tx) error { return tx.AddMembership(p, s.admin.ID, string(auth.Admin)) })
		}
	}, []string{"/account", "/registry", "/registry/statistics", "/registry/statistics/:measure", "/registry/users/:user"}, nil},
	{"keys", 20, func(s *installation, n int) { // at most 20 are in force
		for i := range n {
			_, key, err := s.Auth.Mint(s.practice, fmt.Sprint("key ", i), []string{"ingest:write"}, "test")
			require.NoError(s, err)
			s.write(func(tx *store.Tx) error { return tx.RevokeAPIKey(s.practice, key.ID) })
		}
		s.named["key"] = "1"
	}, []string{"/registry", "/registry/settings", "/registry/settings/keys/:key/revoke"}, []string{"/registry/ingestions"}},
	{"deliveries of a webhook", 100, deliveries, nil, []string{"/registry/settings/keys/:key/webhook", "/registry/settings"}},
	{"sessions", 50, func(s *installation, n int) {
		for range n {
			s.session(s.admin.ID)
		}
	}, []string{"/account", "/registry/users", "/registry/users/:user", "/registry"}, []string{"/registry/records"}},
	{"members", 50, func(s *installation, n int) {
		s.write(func(tx *store.Tx) error {
			for i := range n {
				user, err := tx.AddUser(fmt.Sprintf("u%d@example.org", i), "U")
				if err == nil {
					err = tx.AddMembership(s.practice, user, string(auth.Viewer))
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
	}, []string{"/registry/users", "/registry/settings/second-factor", "/registry"}, []string{"/registry/users/:user", "/registry/records"}},
	{"invitations", 25, func(s *installation, n int) {
		for i := range n {
			_, err := s.Auth.Invite(s.admin, fmt.Sprintf("i%d@example.org", i), "I", auth.Viewer)
			require.NoError(s, err)
		}
	}, []string{"/registry/users"}, []string{"/registry/users/:user"}},
	{"erased births", 50, func(s *installation, n int) {
		s.write(func(tx *store.Tx) error {
			for i := range n {
				chart, uuid := fmt.Appendf(nil, "chart %d", i), uuid.NewString()
				if err := tx.AddTombstone(s.practice, store.Tombstone{Chart: chart, UUID: uuid, Reason: store.ErasedByMistake}); err != nil {
					return err
				}
			}
			return nil
		})
	}, []string{"/registry/erased"}, []string{"/registry", "/registry/records"}},
	{"audit rows", 100, audits, []string{"/registry/audit/csv"}, []string{
		"/registry/audit", "/registry/audit?area=statistics", "/registry/audit?area=key", "/registry/audit?older=50",
		"/registry/audit?record=0199d3a1-7c4e-7b52-9d6f-3f0c8f6a1b27", "/registry",
	}},
	{"ingestions", 50, func(s *installation, n int) {
		for i := range n {
			s.accept(amendment(i).Bundle())
		}
		s.drain()
	}, nil, []string{
		"/registry", "/registry/ingestions", "/registry/ingestions?show=failed", "/registry/ingestions?show=rejects",
		"/registry/ingestions?show=under-way", "/registry/import", "/health/json",
	}},
	{"ingestions under way", 50, func(s *installation, n int) {
		for i := range n {
			s.named["ingestion"] = s.accept(amendment(i).Bundle())
		}
	}, []string{"/registry"}, []string{
		"/registry/ingestions", "/registry/ingestions?show=under-way", "/registry/ingestions/:ingestion",
		"/api/registry/fhir/ingestions/:ingestion", "/health/json",
	}},
	{"entries of one ingestion", 100, func(s *installation, n int) {
		s.named["ingestion"] = s.accept(apptest.Batch(each(2*n, func(i int) string {
			c := distinct(i)
			if i%2 == 1 {
				c.Mothers = -1
			}
			return c.Bundle()
		})...))
		s.drain()
	}, []string{"/registry/ingestions/:ingestion", "/registry/ingestions/:ingestion?page=2", "/api/registry/fhir/ingestions/:ingestion"}, nil},
	{"refused requests", 100, func(s *installation, n int) { s.refusals(n) }, nil, []string{"/registry/ingestions/refused", "/registry"}},
	{"custom fields", 6, func(s *installation, n int) { s.customFields(n, false) }, onFields, nil}, // at most 50 are on the form
	{"retired custom fields", 60, func(s *installation, n int) { s.customFields(n, true) }, onFields, nil},
}

// onFields are the pages that show the practice's custom fields.
var onFields = append([]string{
	"/registry/fields", "/registry/fields/:field/edit", "/registry/capture", "/registry/import/template.csv", "/registry/import/dictionary.csv",
	"/registry/duplicates/:record/:other", "/registry/duplicates/:record/:other/merge", "/registry/records/:record/compare?a=1&b=2",
}, onARecord...)

func audits(s *installation, n int) {
	s.write(func(tx *store.Tx) error {
		for i := range n {
			if err := s.Auth.Note(tx, s.admin, "statistics.export", fmt.Sprint("row ", i)); err != nil {
				return err
			}
		}
		return nil
	})
}

// write runs one transaction.
func (s *installation) write(fn func(tx *store.Tx) error) {
	s.Helper()
	require.NoError(s, s.DB.Update(fn))
}

// refusals notes refused requests, as the service does once a second.
func (s *installation) refusals(n int) {
	s.Helper()
	s.write(func(tx *store.Tx) error {
		for i := range n {
			r := store.Refusal{APIKey: 1, Status: 400, Code: "not-json", RequestID: uuid.NewString(), Bytes: int64(i)}
			if err := tx.AddRefusal(s.practice, r); err != nil {
				return err
			}
		}
		return nil
	})
}

// customFields adds fields and two records that state all of them, the second in two versions.
func (s *installation) customFields(n int, retire bool) {
	s.Helper()
	answers := map[string]string{}
	s.write(func(tx *store.Tx) error {
		for i := range n {
			f := birth.CustomField{Key: fmt.Sprint("field_", i), Label: fmt.Sprint("Field ", i), Kind: birth.CustomText}
			id, err := tx.AddCustomField(s.practice, f)
			if err != nil {
				return err
			}
			s.named["field"], answers[f.Key] = fmt.Sprint(id), "water"
		}
		return nil
	})
	for _, chart := range []string{"C-000001", "C-000000"} {
		s.pushed(apptest.Course{Chart: chart, Mother: "Okonkwo", Born: at(0)}.Bundle())
		s.named["other"], s.named["record"] = s.named["record"], s.record(chart)
	}
	for _, id := range []string{s.named["other"], s.named["record"]} {
		s.amend(id, 1, answers)
	}
	if !retire {
		return
	}
	s.write(func(tx *store.Tx) error {
		fields, err := tx.CustomFields(s.practice)
		for _, f := range fields[:n-1] {
			if err == nil {
				err = tx.RetireCustomField(s.practice, f.ID, true)
			}
		}
		return err
	})
}

// amend has a person amend the custom fields of a record.
func (s *installation) amend(id string, version int, answers map[string]string) {
	s.Helper()
	basis, err := s.Changes.BaseVersion(s.Context(), s.practice, id)
	require.NoError(s, err)
	_, err = s.Changes.Save(s.admin, changes.Form{Draft: basis.Draft, Custom: answers, UUID: id, BaseVersion: version})
	require.NoError(s, err)
}
