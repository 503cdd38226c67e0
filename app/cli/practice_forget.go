package cli

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"birthregistry/app"
	"birthregistry/app/task"
	"birthregistry/store"
)

func practiceForget() *cobra.Command {
	var exported string
	var without, yes bool
	cmd := jsonFlag(&cobra.Command{
		Use:   "forget ID --exported SHA256 | --without-export",
		Short: "Erase a practice and print a certificate",
		Long: "Erase everything of a practice from the database, its free pages and its write-ahead log, and print a certificate.\n" +
			"The command practice certificate prints it again. The service can keep running. Only an export or a backup can bring the\n" +
			"practice back.\n\n" +
			"--exported takes the SHA-256 that practice export printed, and erases nothing if the practice has changed since. If\n" +
			"the command is interrupted, run it again; the service also continues. Backups made before still hold the practice:\n" +
			"the certificate says for how long.",
		Example: "  birthregistry practice forget 1 --exported 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\n" +
			"  birthregistry practice forget 1 --without-export --yes --json",
		Args: cobra.ExactArgs(1),
	})
	leaving(cmd, "what is erased stays erased, and the service erases the rest; without it, run this again")
	cmd.Flags().StringVar(&exported, "exported", "", "the SHA-256 of an export that has all of the practice's data")
	cmd.Flags().BoolVar(&without, "without-export", false, "erase the practice even if nobody has a copy of its data")
	cmd.Flags().BoolVar(&yes, "yes", false, "don't ask for the practice's name")
	for _, flag := range []string{"exported", "without-export", "yes"} { // an environment variable would apply to every practice
		withoutTwin(cmd, flag)
	}
	cmd.MarkFlagsOneRequired("exported", "without-export")
	cmd.MarkFlagsMutuallyExclusive("exported", "without-export")
	cmd.RunE = run(func(cmd *cobra.Command, args []string) error {
		id, err := parsePractice(args[0])
		if err != nil {
			return err
		}
		var digest []byte
		if !without {
			if digest, err = hex.DecodeString(strings.ToLower(strings.TrimSpace(exported))); err != nil || len(digest) != 32 {
				return usage{errors.New("--exported takes the 64 characters that practice export printed")}
			}
		}
		return with(cmd, func(a *app.App) error { return forgetPractice(cmd, a, id, digest, yes) })
	})
	return cmd
}

func practiceCertificate() *cobra.Command {
	return jsonFlag(&cobra.Command{
		Use:     "certificate ID",
		Short:   "Print the certificate of a practice that was erased",
		Example: "  birthregistry practice certificate 1",
		Args:    cobra.ExactArgs(1),
		RunE: onApp(func(cmd *cobra.Command, a *app.App, args []string) error {
			id, err := parsePractice(args[0])
			if err != nil {
				return err
			}
			return printCertificate(cmd, a, id)
		}),
	})
}

// forgetPractice begins to erase a practice, unless an earlier command has already begun. It then
// waits until the practice is deleted, and prints the certificate.
func forgetPractice(cmd *cobra.Command, a *app.App, id store.PracticeID, digest []byte, yes bool) error {
	_, err := a.Forget.Progress(cmd.Context(), id)
	if errors.Is(err, store.ErrNotFound) {
		err = beginForgetting(cmd, a, id, digest, yes)
	}
	if err != nil {
		return err
	}
	if err := awaitForgotten(cmd.Context(), cmd, a, id); err != nil {
		return err
	}
	return printCertificate(cmd, a, id)
}

func beginForgetting(cmd *cobra.Command, a *app.App, id store.PracticeID, digest []byte, yes bool) error {
	practice, err := practiceOf(cmd, a, id)
	if err != nil {
		return err
	}
	if !yes {
		if err := confirmName(cmd, practice.Name); err != nil {
			return err
		}
	}
	again := fmt.Sprintf("export it again: birthregistry practice export %d FILE --recipient AGE", id)
	switch err := a.Forget.Begin(id, digest); {
	case errors.Is(err, store.ErrExportUnknown):
		return fmt.Errorf("nothing was erased: no export of this practice with that SHA-256 was made here; take the one that practice export printed, or %s", again)
	case errors.Is(err, store.ErrExportOld):
		return fmt.Errorf("nothing was erased: the practice has changed since that export; %s", again)
	default:
		return noSuch("practice; see: birthregistry practice list", err)
	}
}

