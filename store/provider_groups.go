package store

import (
	"errors"

	"birthregistry/app/birth"
)

// ProviderGroup is what the identities of a group share: an NPI, if they have one, and a name. The
// zero value is for an identity that has neither and therefore belongs to no group.
type ProviderGroup struct {
	NPI  string // the keyed hash of the NPI, or ""
	Name string // the name as birth.SpokenName returns it
}

// Group returns the group of an identity. The identities of a group have the same name, and
// either the same NPI or none.
func (i *Provider) Group() ProviderGroup {
	return ProviderGroup{NPI: string(i.NPI), Name: birth.SpokenName(i.Name)}
}

// JoinedBy returns the provider that new identities of a group join. It returns 0 if no
// admin has chosen one.
func (v *View) JoinedBy(p PracticeID, g ProviderGroup) (provider int64, err error) {
	err = v.one(`select provider from provider_groups where practice = ? and npi = ? and name = ?`, []any{p, []byte(g.NPI), g.Name}, &provider)
	return provider, ignore(err, ErrNotFound)
}

// IsJoined reports whether new identities of any group join a provider.
func (v *View) IsJoined(p PracticeID, provider int64) (bool, error) {
	return only[bool](v, `select exists (select 1 from provider_groups where practice = ? and provider = ?)`, p, provider)
}

// SetJoined makes new identities of a group join a provider from now on. It returns
// ErrNotFound if the practice has no such provider.
func (tx *Tx) SetJoined(p PracticeID, g ProviderGroup, provider int64) error {
	return found(tx.exec(`
		insert or replace into provider_groups (practice, npi, name, provider)
		select practice, ?, ?, id from providers where id = ? and practice = ?`, []byte(g.NPI), g.Name, provider, p))
}

// EndJoined stops new identities from joining a provider. It returns ErrNotFound if no group's
// new identities join the provider.
func (tx *Tx) EndJoined(p PracticeID, provider int64) error {
	return found(tx.exec(`delete from provider_groups where practice = ? and provider = ?`, p, provider))
}

// MergeAll merges providers into another one, together with all identities that were merged into
// them before. It records each merge, with the user, in the career logs. It leaves out providers of
// other practices and those already merged. It returns ErrNotFound if the survivor isn't the
// practice's.
func (tx *Tx) MergeAll(p PracticeID, all []int64, into, user int64) error {
	if err := tx.owns(providerRow, p, into); err != nil {
		return err
	}
	ids := list(all)
	return errors.Join(
		tx.do(`
			insert into provider_log (provider, name, credentials, role, at, kind, other, user)
			select s.id, s.name, s.credentials, s.role, ?, 'merge', ?, ?
			from json_each(?) wanted
			cross join providers s on s.id = wanted.value and s.practice = ? and s.survivor is null`,
			millis(tx.Now), into, nullable(user), ids, p),
		tx.do(`
			insert into provider_log (provider, name, credentials, role, at, kind, other, user)
			select i.id, i.name, i.credentials, i.role, ?, 'merge', s.id, ?
			from json_each(?) wanted
			cross join providers s on s.id = wanted.value and s.practice = ? and s.survivor is null
			cross join providers i on i.id = ?`, millis(tx.Now), nullable(user), ids, p, into),
		tx.do(`update providers set survivor = ? where practice = ? and survivor in (select value from json_each(?))`, into, p, ids),
		tx.do(`
			update providers set merged_into = ?, survivor = ?, updated_at = ?
			where practice = ? and survivor is null and id in (select value from json_each(?))`, into, into, millis(tx.Now), p, ids),
	)
}
