package store

import (
	"database/sql"
	"encoding/hex"

	"birthregistry/app/birth"
)

// Provider is a provider of a practice.
type Provider struct {
	ID int64
	// Identity and NPI are keyed hashes; Sealed holds both as they were sent.
	Identity, NPI, Sealed []byte
	Name                  string
	Credentials           string
	Role                  birth.Role
}

// ProvidersByIdentity finds providers by their hashed identity. One that was
// merged into another answers as the survivor.
func (v *View) ProvidersByIdentity(p PracticeID, identities [][]byte) (map[string]Provider, error) {
	wanted := make([]string, len(identities))
	for i, identity := range identities {
		wanted[i] = hex.EncodeToString(identity)
	}
	found := map[string]Provider{}
	err := v.each(`
		select
			known.identity,
			survivor.id,
			survivor.name,
			survivor.credentials,
			survivor.role
		from json_each(?) wanted
		cross join providers known on known.practice = ? and known.identity = unhex(wanted.value)
		cross join providers survivor on survivor.id = coalesce(known.merged_into, known.id)`,
		func(rows *sql.Rows) error {
			var r Provider
			err := rows.Scan(&r.Identity, &r.ID, &r.Name, &r.Credentials, &r.Role)
			found[string(r.Identity)] = r
			return err
		}, list(wanted), p)
	return found, err
}

// AddProvider stores a provider that was not known, and opens its career log.
func (tx *Tx) AddProvider(p PracticeID, r Provider) (int64, error) {
	id, err := tx.insert(`
		insert into providers (practice, identity, npi, sealed, name, credentials, role, created_at, updated_at)
		values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		p, r.Identity, r.NPI, r.Sealed, r.Name, r.Credentials, r.Role, millis(tx.Now), millis(tx.Now))
	if err != nil {
		return 0, err
	}
	r.ID = id
	tx.own(providerRow, p, id)
	return id, tx.logProvider(r)
}

// UpdateProvider stores what a submission says anew of a known provider, and
// enters it into the career log. ErrNotFound when the practice has no such
// provider.
func (tx *Tx) UpdateProvider(p PracticeID, r Provider) error {
	err := found(tx.exec(`
		update providers set name = ?, credentials = ?, role = ?, updated_at = ?
		where id = ? and practice = ?`, r.Name, r.Credentials, r.Role, millis(tx.Now), r.ID, p))
	if err != nil {
		return err
	}
	return tx.logProvider(r)
}

func (tx *Tx) logProvider(r Provider) error {
	_, err := tx.insert(`insert into provider_log (provider, name, credentials, role, at) values (?, ?, ?, ?, ?)`,
		r.ID, r.Name, r.Credentials, r.Role, millis(tx.Now))
	return err
}

// Attribution is a provider's part in a birth, as a content version of the
// record tells it.
type Attribution struct {
	Record    int64
	Version   int
	Provider  int64
	Attending bool
}

// AddAttributions stores who took part in births. Like the versions they belong
// to they are never changed: an amendment brings its own. ErrNotFound when a
// record or a provider is not of the practice.
func (tx *Tx) AddAttributions(p PracticeID, all []Attribution) error {
	rows := make([][]any, len(all))
	for i, a := range all {
		if err := tx.owns(recordRow, p, a.Record); err != nil {
			return err
		}
		if err := tx.owns(providerRow, p, a.Provider); err != nil {
			return err
		}
		rows[i] = []any{a.Record, a.Version, a.Provider, a.Attending}
	}
	return tx.bulk(`attributions (record, version, provider, attending)`, rows)
}

// AttributedProvider is a provider as a record names it.
type AttributedProvider struct {
	Provider
	Attending bool
}

// ProvidersOf returns who took part in the birth, as a content version of the
// record tells it, the attendant first.
func (v *View) ProvidersOf(p PracticeID, record int64, content int) (all []AttributedProvider, err error) {
	err = v.each(`
		select
			s.id,
			s.identity,
			s.sealed,
			s.name,
			s.credentials,
			s.role,
			a.attending
		from attributions a
		join providers s on s.id = a.provider
		where a.record = ? and a.version = ? and s.practice = ?
		order by a.attending desc, s.id`, func(rows *sql.Rows) error {
		var r AttributedProvider
		err := rows.Scan(&r.ID, &r.Identity, &r.Sealed, &r.Name, &r.Credentials, &r.Role, &r.Attending)
		all = append(all, r)
		return err
	}, record, content, p)
	return all, err
}
