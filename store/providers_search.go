package store

import (
	"database/sql"
	"slices"
)

// mostProviderNames is the maximum number of different provider names with which a search compares
// its text.
const mostProviderNames = 5000

// FindProviders returns up to limit providers of a practice, in the order of their names. It leaves
// out providers that are merged into another one. matches reports whether a name is wanted. It is
// called only once for each different name, and for at most mostProviderNames names, so a thousand
// providers with the same name cost no more than one.
func (v *View) FindProviders(p PracticeID, matches func(name string) bool, limit int) ([]Provider, error) {
	names, err := v.providerNames(p, mostProviderNames)
	if err != nil {
		return nil, err
	}
	names = slices.DeleteFunc(names, func(name string) bool { return !matches(name) })
	return all(v, `
		select s.id, s.npi, s.name, s.credentials, s.role
		from json_each(?) wanted
		cross join providers s indexed by providers_name on s.practice = ? and s.name = wanted.value
		where s.survivor is null
		limit ?`, func(i *Provider, rows *sql.Rows) error {
		return rows.Scan(&i.ID, &i.NPI, &i.Name, &i.Credentials, &i.Role)
	}, list(names), p, limit)
}

// providerNames returns up to limit different names of a practice's providers, in alphabetical
// order.
func (v *View) providerNames(p PracticeID, limit int) ([]string, error) {
	return all(v, `
		with recursive known (name) as (
			select min(name) from providers where practice = ?1
			union all
			select (select min(p.name) from providers p where p.practice = ?1 and p.name > known.name)
			from known
			where known.name is not null
		)
		select name from known where name is not null limit ?2`, value[string], p, limit)
}
