package cli

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"birthregistry/app"
)

// writeManPages writes a man page (section 1) for each command into a folder. The pages have the
// same texts as --help. If SOURCE_DATE_EPOCH is set, which is in seconds, it determines the date of
// the pages.
func writeManPages(root *cobra.Command, folder string) error {
	date := ""
	if seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64); err == nil {
		date = time.Unix(seconds, 0).UTC().Format(time.DateOnly)
	}
	for _, cmd := range withPages(root) {
		path := filepath.Join(folder, manName(cmd)+".1")
		if err := os.WriteFile(path, []byte(manPage(cmd, date)), 0o600); err != nil {
			return err
		}
		if err := os.Chmod(path, 0o644); err != nil { //nolint:gosec // every user reads man pages
			return err
		}
	}
	return nil
}

// withPages returns a command and all its subcommands, except those that cobra adds.
func withPages(cmd *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{cmd}
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() && sub.Name() != "completion" {
			all = append(all, withPages(sub)...)
		}
	}
	return all
}

func manName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// manPage returns the man page of a command, in the format of man(7).
func manPage(cmd *cobra.Command, date string) string {
	var page strings.Builder
	write := func(format string, args ...any) { _, _ = fmt.Fprintf(&page, format+"\n", args...) }
	write(`.TH "%s" 1 "%s" "birthregistry %s" "Birth registry"`, strings.ToUpper(manText(manName(cmd))), date, manText(app.Version))
	write(".SH NAME\n%s \\- %s", manText(manName(cmd)), manText(cmd.Short))
	write(".SH SYNOPSIS\n.B %s", manText(cmd.UseLine()))
	write(".SH DESCRIPTION\n%s", manParagraphs(cmp.Or(cmd.Long, cmd.Short+".")))
	if cmd.HasAvailableSubCommands() {
		write(".SH COMMANDS")
		for _, sub := range cmd.Commands() {
			write(".TP\n.B %s\n%s", manText(sub.Name()), manText(sub.Short))
		}
	}
	if cmd.HasAvailableFlags() {
		write(".SH OPTIONS")
		cmd.Flags().VisitAll(func(f *pflag.Flag) { write("%s", manFlag(f)) })
	}
	if cmd.Example != "" {
		write(".SH EXAMPLES\n.nf\n%s\n.fi", manText(cmd.Example))
	}
	write(".SH EXIT STATUS\n0 if it succeeds, 1 if it fails, 2 if it is called incorrectly.")
	var others []string
	if cmd.HasParent() {
		others = append(others, manName(cmd.Parent()))
	}
	for _, sub := range withPages(cmd)[1:] {
		if sub.Parent() == cmd {
			others = append(others, manName(sub))
		}
	}
	if len(others) > 0 {
		write(".SH SEE ALSO\n%s", manText(strings.Join(others, "(1), ")+"(1)"))
	}
	return page.String()
}

// manFlag returns the entry for a flag in a man page, with the flag's value, default and
// environment variable.
func manFlag(f *pflag.Flag) string {
	takes, usage := pflag.UnquoteUsage(f)
	if !slices.Contains([]string{"", "0", "0s", "[]", "false"}, f.DefValue) {
		usage += " (default " + f.DefValue + ")"
	}
	if f.Name != "help" && f.Annotations[noTwin] == nil {
		usage += "; " + twinOf(f)
	}
	return fmt.Sprintf(".TP\n\\fB%s\\fR \\fI%s\\fR\n%s", manText("--"+f.Name), manText(takes), manText(usage))
}

// manParagraphs returns a text as paragraphs of a man page. In paragraphs that begin with a space,
// line breaks are kept. In other paragraphs, man breaks the lines.
func manParagraphs(text string) string {
	var paragraphs []string
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		if strings.HasPrefix(paragraph, " ") {
			paragraphs = append(paragraphs, ".nf\n"+manText(paragraph)+"\n.fi")
			continue
		}
		paragraphs = append(paragraphs, manText(paragraph))
	}
	return strings.Join(paragraphs, "\n.PP\n")
}

// manText escapes characters that have a special meaning in a man page.
func manText(text string) string {
	lines := strings.Split(strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text), "\n")
	for n, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[n] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
