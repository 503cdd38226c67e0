package store

// PutCertificate stores a sealed TLS certificate under a name, and replaces a certificate with the
// same name.
func (tx *Tx) PutCertificate(name string, sealed []byte) error {
	return tx.do(`
		insert into certificates (name, sealed, updated_at)
		values (?, ?, ?)
		on conflict (name) do update set
			sealed = excluded.sealed,
			updated_at = excluded.updated_at`,
		name, sealed, millis(tx.Now))
}

// Certificate returns the sealed TLS certificate with the given name, or ErrNotFound.
func (v *View) Certificate(name string) ([]byte, error) {
	return only[[]byte](v, `select sealed from certificates where name = ?`, name)
}

// DropCertificate deletes the certificate with the given name, if there is one.
func (tx *Tx) DropCertificate(name string) error {
	return tx.do(`delete from certificates where name = ?`, name)
}
