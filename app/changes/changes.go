// Package changes writes records. No other package does. Pushed Bundles, spreadsheets, the form and
// charts from an EHR all become Changes:
//
//	Prepare     makes a Change from an item: masked, hashed, without the database
//	Rebase      combines changes that state only some values with the records on file
//	Apply       writes changes: it reads what is on file, decides, applies and writes
//	NewPreview  decides changes as Apply would, and writes nothing
//	Open        opens records for a person's decision about them (app/review)
//
// Save, Void, Restore, Reinstate, LeaveReplaced and Erase are a person's actions on one birth. A
// change passes through these files from top to bottom:
//
//	change.go     an item becomes a Change
//	rebase.go     a row of a spreadsheet becomes the whole content of a record
//	apply.go      one transaction
//	set_read.go   the change set reads what is on file
//	set_write.go  the change set decides and applies each change, and writes the result
//
// A rejection is a value of type fhir.Problem. An error means that the program, the database or the
// disk failed. No submitted value appears in an error or in a log line. Package ingest receives and
// queues submissions.
package changes

import (
	"log/slog"

	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/mapping"
	"birthregistry/app/seal"
	"birthregistry/store"
)

// Writer writes the records of one database.
type Writer struct {
	db    *store.DB
	vault *seal.Vault
	auth  *auth.Service
	log   *slog.Logger

	// OnItem, if set, is called with every item before the item is prepared. Tests use it to cause
	// a panic.
	OnItem func(mapping.Item)

	fingerprintKey, nameKey, providerKey, erasedKey, rejectedKey []byte
}

// New makes a Writer.
func New(db *store.DB, vault *seal.Vault, users *auth.Service, log *slog.Logger) *Writer {
	return &Writer{
		db: db, vault: vault, auth: users, log: log,
		fingerprintKey: vault.Key("fingerprint"),
		nameKey:        vault.Key(birth.NameKeyPurpose),
		providerKey:    vault.Key("provider"),
		erasedKey:      vault.Key("erased"),
		rejectedKey:    vault.Key("rejected"),
	}
}
