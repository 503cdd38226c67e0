package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"birthregistry/app"
	"birthregistry/app/ops"
	"birthregistry/app/seal"
)

func secretsCommand() *cobra.Command {
	recovery := group("recovery", "Make, add and remove recovery keys",
		"Make, add and remove recovery keys. A recovery key and a backup restore everything, even if the key file is lost. This\n"+
			"machine knows only its public half.",
		recoveryMake(), recoveryAdd(), recoveryRemove())
	return keyFileFlag(group("secrets", "Show and rotate the keys that open the database, and manage recovery keys", "",
		secretsShow(), secretsRotate(), recovery))
}

func secretsRotate() *cobra.Command {
	return leaving(&cobra.Command{
		Use:   "rotate",
		Short: "Make a new key for the database",
		Long: "Make a new key for the database. The service can keep running. The former key is kept in a file next to the new\n" +
			"one, because earlier backups need it. If this is interrupted, nothing is lost; run it again to continue. If the\n" +
			"service reads a copy of the key file, such as a systemd credential, this command refuses: stop the service, rotate,\n" +
			"and start it again.",
		Example: "  birthregistry secrets rotate --key-file /etc/birthregistry/registry.key",
		Args:    cobra.NoArgs,
		RunE: onApp(func(cmd *cobra.Command, a *app.App, _ []string) error {
			retired, err := a.RotateKey(cmd.Context(), progress(cmd.ErrOrStderr(), "rotating"))
			if err != nil {
				return err
			}
			return output(cmd, "The database has a new key. Keep a copy of the key file apart from the database, instead of the former copy.\n"+
				"The former key is in %s. Backups made before need it, or a recovery key:\n"+
				"  birthregistry restore BACKUP --with %s\n"+
				"Move it away from this machine, and destroy it with the last of those backups.\n", retired, quoted(retired))
		}),
	}, "nothing is lost; run it again to finish the rotation")
}

func recoveryMake() *cobra.Command {
	return &cobra.Command{
		Use:   "make FILE",
		Short: "Make a recovery key in a new file, and print its public half",
		Long: "Make a recovery key in a new file, and print its public half for \"recovery add\". This needs no database: make the key\n" +
			"on a memory stick, or on another machine. The line with the key is short enough to keep on paper as well.",
		Example: "  birthregistry secrets recovery make /media/stick/recovery.key > recovery.pub",
		Args:    cobra.ExactArgs(1),
		RunE: run(func(cmd *cobra.Command, args []string) error {
			recipient, err := seal.NewRecovery(args[0])
			if err != nil {
				return err
			}
			if err := output(cmd, "%s\n", recipient); err != nil {
				return err
			}
			say(cmd, "Keep this file apart from all backups. Next, give the printed public half, or the file that it went to, to: birthregistry secrets recovery add")
			return nil
		}),
	}
}

func recoveryAdd() *cobra.Command {
	return leaving(&cobra.Command{
		Use:   "add AGE-RECIPIENT|FILE",
		Short: "Let a recovery key open everything",
		Long: "Let a recovery key open everything. Name it by its public half (age1pq1…), or by a file with that. It restores backups\n" +
			"made from now on, but not earlier ones.",
		Example: "  birthregistry secrets recovery add recovery.pub",
		Args:    cobra.ExactArgs(1),
		RunE: onApp(func(cmd *cobra.Command, a *app.App, args []string) error {
			recipient, err := recipientOf(args[0])
			if err != nil {
				return usage{err}
			}
			if err := a.AddRecovery(cmd.Context(), recipient, progress(cmd.ErrOrStderr(), "adding")); err != nil {
				return err
			}
			return output(cmd, "Added. Make a backup now: the recovery key opens only backups made from now on.\n")
		}),
	}, "nothing is lost, but the recovery key may not open everything yet; run it again")
}

