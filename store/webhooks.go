package store

import "time"

// Webhook is the webhook of an API key. A notice is sent to it when a submission that was sent with
// the key has been processed.
type Webhook struct {
	APIKey int64
	// Sealed holds the address and the secret. It is nil if the webhook is off.
	Sealed []byte
	SetAt  time.Time
}

// SetWebhook sets the webhook of an API key. It returns ErrNotFound if the practice has no such
// key, or if the key is revoked.
func (tx *Tx) SetWebhook(p PracticeID, key int64, sealed []byte) error {
	return found(tx.exec(`
		insert into webhooks (api_key, practice, sealed, set_at)
		select id, practice, ?, ? from api_keys
		where id = ? and practice = ? and revoked_at is null
		on conflict (api_key) do update set sealed = excluded.sealed, set_at = excluded.set_at`,
		sealed, millis(tx.Now), key, p))
}

// EndWebhook turns off the webhook of an API key, and reports whether it was on. Deliveries that
// still wait are not sent.
func (tx *Tx) EndWebhook(p PracticeID, key int64) (bool, error) {
	changed, err := tx.exec(`
		update webhooks set sealed = null, set_at = ?
		where api_key = ? and practice = ? and sealed is not null`, millis(tx.Now), key, p)
	return changed > 0, err
}

// WebhooksOn lists the keys of a practice whose webhook is on.
func (v *View) WebhooksOn(p PracticeID) ([]int64, error) {
	return all(v, `select api_key from webhooks where practice = ? and sealed is not null`, value[int64], p)
}

// Webhook returns the webhook of a key. It returns ErrNotFound if there never was one.
func (v *View) Webhook(p PracticeID, key int64) (w Webhook, err error) {
	err = v.one(`select api_key, sealed, set_at from webhooks where api_key = ? and practice = ?`, []any{key, p},
		&w.APIKey, &w.Sealed, asTime(&w.SetAt))
	return w, err
}
