package cli

import (
	"time"

	"github.com/spf13/cobra"

	"birthregistry/app"
)

func setUpLinkCommand() *cobra.Command {
	cmd := keyFileFlag(&cobra.Command{
		Use:   "setup-link",
		Short: "Print the link that sets up a new registry in a browser",
		Long: "Print the link that sets up a new registry in a browser: it makes the first practice and its admin. The link works\n" +
			"for 24 hours, and only while there is no practice and no user. serve prints one, too, when it starts.",
		Example: "  birthregistry setup-link --base-url https://births.example.org",
		Args:    cobra.NoArgs,
	})
	cmd.Flags().String("base-url", "http://127.0.0.1:8080", "address under which people reach the service")
	cmd.RunE = onApp(func(cmd *cobra.Command, a *app.App, _ []string) error {
		base, err := linkBase(cmd)
		if err != nil {
			return err
		}
		link, err := a.Auth.SetUpLink(cmd.Context())
		if err != nil {
			return err
		}
		printSetUpLink(cmd, base+link.Path(), link.Expires)
		return nil
	})
	return cmd
}

// printSetUpLink prints the set-up link to standard output. It ignores errors, because the person
// who reads the output notices that the link is missing.
func printSetUpLink(cmd *cobra.Command, link string, expires time.Time) {
	say(cmd, "Open this link in a browser to set up the registry. It works until %s, and only for the first person.",
		expires.Local().Format("2006-01-02 15:04 MST"))
	_ = output(cmd, "%s\n", link)
}
