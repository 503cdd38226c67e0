package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"birthregistry/app"
	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/records"
	"birthregistry/store"
)

func recordCommand() *cobra.Command {
	return keyFileFlag(group("record", "List records, and show one", "", recordList(), recordShow()))
}

// listed is a record in a list. It has no patient data.
type listed struct {
	ID        string      `json:"id"`
	Chart     string      `json:"chart_number,omitzero"`
	Given     bool        `json:"chart_number_given,omitzero"` // set if the registry assigned the chart number
	State     birth.State `json:"state"`
	Version   int         `json:"version"`
	Suspected bool        `json:"suspected_duplicate,omitzero"`
	Updated   string      `json:"updated_at"`
}

func recordList() *cobra.Command {
	return inPractice(jsonFlag(&cobra.Command{
		Use:     "list --practice ID",
		Short:   "List the records of a practice, newest first",
		Example: "  birthregistry record list --practice 1",
		Args:    cobra.NoArgs,
	}), func(cmd *cobra.Command, a *app.App, p store.Practice, _ []string) error {
		all, err := listRecords(cmd.Context(), a.DB, p.ID)
		if err != nil {
			return err
		}
		return printList(cmd, all, []string{"ID", "CHART", "STATE", "VERSION", "DUPLICATE?", "CHANGED"}, func(r listed) []string {
			return []string{r.ID, r.Chart, string(r.State), fmt.Sprint(r.Version), yesNo(r.Suspected), r.Updated}
		})
	})
}

func listRecords(ctx context.Context, db *store.DB, p store.PracticeID) (all []listed, err error) {
	err = db.View(ctx, func(v *store.View) error {
		const page = 1000
		for after := int64(0); ; {
			found, err := v.Records(p, after, page)
			if err != nil {
				return err
			}
			for _, r := range found {
				all = append(all, listed{r.UUID, r.Chart, r.Given, r.State, r.Version, r.Suspected, r.UpdatedAt.Format("2006-01-02T15:04:05Z")})
				after = r.ID
			}
			if len(found) < page {
				return nil
			}
		}
	})
	return all, err
}

func recordShow() *cobra.Command {
	var version int
	var reveal bool
	cmd := inPractice(jsonFlag(&cobra.Command{
		Use:   "show UUID|CHART --practice ID",
		Short: "Show a record with the source of every value",
		Long: "Show a record with the source of every value. Patient data (names, dates, places, demographics) is shown only with\n" +
			"--reveal, which the audit trail notes.",
		Example: "  birthregistry record show 2026-0147 --practice 1 --json\n" +
			"  birthregistry record show 2026-0147 --practice 1 --version 1",
		Args: cobra.ExactArgs(1),
	}), func(cmd *cobra.Command, a *app.App, p store.Practice, args []string) error {
		if version < 0 {
			return usage{errors.New("versions begin with 1")}
		}
		r, err := records.New(a.DB, a.Vault).Show(cmd.Context(), p.ID, args[0], version, reveal)
		if errors.Is(err, records.ErrNotFound) {
			return fmt.Errorf("the practice has no such record or version; see: birthregistry record list --practice %d", p.ID)
		}
		if err == nil && reveal {
			err = a.Auth.NoteAlone(auth.Operator(p), "record.read", r.ID)
		}
		if err != nil {
			return err
		}
		if asJSON(cmd) {
			return printJSON(cmd, r)
		}
		if err := printRecord(cmd.OutOrStdout(), r); err != nil || reveal {
			return err
		}
		_, err = fmt.Fprintln(cmd.ErrOrStderr(), "--reveal shows what is sealed, and the audit trail notes it.")
		return err
	})
	cmd.Flags().IntVar(&version, "version", 0, "show this version instead of the current one")
	withoutTwin(cmd, "version") // somebody may set REGISTRY_VERSION for the program's version
	cmd.Flags().BoolVar(&reveal, "reveal", false, "show patient data")
	return cmd
}

// printRecord prints a record in human-readable form, with one value per line.
func printRecord(w io.Writer, r records.Record) error {
	rows := [][]string{{"Record", r.ID}}
	add := func(cells ...string) { rows = append(rows, cells) }
	number := []string{"Chart number", r.ChartNumber}
	if r.Given {
		number = append(number, "assigned by the registry")
	}
	add(number...)
	add("State", fmt.Sprintf("%s, version %d (%s)", r.State, r.Version, r.Change))
	if r.Suspected {
		add("", "suspected duplicate")
	}
	add("Consent", records.ConsentText(r.Consent))
	if r.Reading != "" {
		add("Read as", string(r.Reading))
	}
	section := func(title string, values records.Values) {
		add("")
		add(strings.ToUpper(title))
		for _, v := range values {
			add(v.Field.Label, v.Text(), string(v.Value.Source))
		}
	}
	section("mother", r.Mother)
	section("course of care", r.Care)
	for i, child := range r.Children {
		section(fmt.Sprintf("child %d", i+1), child)
	}
	if len(r.Providers) > 0 {
		add("")
		add("PROVIDERS")
	}
	for _, p := range r.Providers {
		part := "present"
		if p.Attending {
			part = "attending"
		}
		add(p.Name, strings.Trim(p.Credentials+", "+string(p.Role), ", "), part)
	}
	if len(r.Transfers) > 0 {
		add("")
		add("TRANSFERS")
	}
	for _, tr := range r.Transfers {
		add(strings.TrimSpace(tr.Type+" "+tr.Direction), tr.Who+" "+tr.Urgency+" "+tr.DateTime, string(tr.Source))
	}
	return table(w, rows)
}