// confirmName asks the operator to type the name of the practice. It returns an error if the
// operator types something else.
func confirmName(cmd *cobra.Command, name string) error {
	say(cmd, "This erases %s for good. Backups made before still hold it.\nType the name of the practice to erase it:", printable(name))
	typed, err := readLine(cmd)
	if errors.Is(err, context.Canceled) {
		return errors.New("nothing was erased: interrupted")
	}
	if strings.TrimSpace(typed) == strings.TrimSpace(name) {
		return nil
	}
	if err != nil {
		return errors.New("nothing was erased: without a terminal, add --yes")
	}
	return errors.New("nothing was erased: that is not the name of the practice")
}

// walLooks is how many times the WAL must be found in use before the command prints walNeeded.
const walLooks = 10

const walNeeded = `Every row of the practice is deleted, but something still reads the database as it was before, so the write-ahead log can't
be emptied. That may be a backup, an export, a download or another program that has the file open. It continues as soon as the
reader ends. If no such reader should be running, restart the service. You can interrupt this command: the service continues,
and birthregistry practice certificate %d prints the certificate.`

const otherFailed = "erasing another practice failed, and the service will retry: %v"

// awaitForgotten waits until the practice is deleted. If all rows are deleted but a reader still
// needs the WAL, it prints a message. While no process serves the database, this process deletes
// the practice itself.
func awaitForgotten(ctx context.Context, cmd *cobra.Command, a *app.App, id store.PracticeID) error {
	show := progress(cmd.ErrOrStderr(), "Erasing births")
	looks := 0
	var working <-chan error
	err := task.Await(ctx, func() (done bool, err error) {
		at, err := a.Forget.Progress(ctx, id)
		if show(at.Erased, at.Erased+at.Left); err != nil || at.Done {
			return at.Done, err
		}
		if at.Waits {
			looks++
		}
		if looks == walLooks {
			looks++ // the message is printed only once
			say(cmd, walNeeded, id)
		}
		if working == nil {
			working = task.Go(logger(cmd.ErrOrStderr()), "forget", func() error { return a.WorkForget(ctx) })
		}
		select {
		case failed := <-working:
			working = nil
			at, err = a.Forget.Progress(ctx, id)
			if failed == nil || err != nil || !at.Waits && !at.Done {
				return at.Done, errors.Join(err, failed)
			}
			say(cmd, otherFailed, failed)
			return at.Done, nil
		default:
			return false, nil
		}
	})
	if working == nil {
		return err
	}
	failed := <-working
	if err == nil && failed != nil {
		say(cmd, otherFailed, failed)
		return nil
	}
	return errors.Join(err, failed)
}

func printCertificate(cmd *cobra.Command, a *app.App, id store.PracticeID) error {
	c, err := a.Forget.Certificate(cmd.Context(), id)
	if err != nil {
		return noSuch("certificate: no practice with that id was erased here", err)
	}
	if asJSON(cmd) {
		return printJSON(cmd, c)
	}
	var p page
	for line := range strings.Lines(c.String()) {
		if len(line) > 100 { // a paragraph, which a printer would cut off; a digest is shorter
			p.wrapped(0, line)
		} else {
			p.line(0, strings.TrimSuffix(line, "\n"))
		}
	}
	return output(cmd, "%s", p.String())
}

// forgottenMeanwhile returns the error of a command on a practice. If the command found no data
// because the practice was being erased in the meantime, the error says so. Otherwise it is err.
func forgottenMeanwhile(ctx context.Context, a *app.App, id store.PracticeID, err error) error {
	if !errors.Is(err, store.ErrNotFound) {
		return err
	}
	if _, none := a.Forget.Progress(ctx, id); none != nil {
		return err
	}
	return fmt.Errorf("practice %d was forgotten meanwhile; once that is done, see: birthregistry practice certificate %d", id, id)
}
