// Package certs provides the service's TLS certificate: from files that the operator
// renews, or from an ACME authority such as Let's Encrypt.
//
// Settings.Config returns the TLS configuration of a server. The server reads
// the files again when they change, so a renewed certificate needs no restart.
// Certificates from an authority are stored in the database, sealed, so that
// they need no backup of their own.
package certs

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"

	"birthregistry/app/seal"
	"birthregistry/store"
)

// Settings names the source of the certificate. The zero value means that there is no
// certificate.
type Settings struct {
	// Domains lists the names of the service. The certificates for these names come from the ACME
	// authority at Directory ("" for Let's Encrypt). Mail is the address at which that authority
	// can reach the operator, or "".
	Domains         []string
	Directory, Mail string
	// Cert and Key are the paths of PEM files that the operator keeps up to date.
	Cert, Key string
}

// Wanted reports whether the settings name a certificate.
func (s Settings) Wanted() bool { return len(s.Domains) > 0 || s.Cert != "" }

// Config returns the TLS configuration for connections, or nil if the settings name no
// certificate.
func (s Settings) Config(db *store.DB, vault *seal.Vault, log *slog.Logger) (*tls.Config, error) {
	switch {
	case len(s.Domains) > 0:
		return s.automatic(db, vault), nil
	case s.Cert != "":
		return inFiles(s.Cert, s.Key, log)
	}
	return nil, nil
}

// config returns the TLS settings that both sources of certificates share. get returns the
// certificate for a connection.
func config(get func(*tls.ClientHelloInfo) (*tls.Certificate, error)) *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}, GetCertificate: get}
}

// automatic returns a TLS configuration that obtains and renews certificates from an authority. The
// authority connects to port 443 to verify that the service has the domain names (RFC 8737).
func (s Settings) automatic(db *store.DB, vault *seal.Vault) *tls.Config {
	m := &autocert.Manager{
		Prompt:     autocert.AcceptTOS,
		HostPolicy: autocert.HostWhitelist(s.Domains...),
		Cache:      cache{db, vault},
		Email:      s.Mail,
	}
	if s.Directory != "" {
		m.Client = &acme.Client{DirectoryURL: s.Directory}
	}
	c := config(m.GetCertificate)
	c.NextProtos = append(c.NextProtos, acme.ALPNProto)
	return c
}

// cache stores certificates in the database.
type cache struct {
	db    *store.DB
	vault *seal.Vault
}

func place(name string) seal.Place { return seal.Place{Table: "certificates", Row: name} }

func (c cache) Get(_ context.Context, name string) (content []byte, err error) {
	sealed, err := store.Read(context.Background(), c.db, func(v *store.View) ([]byte, error) { return v.Certificate(name) })
	if errors.Is(err, store.ErrNotFound) {
		return nil, autocert.ErrCacheMiss
	}
	if err != nil {
		return nil, err
	}
	return c.vault.Open(place(name), sealed)
}

func (c cache) Put(_ context.Context, name string, content []byte) error {
	sealed, err := c.vault.SealOne(place(name), content)
	if err != nil {
		return err
	}
	return c.db.Update(func(tx *store.Tx) error { return tx.PutCertificate(name, sealed) })
}

func (c cache) Delete(_ context.Context, name string) error {
	return c.db.Update(func(tx *store.Tx) error { return tx.DropCertificate(name) })
}

// files holds a certificate and its key from PEM files. It reads the files again when they have
// changed.
type files struct {
	cert, key string
	log       *slog.Logger

	mu     sync.Mutex
	read   tls.Certificate
	seen   [2]os.FileInfo // the files as they were last read, nil for a missing one
	failed time.Time      // when the files were last found unusable; zero if they are usable
}

// retryAfter is how long the service waits before it reads unusable files again that haven't
// changed. Such files can become usable without a change, for example when somebody corrects their
// permissions or those of a parent folder.
const retryAfter = 10 * time.Second

// inFiles returns a TLS configuration with the certificate chain and the key in two PEM files. It
// returns an error if the files can't be read or don't match. When one of the files changes, later
// connections use the new pair. While the two files don't match, for example during a renewal,
// connections use the previous pair.
func inFiles(cert, key string, log *slog.Logger) (*tls.Config, error) {
	f := &files{cert: cert, key: key, log: log}
	f.seen = f.look()
	if err := f.load(); err != nil {
		return nil, err
	}
	return config(func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return f.current(), nil }), nil
}

func (f *files) load() error {
	pair, err := tls.LoadX509KeyPair(f.cert, f.key)
	if err != nil {
		return fmt.Errorf("certs: the certificate and its key cannot be read, or do not match: %w", err)
	}
	f.read = pair
	return nil
}

func (f *files) look() (now [2]os.FileInfo) {
	for n, path := range []string{f.cert, f.key} {
		if info, err := os.Stat(path); err == nil {
			now[n] = info
		}
	}
	return now
}

// same reports whether both files are unchanged. It compares each file with its own earlier state.
// It wouldn't be enough to compare the time of the newer file, because a key may be put in place
// after its certificate and still have an older time.
func same(was, is [2]os.FileInfo) bool {
	for n := range was {
		if (was[n] == nil) != (is[n] == nil) {
			return false
		}
		if was[n] != nil && (!os.SameFile(was[n], is[n]) || !was[n].ModTime().Equal(is[n].ModTime()) || was[n].Size() != is[n].Size()) {
			return false
		}
	}
	return true
}

func (f *files) current() *tls.Certificate {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.look()
	changed := !same(f.seen, now)
	if changed || !f.failed.IsZero() && time.Since(f.failed) > retryAfter {
		err := f.load()
		switch {
		case err == nil:
			f.failed = time.Time{}
			f.log.Info("a new certificate is in use")
		case changed:
			f.log.Warn("the new certificate cannot be used yet; the old one stays", "cause", err)
			fallthrough
		default:
			f.failed = time.Now()
		}
		f.seen = now
	}
	served := f.read
	return &served
}
