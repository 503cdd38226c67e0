package store

import (
	"database/sql"
	"errors"
	"strings"
	"time"
)

// These are the ways in which the service authenticates at a token endpoint.
const (
	AuthPublic = "public" // no authentication
	AuthSecret = "secret" // client_secret_basic
	AuthKey    = "key"    // private_key_jwt
)

// EHR is an EHR that may launch the service, as the operator listed it.
type EHR struct {
	ID int64 `json:"id"`
	// Issuer is the FHIR base URL, normalized by app/smart.
	Issuer string `json:"issuer"`
	Label  string `json:"label"`
	// ClientID is "" until the vendor has registered the service.
	ClientID string `json:"client_id"`
	Auth     string `json:"auth"`
	Secret   []byte `json:"-"` // sealed
	// Hosts lists the hosts besides the issuer's (host or host:port) that serve the EHR's
	// endpoints and pages.
	Hosts  []string `json:"hosts"`
	Scopes string   `json:"scopes"` // "" for the default scopes
	Aud    string   `json:"aud"`    // "" if it is the issuer
	// Frames are the origins that may show the page of an embedded launch.
	Frames   []string   `json:"frame_origins"`
	Practice PracticeID `json:"practice"` // the practice that may use it; 0 for any
	// Conduct says how the EHR's answers in the last launch differed from the requests
	// (app/smart). Seen is set if there was a launch since CreatedAt.
	Conduct string `json:"-"`
	Seen    bool   `json:"-"`
	// ExpiresOn is the day ("2027-03-31") on which the vendor's registration of the service
	// ends, or "" if the operator has stated none. Launches don't depend on it.
	ExpiresOn string `json:"expires_on,omitzero"`
	// CreatedAt is when the EHR was listed or its entry was last replaced.
	CreatedAt time.Time `json:"created_at"`
}

// PutEHR lists an EHR. If there is an entry with the same issuer, PutEHR replaces it and keeps
// its ID. It returns ErrNotFound if e names a practice that doesn't exist.
func (tx *Tx) PutEHR(e EHR) (id int64, replaced bool, err error) {
	if e.Practice != 0 {
		if _, err := tx.Practice(e.Practice); err != nil {
			return 0, false, err
		}
	}
	err = tx.one(`select id from ehrs where issuer = ?`, []any{e.Issuer}, &id)
	if replaced = err == nil; err != nil && !errors.Is(err, ErrNotFound) {
		return 0, false, err
	}
	err = tx.do(`
		insert into ehrs (issuer, label, client_id, auth, secret, hosts, scopes, aud, frames, practice, created_at)
		values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		on conflict (issuer) do update set
			label = excluded.label,
			client_id = excluded.client_id,
			auth = excluded.auth,
			secret = excluded.secret,
			hosts = excluded.hosts,
			scopes = excluded.scopes,
			aud = excluded.aud,
			frames = excluded.frames,
			practice = excluded.practice,
			conduct = null,
			created_at = excluded.created_at`,
		e.Issuer, e.Label, nullable(e.ClientID), e.Auth, e.Secret, strings.Join(e.Hosts, " "), e.Scopes, e.Aud,
		strings.Join(e.Frames, " "), nullable(e.Practice), millis(tx.Now))
	if err == nil && !replaced {
		err = tx.one(`select id from ehrs where issuer = ?`, []any{e.Issuer}, &id)
	}
	if err == nil {
		err = tx.setExpiry(id, e.ExpiresOn)
	}
	return id, replaced, err
}

// setExpiry stores the day on which an EHR's registration ends; "" means that no day is stated.
func (tx *Tx) setExpiry(ehr int64, day string) error {
	err := tx.do(`delete from ehr_expiries where ehr = ?`, ehr)
	if err == nil && day != "" {
		err = tx.do(`insert into ehr_expiries (ehr, day) values (?, ?)`, ehr, day)
	}
	return err
}

// NoteConduct stores how an EHR's answers in a launch differed from the requests. If the EHR is no
// longer listed, NoteConduct does nothing.
func (tx *Tx) NoteConduct(id int64, conduct string) error {
	return tx.do(`update ehrs set conduct = ? where id = ?`, conduct, id)
}

// RemoveEHR removes an EHR from the list. It returns ErrNotFound if it isn't listed.
func (tx *Tx) RemoveEHR(issuer string) error {
	return found(tx.exec(`delete from ehrs where issuer = ?`, issuer))
}

const ehrColumns = `
	select
		id,
		issuer,
		label,
		coalesce(client_id, ''),
		auth,
		secret,
		hosts,
		scopes,
		aud,
		frames,
		coalesce(practice, 0),
		coalesce(conduct, ''),
		conduct is not null,
		coalesce((select x.day from ehr_expiries x where x.ehr = ehrs.id), ''),
		created_at
	from ehrs`

// EHR returns a listed EHR. It returns ErrNotFound if it is no longer listed, and a
// DamageError if the list was tampered with.
func (v *View) EHR(id int64) (e EHR, err error) {
	if err := v.whole("ehrs"); err != nil {
		return e, err
	}
	return first(all(v, ehrColumns+` where id = ?`, (*EHR).scan, id))
}

// EHRs returns all listed EHRs, oldest entry first, or a DamageError if the list was tampered
// with.
func (v *View) EHRs() ([]EHR, error) {
	if err := v.whole("ehrs"); err != nil {
		return nil, err
	}
	return all(v, ehrColumns+` order by id`, (*EHR).scan)
}

func (e *EHR) scan(rows *sql.Rows) error {
	var hosts, frames string
	err := rows.Scan(&e.ID, &e.Issuer, &e.Label, &e.ClientID, &e.Auth, &e.Secret, &hosts, &e.Scopes, &e.Aud, &frames,
		&e.Practice, &e.Conduct, &e.Seen, &e.ExpiresOn, asTime(&e.CreatedAt))
	e.Hosts, e.Frames = strings.Fields(hosts), strings.Fields(frames)
	return err
}

// ClientKey is a key with which the service signs at token endpoints.
type ClientKey struct {
	ID        string // the thumbprint of its public half
	Sealed    []byte
	CreatedAt time.Time
}

// AddClientKey stores a key.
func (tx *Tx) AddClientKey(k ClientKey) error {
	return tx.do(`insert into client_keys (kid, sealed, created_at) values (?, ?, ?)`, k.ID, k.Sealed, millis(tx.Now))
}

// DropClientKey deletes a key. It returns ErrNotFound if there is none with this ID.
func (tx *Tx) DropClientKey(id string) error {
	return found(tx.exec(`delete from client_keys where kid = ?`, id))
}

// ClientKeys returns the keys by ID. It returns a DamageError if the list was tampered with or
// a dropped key was put back.
func (v *View) ClientKeys() ([]ClientKey, error) {
	if err := v.whole("client_keys"); err != nil {
		return nil, err
	}
	return all(v, `select kid, sealed, created_at from client_keys order by kid`, func(k *ClientKey, rows *sql.Rows) error {
		return rows.Scan(&k.ID, &k.Sealed, asTime(&k.CreatedAt))
	})
}
