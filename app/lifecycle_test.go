package app_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/birth"
	"birthregistry/app/ingest"
)

// TestRecordLifecycle checks the rows of the spec's table "Record lifecycle" through the
// endpoints and the queue.
func TestRecordLifecycle(t *testing.T) {
	t.Parallel()
	i := apptest.Start(t)
	only := func(t *testing.T, out ingest.Outcome) ingest.Accepted {
		t.Helper()
		require.Len(t, out.Accepted, 1)
		require.Empty(t, out.Rejected)
		return out.Accepted[0]
	}
	refused := func(t *testing.T, out ingest.Outcome, code, text string) ingest.Rejected {
		t.Helper()
		require.Empty(t, out.Accepted)
		require.Len(t, out.Rejected, 1)
		require.Equal(t, code, out.Rejected[0].Outcome.Issue[0].Code)
		require.Contains(t, out.Rejected[0].Outcome.Issue[0].Diagnostics, text)
		return out.Rejected[0]
	}
	weight := func(t *testing.T, chart string) float64 {
		t.Helper()
		for _, v := range i.Record(chart).Children[0] {
			if v.Field.Name == "birth_weight_g" {
				return v.Value.Number
			}
		}
		t.Fatal("no birth weight")
		return 0
	}

	t.Run("none + Bundle with a new identifier.value: active, version 1", func(t *testing.T) {
		a := only(t, i.Push(apptest.Course{Chart: "L1", Mother: "First", Stamp: "2026-03-03T10:00:00Z", Weight: 3400}.Bundle()))
		require.Equal(t, ingest.Accepted{Reference: "Patient/mother0", Submission: a.Submission}, a)
		r := i.Record("L1")
		require.Equal(t, birth.Active, r.State)
		require.Equal(t, 1, r.Version)
		require.Equal(t, a.Submission, r.ID)
	})
	t.Run("none + Bundle with a new identifier.value: flagged suspected_duplicate if the fingerprint matches another record", func(t *testing.T) {
		a := only(t, i.Push(apptest.Course{Chart: "L2", Mother: " first ", Born: "2026-03-02T09:18:00Z"}.Bundle()))
		require.True(t, a.Suspected)
		require.Equal(t, 1, i.Record("L2").Version)
	})
	t.Run("active + Bundle with the same identifier.value, not older: active, version advanced, previous values kept as history", func(t *testing.T) {
		a := only(t, i.Push(apptest.Course{Chart: "L1", Mother: "First", Stamp: "2026-03-03T10:00:00Z", Weight: 3500}.Bundle()))
		require.True(t, a.Amended)
		require.Equal(t, 2, a.Version)
		require.EqualValues(t, 3500, weight(t, "L1"))
		before := i.RecordAt("L1", 1)
		require.Equal(t, 1, before.Version)
		for _, v := range before.Children[0] {
			if v.Field.Name == "birth_weight_g" {
				require.EqualValues(t, 3400, v.Value.Number)
			}
		}
	})
	t.Run("active + Bundle with an older meta.lastUpdated or timestamp: active (unchanged), conflict, Stale update ignored", func(t *testing.T) {
		r := refused(t, i.Push(apptest.Course{Chart: "L1", Mother: "First", Stamp: "2026-03-03T09:59:59.999Z", Weight: 1000}.Bundle()),
			"conflict", "Stale update ignored")
		require.Equal(t, "Bundle.entry[0]", r.Reference)
		require.EqualValues(t, 3500, weight(t, "L1"))
		require.Equal(t, 2, i.Record("L1").Version)
	})
	t.Run("active + correction that would match a different record: active (unchanged), conflict, not merged", func(t *testing.T) {
		only(t, i.Push(apptest.Course{Chart: "L3", Mother: "Third"}.Bundle()))
		refused(t, i.Push(apptest.Course{Chart: "L3", Mother: "FIRST"}.Bundle()), "conflict", "different record")
		require.Equal(t, 1, i.Record("L3").Version)
	})
	t.Run("active + Retraction (Composition status entered-in-error) by chart number: voided", func(t *testing.T) {
		a := only(t, i.Push(apptest.Course{Chart: "L3", Status: "entered-in-error", Mothers: -1, Kids: -1}.Bundle()))
		require.Equal(t, ingest.Accepted{Reference: "Bundle.entry[0]", Submission: a.Submission, Retracted: true, Version: 2}, a)
		require.Equal(t, birth.Voided, i.Record("L3").State)
	})
	t.Run("active + Retraction (entry with request.method DELETE) by chart number: voided", func(t *testing.T) {
		a := only(t, i.Push(`{"resourceType":"Bundle","type":"transaction","entry":[{"request":{"method":"DELETE","url":"Bundle?identifier=urn:charts|L2"}}]}`))
		require.Equal(t, ingest.Accepted{Reference: "Bundle.entry[0]", Submission: a.Submission, Retracted: true, Version: 2}, a)
		require.Equal(t, birth.Voided, i.Record("L2").State)
	})
	t.Run("voided + Retraction again: voided, no-op", func(t *testing.T) {
		a := only(t, i.Push(apptest.Course{Chart: "L3", Status: "entered-in-error", Mothers: -1, Kids: -1}.Bundle()))
		require.True(t, a.Retracted)
		require.Equal(t, 2, a.Version)
		require.Equal(t, 2, i.Record("L3").Version)
	})
	t.Run("none + Retraction of an unknown chart number: rejected as not-found", func(t *testing.T) {
		r := refused(t, i.Push(apptest.Course{Chart: "L-nobody", Status: "entered-in-error", Mothers: -1, Kids: -1}.Bundle()), "not-found", "")
		require.Equal(t, "Bundle.entry[0]", r.Reference)
	})
	t.Run("voided + Bundle with the same identifier.value: active, next version, history intact (one record, not two)", func(t *testing.T) {
		before := i.Count()
		a := only(t, i.Push(apptest.Course{Chart: "L3", Mother: "Third", Weight: 2900}.Bundle()))
		require.True(t, a.Amended)
		require.Equal(t, 3, a.Version)
		require.Equal(t, birth.Active, i.Record("L3").State)
		require.Equal(t, before, i.Count())
		require.Equal(t, birth.Voided, i.RecordAt("L3", 2).State)
		require.Equal(t, birth.Active, i.RecordAt("L3", 1).State)
	})
	t.Run("any + Submission with a different, new chart number matching an existing fingerprint: new active record, suspected_duplicate", func(t *testing.T) {
		before := i.Count()
		a := only(t, i.Push(apptest.Course{Chart: "L9", Mother: "Third"}.Bundle()))
		require.True(t, a.Suspected)
		require.Equal(t, before+1, i.Count())
	})
	t.Run("a voided record is ignored by the duplicate check", func(t *testing.T) {
		only(t, i.Push(apptest.Course{Chart: "L20", Mother: "Voided"}.Bundle()))
		only(t, i.Push(apptest.Course{Chart: "L20", Status: "entered-in-error", Mothers: -1, Kids: -1}.Bundle()))
		require.False(t, only(t, i.Push(apptest.Course{Chart: "L21", Mother: "Voided"}.Bundle())).Suspected)
	})
	t.Run("no duplicate check without the newborn date/time", func(t *testing.T) {
		only(t, i.Push(apptest.Course{Chart: "L30", Mother: "Undated", Born: "-"}.Bundle()))
		require.False(t, only(t, i.Push(apptest.Course{Chart: "L31", Mother: "Undated", Born: "-"}.Bundle())).Suspected)
	})
	t.Run("a record without a chart number is stored and cannot be amended", func(t *testing.T) {
		before := i.Count()
		only(t, i.Push(apptest.Course{Mother: "Unnumbered"}.Bundle()))
		require.True(t, only(t, i.Push(apptest.Course{Mother: "Unnumbered"}.Bundle())).Suspected)
		require.Equal(t, before+2, i.Count())
	})
	i.Clean()
}

