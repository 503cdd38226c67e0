package cli

import (
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The environment variables of flags.

// twinOf returns the name of the environment variable for a flag. For --max-body, it is
// REGISTRY_MAX_BODY.
func twinOf(f *pflag.Flag) string {
	return "REGISTRY_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
}

// fromEnvironment sets the flags that the command line doesn't set, from their environment
// variables. It returns an error if a flag doesn't accept the variable's value.
func fromEnvironment(cmd *cobra.Command) error {
	var wrong error
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Changed || f.Name == "help" || f.Annotations[noTwin] != nil {
			return
		}
		twin := twinOf(f)
		if value, ok := os.LookupEnv(twin); ok {
			if err := cmd.Flags().Set(f.Name, value); err != nil {
				wrong = fmt.Errorf("%s: %w", twin, err)
			}
		}
	})
	return wrong
}

// noTwin is the annotation of a flag for which there is no environment variable. Either the
// variable's name already has another meaning, or a variable that was set for one call could change
// other calls unintentionally.
const noTwin = "no-environment-twin"

// withoutTwin marks a flag as one for which there is no environment variable.
func withoutTwin(cmd *cobra.Command, flag string) {
	_ = cmd.Flags().SetAnnotation(flag, noTwin, []string{"true"}) // the flag is there
}

// warnOfStrays logs a warning for each environment variable that begins with REGISTRY_ but is read
// by no command. Otherwise nobody might notice a misspelled setting.
func warnOfStrays(cmd *cobra.Command, log *slog.Logger) {
	known := []string{"REGISTRY_API_KEY"}
	var collect func(*cobra.Command)
	collect = func(c *cobra.Command) {
		note := func(f *pflag.Flag) { known = append(known, twinOf(f)) }
		c.Flags().VisitAll(note)
		c.PersistentFlags().VisitAll(note)
		for _, sub := range c.Commands() {
			collect(sub)
		}
	}
	collect(cmd.Root())
	for _, line := range os.Environ() {
		name, _, _ := strings.Cut(line, "=")
		if strings.HasPrefix(name, "REGISTRY_") && !slices.Contains(known, name) {
			log.Warn("the environment has " + name + ", which is not a setting of this program; it may be misspelled")
		}
	}
}
