package store

import "errors"

// JoinedBy returns the provider whom an identity joins that comes with an NPI, nil
// without one, and a name (birth.NameKey): 0 when no admin has said so.
func (v *View) JoinedBy(p PracticeID, npi []byte, name string) (provider int64, err error) {
	err = v.one(`select provider from provider_groups where practice = ? and npi = ? and name = ?`, []any{p, noNull(npi), name}, &provider)
	if errors.Is(err, ErrNotFound) {
		err = nil
	}
	return provider, err
}

// IsJoined reports whether what comes later joins a provider.
func (v *View) IsJoined(p PracticeID, provider int64) (joined bool, err error) {
	err = v.one(`select exists (select 1 from provider_groups where practice = ? and provider = ?)`, []any{p, provider}, &joined)
	return joined, err
}

// SetJoined has whoever comes with an NPI and a name join a provider from now on.
// ErrNotFound when the practice has no such provider.
func (tx *Tx) SetJoined(p PracticeID, npi []byte, name string, provider int64) error {
	return found(tx.exec(`
		insert or replace into provider_groups (practice, npi, name, provider)
		select practice, ?, ?, id from providers where id = ? and practice = ?`, noNull(npi), name, provider, p))
}

// EndJoined lets nobody join a provider any more; ErrNotFound when nobody did.
func (tx *Tx) EndJoined(p PracticeID, provider int64) error {
	return found(tx.exec(`delete from provider_groups where practice = ? and provider = ?`, p, provider))
}

// MergeAll merges providers, with all that had been merged into them, into another
// one, and enters it into the career logs; user is who did it. Who is not of the
// practice, or merged already, is left as is; ErrNotFound when the other one is not.
func (tx *Tx) MergeAll(p PracticeID, all []int64, into, user int64) error {
	if err := tx.owns(providerRow, p, into); err != nil {
		return err
	}
	ids := list(all)
	for _, write := range []struct {
		text string
		args []any
	}{
		{
			`
			insert into provider_log (provider, name, credentials, role, at, kind, other, user)
			select s.id, s.name, s.credentials, s.role, ?, 'merge', ?, ?
			from json_each(?) wanted
			cross join providers s on s.id = wanted.value and s.practice = ? and s.survivor is null`,
			[]any{millis(tx.Now), into, nullable(user), ids, p},
		},
		{
			`
			insert into provider_log (provider, name, credentials, role, at, kind, other, user)
			select i.id, i.name, i.credentials, i.role, ?, 'merge', s.id, ?
			from json_each(?) wanted
			cross join providers s on s.id = wanted.value and s.practice = ? and s.survivor is null
			cross join providers i on i.id = ?`,
			[]any{millis(tx.Now), nullable(user), ids, p, into},
		},
		{`update providers set survivor = ? where practice = ? and survivor in (select value from json_each(?))`, []any{into, p, ids}},
		{
			`
			update providers set merged_into = ?, survivor = ?, updated_at = ?
			where practice = ? and survivor is null and id in (select value from json_each(?))`,
			[]any{into, into, millis(tx.Now), p, ids},
		},
	} {
		if _, err := tx.exec(write.text, write.args...); err != nil {
			return err
		}
	}
	return nil
}

// noNull is what a key holds where there is nothing.
func noNull(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}
