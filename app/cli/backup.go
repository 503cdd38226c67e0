package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"birthregistry/app"
)

func backupCommand() *cobra.Command {
	return keyFileFlag(&cobra.Command{
		Use:   "backup DEST",
		Short: "Write a verified copy of the database to a new file, while the server runs",
		Long: "Write a verified copy of the database to a new file, while the server runs.\n" +
			"Patient data in it is sealed: to read it again you need the key file as well. Keep the two apart.",
		Example: "  birthregistry backup /mnt/nas/registry-$(date +%F).db",
		Args:    cobra.ExactArgs(1),
		RunE: run(func(cmd *cobra.Command, args []string) error {
			return with(cmd, func(a *app.App) error {
				if err := a.DB.Backup(cmd.Context(), args[0]); err != nil {
					return err
				}
				_, err := fmt.Fprintf(cmd.ErrOrStderr(), "Backed up and verified. Keep the key file, too, but elsewhere.\n")
				return err
			})
		}),
	})
}

func checkCommand() *cobra.Command {
	return keyFileFlag(jsonFlag(&cobra.Command{
		Use:   "check",
		Short: "Check the database: pages, keys, records, versions, queue",
		Long: "Check the database: its pages, that the key opens what is sealed, that every record has all its\n" +
			"versions and every unfinished ingestion its buffer and its place in the queue.",
		Example: "  birthregistry check && echo clean",
		Args:    cobra.NoArgs,
		RunE: run(func(cmd *cobra.Command, _ []string) error {
			return with(cmd, func(a *app.App) error {
				findings, err := a.Check(cmd.Context())
				if err != nil {
					return err
				}
				return report(cmd, findings)
			})
		}),
	}))
}

func report(cmd *cobra.Command, findings []app.Finding) error {
	bad := 0
	for _, f := range findings {
		if f.Problem != "" {
			bad++
		}
	}
	if asJSON(cmd) {
		if err := printJSON(cmd.OutOrStdout(), map[string]any{"clean": bad == 0, "checks": findings}); err != nil {
			return err
		}
	} else {
		rows := make([][]string, len(findings))
		for i, f := range findings {
			rows[i] = []string{map[bool]string{true: "ok", false: "PROBLEM"}[f.Problem == ""], f.Check, f.Problem}
		}
		if err := table(cmd.OutOrStdout(), []string{"", "CHECK", ""}, rows); err != nil {
			return err
		}
	}
	if bad > 0 {
		return errors.New("the database is not clean; restore the latest backup, or ask for help with the lines above")
	}
	return nil
}
