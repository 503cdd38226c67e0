package store

import (
	"database/sql"
	"slices"
)

// A form offers the providers of a practice for selection, with the number of births of each. These
// limits make opening the form fast, however many providers a sender has created. mostKnownNames is
// the maximum number of names, mostOfOneName the maximum number of providers with the same name,
// and birthsCounted the maximum number of births that are counted in all.
const (
	mostKnownNames = 1000
	mostOfOneName  = 4
	birthsCounted  = 20_000
)

// KnownProviders returns the providers of a practice that have a name, each with the number of
// births. It returns at most mostKnownNames names, and at most mostOfOneName providers for each
// name. Births of providers that were merged into a provider are included. Births are counted only
// up to a limit for each provider, which KnownProviders returns as most.
func (v *View) KnownProviders(p PracticeID) (known []Identity, most int, err error) {
	names, err := v.providerNames(p, mostKnownNames)
	if err != nil {
		return nil, 0, err
	}
	names = slices.DeleteFunc(names, func(name string) bool { return name == "" })
	most = birthsCounted / max(len(names), 1)
	known, err = all(v, `
		select
			s.id,
			s.npi,
			s.name,
			s.credentials,
			s.role,
			(
				select count(*) from (
					select distinct r.id
					from (select s.id as provider union all select m.id from providers m where m.survivor = s.id) i
					cross join attributions a on a.provider = i.provider
					cross join records r on r.id = a.record and r.content = a.version and r.state = 'active'
					limit ?
				)
			)
		from json_each(?) wanted
		cross join providers s on +s.practice = ? and s.id in (
			select k.id
			from providers k indexed by providers_name
			where k.practice = ? and k.name = wanted.value and k.survivor is null
			limit ?
		)`, func(i *Identity, rows *sql.Rows) error {
		return rows.Scan(&i.ID, &i.NPI, &i.Name, &i.Credentials, &i.Role, &i.Births)
	}, most, list(names), p, p, mostOfOneName)
	return known, most, err
}

// ProviderChosen returns the provider with the given ID, including the sealed identifiers. If this
// provider was merged into another one, it returns the other one. It returns ErrNotFound if the
// practice has no such provider.
func (v *View) ProviderChosen(p PracticeID, id int64) (r Provider, err error) {
	err = v.one(`
		select s.id, s.identity, s.sealed, s.name, s.credentials, s.role
		from providers i
		cross join providers s on s.id = coalesce(i.survivor, i.id)
		where i.id = ? and i.practice = ?`, []any{id, p}, &r.ID, &r.Identity, &r.Sealed, &r.Name, &r.Credentials, &r.Role)
	return r, err
}
