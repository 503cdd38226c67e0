package auth

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/x509"
	"math/big"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/protocol/webauthncbor"
	"github.com/go-webauthn/webauthn/protocol/webauthncose"
)

// algorithms are those that a new passkey may use, the preferred first.
var algorithms = []protocol.CredentialParameter{
	{Type: protocol.PublicKeyCredentialType, Algorithm: webauthncose.AlgES256},
	{Type: protocol.PublicKeyCredentialType, Algorithm: webauthncose.AlgEdDSA},
	{Type: protocol.PublicKeyCredentialType, Algorithm: webauthncose.AlgRS256},
}

// The sizes of keys: bytes of DER, bits of an RSA modulus, and the exponent. Anybody can ask for the
// check of a signature: with a huge key or exponent, one check takes seconds.
const (
	mostPublicKey = 1 << 10
	leastRSA      = 2048
	mostRSA       = 4096
	rsaExponent   = 65537
)

// coseKey converts a passkey's public key from the form that browsers send and the database holds
// (SubjectPublicKeyInfo in DER) to the one that authenticators send and the library reads (COSE_Key).
// It returns errAnswer for a key that passkeys may not use.
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
		point, err := key.Bytes() // 4, x and y
		if err != nil {
			return nil, err
		}
		return webauthncbor.Marshal(webauthncose.EC2PublicKeyData{
			PublicKeyData: keyKind(webauthncose.EllipticKey, webauthncose.AlgES256),
			Curve:         int64(webauthncose.P256), XCoord: point[1:33], YCoord: point[33:],
		})
	case ed25519.PublicKey:
		return webauthncbor.Marshal(webauthncose.OKPPublicKeyData{
			PublicKeyData: keyKind(webauthncose.OctetKey, webauthncose.AlgEdDSA), Curve: int64(webauthncose.Ed25519), XCoord: key,
		})
	case *rsa.PublicKey:
		if bits := key.N.BitLen(); bits < leastRSA || bits > mostRSA || key.E != rsaExponent {
			return nil, errAnswer
		}
		return webauthncbor.Marshal(webauthncose.RSAPublicKeyData{
			PublicKeyData: keyKind(webauthncose.RSAKey, webauthncose.AlgRS256),
			Modulus:       key.N.Bytes(), Exponent: big.NewInt(rsaExponent).Bytes(),
		})
	}
	return nil, errAnswer
}

func keyKind(kind webauthncose.COSEKeyType, algorithm webauthncose.COSEAlgorithmIdentifier) webauthncose.PublicKeyData {
	return webauthncose.PublicKeyData{KeyType: int64(kind), Algorithm: int64(algorithm)}
}
