package store

import (
	"database/sql"
	"slices"
)

// mostProviderNames is the greatest number of different provider names that a search compares
// with its text.
const mostProviderNames = 5000

// FindProviders returns up to limit of a practice's providers, in the order of their names, except
// those merged into another. matches decides which names it returns. It is called once for each
// different name, up to mostProviderNames, so a thousand identities with the same name cost no more
// than one.
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

// providerNames returns up to limit different names of a practice's providers, in order.
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
