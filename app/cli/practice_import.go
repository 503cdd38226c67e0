package cli

import (
	"fmt"
	"os"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"birthregistry/app"
	"birthregistry/app/archive"
)

func practiceImport() *cobra.Command {
	var identities []string
	var passphrase string
	cmd := jsonFlag(&cobra.Command{
		Use:   "import FILE --identity KEYFILE | --passphrase-file FILE",
		Short: "Bring in a practice that was exported from another installation",
		Long: "Bring in a practice from the file that practice export wrote in another installation. The service can keep running.\n\n" +
			"Everything in the file is checked before anything is written. Nobody sees the practice until all of it is there; an\n" +
			"import that is interrupted leaves nothing. Users are matched by their addresses and invited again. API keys and EHR\n" +
			"registrations are not in the file; the command lists those to make again.",
		Example: "  birthregistry practice import riverside.age --identity secret.txt\n" +
			"  birthregistry practice import riverside.age --passphrase-file passphrase.txt",
		Args: cobra.ExactArgs(1),
	})
	leaving(cmd, "nothing was imported; run it again")
	cmd.Flags().StringArrayVar(&identities, "identity", nil, "a file with the secret age key that opens the archive (repeatable)")
	cmd.Flags().StringVar(&passphrase, "passphrase-file", "", "a file with the passphrase that opens the archive, instead of a key")
	cmd.MarkFlagsOneRequired("identity", "passphrase-file")
	cmd.RunE = run(func(cmd *cobra.Command, args []string) error {
		for _, file := range append([]string{args[0]}, identities...) { // before an installation is made
			if _, err := os.Stat(file); err != nil {
				return err
			}
		}
		opening := archive.Opening{KeyFiles: identities}
		if passphrase != "" {
			text, err := os.ReadFile(passphrase)
			if err != nil {
				return err
			}
			opening.Passphrase = strings.TrimRight(string(text), "\r\n")
		}
		return with(cmd, func(a *app.App) error { return importPractice(cmd, a, args[0], opening) }, func(c *app.Config) { c.Existing = c.Begun() })
	})
	return cmd
}

func importPractice(cmd *cobra.Command, a *app.App, file string, opening archive.Opening) error {
	bars := map[string]func(done, total int){}
	b, err := a.Archive.Import(cmd.Context(), file, opening, func(stage string, done, total int) {
		if bars[stage] == nil {
			bars[stage] = progress(cmd.ErrOrStderr(), stage)
		}
		bars[stage](done, total)
	})
	if err != nil {
		return err
	}
	if asJSON(cmd) {
		return printJSON(cmd, broughtJSON(b))
	}
	if err := output(cmd, "%d\n", b.Practice.ID); err != nil {
		return err
	}
	say(cmd, "Imported %s as practice %d (births: %s, versions: %s).\n%s", b.Practice.Name, b.Practice.ID,
		humanize.Comma(int64(b.Manifest.Records)), humanize.Comma(int64(b.Manifest.Versions)), strings.Join(toDo(b), "\n"))
	return nil
}

// toDo lists what the operator still has to do after importing a practice.
func toDo(b archive.Brought) []string {
	all := []string{"To do now:"}
	for _, email := range b.Admins {
		all = append(all, fmt.Sprintf("  Invite an admin, who invites the others again: birthregistry user reset %s", quoted(email)))
	}
	for _, email := range b.Known {
		all = append(all, fmt.Sprintf("  Add an admin who has an account here: birthregistry user add %s --practice %d --role admin", quoted(email), b.Practice.ID))
	}
	if len(b.Admins) == 0 && len(b.Known) == 0 {
		all = append(all, fmt.Sprintf("  Invite an admin: birthregistry user add EMAIL --practice %d --role admin", b.Practice.ID))
	}
	for _, k := range b.Manifest.MadeAgain.Keys {
		all = append(all, fmt.Sprintf("  Create an API key again: birthregistry key mint --practice %d --label %s --scope %s", b.Practice.ID, quoted(k.Label), quoted(strings.Join(k.Scopes, ","))))
	}
	for _, e := range b.Manifest.MadeAgain.EHRs {
		all = append(all, fmt.Sprintf("  Register the EHR again, with this installation's addresses: birthregistry ehr add %s --practice %d --client-id ID", quoted(e.Issuer), b.Practice.ID))
	}
	return append(all, "  Tell the senders the new address. A submission under a former Idempotency-Key counts as a new one.")
}

// broughtJSON returns the value that --json prints about an import.
func broughtJSON(b archive.Brought) any {
	return struct {
		Practice any          `json:"practice"`
		Records  int          `json:"records"`
		Versions int          `json:"versions"`
		Admins   []string     `json:"admins"`
		Known    []string     `json:"admins_with_accounts"`
		Again    archive.Anew `json:"to_make_again"`
	}{b.Practice, b.Manifest.Records, b.Manifest.Versions, append([]string{}, b.Admins...), append([]string{}, b.Known...), b.Manifest.MadeAgain}
}
