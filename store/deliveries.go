package store

import (
	"database/sql"
	"time"
)

// DeliveryState is the state of a delivery.
type DeliveryState string

// The states of a delivery.
const (
	DeliveryWaiting DeliveryState = "waiting"
	Delivered       DeliveryState = "delivered"
	GivenUp         DeliveryState = "given-up"
)

// DeliveriesKeptFor is how long a delivery is kept after its ingestion has ended.
const DeliveriesKeptFor = 7 * 24 * time.Hour

// Delivery is a notice to a webhook: it reports the end of an ingestion.
type Delivery struct {
	Row       int64     `json:"-"` // the ID of the ingestion
	Ingestion string    `json:"ingestion"`
	Status    Status    `json:"status"` // Completed or Failed
	EndedAt   time.Time `json:"ended_at"`
	APIKey    int64     `json:"key"`

	State DeliveryState `json:"state"`
	// Attempts counts the attempts since somebody last requested the delivery, or since it was
	// created. TriedAt is the time of the last attempt. DueAt is the time of the next one, while
	// the delivery waits.
	Attempts int        `json:"attempts"`
	TriedAt  *time.Time `json:"tried_at"`
	DueAt    time.Time  `json:"due_at"`
	// Answer is the HTTP status of the last attempt, or 0 if there was none. Problem is why that
	// attempt failed, one of a fixed list.
	Answer  int    `json:"answer,omitzero"`
	Problem string `json:"problem,omitzero"`
	// Sealed holds the webhook's address and secret. It is nil when the webhook is off. Only
	// DueDeliveries sets it.
	Sealed []byte `json:"-"`
}

// notify adds the delivery of an ingestion that has just ended.
func (tx *Tx) notify(p PracticeID, ingestion, key int64) error {
	return tx.do(`insert into deliveries (ingestion, practice, api_key, due_at, ended_at) values (?, ?, ?, ?, ?)`,
		ingestion, p, key, millis(tx.Now), millis(tx.Now))
}

// KeyToNotify is an API key whose webhook has a delivery that is due.
type KeyToNotify struct {
	APIKey   int64
	Practice PracticeID
}

// KeysToNotify returns the API keys with a delivery that is due at a time, in the order of their
// IDs. It leaves out keys of practices that are being forgotten.
func (v *View) KeysToNotify(at time.Time) ([]KeyToNotify, error) {
	return all(v, `
		select w.api_key, w.practice from webhooks w
		where
			w.practice not in (select practice from forgotten)
			and exists (select 1 from deliveries d where d.api_key = w.api_key and d.state = 'waiting' and d.due_at <= ?)
		order by w.api_key`, func(k *KeyToNotify, rows *sql.Rows) error { return rows.Scan(&k.APIKey, &k.Practice) }, millis(at))
}

const deliveryColumns = `
	select
		d.ingestion,
		i.public_id,
		i.status,
		d.ended_at,
		d.api_key,
		d.state,
		d.attempts,
		d.due_at,
		d.tried_at,
		coalesce(d.answer, 0),
		coalesce(d.problem, '')`

const deliveryTables = `
	from deliveries d
	join ingestions i on i.id = d.ingestion`

// DueDeliveries returns up to limit of an API key's deliveries, those that are due at the given
// time. The delivery that was due first comes first.
func (v *View) DueDeliveries(p PracticeID, key int64, at time.Time, limit int) ([]Delivery, error) {
	return all(v, deliveryColumns+`, w.sealed`+deliveryTables+`
		left join webhooks w on w.api_key = d.api_key
		where d.api_key = ? and d.practice = ? and d.state = 'waiting' and d.due_at <= ?
		order by d.due_at
		limit ?`, func(d *Delivery, rows *sql.Rows) error { return d.scan(rows, &d.Sealed) }, key, p, millis(at), limit)
}

// Deliveries lists the deliveries of a key, the newest first.
func (v *View) Deliveries(p PracticeID, key int64, limit int) ([]Delivery, error) {
	return all(v, deliveryColumns+deliveryTables+`
		where d.api_key = ? and d.practice = ?
		order by d.ingestion desc
		limit ?`, func(d *Delivery, rows *sql.Rows) error { return d.scan(rows) }, key, p, limit)
}

func (d *Delivery) scan(rows *sql.Rows, more ...any) error {
	return rows.Scan(append([]any{
		&d.Row, &d.Ingestion, &d.Status, asTime(&d.EndedAt), &d.APIKey, &d.State, &d.Attempts,
		asTime(&d.DueAt), asMaybeTime(&d.TriedAt), &d.Answer, &d.Problem,
	}, more...)...)
}

// SetDelivery records an attempt: the state after it, when the next one is due, the HTTP status
// of the response, and the problem. It returns ErrNotFound if the delivery has changed since the
// attempt began, because somebody requested it again.
func (tx *Tx) SetDelivery(p PracticeID, d Delivery) error {
	return found(tx.exec(`
		update deliveries
		set state = ?, attempts = attempts + 1, due_at = ?, tried_at = ?, answer = ?, problem = ?
		where ingestion = ? and practice = ? and state = 'waiting' and attempts = ?`,
		d.State, millis(d.DueAt), millis(tx.Now), nullable(d.Answer), nullable(d.Problem), d.Row, p, d.Attempts))
}

// OverlongDeliveries returns a limited number of ingestions whose deliveries would wait too long.
// That happens if the clock was set back after their wait had begun. OverlongDeliveries looks at
// every delivery that waits for a later time, so a write transaction must not call it.
func (v *View) OverlongDeliveries(now time.Time) ([]int64, error) {
	return all(v, `
		select d.ingestion
		from webhooks w
		join deliveries d on d.api_key = w.api_key
		where d.state = 'waiting' and d.due_at > ?1 and (d.attempts = 0 or d.tried_at > ?1)
		limit ?2`, value[int64], millis(now), sweptAtOnce)
}

// ResumeDeliveries makes deliveries due now, given the IDs of their ingestions. It skips deliveries
// that don't wait for a later time anymore.
func (tx *Tx) ResumeDeliveries(ingestions []int64) error {
	return tx.do(`
		update deliveries
		set due_at = ?1
		where ingestion in (select value from json_each(?2)) and state = 'waiting' and due_at > ?1`, millis(tx.Now), list(ingestions))
}

// SendAgain makes one of an API key's deliveries due at once and resets its count of attempts. It
// returns ErrNotFound if the key has no delivery for this ingestion, or no webhook that is on.
func (tx *Tx) SendAgain(p PracticeID, key int64, ingestion string) error {
	return found(tx.exec(`
		update deliveries
		set state = 'waiting', attempts = 0, due_at = ?
		where
			ingestion = (select id from ingestions where public_id = ? and practice = ?)
			and practice = ?
			and api_key = (select api_key from webhooks where api_key = ? and sealed is not null)`,
		millis(tx.Now), ingestion, p, p, key))
}

// SweepDeliveries deletes old deliveries, oldest first: those whose ingestion ended before a time.
// One call deletes a limited number, and returns how many.
func (tx *Tx) SweepDeliveries(before time.Time) (int64, error) {
	return tx.exec(`
		delete from deliveries
		where ingestion in (select ingestion from deliveries order by ingestion limit ?) and ended_at < ?`, sweptAtOnce, millis(before))
}
