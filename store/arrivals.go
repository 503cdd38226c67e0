package store

import (
	"database/sql"
	"fmt"
)

// Arrival is an ingestion as a practice's people see it in a list.
type Arrival struct {
	Ingestion
	// Key is the label of the API key that brought it, "" when a person did.
	Key string
	// Idempotent is set when it came with an Idempotency-Key.
	Idempotent bool
	// Exception and CorrelationID are a failed one's.
	Exception     string
	CorrelationID string
}

// ArrivalFilter narrows the list; its zero value does not.
type ArrivalFilter string

// The filters.
const (
	AnyArrival  ArrivalFilter = ""
	UnderWay    ArrivalFilter = "under-way"
	FailedOnly  ArrivalFilter = "failed"
	WithRejects ArrivalFilter = "rejects"
)

const arrivalColumns = `
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
		coalesce(i.correlation_id, '')
	from ingestions i %s
	left join api_keys k on k.id = i.api_key`

// arrivals are the queries of the filters. What is rare has an index of its
// own, which is named, so that no filter walks past what it leaves out.
var arrivals = map[ArrivalFilter]string{
	AnyArrival: fmt.Sprintf(arrivalColumns, "indexed by ingestions_practice") + `
		where i.practice = ? and i.kind = 'bundle' and i.id < ?
		order by i.id desc
		limit ?`,
	UnderWay: fmt.Sprintf(arrivalColumns, "indexed by ingestions_unfinished") + `
		where i.practice = ? and i.status in ('queued', 'processing') and i.id < ? and i.kind = 'bundle'
		order by i.id desc
		limit ?`,
	FailedOnly: fmt.Sprintf(arrivalColumns, "indexed by ingestions_failed") + `
		where i.practice = ? and i.status = 'failed' and i.id < ? and i.kind = 'bundle'
		order by i.id desc
		limit ?`,
	WithRejects: fmt.Sprintf(arrivalColumns, "indexed by ingestions_rejects") + `
		where i.practice = ? and i.rejected > 0 and i.id < ? and i.kind = 'bundle'
		order by i.id desc
		limit ?`,
}

// Arrivals lists the Bundles that arrived, the newest first: at most limit of
// those acknowledged before the one with the id before, 0 for the newest.
// Outcome is left out. ErrNotFound for a filter that there is not.
func (v *View) Arrivals(p PracticeID, filter ArrivalFilter, before int64, limit int) (all []Arrival, err error) {
	query, known := arrivals[filter]
	if !known {
		return nil, ErrNotFound
	}
	err = v.each(query, func(rows *sql.Rows) error {
		var a Arrival
		err := a.scan(rows)
		all = append(all, a)
		return err
	}, p, beforeID(before), limit)
	return all, err
}

// Arrival returns one Bundle that arrived, without its outcome; ErrNotFound
// when the practice has none with this public id.
func (v *View) Arrival(p PracticeID, publicID string) (a Arrival, err error) {
	err = ErrNotFound
	queryErr := v.each(fmt.Sprintf(arrivalColumns, "")+` where i.public_id = ? and i.practice = ? and i.kind = 'bundle'`, func(rows *sql.Rows) error {
		err = nil
		return a.scan(rows)
	}, publicID, p)
	if queryErr != nil {
		return a, queryErr
	}
	if err == nil {
		err = v.intact("ingestions", a.ID)
	}
	return a, err
}

// beforeID is the bound of a keyset page: everything for 0.
func beforeID(before int64) int64 {
	if before == 0 {
		return 1<<63 - 1
	}
	return before
}

func (a *Arrival) scan(rows *sql.Rows) error {
	var created int64
	var completed sql.NullInt64
	err := rows.Scan(&a.ID, &a.PublicID, &a.Status, &a.Size, &a.Attempts, &a.Items, &a.Accepted, &a.Rejected,
		&a.Outcome, &created, &completed, &a.Key, &a.Idempotent, &a.Exception, &a.CorrelationID)
	a.CreatedAt = fromMillis(created)
	if completed.Valid {
		a.CompletedAt = fromMillis(completed.Int64)
	}
	return err
}
