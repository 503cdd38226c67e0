package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"birthregistry/app"
	"birthregistry/app/ops"
	"birthregistry/store"
)

func secretsCommand() *cobra.Command {
	cmd := keyFileFlag(&cobra.Command{
		Use:   "secrets",
		Short: "Show, rotate and recover the keys that open the database",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	})
	recovery := &cobra.Command{
		Use:   "recovery",
		Short: "Make, add and remove recovery keys",
		Long: "Make, add and remove recovery keys. With a recovery key and a backup everything is restored, also\n" +
			"when the key file is lost. Only its public half is known to this machine.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	recovery.AddCommand(recoveryMake(), recoveryAdd(), recoveryRemove())
	cmd.AddCommand(secretsShow(), secretsRotate(), recovery)
	return cmd
}

func secretsRotate() *cobra.Command {
	return &cobra.Command{
		Use:   "rotate",
		Short: "Make a new key for the database, while the server runs",
		Long: "Make a new key for the database, while the server runs. The former key is kept in a file beside the\n" +
			"new one: backups made before need it. When this is cut off, nothing is lost; run it again, and it\n" +
			"goes on. Where the server reads a copy of the key file, as a systemd credential is, this says so:\n" +
			"stop the server then, rotate, and start it again.",
		Example: "  birthregistry secrets rotate --key-file /etc/birthregistry/registry.key",
		Args:    cobra.NoArgs,
		RunE: run(func(cmd *cobra.Command, _ []string) error {
			return with(cmd, func(a *app.App) error {
				retired, err := a.RotateKey(cmd.Context(), progress(cmd.ErrOrStderr(), "rotating"))
				if err != nil {
					return err
				}
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "The database has a new key. Keep a copy of the key file apart from the database, in the place of the former copy.\n"+
					"The former key is in %s. Backups made before need it, or a recovery key:\n"+
					"  birthregistry restore BACKUP --with %s\n"+
					"Move it away from this machine, and destroy it with the last of those backups.\n", retired, quoted(retired))
				return err
			})
		}),
	}
}

func recoveryMake() *cobra.Command {
	return &cobra.Command{
		Use:   "make FILE",
		Short: "Make a recovery key in a new file, and print its public half",
		Long: "Make a recovery key in a new file, and print its public half, which is what \"recovery add\" takes.\n" +
			"It needs no database: make it on a memory stick, or on another machine. The file has one line that\n" +
			"counts, short enough to be kept on paper as well.",
		Example: "  birthregistry secrets recovery make /media/stick/recovery.key > recovery.pub",
		Args:    cobra.ExactArgs(1),
		RunE: run(func(cmd *cobra.Command, args []string) error {
			recipient, err := ops.NewRecoveryKey(args[0])
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintln(cmd.OutOrStdout(), recipient); err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.ErrOrStderr(), "Keep this file where nobody finds it together with a backup. Now add the public half, printed above, with: recovery add")
			return err
		}),
	}
}

func recoveryAdd() *cobra.Command {
	return &cobra.Command{
		Use:   "add AGE-RECIPIENT|FILE",
		Short: "Let a recovery key open everything, given its public half or a file with it",
		Long: "Let a recovery key open everything, given its public half (age1pq1…) or a file with it. Backups made\n" +
			"from now on are restored with it; earlier ones are not.",
		Example: "  birthregistry secrets recovery add recovery.pub",
		Args:    cobra.ExactArgs(1),
		RunE: run(func(cmd *cobra.Command, args []string) error {
			recipient, err := recipientOf(args[0])
			if err != nil {
				return usage{err}
			}
			return with(cmd, func(a *app.App) error {
				if err := a.AddRecovery(cmd.Context(), recipient, progress(cmd.ErrOrStderr(), "adding")); err != nil {
					return err
				}
				_, err := fmt.Fprintln(cmd.OutOrStdout(), "Added. Make a backup now: the recovery key opens this one and all later ones.")
				return err
			})
		}),
	}
}

