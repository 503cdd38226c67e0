package store

import "time"

// Launch is a handshake with an EHR under way. State and Browser are hashes.
type Launch struct {
	State, Browser []byte
	Sealed         []byte
	CreatedAt      time.Time
}

// AddLaunch stores a launch, and drops the oldest so that no more than keep are
// left: anybody can begin one.
func (tx *Tx) AddLaunch(l Launch, keep int) error {
	_, err := tx.exec(`insert into launches (state, browser, sealed, created_at) values (?, ?, ?, ?)`,
		l.State, l.Browser, l.Sealed, millis(tx.Now))
	if err != nil {
		return err
	}
	_, err = tx.exec(`
		delete from launches where state in (
			select state from launches order by created_at desc limit -1 offset ?
		)`, keep)
	return err
}

// TakeLaunch returns a launch and deletes it, so that its state serves once;
// ErrNotFound when there is none of that state begun in that browser.
func (tx *Tx) TakeLaunch(state, browser []byte) (l Launch, err error) {
	var created int64
	err = tx.one(`delete from launches where state = ? and browser = ? returning state, browser, sealed, created_at`,
		[]any{state, browser}, &l.State, &l.Browser, &l.Sealed, &created)
	l.CreatedAt = fromMillis(created)
	return l, err
}

// SweepLaunches drops the launches that began before a time.
func (tx *Tx) SweepLaunches(before time.Time) error {
	_, err := tx.exec(`delete from launches where created_at < ?`, millis(before))
	return err
}

// Prefill is a chart that waits for the form.
type Prefill struct {
	Owner     int64 // who opened it first; 0 while nobody has
	Sealed    []byte
	CreatedAt time.Time
}

// AddPrefill stores a pre-fill by the hash of its handle.
func (tx *Tx) AddPrefill(handle, sealed []byte) error {
	_, err := tx.exec(`insert into prefills (handle, sealed, created_at) values (?, ?, ?)`, handle, sealed, millis(tx.Now))
	return err
}

// Prefill returns a pre-fill, run out or not; ErrNotFound without one.
func (v *View) Prefill(handle []byte) (p Prefill, err error) {
	var created int64
	err = v.one(`select coalesce(owner, 0), sealed, created_at from prefills where handle = ?`, []any{handle},
		&p.Owner, &p.Sealed, &created)
	p.CreatedAt = fromMillis(created)
	return p, err
}

// OwnPrefill makes a person the owner of a pre-fill; ErrNotFound when it has
// one, or is not there.
func (tx *Tx) OwnPrefill(handle []byte, user int64) error {
	return found(tx.exec(`update prefills set owner = ? where handle = ? and owner is null`, user, handle))
}

// DropPrefill deletes a pre-fill; ErrNotFound without it.
func (tx *Tx) DropPrefill(handle []byte) error {
	return found(tx.exec(`delete from prefills where handle = ?`, handle))
}

// SweepPrefills drops the pre-fills kept before a time and returns how many.
func (tx *Tx) SweepPrefills(before time.Time) (int64, error) {
	return tx.exec(`delete from prefills where created_at < ?`, millis(before))
}
