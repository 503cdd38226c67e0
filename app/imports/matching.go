package imports

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"birthregistry/app/auth"
	"birthregistry/app/mapping/sheet"
	"birthregistry/store"
)

// Step is the next question about a file. It is Matched if there is no question.
type Step string

// The possible steps. The step ToColumns isn't needed if the columns have the registry's names, or
// if somebody in the practice has matched the same headers before.
const (
	ToColumns Step = "columns" // ask which field each column contains, and how its values are written
	ToValues  Step = "values"  // ask what texts mean that aren't values of their fields
	Matched   Step = ""        // there is nothing to ask, and the file has a preview
)

var (
	// ErrMatching means that a user must first match the file's columns or values, or match them
	// again.
	ErrMatching = errors.New("imports: upload the file on the page Import once and match its columns and values there: the answers are remembered")
	// ErrNoColumn means that every column was left out.
	ErrNoColumn = errors.New("imports: every column is left out; match at least one")
)

// unmatched returns an ErrMatching. Its text lists up to 10 columns whose headers aren't in the
// template.
func unmatched(survey *sheet.Survey) error {
	var columns []string
	for i, column := range survey.Layout.Columns {
		if !slices.Contains(survey.Sure, i) && len(columns) < 10 {
			columns = append(columns, columnName(i+1, column.Header))
		}
	}
	if len(columns) == 0 {
		return ErrMatching
	}
	return fmt.Errorf("%w. These columns don't have the names of the template: %s", ErrMatching, strings.Join(columns, ", "))
}

// columnName returns a column's letter and header, such as "B (Weight)".
func columnName(at int, header string) string {
	return fmt.Sprintf("%s (%s)", sheet.Position(at), short(header))
}

// Matching is a file whose columns or texts are still being matched. It has no preview yet.
type Matching struct {
	Import
	Format sheet.Format
	// Layout says how to read the file, as far as that is known.
	Layout sheet.Layout
	// Questions holds the open questions about the columns.
	Questions sheet.Questions
	Groups    []sheet.Group // the texts to be matched; only if the step is ToValues
}

// Matching returns the open questions about a file. It returns store.ErrNotFound if the
// practice has no such file, and ErrFileGone if it was deleted or confirmed.
func (s *Service) Matching(ctx context.Context, who auth.User, publicID string) (Matching, error) {
	row, err := s.importRow(ctx, who, auth.ImportRun, publicID)
	if err != nil {
		return Matching{}, err
	}
	i, err := s.seen(who, row)
	if err != nil {
		return Matching{}, err
	}
	if i.Confirmed || !i.Kept || i.About.Survey == nil {
		return Matching{}, ErrFileGone
	}
	m := Matching{Import: i, Layout: *i.About.Layout, Groups: i.About.Groups}
	if m.Format, err = s.format(ctx, who.Practice.ID, i.About); err != nil {
		return Matching{}, err
	}
	m.Questions = m.Format.Questions(i.About.Survey, &m.Layout)
	return m, nil
}

// survey reads a stored file and finds out what its columns contain. It uses the registry's column
// names and the practice's earlier answers about the same headers. If these aren't enough, the next
// step is to ask the user.
func (s *Service) survey(ctx context.Context, who auth.User, row store.Import, about *About) error {
	format, err := s.format(ctx, who.Practice.ID, *about)
	if err != nil {
		return err
	}
	if about.Survey, err = format.Survey(s.partsOf(ctx, who.Practice.ID, row)); err != nil {
		return err
	}
	layout := about.Survey.Layout
	about.Layout, about.Step = &layout, ToColumns
	ownNames := format.HasOurNames(about.Survey)
	if ownNames {
		about.Survey.KeepSure(&layout)
	}
	again, err := s.recall(ctx, who.Practice.ID, format, about.Survey, &layout)
	if err != nil {
		return err
	}
	if ownNames || again {
		about.Remembered = again
		about.Step = Matched
	}
	return nil
}

// Answer is a user's answer about one column. Name is the field that the column contains
// (Format.Targets). The field As says how the column's values are written (Format.Habits).
type Answer struct{ Name, As string }

