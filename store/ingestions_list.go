package store

import (
	"database/sql"
	"fmt"
)

// ListedIngestion is an ingestion with what a practice's users see in a list.
type ListedIngestion struct {
	Ingestion
	// Key is the label of the API key with which the submission was sent, or "" if a user sent it.
	Key string
	// Idempotent is set if the submission had an Idempotency-Key.
	Idempotent bool
	// Exception and CorrelationID are set only for a failed ingestion.
	Exception     string
	CorrelationID string
	// Open is set if the ingestion rejected a course of care in the last week, and that course
	// isn't known to have been applied since then.
	Open bool
}

// IngestionFilter selects ingestions for a list. Its zero value selects all of them.
type IngestionFilter string

// The filters that Ingestions accepts.
const (
	AnyIngestion IngestionFilter = ""
	UnderWay     IngestionFilter = "under-way"
	FailedOnly   IngestionFilter = "failed"
	WithRejects  IngestionFilter = "rejects"
)

const ingestionListColumns = `
	select
		i.id,
		i.public_id,
		i.status,
		i.size,
		i.attempts,
		i.items,
		coalesce(i.accepted, 0),
		coalesce(i.rejected, 0),
		null,
		i.created_at,
		i.completed_at,
		coalesce(k.label, ''),
		i.idempotency is not null,
		coalesce(i.exception, ''),
		coalesce(i.correlation_id, ''),
		exists (select 1 from rejects r where r.ingestion = i.id)
	from ingestions i %s
	left join api_keys k on k.id = i.api_key`

// ingestions maps each filter to its query. A filter for rare ingestions uses an index of its own,
// so that its query doesn't read all ingestions.
var ingestions = map[IngestionFilter]string{
	AnyIngestion: listOfIngestions("ingestions_practice", ""),
	UnderWay:     listOfIngestions("ingestions_unfinished", "and i.status in ('queued', 'processing')"),
	FailedOnly:   listOfIngestions("ingestions_failed", "and i.status = 'failed'"),
	WithRejects:  listOfIngestions("ingestions_rejects", "and i.rejected > 0"),
}

func listOfIngestions(index, condition string) string {
	return fmt.Sprintf(ingestionListColumns, "indexed by "+index) + `
		where i.practice = ? ` + condition + ` and i.id < ? and i.kind = 'bundle'
		order by i.id desc
		limit ?`
}

// Ingestions returns up to limit ingestions of Bundles, newest first and without their receipts. If
// before isn't 0, it returns only ingestions with a lower ID. It returns ErrNotFound for an unknown
// filter.
func (v *View) Ingestions(p PracticeID, filter IngestionFilter, before int64, limit int) ([]ListedIngestion, error) {
	query, known := ingestions[filter]
	if !known {
		return nil, ErrNotFound
	}
	return all(v, query, (*ListedIngestion).scan, p, beforeID(before), limit)
}

// ListedIngestion returns the ingestion of a Bundle with the given public ID, without its receipt.
// It returns ErrNotFound if the practice has no such ingestion.
func (v *View) ListedIngestion(p PracticeID, publicID string) (ListedIngestion, error) {
	query := fmt.Sprintf(ingestionListColumns, "") + ` where i.public_id = ? and i.practice = ? and i.kind = 'bundle'`
	a, err := first(all(v, query, (*ListedIngestion).scan, publicID, p))
	if err == nil {
		err = v.intact("ingestions", a.ID)
	}
	return a, err
}

func (a *ListedIngestion) scan(rows *sql.Rows) error {
	return rows.Scan(&a.ID, &a.PublicID, &a.Status, &a.Size, &a.Attempts, &a.Items, &a.Accepted, &a.Rejected,
		&a.Outcome, asTime(&a.CreatedAt), asTime(&a.CompletedAt), &a.Key, &a.Idempotent, &a.Exception, &a.CorrelationID, &a.Open)
}
