package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
)

// wrongCall returns the error text for a command that was called incorrectly. It replaces those
// texts of cobra that only count arguments or list flags.
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

// between returns the part of a text between two strings, before and after. ok is set if the text
// begins with the first string and contains the second.
func between(text, before, after string) (part string, ok bool) {
	if part, ok = strings.CutPrefix(text, before); ok {
		part, _, ok = strings.Cut(part, after)
	}
	return part, ok
}

// packages matches the names of packages and of the steps of package ops in the text of an error. Only
// logs need the names, so plain removes them.
var packages = regexp.MustCompile(`(?m)(^|: )(?:(?:archive|audit|auth|backup|birth|certs|changes|customfields|demo|dial|drafts|fhir|forget|guide|imports|ingest|lint|mapping|records|restore|review|seal|smart|sso|stats|store|systemd|task|ui|web|webhooks|worker): )+`)

// plain returns the text of an error for the person who typed the command.
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
// command has already printed the reason.
type failure struct{ error }

// usage is an error in the call of a command that only the command itself could notice, not cobra.
type usage struct{ error }

// Unwrap returns the cause, in which plain looks for a missing file.
func (u usage) Unwrap() error { return u.error }
