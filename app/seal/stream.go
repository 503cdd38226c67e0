package seal

import (
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"

	"golang.org/x/crypto/chacha20poly1305"
)

// These are the sizes of the parts of an age payload, which is STREAM over ChaCha20-Poly1305 in
// chunks of 64 KiB, under a key derived from the file key and a nonce (age specification,
// "Payload"). This file makes payloads itself, because the stock library writes a payload only
// together with a header of its own.
const (
	nonceSize = 16
	chunkSize = 64 << 10
	tagSize   = chacha20poly1305.Overhead
)

func streamSize(n int) int {
	chunks := max((n+chunkSize-1)/chunkSize, 1)
	return n + chunks*tagSize
}

func streamCipher(fileKey, nonce []byte) (cipher.AEAD, error) {
	key, err := hkdf.Key(sha256.New, fileKey, nonce, "payload", chacha20poly1305.KeySize)
	if err != nil {
		return nil, err
	}
	return chacha20poly1305.New(key)
}

// counter is the nonce of a chunk: an 11-byte counter, followed by a byte that is 1 for the last
// chunk.
type counter [chacha20poly1305.NonceSize]byte

func (c *counter) next() {
	for i := len(c) - 2; i >= 0; i-- {
		c[i]++
		if c[i] != 0 {
			return
		}
	}
}

func appendStream(to, fileKey, nonce, payload []byte) ([]byte, error) {
	aead, err := streamCipher(fileKey, nonce)
	if err != nil {
		return nil, err
	}
	var c counter
	for {
		chunk := payload[:min(len(payload), chunkSize)]
		payload = payload[len(chunk):]
		if len(payload) == 0 {
			c[len(c)-1] = 1
			return aead.Seal(to, c[:], chunk, nil), nil
		}
		to = aead.Seal(to, c[:], chunk, nil)
		c.next()
	}
}

func openStream(fileKey, nonce, sealed []byte) ([]byte, error) {
	aead, err := streamCipher(fileKey, nonce)
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, len(sealed))
	var c counter
	for {
		chunk := sealed[:min(len(sealed), chunkSize+tagSize)]
		sealed = sealed[len(chunk):]
		if len(sealed) == 0 {
			c[len(c)-1] = 1
		}
		if out, err = aead.Open(out, c[:], chunk, nil); err != nil {
			return nil, ErrSealed
		}
		if len(sealed) == 0 {
			return out, nil
		}
		c.next()
	}
}
