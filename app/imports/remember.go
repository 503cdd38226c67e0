package imports

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"birthregistry/app/auth"
	"birthregistry/app/mapping/sheet"
	"birthregistry/app/seal"
	"birthregistry/store"
)

// The limits for a practice's answers about its spreadsheets. Answers are stored for each header
// row. There may be at most filesRemembered header rows, with at most bytesRemembered bytes of JSON
// in all. A header row has at most sheet.MaxMatched columns, and a column has at most
// sheet.MaxValues texts of sheet.MaxText bytes.
//
// If a limit is exceeded, the header row that hasn't been used for the longest time is removed.
// Header rows that haven't been used for MatchesKept are removed when other answers are stored. If
// a practice uses none of its answers for MatchesKept, all of them are deleted.
const (
	filesRemembered = 40
	bytesRemembered = 256 << 10
	// MatchesKept is how long a practice's answers are kept after they were last used.
	MatchesKept = 365 * 24 * time.Hour
)

// ErrRememberedChanged means that the practice's answers have changed since the user saw them.
// Answers about another file were added, or answers were deleted.
var ErrRememberedChanged = errors.New("imports: the remembered answers have changed; reload the page and check them")

// memory holds a practice's answers about its spreadsheets. It is sealed as a whole, because
// headers and texts come from files with births.
type memory struct {
	Files []remembered `json:"files"` // the one that was used last comes first
}

// remembered holds the answers about the spreadsheets that have one header row.
type remembered struct {
	Columns []sheet.Column `json:"columns"`
	// Middles has, for each column, the midpoint between its smallest and its largest number
	// without a unit, or 0 if the column has no such number.
	Middles []float64 `json:"middles,omitzero"`
	// Years has, for each column, the latest year of its dates, or 0 if it has no year of four digits.
	Years   []int           `json:"years,omitzero"`
	Dates   sheet.DateOrder `json:"dates,omitzero"`
	Short   bool            `json:"short_years,omitzero"` // set if a user has said what two-digit years mean
	NoShort bool            `json:"no_short_years,omitzero"`
	Used    time.Time       `json:"used"`
}

// MatchesPlace returns the database row to which a practice's sealed answers about its spreadsheets
// are bound.
func MatchesPlace(p store.PracticeID) seal.Place {
	return seal.Place{Practice: int64(p), Table: "matches", Row: "columns"}
}

// recalled returns a practice's answers and their revision. If there are none yet, or if they can't
// be read, it returns an empty memory and no error.
func (s *Service) recalled(ctx context.Context, p store.PracticeID) (m memory, revision int, err error) {
	row, err := store.Read(ctx, s.db, func(v *store.View) (store.Matches, error) { return v.Matches(p) })
	if err != nil || row.Revision == 0 {
		return m, 0, err
	}
	doc, err := s.vault.Open(MatchesPlace(p), row.Sealed)
	if err != nil && !errors.Is(err, seal.ErrSealed) {
		return m, 0, err
	}
	if err != nil || json.Unmarshal(doc, &m) != nil {
		return memory{}, row.Revision, nil
	}
	return m, row.Revision, nil
}

// headers returns the headers of columns in alphabetical order. They are normalized so that they
// can be compared.
func headers(columns []sheet.Column) []string {
	all := make([]string, len(columns))
	for i, c := range columns {
		all[i] = compared(c)
	}
	slices.Sort(all)
	return all
}

func compared(c sheet.Column) string { return strings.ToLower(c.Header) }

