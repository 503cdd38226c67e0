package store

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
)

// BenchmarkListsOfOnePractice measures one page of a list and its total. LIST_BIRTHS sets the
// number of births, 100,000 by default. The target is 50 ms with 1,000,000.
func BenchmarkListsOfOnePractice(b *testing.B) {
	births, _ := strconv.Atoi(os.Getenv("LIST_BIRTHS"))
	if births == 0 {
		births = 100_000
	}
	db := opened(b)
	p := addPractice(b, db)
	fillPractice(b, db, p, births)
	rare, common := []byte{200, 0, 1}, []byte{100}
	var middle From
	require.NoError(b, db.View(b.Context(), func(v *View) error {
		found, err := v.RecordsByID(p, []int64{int64(births / 2)})
		middle = Behind(found[0])
		return err
	}))
	for name, f := range map[string]Filter{
		"all": {}, "birth": {Order: ByBirth}, "change": {Order: ByChange}, "oldest births": {Order: ByBirth, Ascending: true},
		"a rare name": {Words: [][]byte{rare}, Order: ByBirth}, "a common name": {Words: [][]byte{common}, Order: ByBirth},
		"two names": {Words: [][]byte{common, rare}}, "a year by change": {Born: "2024", Order: ByChange},
		"voided by birth": {State: birth.Voided, Order: ByBirth}, "typed by birth": {Source: birth.Manual, Order: ByBirth},
		"incomplete by change": {Incomplete: true, Order: ByChange}, "no attendant": {Attendant: Unstated, Order: ByBirth},
	} {
		for place, from := range map[string]From{"first": {}, "middle": middle, "last": {Back: true}} {
			b.Run(name+"/"+place, func(b *testing.B) {
				for b.Loop() {
					require.NoError(b, db.View(b.Context(), func(v *View) error {
						_, _, err := v.ListWithin(p, f, from, 51)
						require.NoError(b, err)
						if place == "first" {
							_, _, err = v.CountWithin(p, f, 10_000)
						}
						return err
					}))
				}
			})
		}
	}
}

// fillPractice adds births over ten years, some of them with rare names.
func fillPractice(b *testing.B, db *DB, p PracticeID, births int) {
	b.Helper()
	sources := []birth.Source{birth.FHIRPush, birth.FHIRPush, birth.FHIRPush, birth.CSV, birth.Manual}
	start := time.Date(2016, 1, 1, 0, 0, 0, 0, time.UTC)
	for done := 0; done < births; {
		update(b, db, func(tx *Tx) error {
			var records []Record
			var names []RecordNames
			for range min(1000, births-done) {
				done++
				r := Record{ID: int64(done), UUID: fmt.Sprint("u-", done), Chart: fmt.Sprint("C-", done), State: birth.Active, Version: 1, Content: 1, Source: sources[done%5]}
				r.Facts = birth.Facts{
					BirthMonth: start.AddDate(0, done*120/births, 0).Format("2006-01"), Attendant: []string{"midwife", "midwife", "nurse", ""}[done%4],
					Method: "vaginal_spontaneous", Missing: done % 10 / 9, Outcome: "1000000002000300000300100000000",
				}
				if done%50 == 0 {
					r.State = birth.Voided
				}
				records = append(records, r)
				names = append(names, RecordNames{Record: r.ID, Fresh: true, All: []birth.NameWord{
					{100, byte(done), byte(done >> 8)}, {200, byte(done >> 8), byte(done)}, {byte(done % 97), byte(done >> 4), byte(done >> 12)},
				}})
			}
			if err := tx.AddRecords(p, records); err != nil {
				return err
			}
			return tx.SetNames(p, names...)
		})
	}
}
