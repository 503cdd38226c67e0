package certs

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"log/slog"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// pair writes a certificate with a serial number, and its key.
func pair(t *testing.T, serial int64, cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(serial)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	require.NoError(t, err)
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	require.NoError(t, os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), 0o600))
}

// A certificate may become readable although its file doesn't change: here, the mode of a
// folder changes.
func TestACertificateThatCouldNotBeReadIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		folder := t.TempDir()
		cert, key := filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")
		pair(t, 7, cert, key)
		config, err := inFiles(cert, key, slog.New(slog.NewTextHandler(io.Discard, nil)))
		require.NoError(t, err)
		serial := func() int64 {
			t.Helper()
			served, err := config.GetCertificate(&tls.ClientHelloInfo{})
			require.NoError(t, err)
			leaf, err := x509.ParseCertificate(served.Certificate[0])
			require.NoError(t, err)
			return leaf.SerialNumber.Int64()
		}
		require.EqualValues(t, 7, serial())
		pair(t, 8, cert, key)
		content, err := os.ReadFile(key)
		require.NoError(t, err)
		was, err := os.Stat(key)
		require.NoError(t, err)
		swap := func(text []byte) { // leaves the file's size and time as they were
			require.NoError(t, os.WriteFile(key, text, 0o600))
			require.NoError(t, os.Chtimes(key, was.ModTime(), was.ModTime()))
		}
		swap(make([]byte, len(content)))
		require.EqualValues(t, 7, serial())
		swap(content)
		require.EqualValues(t, 7, serial(), "not at every connection")
		time.Sleep(retryAfter + time.Second)
		require.EqualValues(t, 8, serial())
	})
}
