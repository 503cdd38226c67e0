package store

import (
	"database/sql"
	"time"

	"birthregistry/app/birth"
)

// Identity is a provider with the numbers of births in which they took part. Only active records
// count, and only the participants in a record's present content.
type Identity struct {
	Provider
	MergedInto int64 // the provider into which this one was merged, or 0
	Attended   int
	Births     int // the number of births in which they took part, including those that they attended
	FirstSeen  time.Time
	LastSeen   time.Time // when an active record last named the provider; if none does, when the provider was first seen
}

const (
	identityFacts = `
		s.id,
		s.identity,
		s.npi,
		s.sealed,
		s.name,
		s.credentials,
		s.role,
		coalesce(s.survivor, 0),
		coalesce(s.merged_into, 0),
		s.created_at,`
	identityColumns = identityFacts + `
		count(distinct case when a.attending = 1 then r.id end),
		count(distinct r.id),
		max(s.created_at, coalesce(max(r.created_at), 0))`
)

func (v *View) identities(query string, args ...any) ([]Identity, error) {
	return all(v, query, func(i *Identity, rows *sql.Rows) error {
		return rows.Scan(&i.ID, &i.Identity, &i.NPI, &i.Sealed, &i.Name, &i.Credentials, &i.Role, &i.Survivor, &i.MergedInto,
			asTime(&i.FirstSeen), &i.Attended, &i.Births, asTime(&i.LastSeen))
	}, args...)
}

// Providers returns the providers of a practice, in the order of their names. The births of a
// merged provider are counted for the provider into which it was merged. If behind is set, more
// counts should be stored, and the caller calls DB.CountProvidersLater.
func (v *View) Providers(p PracticeID) (found []Identity, behind bool, err error) {
	counts, behind, err := v.providerBirths(p)
	if err != nil {
		return nil, false, err
	}
	found, err = v.identities(`
		select`+identityFacts+`
			0,
			0,
			s.created_at
		from providers s indexed by providers_name
		where s.practice = ?1 and s.survivor is null
		order by s.name, s.id`, p)
	for n := range found {
		i, b := &found[n], counts[found[n].ID]
		i.Births, i.Attended = b.all, b.attended
		if seen := time.UnixMilli(b.seen).UTC(); seen.After(i.LastSeen) {
			i.LastSeen = seen
		}
	}
	return found, behind, err
}

// ProviderNames returns the names and NPIs of those providers of a practice that aren't merged into
// another provider, in the order of their IDs. It returns up to limit providers whose IDs are
// greater than after. It doesn't count their births. The plus signs in the query make SQLite read
// the providers in the order of their IDs, instead of sorting all of the practice's providers.
func (v *View) ProviderNames(p PracticeID, after int64, limit int) ([]Provider, error) {
	return all(v, `
		select id, npi, name
		from providers
		where +practice = ? and +survivor is null and id > ?
		order by id
		limit ?`, func(i *Provider, rows *sql.Rows) error {
		return rows.Scan(&i.ID, &i.NPI, &i.Name)
	}, p, after, limit)
}

// onePerson is the SQL condition that selects a provider (?2) of a practice (?1) and all providers
// that were merged into it. Because of the plus sign, SQLite doesn't read all providers of the
// practice instead.
const onePerson = `(s.id = ?2 or s.survivor = ?2) and +s.practice = ?1`

// Identities returns a provider, followed by all providers that were merged into it. It returns
// nothing if the practice has no such provider.
func (v *View) Identities(p PracticeID, provider int64) ([]Identity, error) {
	return v.identities(`
		select`+identityColumns+`
		from providers s
		left join attributions a on a.provider = s.id
		left join records r on r.id = a.record and r.content = a.version and r.state = 'active'
		where `+onePerson+`
		group by s.id
		order by s.id <> ?2, s.id`, p, provider)
}

// CountBirths returns how many births a provider took part in, and how many of them they attended.
// The births of providers that were merged into this one are included.
func (v *View) CountBirths(p PracticeID, provider int64) (births, attended int, err error) {
	err = v.one(`
		select
			count(distinct r.id),
			count(distinct case when a.attending = 1 then r.id end)
		from providers s
		cross join attributions a on a.provider = s.id
		cross join records r on r.id = a.record and r.content = a.version and r.state = 'active'
		where `+onePerson, []any{p, provider}, &births, &attended)
	return births, attended, err
}

