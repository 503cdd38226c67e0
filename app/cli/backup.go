package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"birthregistry/app"
	"birthregistry/app/ops"
)

func backupCommand() *cobra.Command {
	var sealed bool
	var recipients []string
	cmd := keyFileFlag(&cobra.Command{
		Use:   "backup DEST",
		Short: "Write a verified copy of the database to a new file, while the server runs",
		Long: "Write a verified copy of the database to a new file, while the server runs.\n" +
			"Patient data in it is sealed: to read it again you need the key file or a recovery key as well. Keep\n" +
			"them apart. The rest (clinical facts, providers' names, e-mail addresses) is not, unless the whole\n" +
			"file is sealed: with --sealed to those same keys, with --recipient to others, which alone open it.\n" +
			"The sealed file is an ordinary age file.",
		Example: "  birthregistry backup /mnt/nas/registry-$(date +%F).db\n" +
			"  birthregistry backup /mnt/cloud/registry-$(date +%F).db.age --sealed",
		Args: cobra.ExactArgs(1),
	})
	cmd.Flags().BoolVar(&sealed, "sealed", false, "seal the whole file to the database's key and its recovery keys")
	cmd.Flags().StringArrayVar(&recipients, "recipient", nil, "seal the whole file to this age recipient instead, or to the one in this file (repeatable)")
	cmd.MarkFlagsMutuallyExclusive("sealed", "recipient")
	cmd.RunE = run(func(cmd *cobra.Command, args []string) error {
		for i := range recipients {
			recipients[i], _ = recipientOf(recipients[i]) // classic ones will do here
		}
		return with(cmd, func(a *app.App) (err error) {
			if sealed {
				if recipients, err = a.Vault.Recipients(); err != nil {
					return err
				}
			}
			if err := a.Backup(cmd.Context(), args[0], recipients); err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.ErrOrStderr(), "Backed up and verified. Keep the key file, too, but elsewhere.\n")
			return err
		})
	})
	return cmd
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

func report(cmd *cobra.Command, findings []ops.CheckResult) error {
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
