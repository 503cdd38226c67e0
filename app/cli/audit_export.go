package cli

import (
	"fmt"
	"time"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"birthregistry/app"
	"birthregistry/app/audit"
	"birthregistry/app/auth"
	"birthregistry/store"
)

func auditExport() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "export --practice ID",
		Short: "Write a practice's audit trail for another system",
		Long: "Write a practice's audit trail to standard output, one JSON object per line, oldest first. With --fhir, each line is a\n" +
			"FHIR R4 AuditEvent; what was done to one record over the network follows IHE's Basic Audit Log Patterns (BALP).\n" +
			"Entries name users, records and counts; they hold no patient's value. The export itself is noted in the trail.",
		Example: "  birthregistry audit export --practice 1 --since 2026-01-01 --until 2027-01-01 > trail.ndjson\n" +
			"  birthregistry audit export --practice 1 --fhir --base-url https://births.example.org > events.ndjson",
		Args: cobra.NoArgs,
	}
	leaving(cmd, "what was written lacks the last entries; delete it, and export again")
	f := cmd.Flags()
	since := f.String("since", "", "the first day, such as 2026-01-01, in the practice's time zone")
	until := f.String("until", "", "the day after the last, in the practice's time zone")
	fhir := f.Bool("fhir", false, "write FHIR R4 AuditEvents")
	f.String("base-url", "http://127.0.0.1:8080", "the address under which people reach the service; only the AuditEvents of --fhir contain it")
	return inPractice(cmd, func(cmd *cobra.Command, a *app.App, p store.Practice, _ []string) (err error) {
		s := audit.Selection{Practice: p.ID}
		if s.Since, err = dayIn(p, "--since", *since); err != nil {
			return err
		}
		if s.Until, err = dayIn(p, "--until", *until); err != nil {
			return err
		}
		base := ""
		if *fhir {
			if base, err = linkBase(cmd); err != nil {
				return err
			}
		}
		return exportTrail(cmd, a, p, s, base)
	})
}

// exportTrail records the export in the audit trail, and then writes a selection of the trail to
// standard output.
func exportTrail(cmd *cobra.Command, a *app.App, practice store.Practice, s audit.Selection, base string) error {
	what := "all"
	if !s.Since.IsZero() || !s.Until.IsZero() {
		what = fmt.Sprintf("%s to %s", dayOr(s.Since, "the beginning"), dayOr(s.Until, "now"))
	}
	if err := a.Auth.NoteAlone(auth.Operator(practice), "audit.export", what); err != nil {
		return err
	}
	n, err := a.Auth.Trail.Export(cmd.Context(), s, base, cmd.OutOrStdout())
	if err != nil {
		return fmt.Errorf("the export stopped after %d entries: %w", n, err)
	}
	say(cmd, "Wrote %s.", english.Plural(n, "entry", "entries"))
	return nil
}

// dayIn returns the first moment of a day in the practice's time zone. day is the value of the
// flag, such as 2026-01-01. If it is "", dayIn returns the zero time.
func dayIn(p store.Practice, flag, day string) (time.Time, error) {
	if day == "" {
		return time.Time{}, nil
	}
	at, err := time.ParseInLocation(time.DateOnly, day, p.Location())
	if err != nil {
		return time.Time{}, usage{fmt.Errorf("%s takes a day such as 2026-01-01", flag)}
	}
	return at, nil
}

func dayOr(t time.Time, otherwise string) string {
	if t.IsZero() {
		return otherwise
	}
	return t.Format(time.DateOnly)
}
