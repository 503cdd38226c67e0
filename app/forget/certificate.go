package forget

import (
	"context"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"birthregistry/store"
)

// fragments is the certificate's text about what the erasure can't reach immediately. SQLite
// overwrites rows that it deletes. When it moves a row to another page, it doesn't overwrite the
// old copy.
const fragments = "Pages that other rows share may hold fragments of sealed values and index words until the command " +
	"compact rewrites the file. A backup made from now on, and a database restored from it, holds none."

// Certificate certifies that a practice was erased. It contains no patient data and no person's
// name. It contains the practice's name, because otherwise nobody would know later which practice
// was erased.
type Certificate struct {
	Practice store.PracticeID `json:"practice"`
	Name     string           `json:"name"`
	// By says that the operator erased the practice. Nobody else can.
	By string `json:"by"`
	// Exported is the SHA-256 hash of the archive that was made before the erasure, or "" if no
	// archive was required.
	Exported   string    `json:"exported,omitzero"`
	ExportedAt time.Time `json:"exported_at,omitzero"`
	// BegunAt is when the practice was closed to everybody. EndedAt is when the last of its data
	// was gone.
	BegunAt time.Time `json:"begun_at"`
	EndedAt time.Time `json:"ended_at"`
	Erased  []Count   `json:"erased"`
	Kept    string    `json:"kept"`
	// Fragments says what the erasure can't reach immediately.
	Fragments string `json:"fragments"`
	Backups   string `json:"backups"`
}

// Count is the number of erased items of one kind, such as births.
type Count struct {
	What   string `json:"what"`
	Number int64  `json:"number"`
}

// kinds lists what the certificate calls the rows of each table, in the certificate's order.
var kinds = []struct {
	what   string
	tables []string
}{
	{"births", []string{"records"}},
	{"versions of births", []string{"versions"}},
	{"values of custom fields", []string{"custom_values"}},
	{"participants of births", []string{"attributions"}},
	{"providers, and entries of their careers", []string{"providers", "provider_log", "provider_groups"}},
	{"submissions and receipts", []string{"ingestions", "ledger"}},
	{"parts of submissions and files not yet processed", []string{"buffers", "import_parts"}},
	{"imports, and undone imports", []string{"imports", "undos", "undo_kept"}},
	{"decisions about duplicates", []string{"reviews", "kept"}},
	{"drafts and charts begun", []string{"drafts", "prefills"}},
	{"custom fields and settings of spreadsheets", []string{"custom_fields", "matches"}},
	{"settings of the sign-in", []string{"sso_only", "second_factor_required"}},
	{"index words and fingerprints", []string{"names", "names_due", "fingerprints", "provider_names"}},
	{"entries of the audit trail", []string{"audit", "former_audit"}},
	{"user accounts", []string{"users"}},
	{"memberships, invitations, recovery codes, passkeys, sign-on links", []string{"memberships", "links", "recovery_codes", "passkeys", "sso_links"}},
	{"sessions that were ended", []string{"sessions"}},
	{"API keys, webhooks and refused requests", []string{"api_keys", "webhooks", "deliveries", "refused", "rejects"}},
	{"registrations of EHRs", []string{"ehrs", "ehr_expiries"}},
	{"entries about exports, imports and erased births", []string{"exports", "export_states", "incoming", "tombstones"}},
}

const (
	by   = "the operator, with the command practice forget"
	kept = "This certificate. For each entry of the audit trail, its number and a code that later entries' codes depend on; " +
		"no action, name, time or address. Row numbers are not reused."
	backups = "Backups made before this certificate ended still hold the practice, and so do exports, copies made before an upgrade " +
		"or a restore (the database's name with .before- or .replaced-), and any other copies. This installation cannot delete from them. Scheduled backups " +
		"age out: the service keeps as many as --backup-keep or REGISTRY_BACKUP_KEEP says (14 if neither is set), and makes one as often as " +
		"--backup-every or REGISTRY_BACKUP_EVERY says (every 24 hours). Both are in the service's unit, or in /etc/birthregistry/env. " +
		"The operator decides how long other copies are kept. " +
		"A restored backup brings the practice back: forget it again."
)

// Certificate returns the certificate for a practice that was erased. It returns ErrNotDone while
// the practice is still being erased, and store.ErrNotFound if erasing it was never begun here.
func (s *Service) Certificate(ctx context.Context, p store.PracticeID) (c Certificate, err error) {
	f, err := store.Read(ctx, s.db, func(v *store.View) (store.Forgotten, error) { return v.Forgotten(p) })
	if err != nil {
		return c, err
	}
	if f.EndedAt.IsZero() {
		return c, ErrNotDone
	}
	if err := s.db.Durable(); err != nil {
		return c, err
	}
	return certificateOf(f), nil
}

func certificateOf(f store.Forgotten) Certificate {
	c := Certificate{
		Practice: f.Practice, Name: f.Name, By: by, Exported: hex.EncodeToString(f.Exported), ExportedAt: f.ExportedAt,
		BegunAt: f.BegunAt, EndedAt: f.EndedAt, Erased: []Count{}, Kept: kept, Fragments: fragments, Backups: backups,
	}
	for _, kind := range kinds {
		n := Count{What: kind.what}
		for _, table := range kind.tables {
			n.Number += f.Deleted[table]
		}
		if n.Number > 0 {
			c.Erased = append(c.Erased, n)
		}
	}
	return c
}

const moment = "2006-01-02 15:04 UTC"

// String returns the certificate as text for printing.
func (c Certificate) String() string {
	var b strings.Builder
	line := func(name, text string) { fmt.Fprintf(&b, "%-12s%s\n", name, text) }
	fmt.Fprintf(&b, "CERTIFICATE OF ERASURE\n\n")
	line("Practice", fmt.Sprintf("%s (number %d)", c.Name, c.Practice))
	line("Closed", c.BegunAt.Format(moment))
	line("Erased", c.EndedAt.Format(moment))
	line("By", c.By)
	if c.Exported == "" {
		line("Export", "none was required")
	} else {
		line("Export", "SHA-256 "+c.Exported)
		line("", "made "+c.ExportedAt.Format(moment))
	}
	fmt.Fprintf(&b, "\nErased from the database, its free pages and its write-ahead log:\n")
	for _, n := range c.Erased {
		fmt.Fprintf(&b, "%12s  %s\n", humanize.Comma(n.Number), n.What)
	}
	fmt.Fprintf(&b, "\nKept:    %s\n\n%s\n\nBackups: %s\n", c.Kept, c.Fragments, c.Backups)
	return b.String()
}
