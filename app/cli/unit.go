package cli

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"birthregistry/assets"
)

func unitCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "unit",
		Short: "Print a systemd unit for this program",
		Long: "Print a systemd unit for this program: it runs as a user of its own, sees nothing but its data\n" +
			"folder, takes the key as a credential, and is restarted when the database does not answer.",
		Example: "  birthregistry unit | sudo tee /etc/systemd/system/birthregistry.service",
		Args:    cobra.NoArgs,
		RunE: run(func(cmd *cobra.Command, _ []string) error {
			program, err := os.Executable()
			if err != nil {
				return fmt.Errorf("the program does not know where it is: %w", err)
			}
			_, err = fmt.Fprint(cmd.OutOrStdout(), strings.ReplaceAll(assets.Unit, "PROGRAM", program))
			return err
		}),
	}
}
