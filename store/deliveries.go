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

// Delivery is a notice to a webhook that an ingestion (the processing of a submission) has ended.
type Delivery struct {
	Row       int64     `json:"-"` // the ID of the ingestion
	Ingestion string    `json:"ingestion"`
	Status    Status    `json:"status"` // Completed or Failed
	EndedAt   time.Time `json:"ended_at"`
	APIKey    int64     `json:"key"`

	State DeliveryState `json:"state"`
	// Attempts is the number of attempts since the delivery was created or was last requested
	// again. TriedAt is the time of the last attempt. DueAt is the time of the next attempt, while
	// the delivery waits.
	Attempts int        `json:"attempts"`
	TriedAt  *time.Time `json:"tried_at"`
	DueAt    time.Time  `json:"due_at"`
	// Answer is the HTTP status of the last attempt, or 0 if there was no response. Problem says
	// why that attempt failed, with one of a fixed list of texts.
	Answer  int    `json:"answer,omitzero"`
	Problem string `json:"problem,omitzero"`
	// Sealed holds the address and the secret of the webhook. It is nil if the webhook is off. Only
	// DueDeliveries sets it.
	Sealed []byte `json:"-"`
}

// notify adds a delivery for an ingestion that has just ended.
func (tx *Tx) notify(p PracticeID, ingestion, key int64) error {
	return tx.do(`insert into deliveries (ingestion, practice, api_key, due_at, ended_at) values (?, ?, ?, ?, ?)`,
		ingestion, p, key, millis(tx.Now), millis(tx.Now))
}

// KeyToNotify is an API key for whose webhook a delivery is due.
type KeyToNotify struct {
	APIKey   int64
	Practice PracticeID
}

// KeysToNotify returns the API keys for whose webhooks a delivery is due at a time, in the order of
// their IDs. It leaves out the keys of practices that are being forgotten.
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

// DueDeliveries returns up to limit deliveries to an API key's webhook that are due at a time.
// Those that were due first come first.
func (v *View) DueDeliveries(p PracticeID, key int64, at time.Time, limit int) ([]Delivery, error) {
	return all(v, deliveryColumns+`, w.sealed`+deliveryTables+`
		left join webhooks w on w.api_key = d.api_key
		where d.api_key = ? and d.practice = ? and d.state = 'waiting' and d.due_at <= ?
		order by d.due_at
		limit ?`, func(d *Delivery, rows *sql.Rows) error { return d.scan(rows, &d.Sealed) }, key, p, millis(at), limit)
}

// Deliveries returns up to limit deliveries to an API key's webhook, newest first.
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

// SetDelivery records an attempt to deliver a notice: the delivery's new state, when the next
// attempt is due, the HTTP status of the response, and the problem. It returns ErrNotFound if the
// delivery has changed since the attempt began, because somebody has requested it again.
func (tx *Tx) SetDelivery(p PracticeID, d Delivery) error {
	return found(tx.exec(`
		update deliveries
		set state = ?, attempts = attempts + 1, due_at = ?, tried_at = ?, answer = ?, problem = ?
		where ingestion = ? and practice = ? and state = 'waiting' and attempts = ?`,
		d.State, millis(d.DueAt), millis(tx.Now), nullable(d.Answer), nullable(d.Problem), d.Row, p, d.Attempts))
}

// OverlongDeliveries returns the IDs of ingestions whose deliveries would wait too long, because
// the clock was set back after they had begun to wait. The number returned is limited.
// OverlongDeliveries reads every delivery that waits for a later time, so a write transaction must
// not call it.
func (v *View) OverlongDeliveries(now time.Time) ([]int64, error) {
	return all(v, `
		select d.ingestion
		from webhooks w
		join deliveries d on d.api_key = w.api_key
		where d.state = 'waiting' and d.due_at > ?1 and (d.attempts = 0 or d.tried_at > ?1)
		limit ?2`, value[int64], millis(now), sweptAtOnce)
}

// ResumeDeliveries makes the deliveries for these ingestions due now. It skips deliveries that no
// longer wait for a later time.
func (tx *Tx) ResumeDeliveries(ingestions []int64) error {
	return tx.do(`
		update deliveries
		set due_at = ?1
		where ingestion in (select value from json_each(?2)) and state = 'waiting' and due_at > ?1`, millis(tx.Now), list(ingestions))
}

// SendAgain makes the delivery for an ingestion due now, and resets its number of attempts. It
// returns ErrNotFound if the API key has no delivery for this ingestion, or if its webhook is off.
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

// SweepDeliveries deletes the deliveries of ingestions that ended before a time, oldest first. One
// call deletes a limited number, and returns how many it deleted.
func (tx *Tx) SweepDeliveries(before time.Time) (int64, error) {
	return tx.exec(`
		delete from deliveries
		where ingestion in (select ingestion from deliveries order by ingestion limit ?) and ended_at < ?`, sweptAtOnce, millis(before))
}
