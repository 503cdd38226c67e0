package ui

import (
	"fmt"
	"strings"

	"github.com/dustin/go-humanize/english"

	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/imports"
	"birthregistry/app/mapping/sheet"
	"birthregistry/store"
	"birthregistry/views"
)

// importLine describes an import for a list. Users who may not run imports don't see the name of
// the file.
func importLine(who auth.User, i imports.Import) views.ImportLine {
	line := views.ImportLine{ID: i.ID, Name: i.About.Name, By: i.By, At: i.At, Rows: i.Rows, State: importState(i), Undo: mayUndo(who, i)}
	if !who.May(auth.ImportRun) || line.Name == "" {
		line.Name = "CSV file"
	}
	if line.By == "" {
		line.By = "the operator"
	}
	return line
}

func importState(i imports.Import) views.TagText {
	switch undo := i.Undone(); {
	case !undo.EndedAt.IsZero():
		return views.TagText{Kind: "plain", Text: "Undone"}
	case !undo.StartedAt.IsZero():
		return views.TagText{Kind: "warn", Text: "Being undone"}
	}
	switch i.Status {
	case store.Queued, store.Processing:
		return views.TagText{Kind: "warn", Text: "In progress"}
	case store.Completed:
		return views.TagText{Kind: "good", Text: "Imported"}
	case store.Failed:
		return views.TagText{Kind: "bad", Text: "Failed"}
	}
	switch {
	case !i.Kept:
		return views.TagText{Kind: "plain", Text: "Not imported"}
	case i.About.Step != imports.Matched:
		return views.TagText{Kind: "warn", Text: "To be matched"}
	}
	return views.TagText{Kind: "warn", Text: "Checked, not imported"}
}

// outcomes maps the result of a row to two texts: one for the page before the import, and one for
// the page after it.
var outcomes = map[string][2]views.TagText{
	"new":       {{Kind: "good", Text: "New"}, {Kind: "good", Text: "Added"}},
	"amends":    {{Kind: "plain", Text: "Amends a record"}, {Kind: "plain", Text: "Amended"}},
	"revives":   {{Kind: "warn", Text: "Restores a voided record"}, {Kind: "warn", Text: "Restored"}},
	"unchanged": {{Kind: "plain", Text: "On file already"}, {Kind: "plain", Text: "Was on file already"}},
	"taken":     {{Kind: "good", Text: "Will be accepted"}, {Kind: "good", Text: "Accepted"}},
	"draft":     {{Kind: "warn", Text: "Draft"}, {Kind: "warn", Text: "Kept as a draft"}},
	"error":     {{Kind: "bad", Text: "Error"}, {Kind: "bad", Text: "Left out"}},
}

// rowsShown is how many rows the page lists in all, and changedShown how many of them change a record
// on file. The page stays below 100 KB.
const (
	rowsShown    = 40
	changedShown = 15
)

// cellsShown is how many cells with errors the page lists, and notesShown how many cells with unlikely
// values. If the page lists many errors, it lists only fewNotes of the latter.
const (
	cellsShown = 100
	notesShown = 50
	fewNotes   = 5
)

func importDetail(who auth.User, i imports.Import) views.ImportDetail {
	found := i.About.Preview
	d := views.ImportDetail{
		ImportLine: importLine(who, i),
		May:        who.May(auth.ImportRun), Links: who.May(auth.RecordRead) && who.May(auth.ImportRun),
		Encoding: string(i.About.Encoding), Delimiter: delimiterName(i.About.Delimiter),
		Known: i.About.Known, Ignored: i.About.Ignored,
		Waiting: !i.Confirmed && i.Kept && i.About.Step != imports.Matched, Remembered: i.About.Remembered, Rematch: i.About.Survey != nil,
		Confirmed: i.Confirmed, Done: i.Status == store.Completed, Failed: i.Status == store.Failed, Kept: i.Kept,
		Items: i.Items, Total: i.Total, Undoing: beingUndone(i), Changes: found.New + found.Amends + found.Revives + found.Taken,
	}
	if d.Undoing {
		d.Items = i.Undone().Next
	}
	if i.About.Survey != nil {
		d.Skipped = i.About.Survey.Skipped
	}
	d.Cells, d.Unlikely = cellsOf(d.Links, i, found.Cells, cellsShown), found.Unlikely
	notes := max(notesShown-len(found.Values), fewNotes)
	d.Notes, d.MoreNotes = cellsOf(d.Links, i, found.Notes, notes), len(found.Notes) > notes
	d.MoreCells = found.Wrong - len(d.Cells)
	for _, c := range found.Columns {
		d.Columns = append(d.Columns, views.ImportCount{N: c.Count, Text: columnName(c.Column)})
	}
	after := 0
	if i.Result != nil {
		after, found = 1, *i.Result
	}
	d.Errors, d.Drafts, d.Suspected = found.Errors, found.Drafts, found.Suspected
	d.Counts = importCounts(found, after)
	d.Changed = importRows(d.Links, found.Changed[:min(len(found.Changed), changedShown)], after)
	d.First = importRows(d.Links, found.First[:min(len(found.First), rowsShown-len(d.Changed))], after)
	d.MoreRows = len(d.First) < found.Items()+found.Drafts*after // in a result, the drafts aren't among the items
	d.MoreChanged = len(d.Changed) < found.Amends+found.Revives
	d.Does = importDoes(found)
	return d
}

