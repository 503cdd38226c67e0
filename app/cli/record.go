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

// listed is a record in a list, without patient data.
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
	}), func(cmd *cobra.Command, a *app.App, p store.PracticeID, _ []string) error {
		all, err := listRecords(cmd.Context(), a.DB, p)
		if err != nil {
			return err
		}
		return printList(cmd, all, []string{"ID", "CHART", "STATE", "VERSION", "DUPLICATE?", "CHANGED"}, func(r listed) []string {
			return []string{r.ID, r.Chart, string(r.State), fmt.Sprint(r.Version), yesNo(r.Suspected), r.Updated}
		})
	})
}

func listRecords(ctx context.Context, db *store.DB, p store.PracticeID) ([]listed, error) {
	all := []listed{}
	err := db.View(ctx, func(v *store.View) error {
		if _, err := v.Practice(p); err != nil {
			return noSuch("practice; see: birthregistry practice list", err)
		}
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
	cmd := jsonFlag(&cobra.Command{
		Use:   "show UUID|CHART --practice ID",
		Short: "Show a record with the source of every value",
		Long: "Show a record with the source of every value. Patient data (names, dates, places, demographics) is shown only with\n" +
			"--reveal, which the audit trail notes.",
		Example: "  birthregistry record show 2026-0147 --practice 1 --json\n" +
			"  birthregistry record show 2026-0147 --practice 1 --version 1",
		Args: cobra.ExactArgs(1),
	})
	practice := practiceFlag(cmd)
	cmd.Flags().IntVar(&version, "version", 0, "show this version instead of the current one")
	withoutTwin(cmd, "version") // somebody may set REGISTRY_VERSION for the program's version
	cmd.Flags().BoolVar(&reveal, "reveal", false, "show patient data")
	cmd.RunE = run(func(cmd *cobra.Command, args []string) error {
		p, err := practice()
		if err != nil {
			return err
		}
		if version < 0 {
			return usage{errors.New("versions begin with 1")}
		}
		return with(cmd, func(a *app.App) error {
			r, err := records.New(a.DB, a.Vault).Show(cmd.Context(), p, args[0], version, reveal)
			if errors.Is(err, records.ErrNotFound) {
				return errors.New("the practice has no such record or version")
			}
			if err == nil && reveal {
				err = noteReveal(a, p, r.ID)
			}
			if err != nil {
				return err
			}
			if asJSON(cmd) {
				return printJSON(cmd.OutOrStdout(), r)
			}
			return printRecord(cmd.OutOrStdout(), r)
		})
	})
	return cmd
}

// noteReveal adds to the audit trail that the operator has read a record.
func noteReveal(a *app.App, p store.PracticeID, id string) error {
	practice, err := store.Read(context.Background(), a.DB, func(v *store.View) (store.Practice, error) { return v.Practice(p) })
	if err != nil {
		return err
	}
	return a.Auth.NoteAlone(auth.Operator(practice), "record.read", id)
}

// printRecord prints a record for people, one value per line.
func printRecord(w io.Writer, r records.Record) error {
	t := newTabs(w)
	t.row([]string{"Record", r.ID})
	number := []string{"Chart number", r.ChartNumber}
	if r.Given {
		number = append(number, "given by the registry")
	}
	t.row(number)
	t.row([]string{"State", fmt.Sprintf("%s, version %d (%s)", r.State, r.Version, r.Change)})
	if r.Suspected {
		t.row([]string{"", "suspected duplicate"})
	}
	t.row([]string{"Consent", records.ConsentText(r.Consent)})
	if r.Reading != "" {
		t.row([]string{"Read as", string(r.Reading)})
	}
	section := func(title string, values records.Values) {
		t.row([]string{""})
		t.row([]string{strings.ToUpper(title)})
		for _, v := range values {
			t.row([]string{v.Field.Label, v.Text(), string(v.Value.Source)})
		}
	}
	section("mother", r.Mother)
	section("course of care", r.Care)
	for i, child := range r.Children {
		section(fmt.Sprintf("child %d", i+1), child)
	}
	if len(r.Providers) > 0 {
		t.row([]string{""})
		t.row([]string{"PROVIDERS"})
	}
	for _, p := range r.Providers {
		part := "present"
		if p.Attending {
			part = "attending"
		}
		t.row([]string{p.Name, strings.Trim(p.Credentials+", "+string(p.Role), ", "), part})
	}
	if len(r.Transfers) > 0 {
		t.row([]string{""})
		t.row([]string{"TRANSFERS"})
	}
	for _, tr := range r.Transfers {
		t.row([]string{strings.TrimSpace(tr.Type + " " + tr.Direction), tr.Who + " " + tr.Urgency + " " + tr.DateTime, string(tr.Source)})
	}
	return t.flush()
}
