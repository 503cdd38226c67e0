package imports

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"birthregistry/app/mapping/sheet"
	"birthregistry/app/seal"
	"birthregistry/store"
)

// What is remembered of a practice: at most filesRemembered header rows, in at most
// bytesRemembered of JSON, each with at most sheet.MaxMatched columns, and of a column at
// most sheet.MaxValues texts of sheet.MaxText bytes. The header row that was used longest
// ago goes first. MatchesKept after the last use of any, all of it is deleted.
const (
	filesRemembered = 40
	bytesRemembered = 256 << 10
	// MatchesKept is how long a practice's answers are kept after their last use.
	MatchesKept = 365 * 24 * time.Hour
)

// memory is what a practice has said of its spreadsheets. All of it is sealed: headers and
// texts come from files of births.
type memory struct {
	Files []remembered `json:"files"` // the last used first
}

// remembered is how one header row is read.
type remembered struct {
	Columns []sheet.Column  `json:"columns"`
	Dates   sheet.DateOrder `json:"dates,omitzero"`
	Short   bool            `json:"short_years,omitzero"` // years of two digits have a meaning
	NoShort bool            `json:"no_short_years,omitzero"`
	Used    time.Time       `json:"used"`
}

func matchesPlace(p store.PracticeID) seal.Place {
	return seal.Place{Practice: int64(p), Table: "matches", Row: "columns"}
}

// recalled opens what a practice has said; empty at first.
func (s *Service) recalled(ctx context.Context, p store.PracticeID) (m memory, revision int, err error) {
	row, err := store.Read(ctx, s.db, func(v *store.View) (store.Matches, error) { return v.Matches(p) })
	if err != nil || row.Revision == 0 {
		return m, 0, err
	}
	doc, err := s.vault.Open(matchesPlace(p), row.Sealed)
	if err != nil {
		return m, 0, err
	}
	if json.Unmarshal(doc, &m) != nil {
		return m, 0, errors.New("imports: what is remembered of spreadsheets is not readable")
	}
	return m, row.Revision, nil
}

// headers returns the headers of columns as they are compared, in alphabetical order.
func headers(columns []sheet.Column) []string {
	all := make([]string, len(columns))
	for i, c := range columns {
		all[i] = strings.ToLower(c.Header)
	}
	slices.Sort(all)
	return all
}

// recall lays what the practice has said of the same headers, in any order, over a
// proposal. It reports whether it has, and nothing is left to ask.
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
	try.Columns = slices.Clone(l.Columns)
	left := slices.Clone(before.Columns)
	for i := range try.Columns {
		n := slices.IndexFunc(left, func(c sheet.Column) bool { return strings.EqualFold(c.Header, try.Columns[i].Header) })
		header := try.Columns[i].Header
		try.Columns[i] = left[n]
		try.Columns[i].Header = header
		left = slices.Delete(left, n, n+1)
	}
	if choices, proven := format.DateChoices(survey, &try); len(choices) == 0 {
		try.Dates = proven
	} else {
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

// remember stores the answers about a file for the next one with the same headers.
func (s *Service) remember(ctx context.Context, p store.PracticeID, about *About) error {
	for range 5 { // another file may be remembered at the same time
		m, revision, err := s.recalled(ctx, p)
		if err != nil {
			return err
		}
		doc, err := m.with(about.Layout)
		if err != nil {
			return err
		}
		sealed, err := s.vault.Seal(matchesPlace(p), doc)
		if err != nil {
			return err
		}
		err = s.db.Update(func(tx *store.Tx) error { return tx.SetMatches(p, revision, sealed) })
		if !errors.Is(err, store.ErrNotFound) {
			return err
		}
	}
	return nil // the others were faster; the answers are asked again
}

// with returns the memory with one more file, within its bounds.
func (m memory) with(l *sheet.Layout) ([]byte, error) {
	now := remembered{
		Columns: l.Columns, Dates: l.Dates, Short: l.LastYear > 0, NoShort: l.LastYear == sheet.NoShortYears, Used: time.Now().UTC(),
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

// SweepMatches deletes the answers that no practice has used for MatchesKept, and returns
// of how many practices. It deletes none while the clock is in doubt.
func (s *Service) SweepMatches() (n int64, err error) {
	if s.queue.ClockJump() != 0 {
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
