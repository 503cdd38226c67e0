// Package webhooks sends a message when an ingestion ends, to the address that the practice has set
// for the API key. Webhooks are optional. The authoritative result remains the receipt (decision
// 55).
//
// A message is signed according to Standard Webhooks 1.0. It has the ingestion's ID, its status and
// when it ended, and nothing else. The result is in the receipt, which can be read only with the
// API key.
//
// The transaction that ends an ingestion also adds its delivery (store.Tx.Finish), so no end goes
// unreported. Run makes attempts at a delivery until the receiver responds with 2xx or about a day
// has passed. If the process ends after it has sent a message but before it has recorded the
// attempt, Run sends the message again after the next start, with the same ID.
package webhooks

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"birthregistry/app/auth"
	"birthregistry/app/dial"
	"birthregistry/app/seal"
	"birthregistry/store"
)

// ErrBadAddress means that messages can't be sent to an address.
var ErrBadAddress = errors.New("webhooks: an address is https://HOST/PATH, without a user and without #, and at most 500 characters long; " +
	"http is possible on this machine only, and with --webhook-loopback")

// Settings holds the operator's choices.
type Settings struct {
	// Loopback allows receivers on this machine, without TLS, for development. Networks lists the
	// private networks in which receivers may be.
	Loopback bool
	Networks []netip.Prefix
}

// Service manages the webhooks of API keys and sends their deliveries.
type Service struct {
	db       *store.DB
	vault    *seal.Vault
	auth     *auth.Service
	settings Settings
	log      *slog.Logger
	client   *http.Client
}

