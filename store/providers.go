package store

import (
	"database/sql"
	"slices"

	"birthregistry/app/birth"
)

// Provider is a provider of a practice, as identified by one key (birth.Provider.Key). The same
// person may be stored as several providers with different keys.
type Provider struct {
	ID int64
	// Identity and NPI are keyed hashes of the provider's key and NPI. Sealed holds both of them as
	// they were stated.
	Identity, NPI, Sealed []byte
	Name                  string
	Credentials           string
	Role                  birth.Role // the present role
	// Survivor is the ID of the provider into which this one was merged, or 0. The births stay
	// linked to the provider with whom they were sent, and are only read as births of the survivor.
	// A merge therefore affects all of these births immediately, and undoing the merge gives
	// exactly these births back.
	Survivor int64
}

// ProvidersByIdentity returns providers by the hashes of their keys.
func (v *View) ProvidersByIdentity(p PracticeID, identities [][]byte) (map[string]Provider, error) {
	found := map[string]Provider{}
	err := v.each(`
		select
			known.identity,
			known.id,
			known.name,
			known.credentials,
			known.role,
			coalesce(known.survivor, 0)
		from json_each(?) wanted
		cross join providers known on known.practice = ? and known.identity = unhex(wanted.value)`,
		func(rows *sql.Rows) error {
			var r Provider
			err := rows.Scan(&r.Identity, &r.ID, &r.Name, &r.Credentials, &r.Role, &r.Survivor)
			found[string(r.Identity)] = r
			return err
		}, inHex(identities), p)
	return found, err
}

// ProvidersNamed returns up to limit providers with the given name, including those that are merged
// into another provider. Names are the same if they have the same words in any case and order
// (birth.NameKey).
func (v *View) ProvidersNamed(p PracticeID, name string, limit int) ([]Provider, error) {
	key := birth.NameKey(name)
	found, err := all(v, `
		select s.id, s.identity, s.npi, s.name, s.credentials, s.role, coalesce(s.survivor, 0)
		from provider_names n
		cross join providers s on s.id = n.provider and s.practice = n.practice
		where n.practice = ? and n.name = ?
		order by n.provider
		limit ?`, func(r *Provider, rows *sql.Rows) error {
		return rows.Scan(&r.ID, &r.Identity, &r.NPI, &r.Name, &r.Credentials, &r.Role, &r.Survivor)
	}, p, key, limit)
	return slices.DeleteFunc(found, func(r Provider) bool { return birth.NameKey(r.Name) != key }), err
}

// nameProvider stores a provider's name in the index by which providers are found.
func (tx *Tx) nameProvider(p PracticeID, id int64, name string) error {
	if err := tx.do(`delete from provider_names where provider = ?`, id); err != nil {
		return err
	}
	key := birth.NameKey(name)
	if key == "" {
		return nil
	}
	return tx.do(`insert into provider_names (practice, name, provider) values (?, ?, ?)`, p, key, id)
}

