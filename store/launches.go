package store

import "time"

// Launch is a launch from an EHR whose OAuth handshake isn't complete yet. State is the hash of the
// OAuth state, and Browser is the hash of the browser's launch cookie.
type Launch struct {
	State, Browser []byte
	Sealed         []byte
	CreatedAt      time.Time
}

// AddLaunch stores a launch. Anyone can start a launch, so AddLaunch keeps only the newest launches
// and deletes the others. keep is the maximum number of launches.
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

// TakeLaunch deletes a launch and returns it, so its OAuth state works only once. It returns
// ErrNotFound if this browser has started no launch with this state.
func (tx *Tx) TakeLaunch(state, browser []byte) (l Launch, err error) {
	err = tx.one(`delete from launches where state = ? and browser = ? returning state, browser, sealed, created_at`,
		[]any{state, browser}, &l.State, &l.Browser, &l.Sealed, asTime(&l.CreatedAt))
	return l, err
}

// SweepLaunches deletes the launches that began before a time.
func (tx *Tx) SweepLaunches(before time.Time) error {
	return tx.do(`delete from launches where created_at < ?`, millis(before))
}

// Prefill is a chart from an EHR with which a form is filled in for the user who opens it.
type Prefill struct {
	Owner     int64 // the user who first opened the form, or 0 if nobody has opened it yet
	Sealed    []byte
	CreatedAt time.Time
	UsedAt    time.Time // when the form was last opened or sent, or zero if nobody has opened it yet
}

// AddPrefill stores a chart for a form. The chart is identified by handle, which is the hash of a
// random token.
func (tx *Tx) AddPrefill(handle, sealed []byte) error {
	return tx.do(`insert into prefills (handle, sealed, created_at) values (?, ?, ?)`, handle, sealed, millis(tx.Now))
}

// Prefill returns the chart that is identified by handle (the hash of a random token), even if the
// chart has expired. It returns ErrNotFound if there is no such chart.
func (v *View) Prefill(handle []byte) (p Prefill, err error) {
	err = v.one(`select coalesce(owner, 0), sealed, created_at, used_at from prefills where handle = ?`, []any{handle},
		&p.Owner, &p.Sealed, asTime(&p.CreatedAt), asTime(&p.UsedAt))
	return p, err
}

// OwnPrefill makes a user the owner of a chart. keep is the maximum number of charts that a user
// may own. If the user has more, OwnPrefill deletes the least recently used ones, and returns how
// many it deleted. It returns ErrNotFound if the chart doesn't exist or already has an owner.
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

// UsePrefill records that the form of a chart is in use. It does nothing if the chart doesn't exist
// or has no owner.
func (tx *Tx) UsePrefill(handle []byte) error {
	return tx.do(`update prefills set used_at = ? where handle = ? and owner is not null`, millis(tx.Now), handle)
}

// DropPrefill deletes a chart. It returns ErrNotFound if there is no chart with this handle.
func (tx *Tx) DropPrefill(handle []byte) error {
	return found(tx.exec(`delete from prefills where handle = ?`, handle))
}

// SweepPrefills deletes old charts, and returns how many. A chart that nobody has opened is old if
// it was stored before the time unopened. A chart that somebody has opened is old if its form was
// last used before the time unused.
func (tx *Tx) SweepPrefills(unopened, unused time.Time) (int64, error) {
	n, err := tx.exec(`delete from prefills where owner is null and created_at < ?`, millis(unopened))
	if err != nil {
		return n, err
	}
	open, err := tx.exec(`delete from prefills where owner is not null and used_at < ?`, millis(unused))
	return n + open, err
}
