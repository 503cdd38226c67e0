package smart

import (
	"cmp"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"birthregistry/app/seal"
	"birthregistry/store"
)

// The keys for private_key_jwt (SMART App Launch 2.2.0, "Asymmetric authentication") always come in
// pairs, one key for RS384 and one for ES384, because every EHR supports at least one of the two. A
// rotation makes a new pair. The previous pair stays published until the next rotation.

// SignAfter is how long a new pair of keys is published before it replaces the previous pair for
// signing. An EHR that caches the installation's key set has the new keys by then.
const SignAfter = time.Hour

// assertionLife is how long an assertion is valid. It is less than the five minutes that SMART
// allows, because clocks differ.
const assertionLife = 4 * time.Minute

const rsaBits = 3072

// Key is a signing key of the installation, in the form in which the operator sees it.
type Key struct {
	ID        string    `json:"kid"`
	Algorithm string    `json:"alg"`
	CreatedAt time.Time `json:"created_at"`
	// Signs is set if this key is the one that signs at present.
	Signs bool `json:"signs"`

	key jose.JSONWebKey
}

// Keys returns the published keys, newest first.
func (s *Service) Keys(ctx context.Context) (all []Key, err error) {
	rows, err := store.Read(ctx, s.db, (*store.View).ClientKeys)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		doc, err := s.vault.Open(keyPlace(row.ID), row.Sealed)
		if err != nil {
			return nil, err
		}
		k := Key{ID: row.ID, CreatedAt: row.CreatedAt}
		if err := k.key.UnmarshalJSON(doc); err != nil {
			return nil, errors.New("smart: a signing key cannot be read")
		}
		k.Algorithm = k.key.Algorithm
		all = append(all, k)
	}
	slices.SortFunc(all, func(a, b Key) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(a.Algorithm, b.Algorithm))
	})
	for _, algorithm := range []jose.SignatureAlgorithm{jose.ES384, jose.RS384} {
		if i := signing(all, algorithm, time.Now()); i >= 0 {
			all[i].Signs = true
		}
	}
	return all, nil
}

func keyPlace(id string) seal.Place { return seal.Place{Table: "client_keys", Row: id} }

// signing returns the index of the key that signs with an algorithm, or -1 if there is no key for
// it. The slice all lists the keys newest first. The newest key for the algorithm that is older
// than SignAfter signs. If no key is that old, the oldest one signs.
func signing(all []Key, algorithm jose.SignatureAlgorithm, now time.Time) int {
	found := -1
	for i, k := range all {
		if k.Algorithm != string(algorithm) {
			continue
		}
		if found = i; now.Sub(k.CreatedAt) >= SignAfter {
			break
		}
	}
	return found
}

// EnsureKeys makes the first pair of signing keys if there is none.
func (s *Service) EnsureKeys() error {
	all, err := s.Keys(context.Background())
	if err != nil || len(all) > 0 {
		return err
	}
	return s.RotateKeys()
}

// RotateKeys makes a new pair of signing keys. It keeps the previous pair and deletes all earlier
// ones.
func (s *Service) RotateKeys() error {
	before, err := s.Keys(context.Background())
	if err != nil {
		return err
	}
	fresh, err := newPair()
	if err != nil {
		return err
	}
	if err := s.vault.Ready(); err != nil {
		return err
	}
	rows := make([]store.ClientKey, len(fresh))
	for i, key := range fresh {
		doc, err := key.MarshalJSON()
		if err != nil {
			return errors.New("smart: a signing key cannot be written")
		}
		sealed, err := s.vault.Seal(keyPlace(key.KeyID), doc)
		if err != nil {
			return err
		}
		rows[i] = store.ClientKey{ID: key.KeyID, Sealed: sealed}
	}
	return s.db.Update(func(tx *store.Tx) error {
		for _, row := range rows {
			if err := tx.AddClientKey(row); err != nil {
				return err
			}
		}
		for _, k := range before {
			if k.CreatedAt.Equal(before[0].CreatedAt) {
				continue
			}
			if err := tx.DropClientKey(k.ID); err != nil {
				return err
			}
		}
		return nil
	})
}

func newPair() (pair []jose.JSONWebKey, err error) {
	ec, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("smart: make a signing key: %w", err)
	}
	rs, err := rsa.GenerateKey(rand.Reader, rsaBits)
	if err != nil {
		return nil, fmt.Errorf("smart: make a signing key: %w", err)
	}
	pair = []jose.JSONWebKey{{Key: ec, Algorithm: string(jose.ES384)}, {Key: rs, Algorithm: string(jose.RS384)}}
	for i := range pair {
		print, err := pair[i].Thumbprint(crypto.SHA256)
		if err != nil {
			return nil, errors.New("smart: a signing key has no thumbprint")
		}
		pair[i].Use, pair[i].KeyID = "sig", base64.RawURLEncoding.EncodeToString(print)
	}
	return pair, nil
}

// KeySet returns a JWK set with the public keys of this installation. Token endpoints use them to
// verify the installation's signatures. The set is empty until the first pair of keys is made.
func (s *Service) KeySet(ctx context.Context) ([]byte, error) {
	all, err := s.Keys(ctx)
	if err != nil {
		return nil, err
	}
	set := struct {
		Keys []jsontext.Value `json:"keys"`
	}{[]jsontext.Value{}}
	for _, k := range all {
		public := k.key.Public()
		doc, err := public.MarshalJSON()
		if err != nil {
			return nil, errors.New("smart: a public key cannot be written")
		}
		set.Keys = append(set.Keys, doc)
	}
	return json.Marshal(set)
}

// assertion returns a client assertion for one token request (M18), signed by the installation. It
// signs with ES384 if the server lists that algorithm, and with the older RS384 otherwise.
func (s *Service) assertion(ctx context.Context, p pending) (string, error) {
	all, err := s.Keys(ctx)
	if err != nil {
		return "", err
	}
	algorithm := jose.RS384
	if slices.Contains(p.Signing, string(jose.ES384)) {
		algorithm = jose.ES384
	}
	i := signing(all, algorithm, time.Now())
	if i < 0 {
		return "", errors.New("smart: there is no signing key; make one with: birthregistry ehr keys")
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: algorithm, Key: all[i].key}, (&jose.SignerOptions{}).WithType("JWT"))
	if err != nil {
		return "", errors.New("smart: a signing key cannot be used")
	}
	claims, err := json.Marshal(map[string]any{
		"iss": p.ClientID, "sub": p.ClientID, "aud": p.Token,
		"exp": time.Now().Add(assertionLife).Unix(), "jti": uuid.NewString(),
	})
	if err != nil {
		return "", errors.New("smart: an assertion cannot be written")
	}
	signed, err := signer.Sign(claims)
	if err != nil {
		return "", errors.New("smart: an assertion cannot be signed")
	}
	return signed.CompactSerialize()
}
