package store

import (
	"database/sql"
	"errors"
	"strings"
	"time"
)

// The ways in which the service authenticates itself at an EHR's token endpoint.
const (
	AuthPublic = "public" // no authentication
	AuthSecret = "secret" // client_secret_basic
	AuthKey    = "key"    // private_key_jwt
)

// EHR is an EHR that may launch the service. The operator adds it to the list of EHRs.
type EHR struct {
	ID int64 `json:"id"`
	// Issuer is the FHIR base URL, as normalized by app/smart.
	Issuer string `json:"issuer"`
	Label  string `json:"label"`
	// ClientID is "" until the vendor has registered the service.
	ClientID string `json:"client_id"`
	Auth     string `json:"auth"`
	Secret   []byte `json:"-"` // sealed
	// Hosts lists further hosts (host or host:port), besides the issuer's, that serve the EHR's
	// endpoints and pages.
	Hosts  []string `json:"hosts"`
	Scopes string   `json:"scopes"` // "" for the default scopes
	Aud    string   `json:"aud"`    // "" if it is the issuer
	// Frames lists the origins that may embed the page of a launch.
	Frames   []string   `json:"frame_origins"`
	Practice PracticeID `json:"practice"` // the only practice that may use the EHR; 0 for any practice
	// Conduct says how the EHR's responses in the last launch differed from what was requested
	// (app/smart). Seen is set if there was a launch after CreatedAt.
	Conduct string `json:"-"`
	Seen    bool   `json:"-"`
	// ExpiresOn is the day ("2027-03-31") on which the service's registration with the vendor ends,
	// or "" if the operator has entered no day. Launches work regardless of this day.
	ExpiresOn string `json:"expires_on,omitzero"`
	// CreatedAt is when the EHR was added to the list, or when its entry was last replaced.
	CreatedAt time.Time `json:"created_at"`
}

// PutEHR adds an EHR to the list. If the list already has an EHR with the same issuer, PutEHR
// replaces it and keeps its ID. It returns ErrNotFound if e.Practice is the ID of a practice that
// doesn't exist.
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

// setExpiry stores the day on which the service's registration with an EHR's vendor ends. If day is
// "", it removes the stored day.
func (tx *Tx) setExpiry(ehr int64, day string) error {
	err := tx.do(`delete from ehr_expiries where ehr = ?`, ehr)
	if err == nil && day != "" {
		err = tx.do(`insert into ehr_expiries (ehr, day) values (?, ?)`, ehr, day)
	}
	return err
}

// NoteConduct stores how an EHR's responses in a launch differed from what was requested. It does
// nothing if the EHR is no longer in the list.
func (tx *Tx) NoteConduct(id int64, conduct string) error {
	return tx.do(`update ehrs set conduct = ? where id = ?`, conduct, id)
}

// RemoveEHR removes an EHR from the list. It returns ErrNotFound if the list has no EHR with this
// issuer.
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

// EHR returns the EHR with the given ID. It returns ErrNotFound if it is no longer in the list, and
// a DamageError if somebody has tampered with the list.
func (v *View) EHR(id int64) (e EHR, err error) {
	if err := v.whole("ehrs"); err != nil {
		return e, err
	}
	return first(all(v, ehrColumns+` where id = ?`, (*EHR).scan, id))
}

// EHRs returns all EHRs in the list, oldest first. It returns a DamageError if somebody has
// tampered with the list.
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

// ClientKey is a key with which the service signs its requests to token endpoints.
type ClientKey struct {
	ID        string // the thumbprint of the public half of the key
	Sealed    []byte
	CreatedAt time.Time
}

// AddClientKey stores a key with which the service signs requests.
func (tx *Tx) AddClientKey(k ClientKey) error {
	return tx.do(`insert into client_keys (kid, sealed, created_at) values (?, ?, ?)`, k.ID, k.Sealed, millis(tx.Now))
}

// DropClientKey deletes a key. It returns ErrNotFound if there is no key with this ID.
func (tx *Tx) DropClientKey(id string) error {
	return found(tx.exec(`delete from client_keys where kid = ?`, id))
}

// ClientKeys returns the keys in the order of their IDs. It returns a DamageError if somebody has
// tampered with the table, or has put a deleted key back.
func (v *View) ClientKeys() ([]ClientKey, error) {
	if err := v.whole("client_keys"); err != nil {
		return nil, err
	}
	return all(v, `select kid, sealed, created_at from client_keys order by kid`, func(k *ClientKey, rows *sql.Rows) error {
		return rows.Scan(&k.ID, &k.Sealed, asTime(&k.CreatedAt))
	})
}
