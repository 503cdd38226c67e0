package cost_test

import (
	"fmt"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/review"
)

// onARecord are the pages of one record.
var onARecord = []string{
	"/registry/records/:record", "/registry/records/:record?state=active", "/registry/records/:record/versions",
	"/registry/records/:record/amend", "/registry/records/:record/void", "POST /registry/records/export",
}

// ofRecords are the things that can be numerous among records, or in one record.
var ofRecords = []many{
	{"births", 100, pushes(distinct), []string{
		"/registry", "/registry/find", "/registry/records/export", "POST /registry/records/export",
		"/registry/statistics", "/registry/statistics/export", "/registry/statistics/:measure",
		"/registry/report?year=2026", "/registry/report/file?year=2026",
	}, []string{
		"/registry/records", "/registry/records?state=active", "/registry/records?state=voided", "/registry/records?source=csv",
		"/registry/records?incomplete=yes&state=active", "/registry/records?older=:record",
		"/registry/capture", "/registry/providers", "/registry/duplicates", "/registry/ingestions", "/health/json",
	}},
	{"births whose counts are stored", 100, withCounts, nil, []string{
		"/registry", "/registry/statistics", "/registry/statistics/export", "/registry/statistics/:measure",
	}},
	{"records of one birth", 100, func(s *installation, n int) {
		pushes(similar)(s, n)
		s.named["other"] = s.record("C-000001")
	}, append([]string{
		"/registry", "/registry/duplicates", "/registry/duplicates/:record/:other",
		"/registry/duplicates/:record/:other/void", "/registry/duplicates/:record/:other/merge",
	}, onARecord...), nil},
	{"births that were sent twice", 200, pushes(twice), nil, []string{"/registry/duplicates"}},
	{"versions of one record", 100, versions, append([]string{
		"/registry/records", "/registry/records/:record/versions/:version", "/registry/records/:record/compare?a=1&b=99",
	}, onARecord...), nil},
	{"retractions of one record", 100, func(s *installation, n int) {
		pushes(func(i int) apptest.Course {
			c := distinct(0)
			if i%2 == 1 {
				c.Status, c.Mothers, c.Kids = "entered-in-error", -1, -1
			}
			return c
		})(s, n)
	}, []string{"/registry/records/:record", "/registry/records/:record/versions", "/registry/records/:record/restore"}, nil},
	{"children, practitioners and transfers of one record", 12, func(s *installation, n int) {
		extra := append(each(n, practitioner), each(n, child)...)
		extra = append(extra, each(n, transfer)...)
		extra = append(extra, each(n, func(i int) string {
			return `{"resourceType":"Encounter","status":"finished","participant":[` + participant(i) + `]}`
		})...)
		course := apptest.Course{Chart: "C-000000", Kids: -1, Extra: extra}
		s.pushed(course.Bundle())
		course.Mother = "Hale"
		s.pushed(course.Bundle())
		s.named["record"] = s.record("C-000000")
	}, append([]string{"/registry/records", "/registry/records/:record/compare?a=1&b=2"}, onARecord...), nil},
	{"merges in a chain", 12, (*installation).chain, append([]string{
		"/registry", "/registry/duplicates", "/registry/duplicates?show=again", "/registry/duplicates/reviews/:review/undo",
		"/registry/duplicates/:record/:other",
	}, onARecord...), nil},
	{"merges into one record", 12, (*installation).star, append([]string{
		"/registry", "/registry/duplicates", "/registry/duplicates/reviews/:review/undo", "/registry/duplicates/:record/:other",
	}, onARecord...), nil},
	{"identities of one midwife", 100, func(s *installation, n int) {
		pushes(newIdentity)(s, n)
		s.named["provider"] = "1"
	}, []string{
		"/registry/providers", "/registry/providers/:provider", "/registry/providers/:provider/group",
	}, []string{"/registry/records/:record", "/registry/records", "/registry/capture"}},
	{"midwives", 100, func(s *installation, n int) {
		pushes(oneOfMany)(s, n)
		s.named["provider"], s.named["into"] = "1", "2"
	}, []string{
		"/registry/find", "/registry/providers", "/registry/providers?from=50", "/registry/providers/:provider", "/registry/providers/:provider/merge/:into",
	}, []string{"/registry/capture", "/registry/records/:record"}},
	{"midwives without a name", 100, func(s *installation, n int) {
		pushes(func(i int) apptest.Course {
			return attendedBy(distinct(i), fmt.Sprintf(`{"resourceType":"Practitioner","id":"q%d"}`, i), fmt.Sprint("q", i))
		})(s, n)
	}, []string{"/registry/providers", "/registry/providers?unnamed=1"}, nil},
	{"roles of one midwife", 100, func(s *installation, n int) {
		pushes(manyRoles)(s, n)
		s.named["provider"] = "1"
	}, []string{"/registry/providers", "/registry/providers/:provider"}, nil},
	{"merges of midwives in a chain", 12, func(s *installation, n int) {
		pushes(oneOfMany)(s, n)
		s.mergeMidwives(n)
		s.named["provider"] = fmt.Sprint(n - 1)
	}, []string{
		"/registry/providers", "/registry/providers/:provider", "/registry/providers/:provider/unmerge",
	}, []string{"/registry/records/:record"}},
}

