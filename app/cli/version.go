package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"birthregistry/app"
)

func versionCommand() *cobra.Command {
	return jsonFlag(&cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  birthregistry version --json",
		Args:    cobra.NoArgs,
		RunE: run(func(cmd *cobra.Command, _ []string) error {
			if asJSON(cmd) {
				return printJSON(cmd.OutOrStdout(), map[string]string{"version": app.Version, "go": runtime.Version()})
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "birthregistry %s (%s)\n", app.Version, runtime.Version())
			return err
		}),
	})
}
