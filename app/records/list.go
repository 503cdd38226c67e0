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

// PageSize is how many records one page of a list shows.
const PageSize = 50

// Cursor is a position in a list at which a page begins. The page begins after the record with this
// ID or, if Back is set, ends before this record. The zero Cursor is the beginning of the list.
type Cursor struct {
	ID   string
	Back bool
}

// Page is one page of a list of records.
type Page struct {
	Rows []Row
	// Newer is the Cursor ID of the previous page, and Older that of the next page. Each is "" if
	// there is no such page. In a list that is sorted oldest first, Newer leads to older records.
	Newer, Older string
	// Stopped is nil unless the search stopped before the end of the list. It is then the last
	// record that was searched. Further matches may follow.
	Stopped *store.Record
}

// Row is a record in a list, with the decrypted values that the list shows.
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

// List returns one page of the practice's records that a filter selects. The filter also determines
// the order.
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

// Recent returns a practice's n newest active records.
func (r *Records) Recent(ctx context.Context, p store.PracticeID, n int) ([]Row, error) {
	return store.Read(ctx, r.db, func(v *store.View) ([]Row, error) {
		found, err := v.List(p, store.Filter{State: birth.Active}, store.From{}, n)
		if err != nil {
			return nil, err
		}
		return r.rows(v, p, found)
	})
}

// read finds the records of one page, and sets the IDs from which the neighboring pages begin.
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
	if from.Back && !more && stopped == nil { // this is the first page, so it is read again from the beginning of the list, to fill it
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

// stop sets where the neighboring pages begin if the search stopped before this page was full.
// stopped is the last record that was searched.
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

// contentsOf returns the present contents of the records, by record ID.
func contentsOf(v *store.View, p store.PracticeID, found []store.Record) (map[int64]store.Content, error) {
	return v.Contents(p, idsOf(found))
}

func idsOf(found []store.Record) []int64 {
	ids := make([]int64, len(found))
	for i, f := range found {
		ids[i] = f.ID
	}
	return ids
}

// rows returns the rows of a list. It decrypts the values that the list shows.
func (r *Records) rows(v *store.View, p store.PracticeID, found []store.Record) ([]Row, error) {
	contents, err := contentsOf(v, p, found)
	if err != nil {
		return nil, err
	}
	duplicates, err := v.PossibleDuplicates(p, idsOf(found))
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
		rows[i].Mother, rows[i].Newborns, rows[i].Born = motherOf(d), len(d.Children), bornOf(d)
	}
	return rows, nil
}

func (r *Records) open(p store.PracticeID, uuid string, c store.Content) (birth.Draft, error) {
	course, err := OpenContent(r.vault, p, uuid, c)
	return course.Draft(), err
}

// bornOf returns the first child's date or time of birth, as stated, or "".
func bornOf(d birth.Draft) string {
	if len(d.Children) == 0 {
		return ""
	}
	return birth.Born(d.Children[0])
}

// motherOf returns the mother's name with the family name first, or as much of it as is stated.
func motherOf(d birth.Draft) string {
	family, given := d.Mother.Text("mother_family_name"), d.Mother.Text("mother_given_names")
	if family == "" || given == "" {
		return family + given
	}
	return family + ", " + given
}

// initials returns the initials of names, such as "A. O.".
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