// pushes fills an installation by pushing Bundles. The record that pages show is the one with
// the first chart number.
func pushes(one func(int) apptest.Course) func(s *installation, n int) {
	return func(s *installation, n int) {
		s.pushed(apptest.Batch(each(n, func(i int) string { return one(i).Bundle() })...))
		s.named["record"] = s.record("C-000000")
	}
}

// amendment returns the nth birth that one chart stated.
func amendment(i int) apptest.Course {
	c := distinct(i)
	c.Chart = "C-000000"
	return c
}

// withCounts fills an installation with births, and lets the worker count them.
func withCounts(s *installation, n int) {
	pushes(distinct)(s, n)
	s.open("/registry/statistics")
	s.countAll()
}

func (s *installation) countAll() {
	s.Helper()
	for more := true; more; {
		var err error
		more, err = s.DB.CountStep()
		require.NoError(s, err)
	}
}

// twice returns births in which every second one repeats the one before it under another chart
// number.
func twice(i int) apptest.Course {
	c := distinct(i - i%2)
	c.Chart = distinct(i).Chart
	return c
}

func versions(s *installation, n int) {
	pushes(amendment)(s, n)
	s.named["version"] = "1"
}

// record returns the ID of the record with a chart number.
func (s *installation) record(chart string) string {
	s.Helper()
	found, err := s.Records.Find(s.Context(), s.practice, chart)
	require.NoError(s, err)
	return found.UUID
}

// oneOfMany returns a birth with a midwife of its own.
func oneOfMany(i int) apptest.Course {
	return attendedBy(distinct(i), fmt.Sprintf(`{"resourceType":"Practitioner","id":"q%d","name":[{"family":"Lindqvist %d"}]}`, i, i), fmt.Sprint("q", i))
}

// mergeMidwives merges the first of n midwives into the second, that one into the
// third, and so on.
func (s *installation) mergeMidwives(n int) {
	s.Helper()
	for i := 1; i < n; i++ {
		require.NoError(s, s.Review.MergeProvider(s.admin, int64(i), int64(i+1)))
	}
}

// merge merges a record into another without choosing values.
func (s *installation) merge(goes, stays string) int64 {
	s.Helper()
	of := review.Pair{Goes: goes, Stays: stays}
	for at, id := range map[*int]string{&of.GoesVersion: goes, &of.StaysVersion: stays} {
		found, err := s.Records.Find(s.Context(), s.practice, id)
		require.NoError(s, err)
		*at = found.Version
	}
	merged, err := s.Review.Merge(s.admin, of, "one birth", nil)
	require.NoError(s, err)
	return merged
}

// chain merges the first of n+1 records into the second, that one into the third, and so on.
// The pages show the last pair and its review.
func (s *installation) chain(n int) {
	s.Helper()
	pushes(similar)(s, n+1)
	for i := range n {
		s.named["record"], s.named["other"] = s.record(similar(i).Chart), s.record(similar(i+1).Chart)
		s.named["review"] = fmt.Sprint(s.merge(s.named["record"], s.named["other"]))
	}
	s.named["record"] = s.named["other"]
	s.named["other"] = s.record(similar(n - 1).Chart)
}

// star merges n records into one.
func (s *installation) star(n int) {
	s.Helper()
	pushes(similar)(s, n+1)
	for i := range n {
		s.named["other"] = s.record(similar(i + 1).Chart)
		s.named["review"] = fmt.Sprint(s.merge(s.named["other"], s.named["record"]))
	}
}
