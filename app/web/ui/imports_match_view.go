package ui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize/english"

	"birthregistry/app/birth"
	"birthregistry/app/imports"
	"birthregistry/app/mapping/sheet"
	"birthregistry/views"
)

// choicesListed is the maximum number of choices on the page that matches columns. It keeps the
// page below 100 KB. When the page has so many choices, further columns get a short list, in which
// "Something else…" asks for the whole list.
const choicesListed = 900

type columnsBuilder struct {
	m       imports.Matching
	targets []sheet.Target
	misfits map[int]sheet.Misfit
	repeats map[int]sheet.Repeat
	counts  map[int]bool // the columns with a number of births
	whole   []string     // the columns whose whole list the user has asked for
	left    int          // the choices that the page may still show

	mistakes []views.Mistake
}

// mistake adds a mistake about the answer with this name, unless the text is "".
func (b *columnsBuilder) mistake(name, text string) {
	if text != "" {
		b.mistakes = append(b.mistakes, views.Mistake{Name: name, Text: text})
	}
}

func (b *columnsBuilder) column(i int) views.ImportColumn {
	column, facts := b.m.Layout.Columns[i], b.m.About.Survey.Facts[i]
	c := views.ImportColumn{Letter: sheet.Position(i + 1), Header: column.Header, Samples: facts.Samples}
	if c.Header == "" && len(c.Samples) > 0 {
		c.Header = "No header"
	}
	c.Field = views.Input{Name: columnInput(i), Label: c.Header}
	q, answered := b.m.Questions, b.m.About.Answered
	switch {
	case slices.Contains(q.Twice, i):
		c.Problem = fmt.Sprintf("“%s” would be the same as an earlier column. Leave one of them out.", c.Header)
	case slices.Contains(q.Unsaid, i) && answered:
		c.Problem = fmt.Sprintf("Say what “%s” is, or leave it out.", c.Header)
	}
	c.Groups = b.groups(i, column.Name)
	c.Note = b.note(i)
	if ways := b.m.Format.Habits(b.m.About.Survey, i, column.Name); len(ways) > 1 {
		c.Habit = views.Input{Name: columnInput(i) + "_as", Label: "How it is written"}
		if f := birth.Lookup(column.Name); f != nil && f.Unit != "" {
			c.Habit.Label = "What a number without a unit means, such as 3400 or 7.5"
		}
		c.Habit.Hint = doubt(b.m.Format.Doubt(b.m.About.Survey, i, column.Name))
		if slices.Contains(q.Columns, i) && answered {
			c.HabitProblem = fmt.Sprintf("Choose how the values of “%s” are written.", c.Header)
		}
		c.Habits = []views.Choice{{Label: "Choose…", Chosen: column.As == ""}}
		for _, w := range ways {
			c.Habits = append(c.Habits, views.Choice{Value: w.Value, Label: w.Label, Chosen: w.Value == column.As})
		}
	}
	return c
}

// note states what the user should know about a column before choosing what it holds, or "".
func (b *columnsBuilder) note(i int) string {
	counts := ""
	if b.counts[i] {
		counts = "Choose “Births before this one” only if these numbers do not count this birth. If they do, leave the column out."
	}
	if m, left := b.misfits[i]; left {
		return strings.TrimSpace(misfit(m) + " " + counts)
	}
	if r, left := b.repeats[i]; left {
		return repeated(r)
	}
	return counts
}

// repeated states why a column is left out whose header says what another column holds, and what the
// user can do about it.
func repeated(r sheet.Repeat) string {
	text := fmt.Sprintf("It looks like “%s”, which column %s already holds. ", r.Label, sheet.Position(r.Column+1))
	if r.Newborn {
		return text + "If it is about another newborn, give each newborn a row of its own with the same chart number in the spreadsheet, and upload it again. Otherwise leave it out."
	}
	return text + "Choose one of the two, and leave the other out."
}

// misfit states why a column is left out and, where possible, what the user can do about it.
func misfit(m sheet.Misfit) string {
	switch {
	case m.Serial:
		return "A spreadsheet stores dates as numbers, and these may be such numbers. Format the column as a date in the spreadsheet, save the file and upload it again."
	case m.Offered:
		return fmt.Sprintf("It looks like “%s”, but some cells hold something else. If you choose it anyway, those cells become errors to fix.", m.Label)
	}
	return fmt.Sprintf("It looks like “%s”, but its cells hold something else. Leave it out, or correct the cells in the spreadsheet and upload it again.", m.Label)
}

