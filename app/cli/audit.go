package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"birthregistry/app"
	"birthregistry/store"
)

func auditCommand() *cobra.Command {
	return keyFileFlag(group("audit", "Verify, list and export the audit trail", "", auditVerify(), auditList(), auditExport()))
}

func auditVerify() *cobra.Command {
	return jsonFlag(&cobra.Command{
		Use:   "verify",
		Short: "Verify that nobody changed the audit trail",
		Long: "Verify that no entry of the audit trail was changed, removed, or cut off at the end. Otherwise exits with 1 and names\n" +
			"the first wrong entry. Keep the count that this prints: if somebody later replaces the whole database with an earlier\n" +
			"copy, only a lower count shows it.",
		Example: "  birthregistry audit verify",
		Args:    cobra.NoArgs,
		RunE: onApp(func(cmd *cobra.Command, a *app.App, _ []string) error {
			trail, err := a.Auth.Trail.Verify(cmd.Context())
			if err != nil {
				return err
			}
			if asJSON(cmd) {
				err = printJSON(cmd, struct {
					Entries int   `json:"entries"`
					Intact  bool  `json:"intact"`
					Wrong   int64 `json:"first_wrong_entry,omitzero"`
					Erased  int   `json:"erased,omitzero"`
				}{trail.Entries, trail.Broken == 0, trail.Broken, trail.Erased})
			} else if trail.Broken == 0 {
				text := fmt.Sprintf("all %d entries are unchanged since they were written", trail.Entries)
				if trail.Erased > 0 {
					text = fmt.Sprintf("%d of %d entries are unchanged since they were written; %d were erased with their practice", trail.Entries-trail.Erased, trail.Entries, trail.Erased)
				}
				err = output(cmd, "%s\n", text)
			}
			if err == nil && trail.Broken != 0 {
				return fmt.Errorf("entry %d of the audit trail was changed, or entries at or before it were removed; "+
					"compare with a backup", trail.Broken)
			}
			return err
		}),
	})
}

// auditEntry is an entry of the audit trail as --json lists it.
type auditEntry struct {
	ID      int64  `json:"id"`
	At      string `json:"at"`
	Who     string `json:"who"`
	Action  string `json:"action"`
	Object  string `json:"object"`
	Address string `json:"address,omitzero"`
}

func auditList() *cobra.Command {
	var limit int
	var object string
	cmd := inPractice(jsonFlag(&cobra.Command{
		Use:     "list --practice ID",
		Short:   "List a practice's audit trail, newest first",
		Example: "  birthregistry audit list --practice 1 --object 0199d3a1-7c4e-7b52-9d6f-3f0c8f6a1b27",
		Args:    cobra.NoArgs,
	}), func(cmd *cobra.Command, a *app.App, p store.Practice, _ []string) error {
		if limit < 0 {
			return usage{fmt.Errorf("--limit cannot be negative")}
		}
		all, err := listAudits(cmd.Context(), a.DB, p.ID, store.AuditFilter{Object: object}, limit)
		if err != nil {
			return err
		}
		return printList(cmd, all, []string{"ENTRY", "AT", "WHO", "ACTION", "OBJECT", "FROM"}, func(e auditEntry) []string {
			return []string{fmt.Sprint(e.ID), e.At, e.Who, e.Action, e.Object, e.Address}
		})
	})
	cmd.Flags().IntVar(&limit, "limit", 100, "number of entries; 0 for all")
	cmd.Flags().StringVar(&object, "object", "", "only entries about this record, key label or user")
	return cmd
}

// listAudits returns up to limit entries of the audit trail, or all entries if limit is 0. It reads
// the entries in pages.
func listAudits(ctx context.Context, db *store.DB, p store.PracticeID, f store.AuditFilter, limit int) (all []auditEntry, err error) {
	const page = 1000
	err = db.View(ctx, func(v *store.View) error {
		for before := int64(0); limit == 0 || len(all) < limit; {
			size := page
			if limit > 0 {
				size = min(page, limit-len(all))
			}
			found, err := v.Audits(p, f, before, false, size)
			if err != nil {
				return err
			}
			for _, e := range found {
				all = append(all, auditEntry{e.ID, e.At.Format(time.RFC3339), e.Actor, e.Action, e.Object, e.Address})
				before = e.ID
			}
			if len(found) < size {
				return nil
			}
		}
		return nil
	})
	return all, err
}
