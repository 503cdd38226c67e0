package records

import (
	"context"
	"errors"
	"strings"
	"unicode"

	"github.com/google/uuid"

	"birthregistry/app/birth"
	"birthregistry/app/stats"
	"birthregistry/store"
)

// Search narrows a filter to the records that match a text. If the text is the ID of a record,
// Search selects that record. If the text is a date or a month, day is that date ("2026-03-02") or
// month ("2026-03"), and Search looks for births then. Any other text with a digit is a chart
// number or the beginning of one. A text without a digit stands for words of the mother's name, or
// for their beginnings. If no mother has such a name, this text is a chart number, too.
func (r *Records) Search(ctx context.Context, p store.PracticeID, f store.Filter, text, day string) (store.Filter, error) {
	if text == "" {
		return f, nil
	}
	err := r.db.View(ctx, func(v *store.View) error {
		if id, isID := recordID(text); isID {
			switch one, err := v.RecordByUUID(p, id); {
			case err == nil:
				f.KeepOnly([]int64{one.ID})
				return nil
			case !errors.Is(err, store.ErrNotFound):
				return err
			}
		}
		if len(day) == len("2006-01") {
			f.KeepBorn(day)
			return nil
		}
		if day != "" {
			born, err := r.bornOn(v, p, day)
			f.KeepOnly(born)
			return err
		}
		if !strings.ContainsFunc(text, unicode.IsDigit) {
			words := birth.NameSearch(r.vault.Key(birth.NameKeyPurpose), int64(p), text)
			found, _, err := v.Named(p, words, 1)
			if err != nil || len(found) > 0 {
				f.Words = words
				return err
			}
		}
		chart, ok := birth.Chart(text)
		if f.Chart = chart; !ok { // no record can have such a number
			f.Chart, f.Restricted, f.Only = "", true, nil
		}
		return nil
	})
	return f, err
}

// Exact returns the ID of the record that has the text as its ID or as its whole chart number. It
// returns "" if there is no such record, or more than one.
func (r *Records) Exact(ctx context.Context, p store.PracticeID, text string) (id string, err error) {
	chart, isChart := birth.Chart(text)
	err = r.db.View(ctx, func(v *store.View) error {
		if named, isID := recordID(text); isID {
			one, err := v.RecordByUUID(p, named)
			if !errors.Is(err, store.ErrNotFound) {
				id = one.UUID
				return err
			}
		}
		if !isChart || chart == "" {
			return nil
		}
		found, err := v.List(p, store.Filter{Chart: chart}, store.From{}, 2)
		if len(found) > 0 && found[0].Chart == chart && (len(found) == 1 || found[1].Chart != chart) {
			id = found[0].UUID
		}
		return err
	})
	return id, err
}

// recordID parses the ID of a record, which a user may have pasted in another form. It returns
// false if the text isn't an ID.
func recordID(text string) (string, bool) {
	id, err := uuid.Parse(text)
	return id.String(), err == nil
}

// mostOnADay is the maximum number of records of a month that are decrypted to find the births on
// one day.
const mostOnADay = 5000

// bornOn returns the IDs of the records of births on a day. The day of birth is sealed, so bornOn
// decrypts the records of the whole month.
func (r *Records) bornOn(v *store.View, p store.PracticeID, day string) (ids []int64, err error) {
	found, err := v.List(p, store.Filter{Born: day[:len("2006-01")]}, store.From{}, mostOnADay)
	if err != nil {
		return nil, err
	}
	contents, err := contentsOf(v, p, found)
	if err != nil {
		return nil, err
	}
	for _, f := range found {
		d, err := r.open(p, f.UUID, contents[f.ID])
		if err != nil {
			return nil, err
		}
		for _, child := range d.Children {
			if strings.HasPrefix(birth.Born(child), day) {
				ids = append(ids, f.ID)
				break
			}
		}
	}
	return ids, nil
}

// CountedIn restricts a filter to the births of a period that are counted in a figure. counts
// reports whether the figure counts births with a given outcome.
func (r *Records) CountedIn(ctx context.Context, p store.PracticeID, f store.Filter, period stats.Period, counts func(outcome string) bool) (store.Filter, error) {
	asked := map[string]bool{} // results by outcome, because many births have the same outcome
	f.Restricted, f.Only = true, nil
	err := r.db.View(ctx, func(v *store.View) error {
		return v.OutcomesOf(p, period.First.String(), period.Last.String(), func(record int64, outcome string) {
			counted, known := asked[outcome]
			if !known {
				counted = counts(outcome)
				asked[outcome] = counted
			}
			if counted {
				f.Only = append(f.Only, record)
			}
		})
	})
	return f, err
}

// OfIngestion restricts a filter to the records that a submission wrote. id is the submission's ID.
// OfIngestion returns store.ErrNotFound if the practice has no such submission.
func (r *Records) OfIngestion(ctx context.Context, p store.PracticeID, f store.Filter, id string) (store.Filter, error) {
	err := r.db.View(ctx, func(v *store.View) error {
		i, err := v.Ingestion(p, id)
		f.Ingestion = i.ID
		return err
	})
	return f, err
}

// MostCounted is how many records of a list are counted at most. Counting all of them would slow
// down the pages of a large practice.
const MostCounted = 1000

// Total returns the number of records that a filter selects. It stops counting at MostCounted. more
// reports whether there may be more records.
func (r *Records) Total(ctx context.Context, p store.PracticeID, f store.Filter) (n int, more bool, err error) {
	err = r.db.View(ctx, func(v *store.View) error {
		n, more, err = v.CountWithin(p, f, MostCounted)
		return err
	})
	return n, more, err
}
