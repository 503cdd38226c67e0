package app_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"birthregistry/app/access"
	"birthregistry/app/apptest"
	"birthregistry/app/birth"
	"birthregistry/app/figures"
	"birthregistry/app/intake"
	"birthregistry/store"
)

// shelveTold files synthetic courses born in the last five years through the
// store, sealed as the intake seals. Hardly two of them are alike.
func shelveTold(t testing.TB, i *apptest.Installation, p store.PracticeID, n int) {
	t.Helper()
	r := rand.New(rand.NewPCG(2026, 100))
	last := figures.LastYear(time.Now()).Last
	const chunk = 2000
	for first := 0; first < n; first += chunk {
		require.NoError(t, i.App.DB.Update(func(tx *store.Tx) error {
			id, err := tx.NextRecordID()
			if err != nil {
				return err
			}
			var heads []store.Record
			var versions []store.Version
			for k := first; k < min(n, first+chunk); k, id = k+1, id+1 {
				m := last - figures.Month(k%figures.MaxMonths)
				born := time.Date(m.Year(), time.Month(m%12+1), 1+k%28, 0, 0, 0, 0, time.UTC)
				c := birth.Mask(apptest.Tell(r, born).Draft())
				head := store.Record{
					ID: id, UUID: uuid.Must(uuid.NewV7()).String(), Chart: fmt.Sprint("S-", id), State: birth.Active, Version: 1, Content: 1,
					Facts: c.Facts(), Source: birth.Manual,
				}
				v := store.Version{Record: id, Version: 1, Content: 1, Change: "create", Source: birth.Manual, Course: &c}
				if v.Patient, err = i.App.Vault.Seal(intake.PatientPlace(p, head.UUID, 1), c.Patient()); err != nil {
					return err
				}
				heads, versions = append(heads, head), append(versions, v)
			}
			if err := tx.AddRecords(p, heads); err != nil {
				return err
			}
			return tx.AddVersions(p, versions)
		}))
	}
}

// BenchmarkStatistics measures the pages of figures of a practice with 100,000
// records, all of them within the five years asked for, as a browser sees them.
// The goal is every measure on one page within 300 ms.
func BenchmarkStatistics(b *testing.B) {
	i := apptest.Start(b)
	shelveTold(b, i, i.Practice, shelfSize)
	admin := i.SignIn(i.Practice, access.Admin)
	usual := figures.LastYear(time.Now())
	all := fmt.Sprintf("?from=%s&to=%s", usual.Last-figures.MaxMonths+1, usual.Last)
	for _, page := range []struct{ name, path string }{
		{"every measure, 100000 births", "/registry/statistics" + all},
		{"every measure, a year of them", "/registry/statistics"},
		{"one measure, 100000 births", "/registry/statistics/cesarean" + all},
		{"file of everything, 100000 births", "/registry/statistics/export" + all},
		{"home", "/registry"},
	} {
		b.Run(page.name, func(b *testing.B) { timed(b, func() { require.Equal(b, 200, admin.Get(page.path).StatusCode) }) })
	}
}
