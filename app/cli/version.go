package cli

import (
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
		RunE:    run(func(cmd *cobra.Command, _ []string) error { return printVersion(cmd) }),
	})
}

func printVersion(cmd *cobra.Command) error {
	if asJSON(cmd) {
		return printJSON(cmd, map[string]string{"version": app.Version, "go": runtime.Version()})
	}
	return output(cmd, "birthregistry %s (%s)\n", app.Version, runtime.Version())
}
