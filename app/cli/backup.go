package cli

import (
	"slices"

	"github.com/spf13/cobra"

	"birthregistry/app"
	"birthregistry/app/ops"
)

func backupCommand() *cobra.Command {
	var sealed bool
	var recipients []string
	cmd := keyFileFlag(&cobra.Command{
		Use:   "backup DEST",
		Short: "Write a verified copy of the database to a new file",
		Long: "Write a verified copy of the database to a new file. The service can keep running.\n\n" +
			"Patient data in the copy is sealed: reading it takes the key file or a recovery key. Keep them apart from the\n" +
			"backup. The rest (clinical facts, chart numbers, providers' names, e-mail addresses) is not sealed. To seal the whole\n" +
			"file, use --sealed for the same keys, or --recipient for others, which alone can then open it. A sealed file is\n" +
			"an ordinary age file.",
		Example: "  birthregistry backup /mnt/nas/registry-$(date +%F).db\n" +
			"  birthregistry backup /mnt/cloud/registry-$(date +%F).db.age --sealed",
		Args: cobra.ExactArgs(1),
	})
	leaving(cmd, "no backup was made; run it again")
	cmd.Flags().BoolVar(&sealed, "sealed", false, "seal the whole file to the database's key and its recovery keys")
	cmd.Flags().StringArrayVar(&recipients, "recipient", nil, "seal the whole file to this age recipient, or to the one in this file, instead (repeatable)")
	cmd.MarkFlagsMutuallyExclusive("sealed", "recipient")
	cmd.RunE = run(func(cmd *cobra.Command, args []string) error {
		if err := recipientTexts(recipients); err != nil {
			return err
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
			say(cmd, "Backed up and verified. Also keep a copy of the key file, in another place.")
			return nil
		})
	})
	return cmd
}

func checkCommand() *cobra.Command {
	cmd := keyFileFlag(jsonFlag(&cobra.Command{
		Use:   "check",
		Short: "Check the database: pages, keys, records, versions, queue",
		Long: "Check the database: its pages are sound, the key opens what is sealed, every record has all its versions, and every\n" +
			"unfinished ingestion has its buffer and its place in the queue. Exits with 1 when a check fails.",
		Example: "  birthregistry check && echo clean",
		Args:    cobra.NoArgs,
		RunE: onApp(func(cmd *cobra.Command, a *app.App, _ []string) error {
			results, err := a.Check(cmd.Context())
			if err != nil {
				return err
			}
			report := func(clean bool) any { return map[string]any{"clean": clean, "checks": results} }
			bad := "nothing is damaged, but something is unfinished; see the last lines above"
			if slices.ContainsFunc(results, ops.CheckResult.Damage) {
				bad = "the database is not clean; restore the latest backup, or ask for help with the lines above"
			}
			return printChecks(cmd, report, results, func(f ops.CheckResult) checkRow {
				return checkRow{state: map[bool]string{true: "ok", false: isProblem}[f.Problem == ""], name: f.Check, found: f.Problem, fix: f.Fix}
			}, bad)
		}),
	}))
	return leaving(cmd, "nothing was changed, and not everything was checked")
}