// TestReceiptsReportEveryCase checks the rows of the spec's table "Cases" that a receipt
// reports.
func TestReceiptsReportEveryCase(t *testing.T) {
	t.Parallel()
	i := apptest.Start(t)
	t.Run("Whole Bundle fails validation: completed ingestion, one rejected entry with reference Bundle", func(t *testing.T) {
		r := i.Receipt(i.Post(`{"resourceType":"Bundle","type":"document"}`))
		require.EqualValues(t, "completed", r.Status)
		require.Zero(t, *r.Accepted)
		require.Equal(t, 1, *r.Rejected)
		out, err := r.ParseOutcome()
		require.NoError(t, err)
		require.Equal(t, "Bundle", out.Rejected[0].Reference)
		at, err := time.Parse(time.RFC3339, r.CompletedAt)
		require.NoError(t, err)
		require.False(t, at.IsZero())
	})
	for name, course := range map[string]apptest.Course{
		"no mother":       {Mothers: -1},
		"several mothers": {Mothers: 2},
		"no child":        {Kids: -1},
	} {
		t.Run("Course of care with "+name+": per-record rejection in outcome.rejected with an OperationOutcome", func(t *testing.T) {
			good := apptest.Course{Chart: "good " + name, Mother: name}.Bundle()
			out := i.Push(apptest.Batch(good, course.Bundle()))
			require.Len(t, out.Accepted, 1, "other records in the batch still land")
			require.Equal(t, "Bundle.entry[0]", out.Accepted[0].Reference)
			require.Len(t, out.Rejected, 1)
			require.Equal(t, "Bundle.entry[1]", out.Rejected[0].Reference)
			require.Equal(t, "OperationOutcome", out.Rejected[0].Outcome.ResourceType)
			require.Equal(t, "invariant", out.Rejected[0].Outcome.Issue[0].Code)
			alone := i.Push(course.Bundle())
			require.Equal(t, "Bundle", alone.Rejected[0].Reference)
		})
	}
	t.Run("a valid course has several children and is one record", func(t *testing.T) {
		out := i.Push(apptest.Course{Chart: "triplets", Mother: "Three", Kids: 3}.Bundle())
		require.Len(t, out.Accepted, 1)
		require.Len(t, i.Record("triplets").Children, 3)
	})
}