// importRows describes the outcomes of rows. It links them to their records if links is true.
func importRows(links bool, found []imports.RowOutcome, after int) (all []views.ImportRow) {
	for _, r := range found {
		row := views.ImportRow{Row: r.Row, Rows: r.Rows, State: outcomes[r.Outcome][after], Suspected: r.Suspected, Chart: r.Chart, Born: birth.When(r.Born)}
		if links {
			row.Record, row.Changes = r.Record, fieldList(r.Fields)
		}
		all = append(all, row)
	}
	return all
}

// fieldList lists the first fields of a row, and counts the others.
func fieldList(labels []string) string {
	const most = 4
	text := strings.Join(labels[:min(len(labels), most)], "; ")
	if more := len(labels) - most; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return text
}

// importDoes says what importing a file does to the records. It returns "" for users who may not
// know what is on file.
func importDoes(p imports.Preview) string {
	if p.Taken > 0 {
		return ""
	}
	var does []string
	for _, c := range []struct {
		n               int
		does, one, many string
	}{
		{p.New, "creates", "record", "records"},
		{p.Amends, "amends", "record on file", "records on file"},
		{p.Revives, "restores", "voided record", "voided records"},
		{p.Unchanged, "leaves", "record as it is", "records as they are"},
	} {
		if c.n > 0 {
			does = append(does, c.does+" "+views.Count(c.n, c.one, c.many))
		}
	}
	if len(does) == 0 {
		return ""
	}
	return "The import " + english.OxfordWordSeries(does, "and") + "."
}

// cellsOf describes the first of the found cells. It links them to their records if links is true.
func cellsOf(links bool, i imports.Import, found []sheet.Cell, most int) (all []views.ImportCell) {
	for _, cell := range found[:min(len(found), most)] {
		shown := views.ImportCell{Row: cell.Row, Column: columnNamed(i, cell.At, cell.Column), Text: cell.Text}
		if links {
			shown.Record = cell.Record
		}
		all = append(all, shown)
	}
	return all
}

// importCounts returns the counts of rows in words, such as "12 births added". It leaves out counts
// of 0. after is 0 for the words before the import ("12 new births"), and 1 for the words after the
// import.
func importCounts(p imports.Preview, after int) (all []views.ImportCount) {
	for _, c := range []struct {
		n         int
		one, many [2]string
	}{
		{p.New, [2]string{"new birth", "birth added"}, [2]string{"new births", "births added"}},
		{p.Amends, [2]string{"record to amend", "record amended"}, [2]string{"records to amend", "records amended"}},
		{
			p.Revives,
			[2]string{"voided record to restore", "voided record restored"},
			[2]string{"voided records to restore", "voided records restored"},
		},
		{p.Unchanged, [2]string{"on file already", "was on file already"}, [2]string{"on file already", "were on file already"}},
		{p.Taken, [2]string{"birth will be accepted", "birth accepted"}, [2]string{"births will be accepted", "births accepted"}},
		{p.Errors, [2]string{"with errors", "left out with errors"}, [2]string{"with errors", "left out with errors"}},
		{p.Drafts * after, [2]string{"", "kept as a draft"}, [2]string{"", "kept as drafts"}},
	} {
		if c.n > 0 {
			all = append(all, views.ImportCount{N: c.n, Text: english.PluralWord(c.n, c.one[after], c.many[after])})
		}
	}
	return all
}

func columnName(name string) string {
	if name == "" {
		return "The row as a whole"
	}
	return imports.ColumnLabel(name)
}

func delimiterName(d string) string {
	switch d {
	case ",":
		return "commas"
	case ";":
		return "semicolons"
	case "\t":
		return "tabs"
	}
	return d
}