// doubt returns a sentence that says which cell of a column makes it unclear whether a time is in
// the morning or in the afternoon. It returns "" if there is no such cell.
func doubt(cell, other sheet.Seen) string {
	switch {
	case cell.Row == 0:
		return ""
	case other.Row == 0:
		return fmt.Sprintf("Row %d has “%s”, and no time in this column shows whether that is in the morning or in the afternoon.", cell.Row, cell.Text)
	}
	return fmt.Sprintf("Row %d has “%s”, without AM or PM, but row %d has “%s”.", cell.Row, cell.Text, other.Row, other.Text)
}

// groups returns the choices for a column, grouped by what they are about. The choices are the
// fields as which the column can be read. If there would be too many for the page (choicesListed),
// groups returns a short list.
func (b *columnsBuilder) groups(i int, chosen string) []views.ChoiceGroup {
	first := views.ChoiceGroup{}
	if chosen == sheet.Unsaid {
		first.Choices = append(first.Choices, views.Choice{Value: sheet.Unsaid, Label: "Choose…", Chosen: true})
	}
	first.Choices = append(first.Choices, views.Choice{Label: "Leave out", Chosen: chosen == ""})
	about := []views.ChoiceGroup{{Label: "Mother"}, {Label: "Birth and care"}, {Label: "Newborn"}}
	offered, n := b.m.About.Survey.Offered(b.m.Format, i), 0
	for _, t := range b.targets {
		if offered[t.Name] || t.Name == chosen {
			about[t.About].Choices = append(about[t.About].Choices, views.Choice{Value: t.Name, Label: t.Label, Chosen: t.Name == chosen})
			n++
		}
	}
	if n <= b.left || slices.Contains(b.whole, strconv.Itoa(i)) {
		b.left -= n
		return append([]views.ChoiceGroup{first}, about...)
	}
	for _, g := range about {
		for _, c := range g.Choices {
			if c.Chosen {
				first.Choices = append(first.Choices, c)
			}
		}
	}
	first.Choices = append(first.Choices, views.Choice{Value: moreTargets, Label: "Something else…"})
	return []views.ChoiceGroup{first}
}

func valuesPage(m imports.Matching) views.ImportMatching {
	p := views.ImportMatching{ID: m.ID, Revision: m.About.Revision, Name: m.About.Name, Crowded: m.About.Crowded}
	last := -1
	for n, g := range m.Groups {
		column := m.Layout.Columns[g.Column]
		if g.Column != last {
			last = g.Column
			p.Values = append(p.Values, views.ImportMeanings{Header: column.Header, Field: targetLabel(m.Format, column.Name)})
		}
		v := views.ImportMeaning{
			Text: g.Shown, Rows: g.Rows, Word: english.PluralWord(g.Rows, "row", "rows"),
			Input: views.Input{Name: fmt.Sprintf("v%d", n), Label: g.Shown, Hint: g.Note},
		}
		if g.Guess == "" {
			v.Choices = append(v.Choices, views.Choice{Value: notMatched, Label: "Not matched", Chosen: true})
		}
		for _, o := range m.Format.Options(column.Name) {
			v.Choices = append(v.Choices, views.Choice{Value: o.Value, Label: o.Label, Chosen: o.Value == g.Guess})
		}
		v.Choices = append(v.Choices, views.Choice{Value: leaveBlank, Label: "Leave out: not stated"})
		if g.Guess != "" {
			v.Choices = append(v.Choices, views.Choice{Value: notMatched, Label: "Not matched"})
		}
		of := &p.Values[len(p.Values)-1]
		of.Values = append(of.Values, v)
	}
	return p
}

func targetLabel(format sheet.Format, name string) string {
	for _, t := range format.Targets() {
		if t.Name == name {
			return t.Label
		}
	}
	return name
}

// matchedColumns lists the field as which each column of a file is read. If no user has matched the
// columns, it returns nil.
func matchedColumns(format sheet.Format, about imports.About) (all []views.Fact) {
	if about.Layout == nil || !about.Answered && !about.Remembered {
		return nil
	}
	for _, c := range about.Layout.Columns {
		if c.Name != "" {
			all = append(all, views.Fact{Label: c.Header, Value: targetLabel(format, c.Name)})
		}
	}
	return all
}