// CountAttended returns how many births a provider attended. The births of providers that were
// merged into this one are included. It stops counting at CountedTo, so that opening a record
// doesn't take long.
func (v *View) CountAttended(p PracticeID, provider int64) (int, error) {
	return only[int](v, `
		select count(*) from (
			select distinct r.id
			from providers s
			cross join attributions a on a.provider = s.id and a.attending = 1
			cross join records r on r.id = a.record and r.content = a.version and r.state = 'active'
			where `+onePerson+`
			limit ?3)`, p, provider, CountedTo)
}

// CareerEntry is an entry in the log of a provider, or of a provider that was merged into it.
type CareerEntry struct {
	Provider          int64
	Kind              string // said (a name or a role was stated), merge or unmerge
	Name, Credentials string
	Role              birth.Role
	Since             string // the month in which the role began, or "" if unknown
	Other             int64  // the ID of the other provider in a merge
	OtherName         string
	By                string // the name of the user who merged
	At                time.Time
}

// Career returns the log of a provider and of all providers that were merged into it, oldest entry
// first.
func (v *View) Career(p PracticeID, provider int64) ([]CareerEntry, error) {
	return all(v, `
		select
			l.provider,
			l.kind,
			l.name,
			l.credentials,
			l.role,
			coalesce(l.since, ''),
			coalesce(l.other, 0),
			coalesce(o.name, ''),
			coalesce(u.name, ''),
			l.at
		from providers s
		cross join provider_log l on l.provider = s.id
		left join providers o on o.id = l.other
		left join users u on u.id = l.user
		where `+onePerson+`
		order by l.id`, func(e *CareerEntry, rows *sql.Rows) error {
		return rows.Scan(&e.Provider, &e.Kind, &e.Name, &e.Credentials, &e.Role, &e.Since, &e.Other, &e.OtherName, &e.By, asTime(&e.At))
	}, p, provider)
}

// Provider returns the provider with the given ID, without identifiers, numbers of births and
// dates. It returns ErrNotFound if the practice has no such provider.
func (v *View) Provider(p PracticeID, id int64) (i Identity, err error) {
	err = v.one(`
		select id, name, credentials, role, coalesce(survivor, 0), coalesce(merged_into, 0)
		from providers
		where id = ? and practice = ?`, []any{id, p}, &i.ID, &i.Name, &i.Credentials, &i.Role, &i.Survivor, &i.MergedInto)
	return i, err
}

// SetMerged records that a provider is merged into another one (into). If into is 0, it records
// that the provider is no longer merged. It also updates Survivor of all providers that were merged
// into the first one before. It returns ErrNotFound if the practice doesn't have one of the two
// providers.
func (tx *Tx) SetMerged(p PracticeID, provider, into int64) error {
	survivor := provider
	if into != 0 {
		target, err := tx.Provider(p, into)
		if err != nil {
			return err
		}
		if survivor = target.Survivor; survivor == 0 {
			survivor = into
		}
	}
	err := found(tx.exec(`update providers set merged_into = ?, updated_at = ? where id = ? and practice = ?`,
		nullable(into), millis(tx.Now), provider, p))
	if err != nil {
		return err
	}
	return tx.do(`
		with recursive below (id) as (
			select ?1
			union
			select m.id from below cross join providers m on m.merged_into = below.id
		)
		update providers set survivor = nullif(?2, id)
		where id in (select id from below) and practice = ?3`, provider, survivor, p)
}

// LogMerge adds an entry to the logs of two providers: that they were merged (kind is "merge"), or
// that the merge was undone ("unmerge"). It returns ErrNotFound if the practice doesn't have one of
// the two providers.
func (tx *Tx) LogMerge(p PracticeID, kind string, one, two, user int64) error {
	for _, ids := range [][2]int64{{one, two}, {two, one}} {
		err := found(tx.exec(`
			insert into provider_log (provider, name, credentials, role, at, kind, other, user)
			select id, name, credentials, role, ?, ?, ?, ? from providers where id = ? and practice = ?`,
			millis(tx.Now), kind, ids[1], nullable(user), ids[0], p))
		if err != nil {
			return err
		}
	}
	return nil
}