func recoveryRemove() *cobra.Command {
	return leaving(&cobra.Command{
		Use:   "remove AGE-RECIPIENT|FILE",
		Short: "Remove a recovery key",
		Long: "Remove a recovery key. Name it by its public half, or by the first characters, which \"secrets show\" prints. The removed\n" +
			"key still opens earlier backups.",
		Example: "  birthregistry secrets recovery remove recovery.pub",
		Args:    cobra.ExactArgs(1),
		RunE: onApp(func(cmd *cobra.Command, a *app.App, args []string) error {
			recipient, err := known(a, args[0])
			if err != nil {
				return err
			}
			if err := a.RemoveRecovery(cmd.Context(), recipient, progress(cmd.ErrOrStderr(), "removing")); err != nil {
				return noSuch("recovery key; see: birthregistry secrets show", err)
			}
			return output(cmd, "Removed. The key still opens earlier backups: destroy the key, or those backups.\n")
		}),
	}, "nothing is lost, but the recovery key may still open the database; run it again")
}

// recipientOf returns the public half of a key that can be added as a recovery key, from an argument
// or from the file that the argument names.
func recipientOf(arg string) (string, error) {
	text, err := recipientText(arg)
	if err == nil {
		err = seal.CheckRecipient(text)
	}
	return text, err
}

// recipientText returns the first line of the file that an argument names, apart from comments, or
// otherwise the argument itself. Its error quotes the argument only if it has a character that no key
// has, because it might be a secret key with a typing error.
func recipientText(arg string) (string, error) {
	file, err := os.ReadFile(arg)
	switch {
	case err != nil && !strings.ContainsAny(arg, "./"):
		return strings.TrimSpace(arg), nil
	case err != nil:
		return "", fmt.Errorf("name a public key (age1pq1…) or a file that holds one: %w", err)
	case len(file) > 64<<10:
		return "", seal.ErrRecipient
	}
	for line := range strings.Lines(string(file)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return line, nil
		}
	}
	return "", seal.ErrRecipient
}

// recipientTexts replaces each argument by its recipientText. The keys may also be classic ones. It
// returns an error if no file can be sealed to them.
func recipientTexts(args []string) (err error) {
	for i := range args {
		if args[i], err = recipientText(args[i]); err != nil {
			return usage{err}
		}
	}
	if len(args) > 0 {
		if _, err := seal.SealFile(io.Discard, args); err != nil {
			return usage{err}
		}
	}
	return nil
}

// known returns the recovery key that an argument identifies. The argument is the whole key or its
// beginning. If no key matches, known returns the argument unchanged. If several keys match, it
// returns an error.
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
				return "", errors.New("several recovery keys begin like this; give more of the key")
			}
			found = r.Text
		}
	}
	if found == "" {
		return text, nil // RemoveRecovery reports an unknown key, or continues an interrupted removal
	}
	return found, nil
}

func secretsShow() *cobra.Command {
	return jsonFlag(&cobra.Command{
		Use:     "show",
		Short:   "Show which keys open the database, by their public halves",
		Example: "  birthregistry secrets show",
		Args:    cobra.NoArgs,
		RunE: onApp(func(cmd *cobra.Command, a *app.App, _ []string) error {
			s, err := a.Secrets()
			if err != nil {
				return err
			}
			if asJSON(cmd) {
				return printJSON(cmd, s)
			}
			return printSecrets(cmd, s)
		}),
	})
}

func printSecrets(cmd *cobra.Command, s ops.Secrets) error {
	rows, recovery := [][]string{{"PUBLIC HALF", "KEY", "SINCE"}}, 0
	for _, r := range s.Recipients {
		what := "key file: " + s.KeyFile
		if r.Recovery {
			what = "recovery key"
			recovery++
		}
		rows = append(rows, []string{seal.Short(r.Text) + "…", what, r.AddedAt.Format(time.DateOnly)})
	}
	if err := table(cmd.OutOrStdout(), rows); err != nil {
		return err
	}
	if s.Unfinished {
		say(cmd, "A rotation was interrupted. Nothing is lost; run again: birthregistry secrets rotate")
	} else if s.Behind > 0 {
		say(cmd, "%d of %d headers still use the former keys. Run the interrupted command again.", s.Behind, s.Headers)
	}
	if recovery == 0 {
		say(cmd, "There is no recovery key: if the key file is lost, all patient data is lost. See: birthregistry secrets recovery --help")
	}
	return nil
}
