package records

import (
	"context"
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"birthregistry/app/birth"
	"birthregistry/store"
)

// PageSize is how many records a page of a list shows.
const PageSize = 50

// Cursor is the position at which a page of a list begins: after the record with this ID in the
// order of the list or, with Back, before it. Its zero value is the beginning of the list.
type Cursor struct {
	ID   string
	Back bool
}

// Page is a page of a list of records.
type Page struct {
	Rows []Row
	// Newer and Older are the Cursor IDs of the previous and the next page, or "". In an
	// ascending list, Newer leads to older records.
	Newer, Older string
	// Stopped is nil unless the search stopped early. Then it is the last record searched, and more
	// matches may follow after it.
	Stopped *store.Record
}

// Row is a record in a list, with its values opened.
type Row struct {
	store.Record
	Initials string // the mother's initials
	Mother   string // the mother's name, with the family name first
	Born     string // the first child's date or time of birth, as stated
	Newborns int
	// Duplicate is set for both records of a possible duplicate. (Suspected is set only for the one
	// that was written last.)
	Duplicate bool
}

// List returns a page of the practice's records that a filter selects, in the order of the filter.
func (r *Records) List(ctx context.Context, p store.PracticeID, f store.Filter, at Cursor) (page Page, err error) {
	err = r.db.View(ctx, func(v *store.View) error {
		found, err := page.read(v, p, f, at)
		if err != nil {
			return err
		}
		page.Rows, err = r.rows(v, p, found)
		return err
	})
	return page, err
}

// Recent returns up to n of a practice's newest active records.
func (r *Records) Recent(ctx context.Context, p store.PracticeID, n int) ([]Row, error) {
	return store.Read(ctx, r.db, func(v *store.View) ([]Row, error) {
		found, err := v.List(p, store.Filter{State: birth.Active}, store.From{}, n)
		if err != nil {
			return nil, err
		}
		return r.rows(v, p, found)
	})
}

// read finds the records of a page, and the IDs from which the neighboring pages begin.
func (p *Page) read(v *store.View, practice store.PracticeID, f store.Filter, at Cursor) ([]store.Record, error) {
	var from store.From
	if at.ID != "" {
		behind, err := v.RecordByUUID(practice, at.ID)
		if errors.Is(err, store.ErrNotFound) {
			at = Cursor{}
		} else if err != nil {
			return nil, err
		} else {
			from = store.Behind(behind)
			from.Back = at.Back
		}
	}
	found, stopped, err := v.ListWithin(practice, f, from, PageSize+1)
	if err != nil {
		return nil, err
	}
	more := len(found) > PageSize
	if from.Back && !more && stopped == nil { // this is the first page; it is read again from its beginning, to fill it
		at, from = Cursor{}, store.From{}
		if found, stopped, err = v.ListWithin(practice, f, from, PageSize+1); err != nil {
			return nil, err
		}
		more = len(found) > PageSize
	}
	found = found[:min(len(found), PageSize)]
	if from.Back {
		slices.Reverse(found)
	}
	if stopped != nil {
		p.stop(at, found, stopped)
		return found, nil
	}
	if len(found) == 0 {
		return nil, nil
	}
	if at.ID != "" && (!from.Back || more) {
		p.Newer = found[0].UUID
	}
	if from.Back || more {
		p.Older = found[len(found)-1].UUID
	}
	return found, nil
}

// stop sets where the neighboring pages begin if the search for this page stopped early. stopped is
// the last record searched.
func (p *Page) stop(at Cursor, found []store.Record, stopped *store.Record) {
	p.Stopped = stopped
	ahead, behind := &p.Older, &p.Newer
	if at.Back {
		ahead, behind = behind, ahead
	}
	*ahead = stopped.UUID
	if at.ID != "" && len(found) > 0 {
		*behind = found[0].UUID
		if at.Back {
			*behind = found[len(found)-1].UUID
		}
	}
}

// contentsOf returns the current contents of records, by their IDs.
func contentsOf(v *store.View, p store.PracticeID, found []store.Record) (map[int64]store.Content, error) {
	ids := make([]int64, len(found))
	for i, f := range found {
		ids[i] = f.ID
	}
	return v.Contents(p, ids)
}

// rows opens the values that a list shows of its records.
func (r *Records) rows(v *store.View, p store.PracticeID, found []store.Record) ([]Row, error) {
	contents, err := contentsOf(v, p, found)
	if err != nil {
		return nil, err
	}
	duplicates, err := possibleDuplicates(v, p, found)
	if err != nil {
		return nil, err
	}
	rows := make([]Row, len(found))
	for i, f := range found {
		rows[i].Record, rows[i].Duplicate = f, slices.Contains(duplicates, f.ID)
		d, err := r.open(p, f.UUID, contents[f.ID])
		if err != nil {
			return nil, err
		}
		rows[i].Initials = initials(d.Mother.Text("mother_given_names"), d.Mother.Text("mother_family_name"))
		rows[i].Mother = motherOf(d)
		rows[i].Newborns = len(d.Children)
		if len(d.Children) > 0 {
			rows[i].Born = birth.Born(d.Children[0])
		}
	}
	return rows, nil
}

// possibleDuplicates returns the IDs of those records that may be the same birth as another one.
func possibleDuplicates(v *store.View, p store.PracticeID, found []store.Record) ([]int64, error) {
	ids := make([]int64, len(found))
	for i, f := range found {
		ids[i] = f.ID
	}
	return v.PossibleDuplicates(p, ids)
}

func (r *Records) open(p store.PracticeID, uuid string, c store.Content) (birth.Draft, error) {
	course, err := OpenContent(r.vault, p, uuid, c)
	return course.Draft(), err
}

// motherOf returns the mother's name with the family name first, or as much of it as is stated.
func motherOf(d birth.Draft) string {
	family, given := d.Mother.Text("mother_family_name"), d.Mother.Text("mother_given_names")
	if family == "" || given == "" {
		return family + given
	}
	return family + ", " + given
}

// initials abbreviates a name: "A. O.".
func initials(names ...string) string {
	var letters []string
	for _, name := range names {
		name = strings.TrimLeftFunc(name, func(r rune) bool { return !unicode.IsLetter(r) })
		if name == "" {
			continue
		}
		first, _ := utf8.DecodeRuneInString(name)
		letters = append(letters, string(unicode.ToUpper(first))+".")
	}
	return strings.Join(letters, " ")
}
