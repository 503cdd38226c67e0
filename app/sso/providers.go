package sso

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"birthregistry/app/dial"
	"birthregistry/app/seal"
	"birthregistry/store"
)

// ErrBadEntry means that a provider can't be added to the list. The error's text states the reason.
var ErrBadEntry = errors.New("sso: the provider cannot be listed")

func badEntry(text string) error { return fmt.Errorf("%w: %s", ErrBadEntry, text) }

// Entry is an identity provider as the operator enters it.
type Entry struct {
	store.SSOProvider
	ClientSecret string // "" for a public client
}

var (
	visible = regexp.MustCompile(`^[!-~]+$`) // isVisible checks the length, because {1,512} would take 360 KB here
	domain  = regexp.MustCompile(`^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+$`)
)

func isVisible(text string) bool { return len(text) <= 512 && visible.MatchString(text) }

// Slug returns a provider's name in the form that addresses contain: the ASCII letters and digits
// in lower case, with hyphens between the words.
func Slug(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return r >= unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	return strings.Join(words, "-")
}

// Listed is an identity provider on the operator's list.
type Listed struct {
	store.SSOProvider
	// Accounts is the number of accounts that are linked to the provider.
	Accounts int `json:"accounts"`
}

// Add adds an identity provider to the operator's list. If the list already has a provider with the
// same slug and the same issuer, Add replaces it and keeps the linked accounts. former is then the
// replaced provider. Add returns ErrBadEntry if the entry is invalid. It also returns ErrBadEntry
// if another provider has the same slug but a different issuer, or the same issuer but a different
// slug.
func (s *Service) Add(e Entry) (p store.SSOProvider, former *Listed, err error) {
	p = e.SSOProvider
	p.Name = strings.Join(strings.Fields(p.Name), " ")
	p.Slug = Slug(p.Name)
	if err := check(&p, e.ClientSecret); err != nil {
		return p, nil, err
	}
	if e.ClientSecret != "" {
		if p.Secret, err = s.vault.SealOne(secretPlace(p.Slug), []byte(e.ClientSecret)); err != nil {
			return p, nil, err
		}
	}
	err = s.db.Update(func(tx *store.Tx) (err error) {
		former = nil
		all, err := listing(&tx.View)
		if n := slices.IndexFunc(all, func(l Listed) bool { return l.Slug == p.Slug }); n >= 0 {
			former = &all[n]
		}
		if err == nil {
			p.CreatedAt = tx.Now
			p.ID, _, err = tx.PutSSOProvider(p)
		}
		return err
	})
	if errors.Is(err, store.ErrConflict) {
		err = badEntry("another provider already has this name or this issuer; remove that provider first (see: birthregistry sso list)")
	}
	s.forget(p.ID)
	return p, former, err
}

// check normalizes an entry. It returns ErrBadEntry if the entry is invalid.
func check(p *store.SSOProvider, secret string) error {
	switch {
	case p.Slug == "" || len(p.Name) > 60 || strings.ContainsFunc(p.Name, func(r rune) bool { return !unicode.IsPrint(r) }):
		return badEntry("the name must have 1 to 60 printable characters, with a letter from a to z or a digit")
	case !isIssuer(p.Issuer):
		return badEntry("the issuer must be an address such as https://accounts.google.com: https (http for this machine only), no user, no query, no fragment")
	case !isVisible(p.ClientID):
		return badEntry("a client id may contain only visible ASCII characters")
	case secret != "" && !isVisible(secret):
		return badEntry("a client secret may contain only visible ASCII characters")
	}
	for i, d := range p.Domains {
		if p.Domains[i] = lowerASCII(d); !domain.MatchString(p.Domains[i]) {
			return badEntry("a domain must be the part of an email address after the @, such as clinic.example.org")
		}
	}
	return nil
}

// isIssuer reports whether a string may be the identifier of an issuer (OpenID Connect Discovery
// 1.0, section 2).
func isIssuer(text string) bool {
	u, err := url.Parse(text)
	return err == nil && isVisible(text) && !strings.ContainsAny(text, "?#\\%") && u.User == nil && u.Opaque == "" && u.Hostname() != "" &&
		(u.Scheme == "https" || u.Scheme == "http" && dial.IsLoopbackName(u.Hostname()))
}

// Remove removes the identity provider with the given name or slug. It unlinks the provider's
// accounts, ends their sessions, and allows passwords again in the practices that required the
// provider. It returns how many accounts were linked. If there is no such provider, it returns
// ErrNoProvider.
func (s *Service) Remove(ctx context.Context, name string) (accounts int64, err error) {
	p, err := s.Find(ctx, name)
	if err != nil {
		return 0, err
	}
	s.forget(p.ID)
	err = s.db.Update(func(tx *store.Tx) (err error) {
		accounts, err = tx.RemoveSSOProvider(p.ID)
		return err
	})
	return accounts, err
}

// List returns the identity providers, the oldest first. Each has the number of accounts that are
// linked to it.
func (s *Service) List(ctx context.Context) ([]Listed, error) { return store.Read(ctx, s.db, listing) }

func listing(v *store.View) (all []Listed, err error) {
	providers, err := v.SSOProviders()
	for _, p := range providers {
		n, countErr := v.SSOAccounts(p.ID)
		err = errors.Join(err, countErr)
		all = append(all, Listed{p, n})
	}
	return all, err
}

// Providers lists the providers, the oldest first.
func (s *Service) Providers(ctx context.Context) ([]store.SSOProvider, error) {
	return store.Read(ctx, s.db, (*store.View).SSOProviders)
}

// Find returns the provider with the given name or slug. It returns ErrNoProvider if there is none.
func (s *Service) Find(ctx context.Context, name string) (store.SSOProvider, error) {
	return s.find(ctx, func(p store.SSOProvider) bool { return p.Slug == Slug(name) })
}

// ByID returns the provider with this ID. It returns ErrNoProvider if there is none.
func (s *Service) ByID(ctx context.Context, id int64) (store.SSOProvider, error) {
	return s.find(ctx, func(p store.SSOProvider) bool { return p.ID == id })
}

func (s *Service) find(ctx context.Context, is func(store.SSOProvider) bool) (store.SSOProvider, error) {
	all, err := s.Providers(ctx)
	if err != nil {
		return store.SSOProvider{}, err
	}
	if n := slices.IndexFunc(all, is); n >= 0 {
		return all[n], nil
	}
	return store.SSOProvider{}, ErrNoProvider
}

// secretPlace returns the place to which a provider's sealed client secret is bound.
func secretPlace(slug string) seal.Place { return seal.Place{Table: "sso_providers", Row: slug} }