// New makes a Service.
func New(db *store.DB, vault *seal.Vault, users *auth.Service, settings Settings, log *slog.Logger) *Service {
	return &Service{
		db: db, vault: vault, auth: users, settings: settings, log: log,
		client: &http.Client{
			Transport:     dial.Networks{Loopback: settings.Loopback, Private: settings.Networks}.Transport(),
			Timeout:       callWithin,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// target is the part of a webhook that is stored sealed.
type target struct {
	Address string `json:"address"`
	Secret  string `json:"secret"`
}

func place(p store.PracticeID, key int64) seal.Place {
	return seal.Place{Practice: int64(p), Table: "webhooks", Row: strconv.FormatInt(key, 10)}
}

func (s *Service) open(p store.PracticeID, key int64, sealed []byte) (t target, err error) {
	doc, err := s.vault.Open(place(p, key), sealed)
	if err == nil && json.Unmarshal(doc, &t) != nil {
		err = errors.New("webhooks: a webhook cannot be read")
	}
	return t, err
}

// secretSize is the length of a secret in bytes. Standard Webhooks requires 24 to 64 bytes.
const secretSize = 32

// Set sets the address that is notified when ingestions of an API key end. It returns a new secret,
// which cannot be shown again. It returns auth.ErrForbidden, ErrBadAddress, or store.ErrNotFound if
// the practice has no valid key with this ID.
func (s *Service) Set(who auth.User, key int64, address string) (secret string, err error) {
	if err := who.Must(auth.KeyMint); err != nil {
		return "", err
	}
	address = strings.TrimSpace(address)
	if !s.permitted(address) {
		return "", ErrBadAddress
	}
	if err := s.vault.Ready(); err != nil {
		return "", err
	}
	random := make([]byte, secretSize)
	_, _ = rand.Read(random) // never fails
	secret = "whsec_" + base64.StdEncoding.EncodeToString(random)
	doc, err := json.Marshal(target{address, secret})
	if err != nil {
		return "", errors.New("webhooks: a webhook cannot be written")
	}
	p := who.Practice.ID
	sealed, err := s.vault.Seal(place(p, key), doc)
	if err != nil {
		return "", err
	}
	err = s.auth.Act(who, func(tx *store.Tx) error {
		if err := tx.SetWebhook(p, key, sealed); err != nil {
			return err
		}
		return s.note(tx, who, "key.webhook", key)
	})
	if err != nil {
		return "", err
	}
	return secret, nil
}

// permitted reports whether messages may be sent to an address. It checks only the form of the
// address.
func (s *Service) permitted(address string) bool {
	if len(address) > 500 || strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r >= 0x7f || r == '\\' || r == '#' }) {
		return false
	}
	u, err := url.Parse(address)
	if err != nil || u.Opaque != "" || u.User != nil || u.Hostname() == "" || strings.HasSuffix(u.Host, ":") {
		return false
	}
	return u.Scheme == "https" || u.Scheme == "http" && s.settings.Loopback && dial.IsLoopbackName(u.Hostname())
}

// End turns off the webhook of a key. Messages that haven't been delivered yet are given up. End
// returns auth.ErrForbidden, or store.ErrNotFound if the practice has no such key or its webhook is
// already off.
func (s *Service) End(who auth.User, key int64) error {
	return s.auth.ActIf(who, auth.KeyMint, func(tx *store.Tx) error {
		on, err := tx.EndWebhook(who.Practice.ID, key)
		if err == nil && !on {
			err = store.ErrNotFound
		}
		if err != nil {
			return err
		}
		return s.note(tx, who, "key.webhook-off", key)
	})
}

// SendAgain makes Run send the message about an ingestion again, with the same ID. It returns
// auth.ErrForbidden. It returns store.ErrNotFound if there is no delivery for the ingestion, or if
// the key has no webhook that is on.
func (s *Service) SendAgain(who auth.User, key int64, ingestion string) error {
	return s.auth.ActIf(who, auth.KeyMint, func(tx *store.Tx) error {
		if err := tx.SendAgain(who.Practice.ID, key, ingestion); err != nil {
			return err
		}
		return s.note(tx, who, "key.send-again", key)
	})
}

// note adds an action on an API key to the audit trail, with the key's label.
func (s *Service) note(tx *store.Tx, who auth.User, action string, key int64) error {
	keys, err := tx.APIKeys(who.Practice.ID)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(keys, func(k store.APIKey) bool { return k.ID == key })
	if at < 0 {
		return store.ErrNotFound
	}
	return s.auth.Note(tx, who, action, keys[at].Label)
}

// Webhook is the webhook of an API key, as users see it.
type Webhook struct {
	On    bool
	SetAt time.Time
	// Address is empty if the webhook is off, or if it is damaged and must be set again.
	Address string
}

// Of returns the webhook of a practice's API key. A webhook that was never set is off.
func (s *Service) Of(ctx context.Context, p store.PracticeID, key int64) (Webhook, error) {
	w, err := store.Read(ctx, s.db, func(v *store.View) (store.Webhook, error) { return v.Webhook(p, key) })
	if errors.Is(err, store.ErrNotFound) || err == nil && w.Sealed == nil {
		return Webhook{}, nil
	}
	if err != nil {
		return Webhook{}, err
	}
	if err := s.vault.Ready(); err != nil {
		return Webhook{}, err
	}
	t, err := s.open(p, key, w.Sealed)
	if err != nil {
		s.log.Error("a webhook is damaged; its address has to be set again", "key", key, "cause", err)
	}
	return Webhook{On: true, SetAt: w.SetAt, Address: t.Address}, nil
}

// On lists the keys of a practice whose webhook is on.
func (s *Service) On(ctx context.Context, p store.PracticeID) ([]int64, error) {
	return store.Read(ctx, s.db, func(v *store.View) ([]int64, error) { return v.WebhooksOn(p) })
}

// Deliveries lists the deliveries of a practice's key, the newest first.
func (s *Service) Deliveries(ctx context.Context, p store.PracticeID, key int64, limit int) ([]store.Delivery, error) {
	return store.Read(ctx, s.db, func(v *store.View) ([]store.Delivery, error) { return v.Deliveries(p, key, limit) })
}

// Sweep deletes deliveries that are older than store.DeliveriesKeptFor. Each call deletes only a
// limited number.
func (s *Service) Sweep() error {
	return s.db.Update(func(tx *store.Tx) error {
		_, err := tx.SweepDeliveries(tx.Now.Add(-store.DeliveriesKeptFor))
		return err
	})
}
