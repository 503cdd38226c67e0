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
		Short: "Replace the database with a backup, while the service is stopped",
		Long: "Replace the database with a backup, while the service is stopped. The backup is checked first: its pages, its\n" +
			"version, and that the key opens it. The replaced database is kept next to the new one, and the command prints how\n" +
			"to undo this. A backup that was made with --sealed is decrypted.\n\n" +
			"If the key file is lost, a recovery key opens the backup, and a new key file is made. SRC may also be a database\n" +
			"that an earlier restore replaced, the copy from an upgrade, or even the current database, which then gets a new key file.\n\n" +
			"With --check, all of this happens in a temporary folder: it shows whether the backup would bring everything back,\n" +
			"changes nothing, and works while the service runs.",
		Example: "  birthregistry restore /mnt/nas/registry-2026-11-20.db --check\n" +
			"  birthregistry restore /mnt/nas/registry-2026-11-20.db\n" +
			"  birthregistry restore /mnt/nas/registry-2026-11-20.db --with recovery.key",
		Args: cobra.ExactArgs(1),
	})
	leaving(cmd, "nothing was restored, and the database is as before")
	cmd.Flags().StringVar(&with, "with", "", "key that opens the backup, if it is not the database's: a recovery key, or a retired one")
	cmd.Flags().BoolVar(&rehearse, "check", false, "only show whether the backup would bring everything back")
	withoutTwin(cmd, "check") // meant for a single call; an environment variable would set it for all
	cmd.RunE = run(func(cmd *cobra.Command, args []string) error {
		config, err := configOf(cmd)
		if err != nil {
			return err
		}
		if args[0] == "" { // such as from a shell command that found no file
			return usage{errors.New("no backup is named: perhaps its folder is empty, or its disk is not mounted")}
		}
		restoring := ops.Restoring{Source: args[0], With: with, Stage: func(stage string) {
			say(cmd, "%s …", stage)
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

// restored prints the result of a restore, and what the operator should do next.
func restored(cmd *cobra.Command, config app.Config, done ops.Restored) error {
	key := config.KeyFile
	if key == "" {
		key = ops.KeyFileFor(config.DB)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Restored %s.\n", config.DB)
	switch {
	case done.KeyMade:
		fmt.Fprintf(&b, "Its new key file is %s. Keep a copy of that file apart from the database.\n", key)
	case done.Rekeyed:
		fmt.Fprintf(&b, "Its key is %s.\n", key)
	}
	b.WriteString("Everybody has to sign in again. ")
	if done.InPlace {
		b.WriteString("Everything else is unchanged.\n")
	} else {
		b.WriteString(sinceTheBackup)
	}
	if done.Aside != "" {
		undo := "birthregistry restore " + quoted(done.Aside) + " --db " + quoted(config.DB) + " --key-file " + quoted(key)
		if done.KeyMade {
			undo += " --with KEY   # a key that opened it before"
		}
		fmt.Fprintf(&b, "The database that was there is kept as %s.\nTo undo, stop the server and put it back:\n  %s\n"+
			"Delete it when you no longer need it.\n", done.Aside, undo)
	}
	if err := output(cmd, "%s", b.String()); err != nil {
		return err
	}
	for _, f := range done.Checks {
		if f.Fix != "" {
			say(cmd, "%s. Next: %s", f.Problem, f.Fix)
		}
	}
	return clean(done, "a check of the restored database failed", "see: birthregistry check; an older backup may be better")
}

const sinceTheBackup = `Changes since the backup are not in it. Look through
  birthregistry user list
  birthregistry key list --practice ID
  birthregistry secrets show
for users, API keys and recovery keys that you had disabled, revoked or removed since. Have integrators push again
what they have sent since.
`

// rehearsed prints whether a restore of the backup would succeed completely.
func rehearsed(cmd *cobra.Command, source string, done ops.Restored) error {
	if err := clean(done, "a check of the backup failed", "use the previous backup"); err != nil {
		return err
	}
	return output(cmd, "%s can be restored: it opens, and every page and record is sound (schema %d).\nNothing was changed.\n",
		quoted(source), done.Schema)
}

// clean returns nil if a restored or rehearsed backup has passed all checks. Otherwise it returns
// an error with the text what, the first check that failed, and the advice fix. An unfinished
// change of the keys is no fault of the backup.
func clean(done ops.Restored, what, fix string) error {
	for _, f := range done.Checks {
		if f.Damage() {
			return errors.Join(fmt.Errorf("%s (%s: %s)", what, f.Check, f.Problem), errors.New(fix))
		}
	}
	return nil
}

// quoted returns an argument, such as a path, with quotes for a shell if it needs them.
func quoted(path string) string {
	if strings.ContainsFunc(path, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-:,@", r)
	}) {
		return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	}
	return path
}