// recall applies the practice's earlier answers to a proposed layout with the same headers, in any
// order. The result again is true if there were such answers and they leave no question open.
func (s *Service) recall(ctx context.Context, p store.PracticeID, format sheet.Format, survey *sheet.Survey, l *sheet.Layout) (again bool, err error) {
	m, _, err := s.recalled(ctx, p)
	if err != nil || len(m.Files) == 0 {
		return false, err
	}
	own := headers(l.Columns)
	at := slices.IndexFunc(m.Files, func(f remembered) bool { return slices.Equal(headers(f.Columns), own) })
	if at < 0 {
		return false, nil
	}
	before, try := m.Files[at], *l
	if try.Columns = before.over(l.Columns, survey); try.Columns == nil {
		return false, nil
	}
	switch choices, proven := format.DateChoices(survey, &try); {
	case len(choices) == 0:
		try.Dates = proven
	case !format.Contradicts(survey, &try, before.Dates):
		try.Dates = before.Dates
	}
	switch {
	case before.Short:
		try.LastYear = lastYear()
	case before.NoShort:
		try.LastYear = sheet.NoShortYears
	}
	*l = try
	return format.Questions(survey, &try).None() && format.Fits(survey, &try), nil
}

// over returns the proposed columns with the remembered answers applied. Both have the same
// headers, in any order. If a header occurs twice, only its position identifies it; over then
// returns nil if the order differs. If a column's numbers have become much larger or smaller
// (sizesApart), inches may have become centimeters. over then drops the unit, so that a person is
// asked again. It also asks again what a column holds if its dates are of other years (yearsApart) and
// the file by itself doesn't show the same: a column DOB may have become the mothers' dates of birth.
func (r remembered) over(columns []sheet.Column, survey *sheet.Survey) []sheet.Column {
	same := func(a, b sheet.Column) bool { return compared(a) == compared(b) }
	own := headers(columns)
	if len(slices.Compact(slices.Clone(own))) < len(own) && !slices.EqualFunc(r.Columns, columns, same) {
		return nil
	}
	all, left := slices.Clone(columns), slices.Clone(r.Columns)
	middles := slices.Grow(slices.Clone(r.Middles), len(left))[:len(left)]
	years := slices.Grow(slices.Clone(r.Years), len(left))[:len(left)]
	for i := range all {
		n := slices.IndexFunc(left, func(c sheet.Column) bool { return same(c, all[i]) })
		header := all[i].Header
		all[i] = left[n]
		all[i].Header = header
		if now := middle(survey, i); now > sizesApart*middles[n] && middles[n] > 0 || middles[n] > sizesApart*now && now > 0 {
			all[i].As = ""
		}
		if now := lastYearOf(survey, i); now > 0 && years[n] > 0 && max(now-years[n], years[n]-now) >= yearsApart && columns[i].Name != all[i].Name {
			all[i].Name = sheet.Unsaid
		}
		left, middles, years = slices.Delete(left, n, n+1), slices.Delete(middles, n, n+1), slices.Delete(years, n, n+1)
	}
	return all
}

// sizesApart is a factor for comparing a column's numbers in two files. If they differ by more than
// this factor, their units seem to differ. A kilogram is 2.2 pounds, and an inch is 2.54 cm.
const sizesApart = 1.6

// yearsApart is the number of years between the dates of two files from which a column may hold the
// dates of somebody else.
const yearsApart = 8

// lastYearOf returns the latest year of a column's dates, or 0 if it has none of four digits.
func lastYearOf(survey *sheet.Survey, column int) int {
	if survey == nil || column >= len(survey.Facts) {
		return 0
	}
	return survey.Facts[column].LastYear
}

// middle returns the midpoint between a column's smallest and largest number without a unit, or 0
// if the column has no such number.
func middle(survey *sheet.Survey, column int) float64 {
	if survey == nil || column >= len(survey.Facts) || survey.Facts[column].Bare == 0 {
		return 0
	}
	return (survey.Facts[column].Least + survey.Facts[column].Most) / 2
}

// remember stores the answers about a file. They are used for the practice's next file with the
// same headers.
func (s *Service) remember(ctx context.Context, who auth.User, about *About) error {
	for range 5 { // another file may be remembered at the same time
		m, revision, err := s.recalled(ctx, who.Practice.ID)
		if err != nil {
			return err
		}
		doc, err := m.with(about.Layout, about.Survey)
		if err != nil {
			return err
		}
		sealed, err := s.vault.Seal(MatchesPlace(who.Practice.ID), doc)
		if err != nil {
			return err
		}
		err = s.auth.Act(who, func(tx *store.Tx) error { return tx.SetMatches(who.Practice.ID, revision, sealed) })
		if !errors.Is(err, store.ErrNotFound) {
			return err
		}
	}
	return nil // other files were remembered first, so these questions will be asked again
}

