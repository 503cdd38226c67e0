// Package cli is the command line, which operators and integrators use.
//
// Other programs rely on the following. Every command takes --db (or REGISTRY_DB), and prints
// results to standard output and everything else to standard error. Commands that list something
// take --json. Most commands work while the server runs, but restore and compact need it stopped. A
// command exits with 0 when it succeeds, with 1 when it fails and with 2 when it is called
// incorrectly.
//
// Every flag can also be set by an environment variable, as REGISTRY_DB does for --db, except the
// flags that noTwin marks. Secrets come from files or the environment, never from arguments,
// because other users of the machine can see arguments.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"birthregistry/app"
)

// These are the exit codes of every command.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

// Main runs the program and returns its exit code.
func Main(args []string) int {
	// Other users must not be able to read files that this process makes, whatever the shell's
	// umask is. The process must not write a core dump, which would contain patient data. If
	// the limit can't be set here, the systemd unit sets it.
	syscall.Umask(0o077)
	_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{})
	ctx, stop := signal.NotifyContext(context.Background(), endSignals()...)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	return Run(ctx, args, os.Stdin, os.Stdout, os.Stderr)
}

// Run runs a command line and returns its exit code.
func Run(ctx context.Context, args []string, in io.Reader, out, talk io.Writer) int {
	root := rootCommand()
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(talk)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return exitOK
	}
	if failed := (failure{}); errors.As(err, &failed) {
		if text, interrupted := interruption(cmd, failed.error); interrupted {
			_, _ = fmt.Fprintf(talk, "birthregistry: %s\n", text)
		} else if failed.error != nil {
			_, _ = fmt.Fprintf(talk, "birthregistry: %s\n", plain(failed.error))
		}
		return exitFailed
	}
	_, _ = fmt.Fprintf(talk, "birthregistry: %s\nSee: %s --help\n", wrongCall(cmd, plain(err)), cmd.CommandPath())
	return exitUsage
}

// wrongCall returns the error text for a command that was called incorrectly. text is cobra's error
// text. wrongCall replaces it if it only counts arguments or lists flags.
func wrongCall(cmd *cobra.Command, text string) string {
	if strings.Contains(text, " arg(s), ") {
		return "call it as: " + cmd.UseLine()
	}
	if names, ok := strings.CutPrefix(text, "required flag(s) "); ok {
		names, _, _ = strings.Cut(names, " not set")
		return "it needs --" + strings.ReplaceAll(strings.ReplaceAll(names, `"`, ""), ", ", ", --")
	}
	if names, ok := between(text, "at least one of the flags in the group [", "]"); ok {
		return "it needs --" + strings.ReplaceAll(names, " ", " or --")
	}
	if names, ok := between(text, "if any flags in the group [", "]"); ok {
		return "give only one of --" + strings.ReplaceAll(names, " ", " and --")
	}
	if typed, ok := strings.CutPrefix(text, "invalid argument "); ok && len(cmd.ValidArgs) > 0 {
		typed, _, _ = strings.Cut(typed, " for ")
		return typed + " is not one of " + strings.Join(cmd.ValidArgs, ", ")
	}
	return text
}

// between returns the part of a text between the words before and after. ok is true if the text
// begins with before and contains after.
func between(text, before, after string) (part string, ok bool) {
	if part, ok = strings.CutPrefix(text, before); ok {
		part, _, ok = strings.Cut(part, after)
	}
	return part, ok
}

// packages matches the names of packages and of the steps of package ops in the text of an error. Only
// logs need the names, so plain removes them.
var packages = regexp.MustCompile(`(?m)(^|: )(?:(?:archive|audit|auth|backup|birth|certs|changes|customfields|demo|dial|drafts|fhir|forget|guide|imports|ingest|lint|mapping|records|restore|review|seal|smart|sso|stats|store|systemd|task|ui|web|webhooks|worker): )+`)

// plain returns the text of an error in a form for the person who typed the command.
func plain(err error) string {
	text := err.Error()
	if missing := (*fs.PathError)(nil); errors.As(err, &missing) && errors.Is(missing, fs.ErrNotExist) {
		what, path := "file", missing.Path
		if _, err := os.Stat(filepath.Dir(path)); errors.Is(err, fs.ErrNotExist) {
			what, path = "folder", filepath.Dir(path)
		}
		text = strings.ReplaceAll(text, missing.Error(), "there is no such "+what+": "+path)
	}
	switch {
	case errors.Is(err, fs.ErrPermission):
		text += "; run this as root, or as the user to whom that belongs"
	case errors.Is(err, syscall.EROFS):
		text += "; the kernel's log (dmesg) says why, and birthregistry doctor what to do"
	}
	return packages.ReplaceAllString(text, "$1")
}

// failure is the error of a command that was called correctly but failed. If it wraps nil, the
// command has already printed why it failed.
type failure struct{ error }