// AddProvider stores a new provider, and begins its log with the role. since is the month in which
// the role began, such as "2026-03". AddProvider returns the provider's ID.
func (tx *Tx) AddProvider(p PracticeID, r Provider, since string) (int64, error) {
	id, err := tx.insert(`
		insert into providers (practice, identity, npi, sealed, name, credentials, role, created_at, updated_at)
		values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		p, r.Identity, r.NPI, r.Sealed, r.Name, r.Credentials, r.Role, millis(tx.Now), millis(tx.Now))
	if err != nil {
		return 0, err
	}
	r.ID = id
	tx.own(providerRow, p, id)
	if err := tx.nameProvider(p, id, r.Name); err != nil {
		return id, err
	}
	return id, tx.logProvider(r, since)
}

// UpdateProvider stores what a submission has changed about a provider, and adds the change to the
// provider's log. since is the month in which the new role began, or "" if the role hasn't changed.
// UpdateProvider returns ErrNotFound if the practice has no such provider.
func (tx *Tx) UpdateProvider(p PracticeID, r Provider, since string) error {
	err := found(tx.exec(`
		update providers set name = ?, credentials = ?, role = ?, updated_at = ?
		where id = ? and practice = ?`, r.Name, r.Credentials, r.Role, millis(tx.Now), r.ID, p))
	if err != nil {
		return err
	}
	if err := tx.nameProvider(p, r.ID, r.Name); err != nil {
		return err
	}
	return tx.logProvider(r, since)
}

// LogProvider adds a former role to a provider's log. since is the month in which that role began.
// LogProvider returns ErrNotFound if the practice has no such provider.
func (tx *Tx) LogProvider(p PracticeID, r Provider, since string) error {
	if err := tx.owns(providerRow, p, r.ID); err != nil {
		return err
	}
	return tx.logProvider(r, since)
}

func (tx *Tx) logProvider(r Provider, since string) error {
	return tx.do(`insert into provider_log (provider, name, credentials, role, at, since) values (?, ?, ?, ?, ?, ?)`,
		r.ID, r.Name, r.Credentials, r.Role, millis(tx.Now), nullable(since))
}

// Careers returns the roles that providers have had, each with the month in which it began, by
// provider ID. It skips log entries that only change the name, because two systems that spell a
// name differently add such an entry with every message.
func (v *View) Careers(p PracticeID, providers []int64) (map[int64]birth.Career, error) {
	careers := map[int64]birth.Career{}
	err := v.each(`
		select l.provider, l.role, l.since
		from json_each(?) wanted
		cross join providers s on s.id = wanted.value and s.practice = ?
		cross join provider_log l indexed by provider_posts on l.provider = s.id and l.kind = 'said' and l.since is not null
		order by l.provider, l.since, l.id`, func(rows *sql.Rows) error {
		var id int64
		var post birth.Post
		err := rows.Scan(&id, &post.Role, &post.Since)
		careers[id] = append(careers[id], post)
		return err
	}, list(providers), p)
	return careers, err
}

// Attribution says that a provider took part in a birth, according to a version of the record's
// content.
type Attribution struct {
	Record    int64
	Version   int
	Provider  int64
	Attending bool
	// Role is the role that the provider had on the day of the birth (birth.Career).
	Role birth.Role
}

// AddAttributions stores who took part in births. Attributions never change, like the versions to
// which they belong: an amendment adds new ones. AddAttributions returns ErrNotFound if a record or
// a provider doesn't belong to the practice.
func (tx *Tx) AddAttributions(p PracticeID, all []Attribution) error {
	values := make([]any, 0, 5*len(all))
	for _, a := range all {
		if err := tx.owns(recordRow, p, a.Record); err != nil {
			return err
		}
		if err := tx.owns(providerRow, p, a.Provider); err != nil {
			return err
		}
		values = append(values, a.Record, a.Version, a.Provider, a.Attending, nullable(a.Role))
	}
	return tx.bulk(`attributions (record, version, provider, attending, role)`, values)
}

// RolesIn returns the roles that the present contents of records state for their providers, by
// record ID and provider ID.
func (v *View) RolesIn(p PracticeID, records []int64) (map[int64]map[int64]birth.Role, error) {
	roles := map[int64]map[int64]birth.Role{}
	err := v.each(`
		select a.record, a.provider, coalesce(a.role, 'other')
		from json_each(?) wanted
		cross join records r on r.id = wanted.value and r.practice = ?
		cross join attributions a on a.record = r.id and a.version = r.content`, func(rows *sql.Rows) error {
		var record, provider int64
		var role birth.Role
		err := rows.Scan(&record, &provider, &role)
		if roles[record] == nil {
			roles[record] = map[int64]birth.Role{}
		}
		roles[record][provider] = role
		return err
	}, list(records), p)
	return roles, err
}

// AttributedProvider is a provider who took part in a birth. It has the ID of the provider that the
// record names, and the role on the day of the birth (or the present role, if that isn't known). If
// the provider was merged into another one, the name and credentials are those of the other one.
type AttributedProvider struct {
	Provider
	Attending bool
}

// SurvivorID returns the ID of the provider into which this one was merged. If it wasn't merged,
// SurvivorID returns its own ID.
func (a AttributedProvider) SurvivorID() int64 {
	if a.Survivor != 0 {
		return a.Survivor
	}
	return a.ID
}

// ProvidersOf returns the providers who took part in a birth, according to a version of the
// record's content. The attendant comes first.
func (v *View) ProvidersOf(p PracticeID, record int64, content int) ([]AttributedProvider, error) {
	return all(v, `
		select
			s.id,
			s.identity,
			s.sealed,
			m.name,
			m.credentials,
			coalesce(a.role, s.role),
			coalesce(s.survivor, 0),
			a.attending
		from attributions a
		join providers s on s.id = a.provider
		join providers m on m.id = coalesce(s.survivor, s.id)
		where a.record = ? and a.version = ? and s.practice = ?
		order by a.attending desc, s.id`, func(r *AttributedProvider, rows *sql.Rows) error {
		return rows.Scan(&r.ID, &r.Identity, &r.Sealed, &r.Name, &r.Credentials, &r.Role, &r.Survivor, &r.Attending)
	}, record, content, p)
}
