package auth

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"math/big"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"
)

// der returns a public key as browsers send it.
func der(t *testing.T, key any) []byte {
	t.Helper()
	text, err := x509.MarshalPKIXPublicKey(key)
	require.NoError(t, err)
	return text
}

// modulus returns an RSA key with a modulus of so many bits, which needn't be a product of primes.
func modulus(bits uint, exponent int) *rsa.PublicKey {
	n := new(big.Int).Lsh(big.NewInt(1), bits-1)
	return &rsa.PublicKey{N: n.SetBit(n, 0, 1), E: exponent}
}

// requireKeyRefused requires that no passkey is made with a key, and that no signature is checked with it
// if it is stored already.
func requireKeyRefused(t *testing.T, why string, public []byte, algorithm int) {
	t.Helper()
	b, d := newBoth(t), device(t)
	pending := newChallenge(b.user.handle)
	options, err := json.Marshal(map[string]any{"challenge": pending.Text, "user": map[string]any{"id": base64URL(b.user.handle)}})
	require.NoError(t, err)
	text, err := d.Create(options)
	require.NoError(t, err)
	a, err := parseAnswer(text)
	require.NoError(t, err)
	_, err = b.own.created(pending, a)
	require.NoError(t, err, "the device's own key")
	a.Response.PublicKey, a.Response.Algorithm = public, algorithm
	_, err = b.own.created(pending, a)
	require.ErrorIs(t, err, errAnswer, why)
	key, _ := keyOf(public)
	require.Nil(t, key, "%s: no signature is checked with it", why)
	require.False(t, signed(public, []byte("text"), make([]byte, 512)), why)
}

func TestAPasskeysKeyIsOfAUsualSize(t *testing.T) {
	for why, key := range map[string]*rsa.PublicKey{
		"a small modulus":  modulus(2047, 65537),
		"a large modulus":  modulus(4097, 65537),
		"a huge modulus":   modulus(1<<17, 65537),
		"a small exponent": modulus(2048, 3),
		"a large exponent": modulus(2048, 1<<31-1),
		"an even exponent": modulus(2048, 65538),
		"another exponent": modulus(4096, 65539),
	} {
		requireKeyRefused(t, why, der(t, key), algRS256)
	}
	p384, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	require.NoError(t, err)
	requireKeyRefused(t, "another curve", der(t, &p384.PublicKey), algES256)
	requireKeyRefused(t, "no key", nil, algES256)
	requireKeyRefused(t, "a key and more", append(der(t, modulus(2048, 65537)), make([]byte, mostPublicKey)...), algRS256)
}

func TestPasskeysWithUsualKeysSign(t *testing.T) {
	text := []byte("text")
	digest := sha256.Sum256(text)
	for _, bits := range []int{2048, 4096} {
		key, err := rsa.GenerateKey(rand.Reader, bits)
		require.NoError(t, err)
		signature, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, digest[:])
		require.NoError(t, err)
		require.LessOrEqual(t, len(signature), mostSignature)
		public := der(t, &key.PublicKey)
		require.LessOrEqual(t, len(public), mostPublicKey)
		require.True(t, signed(public, text, signature))
		signature[0] ^= 1
		require.False(t, signed(public, text, signature))
	}
	public, private, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	require.True(t, signed(der(t, public), text, ed25519.Sign(private, text)))
}

func TestAnAnswerWithAPartThatIsTooLongIsRefused(t *testing.T) {
	parts := map[string]struct {
		most int
		part func(*browserAnswer) *base64URL
	}{
		"the credential": {mostCredential, func(a *browserAnswer) *base64URL { return &a.ID }},
		"the client":     {mostClientData, func(a *browserAnswer) *base64URL { return &a.Response.ClientData }},
		"the data":       {mostData, func(a *browserAnswer) *base64URL { return &a.Response.Data }},
		"the signature":  {mostSignature, func(a *browserAnswer) *base64URL { return &a.Response.Signature }},
		"the handle":     {mostHandle, func(a *browserAnswer) *base64URL { return &a.Response.Handle }},
		"the key":        {mostPublicKey, func(a *browserAnswer) *base64URL { return &a.Response.PublicKey }},
	}
	for name, part := range parts {
		for extra, wanted := range []error{nil, errAnswer} {
			a := browserAnswer{ID: base64URL("id"), Type: "public-key"}
			*part.part(&a) = make([]byte, part.most+extra)
			text, err := json.Marshal(a)
			require.NoError(t, err)
			_, err = parseAnswer(text)
			require.ErrorIs(t, err, wanted, "%s with %d bytes", name, part.most+extra)
		}
	}
}