// with returns the practice's answers as JSON, with the answers about one more file. It removes the
// oldest answers if there are too many.
func (m memory) with(l *sheet.Layout, survey *sheet.Survey) ([]byte, error) {
	now := remembered{
		Columns: l.Columns, Dates: l.Dates, Short: l.LastYear > 0, NoShort: l.LastYear == sheet.NoShortYears, Used: time.Now().UTC(),
	}
	for i := range l.Columns {
		now.Middles = append(now.Middles, middle(survey, i))
		now.Years = append(now.Years, lastYearOf(survey, i))
	}
	own := headers(l.Columns)
	files := slices.DeleteFunc(m.Files, func(f remembered) bool {
		return slices.Equal(headers(f.Columns), own) || time.Since(f.Used) > MatchesKept
	})
	files = append([]remembered{now}, files...)
	files = files[:min(len(files), filesRemembered)]
	for {
		doc, err := json.Marshal(memory{files})
		if err != nil || len(doc) <= bytesRemembered {
			return doc, err
		}
		files = files[:len(files)-1]
	}
}

// Remembered says how files with one header row are read, according to the practice's answers.
type Remembered struct {
	Columns []sheet.Column
	Used    time.Time
}

// Remembered returns a practice's answers about its spreadsheets and their revision. The answers
// that were used last come first.
func (s *Service) Remembered(ctx context.Context, who auth.User) (all []Remembered, revision int, err error) {
	if err := who.Must(auth.ImportForget); err != nil {
		return nil, 0, err
	}
	m, revision, err := s.recalled(ctx, who.Practice.ID)
	for _, f := range m.Files {
		all = append(all, Remembered{f.Columns, f.Used})
	}
	return all, revision, err
}

// Forget deletes the nth of the answers that Remembered returns. If n is -1, it deletes all of
// them. It returns ErrRememberedChanged if revision isn't the current revision, because the user
// then saw different answers.
func (s *Service) Forget(ctx context.Context, who auth.User, revision, n int) error {
	if err := who.Must(auth.ImportForget); err != nil {
		return err
	}
	m, now, err := s.recalled(ctx, who.Practice.ID)
	switch {
	case err != nil:
		return err
	case now == 0 && n < 0: // nothing is left to delete
		return nil
	case now != revision || n >= len(m.Files):
		return ErrRememberedChanged
	}
	var left []byte
	if n >= 0 && len(m.Files) > 1 {
		doc, err := json.Marshal(memory{slices.Delete(m.Files, n, n+1)})
		if err == nil {
			left, err = s.vault.Seal(MatchesPlace(who.Practice.ID), doc)
		}
		if err != nil {
			return err
		}
	}
	s.queue.SetTruncationPending()
	err = s.auth.Act(who, func(tx *store.Tx) error {
		if err := tx.ForgetMatches(who.Practice.ID, revision, left); err != nil {
			return err
		}
		return s.auth.Note(tx, who, "import.forget", "")
	})
	return store.Translate(err, store.ErrNotFound, ErrRememberedChanged)
}

// SweepMatches deletes the answers of practices that haven't used any of them for MatchesKept. It
// returns the number of these practices. It deletes nothing while the clock is in doubt, because
// nobody could restore the answers.
func (s *Service) SweepMatches() (n int64, err error) {
	if s.queue.ClockInDoubt() {
		return 0, nil
	}
	err = s.db.Update(func(tx *store.Tx) (err error) {
		n, err = tx.SweepMatches(time.Now().Add(-MatchesKept))
		return err
	})
	if n > 0 {
		s.queue.SetTruncationPending()
	}
	return n, err
}