// usage is an error in how a command was called. It is for errors that cobra can't notice.
type usage struct{ error }

// Unwrap returns the cause, in which plain looks for a missing file.
func (u usage) Unwrap() error { return u.error }

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "birthregistry",
		Short: "A birth registry's ingestion service",
		Long: "A birth registry's ingestion service: one program, one database file, one key file.\n" +
			"Start with:  birthregistry demo",
		SilenceErrors:     true,
		SilenceUsage:      true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return fromEnvironment(cmd) },
		Args:              cobra.ArbitraryArgs,
	}
	root.Flags().Bool("version", false, "print the version")
	withoutTwin(root, "version")
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if wanted, err := cmd.Flags().GetBool("version"); err == nil && wanted {
			return printVersion(cmd)
		}
		return helpOnly(cmd, args)
	}
	usual := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		width := widthOf(cmd.OutOrStdout())
		if width == 0 {
			usual(cmd, args)
			return
		}
		_, _ = io.WriteString(cmd.OutOrStdout(), helpText(cmd, width)) // as the usual one
	})
	root.PersistentFlags().String("db", "registry.db", "the database file")
	root.AddCommand(
		serveCommand(), demoCommand(), setUpLinkCommand(), practiceCommand(), userCommand(), keyCommand(), ehrCommand(), ssoCommand(), recordCommand(), pushCommand(), lintCommand(),
		importCommand(), backupCommand(), restoreCommand(), checkCommand(), compactCommand(), healthCommand(), doctorCommand(), secretsCommand(), auditCommand(), unitCommand(), docsCommand(), versionCommand(),
	)
	return root
}

// run adapts the function of a command for cobra. It wraps the function's error in a failure,
// unless the command was called incorrectly (usage).
func run(fn func(cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		err := fn(cmd, args)
		wrong, failed := usage{}, failure{}
		if err == nil || errors.As(err, &wrong) || errors.As(err, &failed) {
			return err
		}
		return failure{err}
	}
}

// configOf returns the configuration of the installation on which a command works. It sets
// Existing, so that a missing database is an error.
func configOf(cmd *cobra.Command) (app.Config, error) {
	db := cmd.Flag("db").Value.String()
	if db == "" { // REGISTRY_DB is set but empty
		return app.Config{}, usage{errors.New("--db names the database file, such as registry.db")}
	}
	config := app.Defaults(db)
	config.Existing, config.Log = true, logger(cmd.ErrOrStderr())
	if f := cmd.Flags().Lookup("key-file"); f != nil {
		config.KeyFile = f.Value.String()
	}
	return config, nil
}

// group returns a command that has only subcommands. Its help shows the first example of each
// subcommand.
func group(use, short, long string, commands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short, Long: long, Args: cobra.ArbitraryArgs, RunE: helpOnly}
	cmd.AddCommand(commands...)
	var examples []string
	for _, sub := range commands {
		first, _, _ := strings.Cut(sub.Example, "\n  birthregistry ")
		examples = append(examples, first)
	}
	cmd.Example = strings.Join(examples, "\n")
	return cmd
}

// helpOnly prints the help of a command that consists only of subcommands. It returns an error for an
// argument, which is an unknown subcommand.
func helpOnly(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	text := fmt.Sprintf("there is no command %q", strings.TrimPrefix(cmd.CommandPath()+" "+args[0], cmd.Root().Name()+" "))
	cmd.SuggestionsMinimumDistance = min(2, len(args[0])/3) // letters that differ
	if similar := cmd.SuggestionsFor(args[0]); len(similar) > 0 {
		text += "; did you mean " + strings.Join(similar, " or ") + "?"
	}
	return errors.New(text)
}

// onApp adapts the function of a command that works on the opened installation.
func onApp(fn func(cmd *cobra.Command, a *app.App, args []string) error) func(*cobra.Command, []string) error {
	return run(func(cmd *cobra.Command, args []string) error {
		return with(cmd, func(a *app.App) error { return fn(cmd, a, args) })
	})
}

// with opens the installation, calls fn with it, and closes it. The functions in change can change
// the configuration first.
func with(cmd *cobra.Command, fn func(*app.App) error, change ...func(*app.Config)) error {
	config, err := configOf(cmd)
	if err != nil {
		return err
	}
	for _, c := range change {
		c(&config)
	}
	a, err := app.Open(cmd.Context(), config)
	if err != nil {
		return err
	}
	return errors.Join(fn(a), a.Close())
}

// keyFileFlag adds the flag --key-file, which names the key file of the database.
func keyFileFlag(cmd *cobra.Command) *cobra.Command {
	cmd.PersistentFlags().String("key-file", "", "the key of the database (default: the database's name with .key)")
	return cmd
}

func jsonFlag(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().Bool("json", false, "print JSON")
	return cmd
}

func asJSON(cmd *cobra.Command) bool {
	yes, err := cmd.Flags().GetBool("json")
	return err == nil && yes
}