// MatchColumns stores a user's answers about the columns. There is one answer for each column. The
// arguments dates and lastYear are the order of dates and the meaning of two-digit years. Questions
// that are still open are asked again. MatchColumns returns the errors of Matching, or ErrNoColumn.
func (s *Service) MatchColumns(ctx context.Context, who auth.User, publicID string, answers []Answer, dates sheet.DateOrder, lastYear int) error {
	m, err := s.Matching(ctx, who, publicID)
	if err != nil {
		return err
	}
	l, known := m.Layout, map[string]bool{"": true, sheet.Unsaid: true}
	for _, t := range m.Format.Targets() {
		known[t.Name] = true
	}
	l.Columns = slices.Clone(l.Columns)
	named := false
	for i := range l.Columns {
		if i >= len(answers) || !known[answers[i].Name] {
			continue
		}
		column := &l.Columns[i]
		if column.Name != answers[i].Name {
			column.Values = nil
		}
		column.Name, column.As = answers[i].Name, ""
		ways := m.Format.Habits(m.About.Survey, i, column.Name)
		if at := slices.IndexFunc(ways, func(w sheet.Choice) bool { return w.Value == answers[i].As }); at >= 0 {
			column.As = answers[i].As
		} else if len(ways) == 1 {
			column.As = ways[0].Value
		}
		named = named || column.Name != "" && column.Name != sheet.Unsaid
	}
	l.Dates, l.LastYear = "", lastYear
	choices, proven := m.Format.DateChoices(m.About.Survey, &l)
	switch {
	case len(choices) == 0:
		l.Dates = proven
	case dates == sheet.MonthFirst || dates == sheet.DayFirst || dates == sheet.NoDateOrder:
		l.Dates = dates
	}
	if !named {
		return ErrNoColumn
	}
	m.About.Layout, m.About.Step, m.About.Answered = &l, ToColumns, true
	m.About.Preview, m.About.Fixes = Preview{}, nil
	if m.Format.Questions(m.About.Survey, &l).None() {
		m.About.Step = Matched
	}
	return s.proceed(ctx, who, m.row, &m.About)
}

// MatchValues stores a user's answers about texts that aren't values of their column's field. Equal
// texts of a column form a numbered group. The map codes has the code that the user chose for each
// group. If a group isn't in codes, its rows still have their error. MatchValues returns the errors
// of Matching. It returns ErrMatching if the file has no open question about texts.
func (s *Service) MatchValues(ctx context.Context, who auth.User, publicID string, codes map[int]string) error {
	m, err := s.Matching(ctx, who, publicID)
	if err != nil {
		return err
	}
	if m.About.Step != ToValues {
		return ErrMatching
	}
	l := m.Layout
	l.Columns = slices.Clone(l.Columns)
	for n, group := range m.Groups {
		code, chosen := codes[n]
		if !chosen {
			continue
		}
		column := &l.Columns[group.Column]
		options := m.Format.Options(column.Name)
		if code != "" && !slices.ContainsFunc(options, func(c sheet.Choice) bool { return c.Value == code }) {
			continue
		}
		values := map[string]string{group.Text: code}
		for text, before := range column.Values {
			if _, now := values[text]; !now && len(values) < sheet.MaxValues {
				values[text] = before
			}
		}
		column.Values = values
	}
	m.About.Layout, m.About.Step, m.About.Groups, m.About.Answered = &l, Matched, nil, true
	m.About.ValuesMatched = true
	return s.proceed(ctx, who, m.row, &m.About)
}

// Rematch returns a file that already has a preview to the step in which its columns are matched.
// It returns the errors of Matching.
func (s *Service) Rematch(ctx context.Context, who auth.User, publicID string) error {
	m, err := s.Matching(ctx, who, publicID)
	if err != nil {
		return err
	}
	for i := range m.About.Layout.Columns {
		m.About.Layout.Columns[i].Values = nil
	}
	m.About.Step, m.About.Groups, m.About.Preview, m.About.Remembered = ToColumns, nil, Preview{}, false
	m.About.ValuesMatched, m.About.Fixes = false, nil
	return s.proceed(ctx, who, m.row, &m.About)
}

// proceed brings a file to the next open question about it. If there is none, it makes the preview.
func (s *Service) proceed(ctx context.Context, who auth.User, row store.Import, about *About) error {
	if about.Step == Matched && !about.ValuesMatched && who.ID != 0 {
		if err := s.findGroups(ctx, who.Practice.ID, row, about); err != nil {
			return err
		}
	}
	if about.Step != Matched {
		row.Rows = about.Survey.Rows
		return s.store(who, row, about, "")
	}
	if about.Answered || about.Remembered { // answered now, or answered before and used again
		if err := s.remember(ctx, who, about); err != nil {
			return err
		}
	}
	return s.preview(ctx, who, row, about)
}

// findGroups finds texts that aren't values of their column's field, such as "SVD" for a method of
// delivery. If there are any, the next step is to ask the user what they mean (ToValues).
func (s *Service) findGroups(ctx context.Context, p store.PracticeID, row store.Import, about *About) error {
	format, err := s.format(ctx, p, *about)
	if err != nil {
		return err
	}
	groups, many, err := format.Unknown(s.partsOf(ctx, p, row))
	if err != nil {
		return err
	}
	about.Groups, about.Crowded = groups, ""
	if many >= 0 {
		about.Crowded = about.Layout.Columns[many].Header
	}
	if len(groups) > 0 {
		about.Step = ToValues
	}
	return nil
}

// lastYear returns the last year that a two-digit year may mean. This is next year, because a file
// may have due dates.
func lastYear() int { return time.Now().UTC().Year() + 1 }

// LastYear returns the last year that a two-digit year may mean.
func (s *Service) LastYear() int { return lastYear() }

// ignored returns the letters and headers of columns that aren't read. It returns at most 50 of
// them.
func ignored(h sheet.Header) (all []string) {
	for _, at := range h.Ignored {
		if name := strings.TrimSpace(h.Cells[at-1]); name != "" && len(all) < 50 {
			all = append(all, columnName(at, name))
		}
	}
	return all
}
