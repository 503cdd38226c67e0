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
// A line holds the columns of a row by their names, without those that are null. Moments are RFC
// 3339 in UTC. A row's own number is "id", by which the other members refer to the row. Values that
// are sealed in the database are plain in the line: the versions of a record have "clinical" and
// "patient", two documents of the same shape (app/birth/document.go).
//
// Each line of audit.ndjson ends with "chain", a SHA-256 in hexadecimal. It is computed from the
// "chain" of the line before (nothing for the first line), followed by the line itself up to the
// comma before its own "chain". The manifest has the "chain" of the last line. Another installation
// can check these values, because they need no key. The installation's whole trail has a chain of
// its own, which needs a key; the manifest states whether that chain was intact.
//
// An archive leaves out what belongs to the installation: keys, passwords, sessions, second
// factors, and the secrets of EHR registrations. store/archive_test.go names every table and
// column that is not in the file, with the reason, and compares them with the schema. Receipts
// are included as long as the installation keeps them. Keyed hashes (fingerprints, the index of
// names, the identities of providers) are left out, because another installation computes them
// with its own key.
//
// # Export
//
// One read transaction gives a consistent snapshot, so the service may run and write meanwhile.
// Until the snapshot ends, the WAL grows by everything that the service writes. Rows are read one
// by one, compressed and sealed immediately, so memory doesn't grow with the practice, and no
// plain text reaches the disk.
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
// into a free range. So references stay right, and no row can refer to a row of another practice.
// The IDs of records, ingestions and imports that users and programs know don't change; an
// installation that already has one of them refuses the file. Values are sealed again, and
// hashes, index words and counts are computed again. Users are identified by their addresses.
// They have no password, and their memberships wait as invitations. If an address has an account
// here, that account is used, but it gets no membership until somebody adds it (Brought.Known).
// The practice's former trail is kept apart from the installation's own (table former_audit),
// because nothing in the former trail was done in this installation.
package archive

import (
	"errors"
	"time"
)

// Format is the version of the format that this program writes and reads.
const Format = 1

// Names in the zip.
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

// Chain is what the manifest states about the audit trail.
type Chain struct {
	// Last is the chain of the last line of audit.ndjson, or "" if there is none.
	Last string `json:"chain"`
	// Intact is set when the installation's own keyed chain was intact.
	Intact bool `json:"intact"`
}

// Member is a file in the archive. First and To are the lowest and the highest id in it.
type Member struct {
	Name   string   `json:"name"`
	Rows   int      `json:"rows"`
	Bytes  int64    `json:"bytes"`
	SHA256 string   `json:"sha256"`
	First  int64    `json:"first_id,omitzero"`
	To     int64    `json:"last_id,omitzero"`
	Fields []string `json:"fields,omitempty"` // the names in a line of JSON
}

// Anew lists the API keys and EHRs of the practice. An archive has only their names and settings,
// not their secrets, so people must create them again in the other installation.
type Anew struct {
	Keys []Key `json:"api_keys"`
	EHRs []EHR `json:"ehrs"`
}

// texts returns every text in the two lists, such as the labels and scopes of the keys.
func (a Anew) texts() (all []string) {
	for _, k := range a.Keys {
		all = append(append(all, k.Label), k.Scopes...)
	}
	for _, e := range a.EHRs {
		all = append(all, e.Issuer, e.Label, e.ClientID, e.Auth)
	}
	return all
}

// Key is an API key that was in force when the archive was made.
type Key struct {
	Label  string   `json:"label"`
	Scopes []string `json:"scopes"`
}

// EHR is the registration of an EHR, without its secret.
type EHR struct {
	Issuer   string `json:"issuer"`
	Label    string `json:"label,omitzero"`
	ClientID string `json:"client_id,omitzero"`
	Auth     string `json:"auth"`
}

// ErrBusy means that the practice has submissions, imports or undos that aren't finished yet.
var ErrBusy = errors.New("the practice has submissions, imports or undos that are not finished; the archive would lack them. " +
	"Wait until the service has processed them, then export again")

// ErrMany means that too many other practices (sendsAtOnce) are downloading their archives.
var ErrMany = errors.New("the archives of several practices are being downloaded; try again in a few minutes")

// ErrRunning means that the practice is being exported already.
var ErrRunning = errors.New("an export of this practice is under way; wait until it has ended, then try again")
