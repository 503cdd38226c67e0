package smart

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"birthregistry/store"
)

// ErrBadEntry means that an EHR can't be put on the list. Its text gives the reason.
var ErrBadEntry = errors.New("smart: the EHR cannot be listed")

func badEntry(text string) error { return fmt.Errorf("%w: %s", ErrBadEntry, text) }

// Listing is an EHR in the form in which the operator adds it to the list.
type Listing struct {
	store.EHR
	ClientSecret string // the client secret; only for AuthSecret
}

// The syntax of the texts in a Listing. urlSafe is for secrets, and for client ids that are used
// with a secret. It allows only characters that form encoding leaves unchanged, because servers
// differ on whether clients must encode a secret (M18). The expressions don't limit the length,
// because a compiled expression with {1,512} takes hundreds of kilobytes. The function is checks
// the length.
var (
	urlSafe   = regexp.MustCompile(`^[A-Za-z0-9._~-]+$`)
	visible   = regexp.MustCompile(`^[!-~]+$`)
	readScope = regexp.MustCompile(`^(?:launch|openid|fhirUser|profile|launch/(?:patient|encounter)|` +
		`(?:patient|user)/(?:Patient|Observation|Condition|Encounter|Practitioner|PractitionerRole)\.(?:read|rs?|s)(?:\?[!-~]*)?)$`)
)

// is reports whether a text matches a syntax and has at most 512 bytes.
func is(syntax *regexp.Regexp, text string) bool { return len(text) <= 512 && syntax.MatchString(text) }

// List adds an EHR to the list. If the list already has an EHR with the same issuer, List replaces
// it and replaced is true. It returns ErrBadIssuer or ErrBadEntry for invalid input, and
// store.ErrNotFound if there is no such practice.
func (s *Service) List(l Listing) (e store.EHR, replaced bool, err error) {
	e = l.EHR
	if e.Issuer, err = NormalIssuer(e.Issuer); err != nil {
		return e, false, err
	}
	if e.Label = words(e.Label); e.Label == "" {
		e.Label = issuerHost(e.Issuer)
	}
	if err := checkEntry(&e, l.ClientSecret); err != nil {
		return e, false, err
	}
	switch e.Auth {
	case store.AuthSecret:
		if e.Secret, err = s.vault.SealOne(secretPlace(e.Issuer), []byte(l.ClientSecret)); err != nil {
			return e, false, err
		}
	case store.AuthKey:
		if err := s.EnsureKeys(); err != nil {
			return e, false, err
		}
	}
	err = s.db.Update(func(tx *store.Tx) (err error) {
		e.CreatedAt = tx.Now
		e.ID, replaced, err = tx.PutEHR(e)
		return err
	})
	return e, replaced, err
}

// checkEntry checks and normalizes an entry for the list of EHRs. It doesn't look at the issuer.
func checkEntry(e *store.EHR, secret string) error {
	switch {
	case len([]rune(e.Label)) > 100:
		return badEntry("the label has more than 100 characters")
	case e.ClientID != "" && !is(visible, e.ClientID):
		return badEntry("a client id may contain only visible ASCII characters")
	case e.Auth == store.AuthSecret && (e.ClientID == "" || !is(urlSafe, e.ClientID)):
		return badEntry("a client id that is used with a secret may contain only letters, digits, and - . _ ~; ask the vendor for another one")
	case e.Auth == store.AuthSecret && !is(urlSafe, secret):
		return badEntry("a client secret may contain only letters, digits, and - . _ ~, because servers differ in how they read other characters; ask the vendor for a new one")
	case e.ExpiresOn != "" && !isDay(e.ExpiresOn):
		return badEntry("write the day on which the registration ends in the form 2027-03-31")
	case e.Aud != "" && (!is(visible, e.Aud) || !strings.Contains(e.Aud, "://")):
		return badEntry("the aud must be an address, such as https://ehr.example.org/fhir/r4/")
	}
	for i, host := range e.Hosts {
		if e.Hosts[i] = strings.ToLower(host); !plainAuthority(e.Hosts[i]) {
			return badEntry("a further host must be a name such as auth.example.org or auth.example.org:8443, without a scheme or path")
		}
	}
	for i, frame := range e.Frames {
		origin, err := NormalIssuer(frame)
		if err != nil || strings.Count(origin, "/") != 2 {
			return badEntry("a frame origin must be an address without a path, such as https://ehr.example.org")
		}
		e.Frames[i] = origin
	}
	scopes := strings.Fields(e.Scopes)
	if len(scopes) > 0 && !slices.Contains(scopes, "launch") {
		return badEntry("the scopes must contain launch")
	}
	for _, scope := range scopes {
		if !readScope.MatchString(scope) {
			return badEntry("the scopes may ask only for what the registry needs: launch, openid, fhirUser, and read access to Patient, Observation, Condition, Encounter and Practitioner")
		}
	}
	e.Scopes = strings.Join(scopes, " ")
	return nil
}

func isDay(text string) bool {
	_, err := time.Parse(time.DateOnly, text)
	return err == nil
}

// NoticeFor is how long before an EHR's registration expires the admins of a practice are reminded.
const NoticeFor = 30 * 24 * time.Hour

// Expiring returns the EHRs whose registration has expired or expires within NoticeFor. It includes
// only EHRs that the practice may use.
func (s *Service) Expiring(ctx context.Context, p store.PracticeID, now time.Time) ([]store.EHR, error) {
	all, err := s.Listed(ctx)
	until := now.Add(NoticeFor).Format(time.DateOnly)
	return slices.DeleteFunc(all, func(e store.EHR) bool {
		return e.Practice != 0 && e.Practice != p || e.ExpiresOn == "" || e.ExpiresOn > until
	}), err
}

// plainAuthority reports whether text is a host in lower case, with or without a port.
func plainAuthority(text string) bool {
	u, err := url.Parse("https://" + text)
	return err == nil && u.Host == text && plainHost.MatchString(u.Hostname()) && plainPort(u.Port()) && !strings.HasSuffix(text, ":")
}

// Unlist removes an EHR from the list. From then on, launches from it are refused, and launches
// in progress fail. It returns ErrBadIssuer for an invalid issuer, and store.ErrNotFound if the EHR
// isn't listed.
func (s *Service) Unlist(issuer string) error {
	normal, err := NormalIssuer(issuer)
	if err != nil {
		return err
	}
	return s.db.Update(func(tx *store.Tx) error { return tx.RemoveEHR(normal) })
}

// Listed returns the EHRs on the operator's list.
func (s *Service) Listed(ctx context.Context) ([]store.EHR, error) {
	return store.Read(ctx, s.db, (*store.View).EHRs)
}

// Find returns the entry of an issuer. It returns ErrBadIssuer if the issuer is invalid, and
// store.ErrNotFound if it isn't listed. If it isn't listed, e.Issuer has the normal form of the
// issuer, and e is otherwise empty.
func (s *Service) Find(ctx context.Context, issuer string) (e store.EHR, err error) {
	if e.Issuer, err = NormalIssuer(issuer); err != nil {
		return e, err
	}
	all, err := s.Listed(ctx)
	if err != nil {
		return e, err
	}
	for _, known := range all {
		if known.Issuer == e.Issuer {
			return known, nil
		}
	}
	return e, store.ErrNotFound
}
