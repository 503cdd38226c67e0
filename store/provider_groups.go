package store

import (
	"errors"

	"birthregistry/app/birth"
)

// ProviderGroup identifies a group of providers who are probably one person: they have the same
// name, and the same NPI or none. It is the zero value for a provider who has neither a name nor an
// NPI and therefore belongs to no group.
type ProviderGroup struct {
	NPI  string // the keyed hash of the NPI, or ""
	Name string // the name, as birth.SpokenName returns it
}

// Group returns the group of a provider. Providers of one group have the same name, and the same
// NPI or none.
func (i *Provider) Group() ProviderGroup {
	return ProviderGroup{NPI: string(i.NPI), Name: birth.SpokenName(i.Name)}
}

// JoinedBy returns the ID of the provider into which new providers of a group are merged, or 0 if
// no admin has chosen one.
func (v *View) JoinedBy(p PracticeID, g ProviderGroup) (provider int64, err error) {
	err = v.one(`select provider from provider_groups where practice = ? and npi = ? and name = ?`, []any{p, []byte(g.NPI), g.Name}, &provider)
	return provider, ignore(err, ErrNotFound)
}

// IsJoined reports whether the new providers of any group are merged into a provider.
func (v *View) IsJoined(p PracticeID, provider int64) (bool, error) {
	return only[bool](v, `select exists (select 1 from provider_groups where practice = ? and provider = ?)`, p, provider)
}

// SetJoined records that each new provider of a group must be merged into a given provider. It
// returns ErrNotFound if the practice has no such provider.
func (tx *Tx) SetJoined(p PracticeID, g ProviderGroup, provider int64) error {
	return found(tx.exec(`
		insert or replace into provider_groups (practice, npi, name, provider)
		select practice, ?, ?, id from providers where id = ? and practice = ?`, []byte(g.NPI), g.Name, provider, p))
}

// EndJoined records that new providers are no longer merged into a provider. It returns ErrNotFound
// if SetJoined wasn't called for the provider.
func (tx *Tx) EndJoined(p PracticeID, provider int64) error {
	return found(tx.exec(`delete from provider_groups where practice = ? and provider = ?`, p, provider))
}

// MergeAll merges several providers into another one (into), together with the providers that were
// merged into them before. It adds each merge, with the user, to the logs of the providers. It
// skips providers of other practices, and providers that are already merged. It returns ErrNotFound
// if the practice doesn't have the provider into which they are to be merged. The plus signs in the
// query keep SQLite from reading all providers of the practice.
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
		tx.do(`update providers set survivor = ? where +practice = ? and survivor in (select value from json_each(?))`, into, p, ids),
		tx.do(`
			update providers set merged_into = ?, survivor = ?, updated_at = ?
			where +practice = ? and +survivor is null and id in (select value from json_each(?))`, into, into, millis(tx.Now), p, ids),
	)
}
