package store

import "time"

// Launch is a pending handshake with an EHR. State and Browser are the hashes of the OAuth state
// and of the browser's launch cookie.
type Launch struct {
	State, Browser []byte
	Sealed         []byte
	CreatedAt      time.Time
}

// AddLaunch stores a launch. If there are then more launches than keep, it deletes the oldest ones,
// because anyone can start a launch.
func (tx *Tx) AddLaunch(l Launch, keep int) error {
	err := tx.do(`insert into launches (state, browser, sealed, created_at) values (?, ?, ?, ?)`,
		l.State, l.Browser, l.Sealed, millis(tx.Now))
	if err != nil {
		return err
	}
	return tx.do(`
		delete from launches where state in (
			select state from launches order by created_at desc limit -1 offset ?
		)`, keep)
}

// TakeLaunch returns a launch and deletes it, so that its state works only once. It returns
// ErrNotFound if this browser started no launch with this state.
func (tx *Tx) TakeLaunch(state, browser []byte) (l Launch, err error) {
	err = tx.one(`delete from launches where state = ? and browser = ? returning state, browser, sealed, created_at`,
		[]any{state, browser}, &l.State, &l.Browser, &l.Sealed, asTime(&l.CreatedAt))
	return l, err
}

// SweepLaunches deletes the launches that began before a time.
func (tx *Tx) SweepLaunches(before time.Time) error {
	return tx.do(`delete from launches where created_at < ?`, millis(before))
}

// Prefill is a chart from an EHR. It prefills a form for the user who opens it.
type Prefill struct {
	Owner     int64 // the user who opened it first; 0 while nobody has
	Sealed    []byte
	CreatedAt time.Time
	UsedAt    time.Time // when its form was last opened or sent; zero while nobody has opened it
}

// AddPrefill stores a prefill by the hash of its handle.
func (tx *Tx) AddPrefill(handle, sealed []byte) error {
	return tx.do(`insert into prefills (handle, sealed, created_at) values (?, ?, ?)`, handle, sealed, millis(tx.Now))
}

// Prefill returns a prefill, expired or not. It returns ErrNotFound if there is none.
func (v *View) Prefill(handle []byte) (p Prefill, err error) {
	err = v.one(`select coalesce(owner, 0), sealed, created_at, used_at from prefills where handle = ?`, []any{handle},
		&p.Owner, &p.Sealed, asTime(&p.CreatedAt), asTime(&p.UsedAt))
	return p, err
}

// OwnPrefill makes a user the owner of a prefill. If the user then has more prefills than keep, it
// deletes the least recently used ones; dropped is how many it deleted. It returns ErrNotFound if
// the prefill already has an owner or doesn't exist.
func (tx *Tx) OwnPrefill(handle []byte, user int64, keep int) (dropped int64, err error) {
	err = found(tx.exec(`update prefills set owner = ?, used_at = ? where handle = ? and owner is null`, user, millis(tx.Now), handle))
	if err != nil {
		return 0, err
	}
	return tx.exec(`
		delete from prefills where handle in (
			select handle from prefills where owner = ? order by used_at desc, handle limit -1 offset ?
		)`, user, keep)
}

// UsePrefill records that an owned prefill's form is in use. If the prefill is gone, it does
// nothing.
func (tx *Tx) UsePrefill(handle []byte) error {
	return tx.do(`update prefills set used_at = ? where handle = ? and owner is not null`, millis(tx.Now), handle)
}

// DropPrefill deletes a prefill. It returns ErrNotFound if there is none.
func (tx *Tx) DropPrefill(handle []byte) error {
	return found(tx.exec(`delete from prefills where handle = ?`, handle))
}

// SweepPrefills deletes old prefills, and returns how many. A prefill that nobody has opened is old
// if it was stored before the time unopened. An opened prefill is old if its form was last used
// before the time unused.
func (tx *Tx) SweepPrefills(unopened, unused time.Time) (int64, error) {
	n, err := tx.exec(`delete from prefills where owner is null and created_at < ?`, millis(unopened))
	if err != nil {
		return n, err
	}
	open, err := tx.exec(`delete from prefills where owner is not null and used_at < ?`, millis(unused))
	return n + open, err
}
