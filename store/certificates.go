package store

// PutCertificate stores a sealed certificate, replacing an earlier one.
func (tx *Tx) PutCertificate(name string, sealed []byte) error {
	return tx.do(`
		insert into certificates (name, sealed, updated_at)
		values (?, ?, ?)
		on conflict (name) do update set
			sealed = excluded.sealed,
			updated_at = excluded.updated_at`,
		name, sealed, millis(tx.Now))
}

// Certificate returns a sealed certificate, or ErrNotFound.
func (v *View) Certificate(name string) ([]byte, error) {
	return only[[]byte](v, `select sealed from certificates where name = ?`, name)
}

// DropCertificate deletes a certificate if there is one with that name.
func (tx *Tx) DropCertificate(name string) error {
	return tx.do(`delete from certificates where name = ?`, name)
}
