package store

import (
	"fmt"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
)

// BenchmarkLookups measures the lookups for a chunk of 250 courses among 20,000 records: all
// at once, and one by one.
func BenchmarkLookups(b *testing.B) {
	db := opened(b)
	p := addPractice(b, db)
	const records, chunk = 20_000, 250
	for first := 1; first < records; first += chunk {
		update(b, db, func(tx *Tx) error {
			all := make([]Record, chunk)
			for i := range all {
				id := int64(first + i)
				all[i] = Record{ID: id, UUID: uuid.NewString(), Chart: fmt.Sprint("chart ", id), State: birth.Active, Version: 1, Content: 1}
			}
			return tx.AddRecords(p, all)
		})
	}
	for _, at := range []int{chunk, 1} {
		b.Run(fmt.Sprintf("at-a-time=%d", at), func(b *testing.B) {
			asked := 0
			for b.Loop() {
				view(b, db, func(v *View) error {
					charts := make([]string, at)
					for i := range charts {
						charts[i] = fmt.Sprint("chart ", asked*7919%records+1)
						asked++
					}
					found, err := v.RecordsByChart(p, charts)
					require.Len(b, found, at)
					return err
				})
			}
			b.ReportMetric(float64(asked)/b.Elapsed().Seconds(), "look-ups/s")
		})
	}
}
