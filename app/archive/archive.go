// Package archive exports a practice from an installation as one file, and imports that file into
// another installation (decision 53).
//
//	s := archive.New(db, vault, users, records, writer, version)
//	made, err := s.Export(ctx, who, archive.Sealing{Recipients: …}, "riverside.age", progress)
//
// # Format, version 1
//
// The file is an ordinary age file. Inside is a zip with these members, in this order:
//
//	NAME.ndjson     one for each of store.ArchiveTables: a line of JSON for each row
//	births.csv      the active records, as Records → Download writes them
//	manifest.json   what the file is, and for each other member its rows, bytes and SHA-256
//
// A line has the columns of a row by their names, except columns that are null. Times are RFC 3339
// in UTC. The member "id" has the number of the row, by which other rows refer to it. Values that
// are sealed in the database are plain in the line. The versions of a record have "clinical" and
// "patient", two documents of the same form (app/birth/document.go).
//
// Each line of audit.ndjson ends with "chain", a SHA-256 in hexadecimal. It is the hash of two
// texts: the "chain" of the line before, which is empty for the first line, and the line itself up
// to the comma before "chain". The manifest has the "chain" of the last line. Another installation
// can check these values, because they need no key. The audit trail of the whole installation has a
// different chain, which needs a key. The manifest says whether that chain was intact.
//
// An archive leaves out what belongs to the installation: keys, passwords, sessions, second
// factors, and the secrets of EHR registrations. The test store/archive_test.go lists every table
// and column that is not in the file, with the reason, and compares the list with the schema.
// Receipts are included as long as the installation keeps them. Keyed hashes (fingerprints, the
// index of names, the identities of providers) are left out, because another installation computes
// them with its own key.
//
// # Export
//
// One read transaction gives a consistent snapshot, so the service may run and write at the same
// time. Until the snapshot ends, the WAL grows by everything that the service writes. Each row is
// compressed and sealed as soon as it is read. A large practice therefore needs no more memory than
// a small one, and no plain text reaches the disk.
//
// The practice's queue must be empty, so that the file has everything that was acknowledged to the
// practice. Export waits until the queue is empty; Send doesn't wait. The file (mode 0600) has a
// temporary name until it is complete. A process that is killed leaves a temporary file, which the
// next export deletes. The audit trail and the table "exports" of the database record the file's
// SHA-256, so that the installation recognizes the file later.
//
// # Import
//
// Import first reads the whole file and checks everything that can be checked without a database:
// the manifest, every checksum, every line, every number, the chain. Then it reads the rows again
// and writes them in many short transactions, so that the service keeps answering. The rows belong
// to a new practice, which nobody sees until the last transaction. If the import is interrupted,
// the next import or the sweep of the service deletes what was written.
//
// Row numbers change. The import adds the same amount to all numbers of a table, which moves them
// into a free range. References therefore stay valid, and no row can refer to a row of another
// practice. The public IDs of records, ingestions and imports don't change, because users and
// programs know them. If the installation already has one of these IDs, it refuses the file. Values
// are sealed again, and hashes, index words and counts are computed again.
//
// Users are identified by their email addresses. They have no password, and their memberships wait
// as invitations. If an address has an account here, that account is used, but it gets no
// membership until somebody adds it (Brought.Known). The practice's former audit trail is kept
// separate from the installation's own trail (table former_audit), because nothing in it was done
// in this installation.
package archive

import (
	"errors"
	"time"
)

// Format is the version of the archive format that this program writes and reads.
const Format = 1

// Names of members in the zip file.
const (
	manifestName = "manifest.json"
	birthsName   = "births.csv"
	lines        = ".ndjson"
)

// Manifest describes an archive.
type Manifest struct {
	Format    int       `json:"format"`
	Program   string    `json:"program"`
	Made      time.Time `json:"made"`
	Practice  string    `json:"practice"`
	Sandbox   bool      `json:"is_sandbox"`
	Records   int       `json:"records"`
	Versions  int       `json:"versions"`
	Trail     Chain     `json:"audit"`
	Members   []Member  `json:"members"`
	MadeAgain Anew      `json:"to_make_again"`
}

// Chain is the part of the manifest about the audit trail.
type Chain struct {
	// Last is the "chain" of the last line in audit.ndjson, or "" if there are no lines.
	Last string `json:"chain"`
	// Intact is set if the installation's own chain, which needs a key, was intact.
	Intact bool `json:"intact"`
}

// Member describes a file in the archive. First and To are the lowest and the highest ID in it.
type Member struct {
	Name   string   `json:"name"`
	Rows   int      `json:"rows"`
	Bytes  int64    `json:"bytes"`
	SHA256 string   `json:"sha256"`
	First  int64    `json:"first_id,omitzero"`
	To     int64    `json:"last_id,omitzero"`
	Fields []string `json:"fields,omitempty"` // the names of the members in a line of JSON
}

// Anew lists what must be created again in the other installation: the practice's API keys and
// EHRs. An archive has only their names and settings, and not their secrets.
type Anew struct {
	Keys []Key `json:"api_keys"`
	EHRs []EHR `json:"ehrs"`
}

// texts returns every text in the two lists, such as the keys' labels and scopes.
func (a Anew) texts() (all []string) {
	for _, k := range a.Keys {
		all = append(append(all, k.Label), k.Scopes...)
	}
	for _, e := range a.EHRs {
		all = append(all, e.Issuer, e.Label, e.ClientID, e.Auth)
	}
	return all
}

// Key is an API key that was valid when the archive was made.
type Key struct {
	Label  string   `json:"label"`
	Scopes []string `json:"scopes"`
}

// EHR is the registration with an EHR, without its secret.
type EHR struct {
	Issuer   string `json:"issuer"`
	Label    string `json:"label,omitzero"`
	ClientID string `json:"client_id,omitzero"`
	Auth     string `json:"auth"`
}

// ErrBusy means that the practice has submissions, imports or undos that aren't finished.
var ErrBusy = errors.New("the practice has submissions, imports or undos that are not finished; the archive would lack them. " +
	"Wait until the service has processed them, then export again")

// ErrMany means that the maximum number of practices (sendsAtOnce) are already downloading their
// archives.
var ErrMany = errors.New("the archives of several practices are being downloaded; try again in a few minutes")

// ErrRunning means that the practice is already being exported.
var ErrRunning = errors.New("an export of this practice is under way; wait until it has ended, then try again")
