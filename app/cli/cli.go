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
	"os"
	"os/signal"
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
