package cli

import (
	"fmt"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"birthregistry/app"
	"birthregistry/app/archive"
	"birthregistry/app/auth"
	"birthregistry/store"
)

func practiceExport() *cobra.Command {
	var recipients []string
	cmd := jsonFlag(&cobra.Command{
		Use:   "export ID FILE --recipient AGE",
		Short: "Write all of a practice's data to a file that the practice can keep",
		Long: "Write all of a practice's data to a new file: records with all versions, providers, reviews, drafts, settings, the\n" +
			"audit trail, and the births as a spreadsheet. The service can keep running. Keys, passwords and sessions stay behind.\n\n" +
			"The file is sealed with age for the recipients. It can be read without this program (/docs/leave), and brought into\n" +
			"another installation with practice import. The file's SHA-256 is printed; practice forget takes it.",
		Example: "  birthregistry practice export 1 riverside.age --recipient age1pq1…\n" +
			"  birthregistry practice export 1 riverside.age --recipient recipient.txt --json",
		Args: cobra.ExactArgs(2),
	})
	leaving(cmd, "no file was written; run it again")
	cmd.Flags().StringArrayVar(&recipients, "recipient", nil, "seal the file to this age recipient, or to the one in this file (repeatable)")
	_ = cmd.MarkFlagRequired("recipient") // the flag is there
	cmd.RunE = onPractice(func(cmd *cobra.Command, a *app.App, p store.Practice, args []string) error {
		if err := recipientTexts(recipients); err != nil {
			return err
		}
		return exportPractice(cmd, a, p, args[1], recipients)
	})
	return cmd
}

func exportPractice(cmd *cobra.Command, a *app.App, practice store.Practice, file string, recipients []string) error {
	made, err := a.Archive.Export(cmd.Context(), auth.Operator(practice), archive.Sealing{Recipients: recipients}, file,
		progress(cmd.ErrOrStderr(), "Exporting"))
	if err != nil {
		return forgottenMeanwhile(cmd.Context(), a, practice.ID, err)
	}
	if asJSON(cmd) {
		return printJSON(cmd, exported(file, made))
	}
	if err := output(cmd, "%x\n", made.SHA256); err != nil {
		return err
	}
	warning := ""
	if !made.Trail.Intact {
		warning = "\nThe audit trail of this installation is not intact; see: birthregistry audit verify"
	}
	say(cmd, "Exported %s (births: %s, versions: %s, %s). The SHA-256 of the file is above.%s\n"+
		"Once the file is where it belongs, this erases the practice here: birthregistry practice forget %d --exported %x",
		practice.Name, humanize.Comma(int64(made.Records)), humanize.Comma(int64(made.Versions)), humanize.IBytes(uint64(made.Size)), warning,
		practice.ID, made.SHA256)
	return nil
}

// exported returns a value that --json prints about an export.
func exported(file string, made archive.Made) any {
	rows := map[string]int{}
	for _, m := range made.Members {
		rows[m.Name] = m.Rows
	}
	return struct {
		File        string         `json:"file"`
		SHA256      string         `json:"sha256"`
		Bytes       int64          `json:"bytes"`
		Practice    string         `json:"practice"`
		Records     int            `json:"records"`
		Versions    int            `json:"versions"`
		TrailIntact bool           `json:"audit_intact"`
		Rows        map[string]int `json:"rows"`
	}{file, fmt.Sprintf("%x", made.SHA256), made.Size, made.Practice, made.Records, made.Versions, made.Trail.Intact, rows}
}
