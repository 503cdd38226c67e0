package auth

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"io"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/store"
)

// der returns a public key as browsers send it.
func der(t *testing.T, key any) []byte {
	t.Helper()
	text, err := x509.MarshalPKIXPublicKey(key)
	require.NoError(t, err)
	return text
}

// modulus returns an RSA key with a modulus of this many bits, which needn't be a product of primes.
func modulus(bits uint, exponent int) *rsa.PublicKey {
	n := new(big.Int).Lsh(big.NewInt(1), bits-1)
	return &rsa.PublicKey{N: n.SetBit(n, 0, 1), E: exponent}
}

// strangeKey signs nothing right.
type strangeKey struct{ public crypto.PublicKey }

func (k strangeKey) Public() crypto.PublicKey { return k.public }

func (strangeKey) Sign(io.Reader, []byte, crypto.SignerOpts) ([]byte, error) {
	return make([]byte, mostRSA/8), nil
}

func TestAPasskeysKeyIsOfAUsualSize(t *testing.T) {
	p384, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	require.NoError(t, err)
	for why, key := range map[string]crypto.PublicKey{
		"a small modulus":  modulus(2047, rsaExponent),
		"a large modulus":  modulus(4097, rsaExponent),
		"a huge modulus":   modulus(1<<15, rsaExponent),
		"a small exponent": modulus(2048, 3),
		"a large exponent": modulus(2048, 1<<31-1),
		"an even exponent": modulus(2048, 65538),
		"another exponent": modulus(4096, 65539),
		"an even modulus":  &rsa.PublicKey{N: new(big.Int).Lsh(big.NewInt(1), leastRSA-1), E: rsaExponent},
		"another curve":    &p384.PublicKey,
	} {
		p, d := newParty(t), device(t)
		d.Key = strangeKey{key}
		require.ErrorIs(t, p.adds(d), errAnswer, why)
		p.passkey = store.Passkey{Credential: d.Credential, PublicKey: der(t, key)}
		require.ErrorIs(t, p.asks(d, newChallenge(nil), nil), errAnswer, "%s: no signature is checked with it", why)
	}
	for why, text := range map[string][]byte{
		"no key":         nil,
		"a key and more": append(der(t, modulus(2048, rsaExponent)), make([]byte, mostPublicKey)...),
	} {
		_, err := coseKey(text)
		require.ErrorIs(t, err, errAnswer, why)
	}
}

// The points of Edwards25519 whose order divides 8, and other ways to write some of them: with such
// a key, one signature may be right for any answer (RFC 8032, 5.1; Taming the Many EdDSAs, table 1).
func TestAPasskeysKeyIsNoPointOfSmallOrder(t *testing.T) {
	for _, point := range []string{
		"0100000000000000000000000000000000000000000000000000000000000000",
		"ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
		"0000000000000000000000000000000000000000000000000000000000000000",
		"0000000000000000000000000000000000000000000000000000000000000080",
		"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
		"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
		"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
		"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
		"0100000000000000000000000000000000000000000000000000000000000080",
		"edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
		"eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
		"eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
		"edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
		"ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
	} {
		key, err := hex.DecodeString(point)
		require.NoError(t, err)
		_, err = coseKey(der(t, ed25519.PublicKey(key)))
		require.ErrorIs(t, err, errAnswer, point)
	}
}

func TestAPasskeysKeyIsTheOneThatTheAuthenticatorMade(t *testing.T) {
	p, d := newParty(t), device(t)
	d.Stated = device(t).Key.Public()
	require.ErrorIs(t, p.adds(d), errAnswer)
}

func TestPasskeysWithUsualKeysSign(t *testing.T) {
	_, edwards, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	keys := []crypto.Signer{edwards}
	for _, bits := range []int{leastRSA, mostRSA} {
		key, err := rsa.GenerateKey(rand.Reader, bits)
		require.NoError(t, err)
		keys = append(keys, key)
	}
	for _, key := range keys {
		p, d := newParty(t), device(t)
		d.Key, d.Credential = key, bytes.Repeat([]byte("c"), 1023) // the longest
		pending, text := p.makes(d)
		require.Less(t, len(text), mostAnswer)
		_, err := p.created(pending, text)
		require.NoError(t, err)
		require.NoError(t, p.adds(d))
		require.NoError(t, p.asks(d, newChallenge(nil), nil))
		d.Key = device(t).Key
		require.Error(t, p.asks(d, newChallenge(nil), nil), "another key")
	}
}

// A passkey as the service stored it before it used go-webauthn: what the browser stated as the
// public key, and the flags and the counter of the last answer.
func TestAPasskeyThatWasStoredBeforeTheLibraryCameStillSignsIn(t *testing.T) {
	const (
		private = "MHcCAQEEIO6b2s6AqmXtlBdB/zUjHO54qKAyQbVl96NJF6kmNG/SoAoGCCqGSM49AwEHoUQDQgAEug2wT84rN81mD1aogM1oiE2LwMhl+qc0nIGBMmKYVUG6aqYUmCFt1xOGvjpeDEREfbUKWgSSaYcJUWNkI/TOlw=="
		public  = "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEug2wT84rN81mD1aogM1oiE2LwMhl+qc0nIGBMmKYVUG6aqYUmCFt1xOGvjpeDEREfbUKWgSSaYcJUWNkI/TOlw=="
		flags   = 0x45
		counter = 7
	)
	bytesOf := func(text string) []byte {
		b, err := base64.StdEncoding.DecodeString(text)
		require.NoError(t, err)
		return b
	}
	g, d := served(t), device(t)
	who := g.add(olive, Admin)
	key, err := x509.ParseECPrivateKey(bytesOf(private))
	require.NoError(t, err)
	d.Key, d.Handle, d.Count = key, g.handleOf(who.ID), counter
	name, err := g.vault.Seal(passkeyPlace(d.Credential), []byte("My phone"))
	require.NoError(t, err)
	require.NoError(t, g.db.Update(func(tx *store.Tx) error {
		return tx.AddPasskey(store.Passkey{User: who.ID, Credential: d.Credential, PublicKey: bytesOf(public), SignCount: counter, Flags: flags, Name: name})
	}))
	for range 2 {
		user, err := g.enters(g.asked(d))
		require.NoError(t, err)
		require.Equal(t, who.ID, user)
	}
	d.Count = counter
	_, err = g.enters(g.asked(d))
	require.ErrorIs(t, err, ErrPasskey, "its counter is kept")
}
