package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"birthregistry/app"
	"birthregistry/app/ops"
)

func restoreCommand() *cobra.Command {
	var with string
	var rehearse bool
	cmd := keyFileFlag(&cobra.Command{
		Use:   "restore SRC",
		Short: "Put a backup in the place of the database, while no server runs",
		Long: "Put a backup in the place of the database, while no server runs. The backup is checked first: its\n" +
			"pages, its version, that the key opens it. The database that was there is kept beside it, and what\n" +
			"it takes to undo this is printed. A backup that is sealed as a whole is unsealed.\n" +
			"Where the key file is lost, a recovery key opens the backup, and a new key file is made.\n" +
			"SRC may also be a database itself, set aside or left by an upgrade, or even the one in place: with a\n" +
			"recovery key it gets a new key file.\n" +
			"With --check all of this is done beside the database and thrown away: it tells whether the backup\n" +
			"would bring everything back, changes nothing, and works while the server runs.",
		Example: "  birthregistry restore /mnt/nas/registry-2026-11-20.db --check\n" +
			"  birthregistry restore /mnt/nas/registry-2026-11-20.db\n" +
			"  birthregistry restore /mnt/nas/registry-2026-11-20.db --with recovery.key",
		Args: cobra.ExactArgs(1),
	})
	cmd.Flags().StringVar(&with, "with", "", "the key that opens the backup, if it is not the database's: a recovery key, or a retired one")
	cmd.Flags().BoolVar(&rehearse, "check", false, "only tell whether the backup would bring everything back")
	withoutTwin(cmd, "check") // what is meant once must not stay for every time
	cmd.RunE = run(func(cmd *cobra.Command, args []string) error {
		config, err := configOf(cmd)
		if err != nil {
			return err
		}
		if args[0] == "" { // as of a folder in which there is none, or whose disk is not mounted
			return usage{errors.New("no backup is named: there is perhaps none in its folder, or its disk is not mounted")}
		}
		restoring := ops.Restoring{Source: args[0], With: with, Stage: func(stage string) {
			_, _ = fmt.Fprintf(cmd.ErrOrStderr(), "%s …\n", stage) // talk that is lost stops nothing
		}}
		if rehearse {
			done, err := ops.Rehearse(cmd.Context(), config.Config, restoring)
			if err != nil {
				return fmt.Errorf("it cannot be restored: %w", err)
			}
			return rehearsed(cmd, args[0], done)
		}
		done, err := ops.Restore(cmd.Context(), config.Config, restoring)
		if err != nil {
			return fmt.Errorf("nothing was restored: %w", err)
		}
		return restored(cmd, config, done)
	})
	return cmd
}

// restored prints what became of it, and what to do now.
func restored(cmd *cobra.Command, config app.Config, done ops.Restored) error {
	key := config.KeyFile
	if key == "" {
		key = ops.KeyFileFor(config.DB)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Restored %s.\n", config.DB)
	switch {
	case done.KeyMade:
		fmt.Fprintf(&b, "Made its key, %s. Keep a copy of it apart from the database.\n", key)
	case done.Rekeyed:
		fmt.Fprintf(&b, "Its key is %s.\n", key)
	}
	b.WriteString("Everybody has to sign in again. What was done since the backup is not in it: look through\n" +
		"  birthregistry user list\n  birthregistry key list --practice ID\n  birthregistry secrets show\n" +
		"for people, keys and recovery keys that had been shut out, and have integrators push again what they sent since.\n")
	if done.Aside != "" {
		undo := "birthregistry restore " + quoted(done.Aside) + " --db " + quoted(config.DB) + " --key-file " + quoted(key)
		if done.KeyMade {
			undo += " --with KEY   # a key that opened it before"
		}
		fmt.Fprintf(&b, "The database that was there is kept as %s.\nTo undo, stop the server and put it back:\n  %s\n"+
			"Delete it when you no longer need it.\n", done.Aside, undo)
	}
	if _, err := fmt.Fprint(cmd.OutOrStdout(), b.String()); err != nil {
		return err
	}
	return clean(done, "what was restored is not clean", "see: birthregistry check; an older backup may be better")
}

// rehearsed prints whether a backup would bring everything back.
func rehearsed(cmd *cobra.Command, source string, done ops.Restored) error {
	if err := clean(done, "the backup is not clean", "take the one before it"); err != nil {
		return err
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s can be restored: it opens, and every page and record is sound (schema %d).\nNothing was changed.\n",
		quoted(source), done.Schema)
	return err
}

// clean is an error for the first thing that the check of a backup has found.
func clean(done ops.Restored, what, fix string) error {
	for _, f := range done.Checks {
		if f.Problem != "" {
			return errors.Join(fmt.Errorf("%s (%s: %s)", what, f.Check, f.Problem), errors.New(fix))
		}
	}
	return nil
}

// quoted writes a path as a shell takes it.
func quoted(path string) string {
	if strings.ContainsFunc(path, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-", r)
	}) {
		return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	}
	return path
}
