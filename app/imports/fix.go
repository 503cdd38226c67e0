package imports

import (
	"context"
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"birthregistry/app/auth"
	"birthregistry/app/mapping/sheet"
	"birthregistry/store"
)

// A user can fix a wrong cell in the preview by typing another text. This text is then read instead
// of the cell, either in one row or in every row whose cell in the column has the same text. The
// file itself isn't changed, and a typed value counts as if the file contained it. The fixes are
// sealed with the preview and deleted with it.

// The limits for a file. It may have FixesKept fixes, each of at most FixLength characters.
const (
	FixesKept = 100
	FixLength = 200
)

var (
	// ErrPreviewChanged means that the preview has been replaced since the user saw it.
	ErrPreviewChanged = errors.New("imports: the file was checked again in the meantime; look at the errors once more")
	// ErrManyFixes means that the file would get more than FixesKept fixes.
	ErrManyFixes = errors.New("imports: you can fix up to 100 values; correct the others in the spreadsheet and upload it again")
	// ErrFixLength means that the typed text is longer than FixLength characters, or isn't a single
	// line.
	ErrFixLength = errors.New("imports: a value must be one line of at most 200 characters; shorten it")
)

// Typed is a text that a user has typed in place of a wrong value in a preview.
type Typed struct {
	Wrong int // the index of the wrong value in Preview.Values
	Row   int // the only row to fix, or 0 for all rows with the text
	Value string
}

// FixAll reports whether one fix may apply to all cells of the column that have the same text. This
// is so if the text itself can't be read, and if the preview has the whole text.
func (w WrongValue) FixAll() bool {
	return w.At > 0 && w.Unread && w.Value != "" && !strings.HasSuffix(w.Value, cutMark)
}

// Holds reports whether the cells contain the text that a user typed in an earlier fix. If the
// preview shows only the beginning of the cells' text, Holds compares only that part.
func (w WrongValue) Holds(typed string) bool {
	listed, cut := strings.CutSuffix(w.Value, cutMark)
	typed = sheet.TextOf(typed)
	return w.Value == typed || cut && strings.HasPrefix(typed, listed)
}

// Fixable reports whether a user can fix the cells, one at a time or all together.
func (w WrongValue) Fixable() bool { return w.At > 0 && w.Value != "" }

// Fix stores what a user has typed in place of wrong values, and previews the file again. The
// argument revision is About.Revision in the preview that the user saw. Fix returns
// ErrPreviewChanged if there is a newer preview. Its other errors are ErrFileGone, ErrFixLength and
// ErrManyFixes.
func (s *Service) Fix(ctx context.Context, who auth.User, publicID string, revision int, typed []Typed) error {
	return s.fix(ctx, who, publicID, revision, func(about *About) (err error) {
		for _, t := range typed {
			if t.Value = strings.TrimSpace(t.Value); t.Value == "" || t.Wrong < 0 || t.Wrong >= len(about.Preview.Values) {
				continue
			}
			wrong := about.Preview.Values[t.Wrong]
			if wrong.Count == 1 && t.Row == 0 {
				t.Row = wrong.Rows[0]
			}
			switch {
			case utf8.RuneCountInString(t.Value) > FixLength, strings.ContainsFunc(t.Value, unicode.IsControl):
				return ErrFixLength
			case !wrong.Fixable(), t.Row == 0 && !wrong.FixAll(), t.Row > 0 && !slices.Contains(wrong.Rows, t.Row):
				continue
			}
			about.Fixes = withFix(about.Fixes, sheet.Fix{Column: wrong.At, Row: t.Row, Text: wrong.Value, Value: t.Value})
		}
		if len(about.Fixes) > FixesKept {
			return ErrManyFixes
		}
		return nil
	})
}

// withFix adds a fix to a file's fixes. If there is already a fix for the same cell, withFix
// changes it instead.
//
// A user may also fix a text that is itself the result of an earlier fix. If the new fix is for all
// rows, withFix then changes the earlier fix as well. If the new fix is for one row and the earlier
// one for all rows, the new fix replaces the text that the file has in this row.
func withFix(all []sheet.Fix, now sheet.Fix) []sheet.Fix {
	all = slices.Clone(all)
	for n := range all {
		f := &all[n]
		switch typed := f.Column == now.Column && sheet.TextOf(f.Value) == now.Text; {
		case now.Row > 0 && f.Row == now.Row && f.Column == now.Column:
			f.Value = now.Value
			return all
		case typed && now.Row == 0:
			f.Value = now.Value
		case typed && f.Row == 0:
			now.Text = f.Text // the text in the file
		}
	}
	return append(all, now)
}

// Unfix removes the nth of About.Fixes and previews the file again. It returns ErrPreviewChanged if
// there is a newer preview, and ErrFileGone if the file was deleted or confirmed.
func (s *Service) Unfix(ctx context.Context, who auth.User, publicID string, revision, n int) error {
	return s.fix(ctx, who, publicID, revision, func(about *About) error {
		if n >= 0 && n < len(about.Fixes) {
			about.Fixes = slices.Delete(slices.Clone(about.Fixes), n, n+1)
		}
		return nil
	})
}

// fix lets change modify the fixes of a file, and previews the file again. It returns
// ErrPreviewChanged if revision isn't the revision of the current preview, and ErrFileGone if the
// file was deleted or confirmed.
func (s *Service) fix(ctx context.Context, who auth.User, publicID string, revision int, change func(*About) error) error {
	row, err := s.importRow(ctx, who, auth.ImportRun, publicID)
	if err != nil {
		return err
	}
	i, err := s.opened(who.Practice.ID, row)
	switch {
	case err != nil:
		return err
	case i.Confirmed || !i.Kept:
		return ErrFileGone
	case i.About.Step != Matched || i.About.Revision != revision:
		return ErrPreviewChanged
	}
	if err := change(&i.About); err != nil {
		return err
	}
	s.queue.SetTruncationPending() // the replaced preview may hold texts that the user has just removed
	err = s.preview(ctx, who, row, &i.About)
	return store.Translate(err, store.ErrNotFound, ErrFileGone) // another user has confirmed or deleted it
}