func recoveryRemove() *cobra.Command {
	return &cobra.Command{
		Use:     "remove AGE-RECIPIENT|FILE",
		Short:   "Take a recovery key out again, given its public half or its beginning as \"secrets show\" prints it",
		Long:    "Take a recovery key out again. Backups made while it was in are still opened by it.",
		Example: "  birthregistry secrets recovery remove recovery.pub",
		Args:    cobra.ExactArgs(1),
		RunE: run(func(cmd *cobra.Command, args []string) error {
			return with(cmd, func(a *app.App) error {
				recipient, err := known(a, args[0])
				if err != nil {
					return err
				}
				err = a.RemoveRecovery(cmd.Context(), recipient, progress(cmd.ErrOrStderr(), "removing"))
				if errors.Is(err, store.ErrNotFound) {
					return errors.New("there is no such recovery key; see: birthregistry secrets show")
				}
				if err != nil {
					return err
				}
				_, err = fmt.Fprintln(cmd.OutOrStdout(), "Removed. Backups made before are still opened by it: destroy the key, or those.")
				return err
			})
		}),
	}
}

// recipientOf reads the public half of a key from an argument, or from the file
// that it names.
func recipientOf(arg string) (string, error) {
	text := arg
	if file, err := os.ReadFile(arg); err == nil && len(file) < 64<<10 {
		text = ""
		for line := range strings.Lines(string(file)) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") && text == "" {
				text = line
			}
		}
	}
	text = strings.TrimSpace(text)
	return text, ops.CheckRecipient(text)
}

// known finds the recovery key that an argument means.
func known(a *app.App, arg string) (string, error) {
	text := strings.TrimSuffix(arg, "…")
	if recipient, err := recipientOf(arg); err == nil {
		text = recipient
	}
	keys, err := a.DB.SealingKeys()
	if err != nil {
		return "", err
	}
	found := ""
	for _, r := range keys.Recipients {
		if r.Recovery && len(text) > len("age1pq1") && strings.HasPrefix(r.Text, text) {
			if found != "" {
				return "", errors.New("several recovery keys begin so; give more of it")
			}
			found = r.Text
		}
	}
	if found == "" {
		return text, nil // to be told that it is not in, or to end what was cut off
	}
	return found, nil
}

func secretsShow() *cobra.Command {
	return jsonFlag(&cobra.Command{
		Use:     "show",
		Short:   "Show which keys open the database, by their public halves",
		Example: "  birthregistry secrets show",
		Args:    cobra.NoArgs,
		RunE: run(func(cmd *cobra.Command, _ []string) error {
			return with(cmd, func(a *app.App) error {
				s, err := a.Secrets()
				if err != nil {
					return err
				}
				if asJSON(cmd) {
					return printJSON(cmd.OutOrStdout(), s)
				}
				return printSecrets(cmd, s)
			})
		}),
	})
}

func printSecrets(cmd *cobra.Command, s ops.Secrets) error {
	rows, recovery := make([][]string, len(s.Recipients)), 0
	for i, r := range s.Recipients {
		what := "key file: " + s.KeyFile
		if r.Recovery {
			what = "recovery key"
			recovery++
		}
		rows[i] = []string{ops.Short(r.Text) + "…", what, r.AddedAt.Format(time.DateOnly)}
	}
	if err := table(cmd.OutOrStdout(), []string{"PUBLIC HALF", "KEY", "SINCE"}, rows); err != nil {
		return err
	}
	var advice []string
	if s.Unfinished {
		advice = append(advice, "A rotation was cut off. Nothing is lost; run again: birthregistry secrets rotate")
	} else if s.Behind > 0 {
		advice = append(advice, fmt.Sprintf("%d of %d headers are not yet as the list says. Run again the command that was cut off.", s.Behind, s.Headers))
	}
	if recovery == 0 {
		advice = append(advice, "There is no recovery key: whoever loses the key file loses all patient data. See: birthregistry secrets recovery --help")
	}
	for _, line := range advice {
		if _, err := fmt.Fprintln(cmd.ErrOrStderr(), line); err != nil {
			return err
		}
	}
	return nil
}
