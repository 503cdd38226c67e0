package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"birthregistry/app"
	"birthregistry/app/auth"
	"birthregistry/app/imports"
	"birthregistry/app/mapping/sheet"
	"birthregistry/app/task"
	"birthregistry/store"
)

// importOptions are the flags of import.
type importOptions struct {
	dry, leaveOut bool
	errorFile     string
}

func importCommand() *cobra.Command {
	var o importOptions
	cmd := inPractice(keyFileFlag(jsonFlag(&cobra.Command{
		Use:   "import FILE.csv|- --practice ID",
		Short: "Import a CSV file of births, after a preview",
		Long: "Import a CSV file of births, after a preview. The import goes through the queue of the serving process. If no process\n" +
			"serves the database, this command processes the queue itself until the file is done. Rows with errors stop the import,\n" +
			"unless --leave-out-errors skips them. Exits with 0 when every row was imported or was already on file, otherwise with 1.",
		Example: "  birthregistry import births.csv --practice 1 --dry-run\n" +
			"  birthregistry import births.csv --practice 1 --leave-out-errors --error-file left-out.csv",
		Args: cobra.ExactArgs(1),
	})), func(cmd *cobra.Command, a *app.App, p store.Practice, args []string) error {
		im := &importing{App: a, cmd: cmd, who: auth.Operator(p), importOptions: o}
		return forgottenMeanwhile(cmd.Context(), a, p.ID, im.run(args[0]))
	})
	leaving(cmd, "nothing was imported; run it again")
	cmd.Flags().BoolVar(&o.dry, "dry-run", false, "only preview the import")
	cmd.Flags().BoolVar(&o.leaveOut, "leave-out-errors", false, "skip rows with errors and import the others")
	cmd.Flags().StringVar(&o.errorFile, "error-file", "", "file for the rows that were not imported, with the reasons")
	return cmd
}

// importing is an import in progress.
type importing struct {
	*app.App
	cmd *cobra.Command
	who auth.User
	importOptions
}

func (im *importing) run(file string) error {
	if im.overwrites(file) {
		return usage{errors.New("--error-file would overwrite the file that is imported; name another file")}
	}
	found, err := im.upload(file)
	if err != nil {
		return err
	}
	if !im.dry && (found.About.Preview.Errors == 0 || im.leaveOut) {
		if found, err = im.do(found); err != nil {
			return err
		}
	}
	return im.report(found)
}

// overwrites reports whether the error file is the file that is imported.
func (im *importing) overwrites(file string) bool {
	read, err := os.Stat(file)
	if in, ok := im.cmd.InOrStdin().(*os.File); ok && file == "-" {
		read, err = in.Stat()
	}
	if err != nil {
		return false
	}
	written, err := os.Stat(im.errorFile)
	return err == nil && os.SameFile(read, written)
}

// upload stores the file and returns its preview.
func (im *importing) upload(file string) (imports.Import, error) {
	body := im.cmd.InOrStdin()
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return imports.Import{}, err
		}
		defer f.Close() //nolint:errcheck // only read
		body = f
	}
	i, err := im.Imports.Upload(im.cmd.Context(), im.who, filepath.Base(file), body)
	if problem := (*sheet.Problem)(nil); errors.As(err, &problem) {
		return i, fmt.Errorf("the file cannot be imported: %s", problem)
	}
	return i, err
}

// do confirms an import and waits until it has ended. While no process serves the database, do
// processes the queue itself. If the file has nothing to import, do does nothing.
func (im *importing) do(found imports.Import) (imports.Import, error) {
	err := im.Imports.Confirm(im.cmd.Context(), im.who, found.ID, im.leaveOut)
	if errors.Is(err, imports.ErrNothing) {
		return found, nil
	}
	if err != nil {
		return found, err
	}
	bar := newBar(im.cmd.ErrOrStderr(), found.About.Preview.Items(), "importing")
	done := func() (bool, error) {
		var err error
		found, err = im.Imports.Import(im.cmd.Context(), im.who, found.ID)
		_ = bar.Set(found.Items) // a bar that cannot be drawn stops nothing
		return found.Status == store.Completed || found.Status == store.Failed, err
	}
	ctx := im.cmd.Context()
	err = im.Work(ctx, done)
	if errors.Is(err, store.ErrServed) {
		err = task.Await(ctx, done)
	}
	_ = bar.Finish()
	if errors.Is(err, context.Canceled) {
		return found, errors.New("interrupted; the import stays in the queue, and the service continues it: do not import the file again")
	}
	return found, err
}

