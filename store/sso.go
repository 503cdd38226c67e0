package store

import (
	"database/sql"
	"errors"
	"strings"
	"time"
)

// SSOProvider is an identity provider with which users may sign in.
type SSOProvider struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
	// Slug is the provider's name in the service's URLs.
	Slug     string `json:"slug"`
	Issuer   string `json:"issuer"`
	ClientID string `json:"client_id"`
	Secret   []byte `json:"-"` // sealed; nil for a public client
	// Domains lists the domains of the email addresses that the provider may confirm. If it is
	// empty, the provider may confirm any address.
	Domains   []string  `json:"domains"`
	CreatedAt time.Time `json:"created_at"`
}

// PutSSOProvider adds an identity provider, or replaces the one with the same slug. A replaced
// provider keeps its ID and its links to accounts. PutSSOProvider returns ErrConflict if another
// provider has the same issuer. It also returns ErrConflict if the issuer of the replaced provider
// would change, because its links belong to subjects of the old issuer.
func (tx *Tx) PutSSOProvider(s SSOProvider) (id int64, replaced bool, err error) {
	issuer := ""
	err = tx.one(`select id, issuer from sso_providers where slug = ?`, []any{s.Slug}, &id, &issuer)
	switch {
	case errors.Is(err, ErrNotFound):
		id, err = tx.insert(`
			insert into sso_providers (name, slug, issuer, client_id, secret, domains, created_at)
			values (?, ?, ?, ?, ?, ?, ?)`,
			s.Name, s.Slug, s.Issuer, s.ClientID, s.Secret, strings.Join(s.Domains, " "), millis(tx.Now))
		return id, false, err
	case err != nil:
		return 0, false, err
	case issuer != s.Issuer:
		return 0, false, ErrConflict
	}
	err = tx.do(`update sso_providers set name = ?, client_id = ?, secret = ?, domains = ? where id = ?`,
		s.Name, s.ClientID, s.Secret, strings.Join(s.Domains, " "), id)
	return id, true, err
}

// RemoveSSOProvider removes an identity provider, its links to accounts, and the settings of
// practices whose users must sign in with it. It also ends the sessions of the linked accounts,
// because the provider may have been removed for signing in the wrong people. It returns the number
// of linked accounts, or ErrNotFound if there is no such provider.
func (tx *Tx) RemoveSSOProvider(id int64) (accounts int64, err error) {
	sessions := tx.do(`delete from sessions where user in (select user from sso_links where provider = ?)`, id)
	practices := tx.do(`delete from sso_only where provider = ?`, id)
	accounts, err = tx.exec(`delete from sso_links where provider = ?`, id)
	return accounts, errors.Join(sessions, practices, err, found(tx.exec(`delete from sso_providers where id = ?`, id)))
}

// SSOProviders returns the identity providers, oldest first. It returns a DamageError if somebody
// has tampered with the list.
func (v *View) SSOProviders() ([]SSOProvider, error) {
	if err := v.whole("sso_providers"); err != nil {
		return nil, err
	}
	return all(v, `
		select
			s.id,
			s.name,
			s.slug,
			s.issuer,
			s.client_id,
			s.secret,
			s.domains,
			s.created_at
		from sso_providers s
		order by s.id`, func(s *SSOProvider, rows *sql.Rows) error {
		var domains string
		err := rows.Scan(&s.ID, &s.Name, &s.Slug, &s.Issuer, &s.ClientID, &s.Secret, &domains, asTime(&s.CreatedAt))
		s.Domains = strings.Fields(domains)
		return err
	})
}

// SSOAccounts returns how many accounts are linked to an identity provider.
func (v *View) SSOAccounts(provider int64) (int, error) {
	return only[int](v, `select count(*) from sso_links where provider = ?`, provider)
}

// AddSSOLink links an account to a subject (a user of an identity provider). subject is the SHA-256
// hash of the provider's name for the subject. AddSSOLink returns ErrConflict if the subject is
// already linked, or if the account is linked to another subject of the same provider.
func (tx *Tx) AddSSOLink(provider int64, subject []byte, user int64) error {
	return tx.do(`insert into sso_links (provider, subject, user, linked_at) values (?, ?, ?, ?)`, provider, subject, user, millis(tx.Now))
}

// SSOUser returns the ID of the account that is linked to a subject of an identity provider. It
// returns ErrNotFound if no account is linked.
func (v *View) SSOUser(provider int64, subject []byte) (user int64, err error) {
	var id int64
	err = v.one(`select id, user from sso_links where provider = ? and subject = ?`, []any{provider, subject}, &id, &user)
	if err == nil {
		err = v.grants("sso_links", id)
	}
	return user, err
}

// SSOLinked reports whether an account is linked to an identity provider.
func (v *View) SSOLinked(provider, user int64) (bool, error) {
	return only[bool](v, `select exists (select 1 from sso_links where user = ? and provider = ?)`, user, provider)
}

// SSOLink is the link of an account to an identity provider.
type SSOLink struct {
	ID, Provider int64
	LinkedAt     time.Time
}

// SSOLinksOf returns an account's links to identity providers, oldest first. It leaves out links
// that somebody has added or altered in the file.
func (v *View) SSOLinksOf(user int64) ([]SSOLink, error) {
	links, err := all(v, `select id, provider, linked_at from sso_links where user = ? order by id`, func(l *SSOLink, rows *sql.Rows) error {
		return rows.Scan(&l.ID, &l.Provider, asTime(&l.LinkedAt))
	}, user)
	if err != nil {
		return nil, err
	}
	var whole []SSOLink
	for _, l := range links {
		err := v.grants("sso_links", l.ID)
		if err == nil {
			whole = append(whole, l)
		}
		if err != nil && !errors.Is(err, ErrNotFound) {
			return nil, err
		}
	}
	return whole, nil
}

// DropSSOLink removes the link of an account to an identity provider. It returns ErrNotFound if
// they aren't linked.
func (tx *Tx) DropSSOLink(user, provider int64) error {
	return found(tx.exec(`delete from sso_links where user = ? and provider = ?`, user, provider))
}

// SSONames returns the names of the identity providers that are linked to an account, starting with
// the oldest provider.
func (v *View) SSONames(user int64) ([]string, error) {
	return all(v, `
		select p.name
		from sso_links l join sso_providers p on p.id = l.provider
		where l.user = ?
		order by p.id`, value[string], user)
}

// DropSSOLinks removes all links of an account to identity providers, and returns how many it
// removed.
func (tx *Tx) DropSSOLinks(user int64) (int64, error) {
	return tx.exec(`delete from sso_links where user = ?`, user)
}

// SetSSOOnly makes the users of a practice sign in only with the given identity provider. If
// provider is 0, passwords are allowed again.
func (tx *Tx) SetSSOOnly(p PracticeID, provider int64) error {
	err := tx.do(`delete from sso_only where practice = ?`, p)
	if err == nil && provider != 0 {
		err = tx.do(`insert into sso_only (practice, provider, set_at) values (?, ?, ?)`, p, provider, millis(tx.Now))
	}
	return err
}
