package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"birthregistry/app"
	"birthregistry/app/birth"
	"birthregistry/app/lint"
)

func lintCommand() *cobra.Command {
	var s lint.Settings
	var maxBody string
	cmd := jsonFlag(&cobra.Command{
		Use:   "lint FILE|DIR|- …",
		Short: "Show which parts of a Bundle the registry would keep or drop, and why",
		Long: "Show which parts of a Bundle the registry would keep or drop, and why, and the receipt that it would return.\n" +
			"It needs no server, no database and no key, and writes nothing. A folder means the .json files in\n" +
			"it; - means standard input. Lint reads the files in order, as if one practice sent them and had nothing\n" +
			"else on file; the server also compares each birth with the records that it has.\n" +
			"Without --reveal it prints no submitted value, and a patient's place in the Bundle instead of the id.\n" +
			"Exits with 0 when everything would be accepted, and with 1 otherwise or when a file cannot be read.",
		Example: "  birthregistry lint bundle.json\n" +
			"  birthregistry lint births/ --reading bfdr\n" +
			"  birthregistry lint - --json < bundle.json | jq '.files[].courses[].dropped'",
		Args: cobra.MinimumNArgs(1),
	})
	readingFlag(cmd.Flags(), &s.Reading)
	attendantsFlag(cmd.Flags(), &s.Attendants)
	maxBodyFlag(cmd.Flags(), &maxBody)
	cmd.Flags().BoolVar(&s.Reveal, "reveal", false, "show the values that are kept, and the ids of patients")
	cmd.RunE = run(func(cmd *cobra.Command, args []string) (err error) {
		if s.MaxBody, err = parseMaxBody(maxBody); err != nil {
			return usage{err}
		}
		files, err := bundleFiles(args)
		if err != nil {
			return err
		}
		return lintAll(cmd, s, files)
	})
	return cmd
}

// linted is the report on one file. It has the report on the file's Bundle, or the reason why the
// file can't be read.
type linted struct {
	File  string `json:"file"`
	Error string `json:"error,omitzero"`
	*lint.Bundle
}

// lintReport is the report that --json prints.
type lintReport struct {
	Version  string      `json:"version"`
	Reading  string      `json:"reading"`
	Revealed bool        `json:"revealed"`
	Files    []linted    `json:"files"`
	Summary  lintSummary `json:"summary"`
}

func lintAll(cmd *cobra.Command, s lint.Settings, files []string) error {
	report := lintReport{Version: app.Version, Reading: string(cmp.Or(s.Reading, birth.SpecReading)), Revealed: s.Reveal, Files: []linted{}}
	linter, bar := lint.New(s, time.Now()), newBar(cmd.ErrOrStderr(), len(files), "reading")
	for _, file := range files {
		if cmd.Context().Err() != nil {
			break
		}
		l := lintOne(cmd, linter, file)
		report.Files = append(report.Files, l)
		report.Summary.add(l)
		_ = bar.Add(1) // a bar that cannot be drawn stops nothing
	}
	_ = bar.Finish()
	var err error
	if asJSON(cmd) {
		err = printJSON(cmd, report)
	} else {
		err = printLint(cmd.OutOrStdout(), report)
	}
	switch {
	case err != nil:
		return err
	case len(report.Files) < len(files):
		return fmt.Errorf("interrupted after %d of %d files", len(report.Files), len(files))
	case !report.Summary.fine():
		return failure{} // the report says why
	}
	return nil
}

func lintOne(cmd *cobra.Command, linter *lint.Linter, file string) linted {
	from := io.NopCloser(cmd.InOrStdin())
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return linted{File: file, Error: cause(err)}
		}
		from = f
	}
	defer from.Close() //nolint:errcheck // only read
	bundle, err := linter.Read(from)
	if err != nil {
		return linted{File: file, Error: cause(err)}
	}
	return linted{File: file, Bundle: bundle}
}

// cause returns the reason why a file can't be read. The reason doesn't include the file's name.
func cause(err error) string {
	if path := (*os.PathError)(nil); errors.As(err, &path) {
		err = path.Err
	}
	return "the file cannot be read: " + err.Error()
}

// lintSummary counts the results of all files.
type lintSummary struct {
	Files    int `json:"files"`
	Accepted int `json:"accepted"`
	Rejected int `json:"rejected"`
	// Refused counts the files that the service would refuse, and the files whose ingestion would
	// fail.
	Refused int `json:"refused"`
	Unread  int `json:"unread"`
	Kept    int `json:"kept"`
	Dropped int `json:"dropped"`
}

func (s *lintSummary) add(l linted) {
	s.Files++
	switch {
	case l.Bundle == nil:
		s.Unread++
		return
	case l.Status != lint.Completed:
		s.Refused++
		return
	}
	s.Accepted, s.Rejected = s.Accepted+l.Accepted, s.Rejected+l.Rejected
	s.Dropped += len(l.Outside)
	for _, c := range l.Courses {
		s.Kept, s.Dropped = s.Kept+len(c.Kept), s.Dropped+len(c.Dropped)
	}
}

func (s *lintSummary) fine() bool { return s.Rejected+s.Refused+s.Unread == 0 }
