package auth

import (
	"bytes"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"math/big"
	"slices"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/protocol/webauthncbor"
	"github.com/go-webauthn/webauthn/protocol/webauthncose"
)

// algorithms lists the signature algorithms that a new passkey may use, in the order of preference.
var algorithms = []protocol.CredentialParameter{
	{Type: protocol.PublicKeyCredentialType, Algorithm: webauthncose.AlgES256},
	{Type: protocol.PublicKeyCredentialType, Algorithm: webauthncose.AlgEdDSA},
	{Type: protocol.PublicKeyCredentialType, Algorithm: webauthncose.AlgRS256},
}

// These are the limits on public keys: the size of the DER in bytes, the size of an RSA modulus in
// bits, and the only RSA exponent that is allowed. Anybody can make the service check a signature.
// With a huge key or exponent, one check would take seconds.
const (
	mostPublicKey = 1 << 10
	leastRSA      = 2048
	mostRSA       = 4096
	rsaExponent   = 65537
)

// coseKey converts a passkey's public key from SubjectPublicKeyInfo in DER to COSE_Key. Browsers
// send DER, and the database stores it. Authenticators send COSE_Key, and the library reads it.
// coseKey returns errAnswer for a key that passkeys may not use.
func coseKey(der []byte) ([]byte, error) {
	if len(der) > mostPublicKey {
		return nil, errAnswer
	}
	key, err := x509.ParsePKIXPublicKey(der)
	if err != nil {
		return nil, errAnswer
	}
	switch key := key.(type) {
	case *ecdsa.PublicKey:
		if key.Curve != elliptic.P256() {
			return nil, errAnswer
		}
		point, err := key.Bytes() // the byte 4, then x and y
		if err != nil {
			return nil, err
		}
		return webauthncbor.Marshal(webauthncose.EC2PublicKeyData{
			PublicKeyData: keyKind(webauthncose.EllipticKey, webauthncose.AlgES256),
			Curve:         int64(webauthncose.P256), XCoord: point[1:33], YCoord: point[33:],
		})
	case ed25519.PublicKey:
		if smallOrder(key) {
			return nil, errAnswer
		}
		return webauthncbor.Marshal(webauthncose.OKPPublicKeyData{
			PublicKeyData: keyKind(webauthncose.OctetKey, webauthncose.AlgEdDSA), Curve: int64(webauthncose.Ed25519), XCoord: key,
		})
	case *rsa.PublicKey:
		if bits := key.N.BitLen(); bits < leastRSA || bits > mostRSA || key.N.Bit(0) == 0 || key.E != rsaExponent {
			return nil, errAnswer
		}
		return webauthncbor.Marshal(webauthncose.RSAPublicKeyData{
			PublicKeyData: keyKind(webauthncose.RSAKey, webauthncose.AlgRS256),
			Modulus:       key.N.Bytes(), Exponent: big.NewInt(rsaExponent).Bytes(),
		})
	}
	return nil, errAnswer
}

// curveField is 2^255 - 19, the field of Curve25519.
var curveField = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 255), big.NewInt(19))

// smallOrder reports whether a key is a point whose order divides 8. With such a key, one signature
// is valid for many messages. To find out, smallOrder converts the key to the corresponding point
// of Curve25519, which has the same order (RFC 7748, 4.1). If a key exchange uses a point of small
// order, the shared secret is zero, and package crypto/ecdh returns an error (6.1).
func smallOrder(key ed25519.PublicKey) bool {
	text := bytes.Clone(key) // y and the sign of x, the lowest byte first
	text[31] &= 0x7f
	slices.Reverse(text)
	one, y := big.NewInt(1), new(big.Int).SetBytes(text)
	below := new(big.Int).ModInverse(new(big.Int).Sub(one, y), curveField)
	if below == nil { // y is 1
		return true
	}
	u := below.Mul(below, y.Add(y, one)) // (1 + y) / (1 - y)
	text = u.Mod(u, curveField).FillBytes(text)
	slices.Reverse(text)
	public, err := ecdh.X25519().NewPublicKey(text)
	if err != nil {
		return true
	}
	private, err := ecdh.X25519().GenerateKey(rand.Reader)
	if err == nil {
		_, err = private.ECDH(public)
	}
	return err != nil
}

func keyKind(kind webauthncose.COSEKeyType, algorithm webauthncose.COSEAlgorithmIdentifier) webauthncose.PublicKeyData {
	return webauthncose.PublicKeyData{KeyType: int64(kind), Algorithm: int64(algorithm)}
}