// report prints the preview or the result of an import, and writes the error file. It deletes the
// stored copy of the file, because the operator has the original.
func (im *importing) report(found imports.Import) error {
	counts := found.About.Preview
	if found.Result != nil {
		counts.New, counts.Amends, counts.Revives = found.Result.New, found.Result.Amends, found.Result.Revives
		counts.Unchanged, counts.Errors, counts.Suspected = found.Result.Unchanged, found.Result.Errors, found.Result.Suspected
	}
	if err := im.print(found, counts); err != nil {
		return err
	}
	if im.errorFile != "" && counts.Errors > 0 {
		if err := im.writeErrors(found.ID); err != nil {
			return err
		}
	}
	if err := im.Imports.Drop(context.Background(), im.who, found.ID); err != nil {
		return err
	}
	switch {
	case found.Status == store.Failed:
		return errors.New("the import failed and none of it was written; import the file again")
	case counts.Errors > 0 && !found.Confirmed && !im.dry && im.leaveOut:
		return errors.New("nothing was imported: no row without errors would change anything")
	case counts.Errors > 0 && !found.Confirmed && !im.dry:
		return errors.New("nothing was imported; fix the rows, or add --leave-out-errors")
	case counts.Errors > 0:
		return failure{} // the report states the reason
	}
	return nil
}

func (im *importing) print(found imports.Import, counts imports.Preview) error {
	out := im.cmd.OutOrStdout()
	if asJSON(im.cmd) {
		counts = counts.WithoutTexts() // scripts log this output
		return printJSON(im.cmd, struct {
			Import  string          `json:"import"`
			DryRun  bool            `json:"dry_run"`
			Done    bool            `json:"imported"`
			Result  imports.Preview `json:"result"`
			Ignored []string        `json:"columns_ignored"`
		}{found.ID, im.dry, found.Status == store.Completed, counts, found.About.Ignored})
	}
	was, were := "would be", "would be"
	if found.Status == store.Completed {
		was, were = "was", "were"
	}
	_, err := fmt.Fprintf(out, "%s, %s\n", humanize.Comma(int64(counts.Rows))+" "+english.PluralWord(counts.Rows, "row", "rows"), found.About.Encoding)
	for _, line := range []struct {
		n         int
		one, many string
	}{
		{counts.New, "birth " + was + " added", "births " + were + " added"},
		{counts.Amends, "record " + was + " amended", "records " + were + " amended"},
		{counts.Revives, "voided record " + was + " brought back", "voided records " + were + " brought back"},
		{counts.Unchanged, "is on file already", "are on file already"},
		{counts.Suspected, "looks like a duplicate and is flagged", "look like duplicates and are flagged"},
		{counts.Unlikely, "has unlikely values and is imported unchanged", "have unlikely values and are imported unchanged"},
		{counts.Errors, "has errors", "have errors"},
	} {
		if err == nil && line.n > 0 {
			_, err = fmt.Fprintf(out, "%7d  %s\n", line.n, english.PluralWord(line.n, line.one, line.many))
		}
	}
	for _, name := range found.About.Ignored {
		if err == nil {
			_, err = fmt.Fprintf(out, "column %s is not read\n", printable(name))
		}
	}
	if err != nil || len(counts.Cells) == 0 {
		return err
	}
	return printCells(out, counts)
}

// cellsPrinted is how many wrong cells the command lists on a terminal.
const cellsPrinted = 30

func printCells(out io.Writer, counts imports.Preview) error {
	rows := [][]string{{"ROW", "COLUMN", "WHAT TO DO"}}
	printed := counts.Cells[:min(len(counts.Cells), cellsPrinted)]
	for _, cell := range printed {
		rows = append(rows, []string{fmt.Sprint(cell.Row), cell.Column, cell.Text})
	}
	err := table(out, rows)
	if more := counts.Wrong - len(printed); err == nil && more > 0 {
		_, err = fmt.Fprintf(out, "and %d more; --error-file writes them all\n", more)
	}
	return err
}

// writeErrors writes the error file, even if the command is interrupted meanwhile: after an import,
// it alone has the rows that are left, and a reader couldn't tell that it was cut off.
func (im *importing) writeErrors(id string) error {
	f, err := os.OpenFile(im.errorFile, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(im.Imports.ErrorFile(context.WithoutCancel(im.cmd.Context()), im.who, id, f), f.Close())
}
