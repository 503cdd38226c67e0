package store

import (
	"database/sql"
	"errors"
	"strings"
	"time"
)

// SSOProvider is an identity provider with which people may sign in.
type SSOProvider struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
	// Slug is the name in the service's URLs.
	Slug     string `json:"slug"`
	Issuer   string `json:"issuer"`
	ClientID string `json:"client_id"`
	Secret   []byte `json:"-"` // sealed; nil for a public client
	// Domains lists the domains of the email addresses for which the provider may vouch. If it is
	// empty, the provider may vouch for any address.
	Domains   []string  `json:"domains"`
	CreatedAt time.Time `json:"created_at"`
}

// PutSSOProvider adds a provider, or replaces the one with the same slug, which keeps its ID and
// its links. It returns ErrConflict if another provider has the same issuer. It also returns
// ErrConflict if the provider's issuer would change, because its links belong to subjects of the
// former issuer.
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

// RemoveSSOProvider removes a provider, its links, and the setting of the practices that require
// it. It also ends the sessions of the linked accounts, because the reason for the removal may be
// that the provider signed in the wrong people. It returns the number of linked accounts, or
// ErrNotFound if there is no such provider.
func (tx *Tx) RemoveSSOProvider(id int64) (accounts int64, err error) {
	sessions := tx.do(`delete from sessions where user in (select user from sso_links where provider = ?)`, id)
	practices := tx.do(`delete from sso_only where provider = ?`, id)
	accounts, err = tx.exec(`delete from sso_links where provider = ?`, id)
	return accounts, errors.Join(sessions, practices, err, found(tx.exec(`delete from sso_providers where id = ?`, id)))
}

// SSOProviders lists the providers, the oldest first, or returns a DamageError if the list was
// tampered with.
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

// SSOAccounts returns how many accounts are linked to a provider.
func (v *View) SSOAccounts(provider int64) (int, error) {
	return only[int](v, `select count(*) from sso_links where provider = ?`, provider)
}

// AddSSOLink links an account to a provider's subject, given by its SHA-256. It returns ErrConflict
// if the subject is linked already, or if the account is linked to another subject of the provider.
func (tx *Tx) AddSSOLink(provider int64, subject []byte, user int64) error {
	return tx.do(`insert into sso_links (provider, subject, user, linked_at) values (?, ?, ?, ?)`, provider, subject, user, millis(tx.Now))
}

// SSOUser returns the account of a provider's subject. It returns ErrNotFound if there is none.
func (v *View) SSOUser(provider int64, subject []byte) (user int64, err error) {
	var id int64
	err = v.one(`select id, user from sso_links where provider = ? and subject = ?`, []any{provider, subject}, &id, &user)
	if err == nil {
		err = v.grants("sso_links", id)
	}
	return user, err
}

// SSOLinked reports whether an account is linked to a provider.
func (v *View) SSOLinked(provider, user int64) (bool, error) {
	return only[bool](v, `select exists (select 1 from sso_links where user = ? and provider = ?)`, user, provider)
}

// SSOLink is an account's link to a provider.
type SSOLink struct {
	ID, Provider int64
	LinkedAt     time.Time
}

// SSOLinksOf returns the links of an account, oldest first. It leaves out links that the program
// didn't write.
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

// DropSSOLink unlinks an account from a provider. It returns ErrNotFound if the account isn't
// linked.
func (tx *Tx) DropSSOLink(user, provider int64) error {
	return found(tx.exec(`delete from sso_links where user = ? and provider = ?`, user, provider))
}

// SSONames returns the names of the providers to which an account is linked, the oldest provider
// first.
func (v *View) SSONames(user int64) ([]string, error) {
	return all(v, `
		select p.name
		from sso_links l join sso_providers p on p.id = l.provider
		where l.user = ?
		order by p.id`, value[string], user)
}

// DropSSOLinks unlinks an account from all providers, and returns from how many.
func (tx *Tx) DropSSOLinks(user int64) (int64, error) {
	return tx.exec(`delete from sso_links where user = ?`, user)
}

// SetSSOOnly makes the users of a practice sign in with one provider only; 0 allows passwords
// again.
func (tx *Tx) SetSSOOnly(p PracticeID, provider int64) error {
	err := tx.do(`delete from sso_only where practice = ?`, p)
	if err == nil && provider != 0 {
		err = tx.do(`insert into sso_only (practice, provider, set_at) values (?, ?, ?)`, p, provider, millis(tx.Now))
	}
	return err
}
