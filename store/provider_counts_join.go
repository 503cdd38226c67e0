package store

import "database/sql"

// joinedRanges is how many adjacent rows of stored counts are added up into one. With a row for
// each thousand records, the list of providers would read a thousand rows in a practice of a
// million records. A change of a record deletes the row that counts it. If that row is a joined
// one, the counts of sixteen thousand records are lost. So the newest rows, keptApart in number,
// stay separate: recent births are corrected most often.
const (
	joinedRanges = 16
	keptApart    = 16
)

// joinProviderCounts adds up sixteen adjacent rows of a practice's stored counts into one, and
// reports whether it did. It never takes the newest sixteen rows.
func (tx *Tx) joinProviderCounts(p PracticeID) (joined bool, err error) {
	rows, err := all(&tx.View, `select after, upto, counts from provider_counts where practice = ? and ranges = 1 order by upto`, func(r *countsRow, rows *sql.Rows) error {
		r.practice, r.of = p, ofProviders
		return rows.Scan(&r.After, &r.Upto, &r.stored)
	}, p)
	if err != nil {
		return false, err
	}
	for end := joinedRanges; end+keptApart <= len(rows); end++ {
		sum, ok := addedUp(rows[end-joinedRanges : end])
		if ok {
			return true, tx.replaceProviderCounts(sum)
		}
	}
	return false, nil
}

// addedUp returns the sum of adjacent rows, or false if they aren't adjacent or one of them can't
// be used.
func addedUp(rows []countsRow) (sum countsRow, ok bool) {
	sum = rows[0]
	sum.Upto = sum.After
	counts := providerCounts{}
	for _, r := range rows {
		body, ok := r.counts()
		if !ok || !providersCurrent(body) || r.After != sum.Upto {
			return sum, false
		}
		counts.addBytes(body)
		sum.Upto = r.Upto
	}
	sum.stored = sum.store(counts.bytes())
	return sum, true
}

// replaceProviderCounts stores sum in place of the rows that were added up to it.
func (tx *Tx) replaceProviderCounts(sum countsRow) error {
	err := tx.do(`delete from provider_counts where practice = ? and upto > ? and upto <= ?`, sum.practice, sum.After, sum.Upto)
	if err != nil {
		return err
	}
	return tx.do(`insert into provider_counts (practice, upto, after, counts, ranges) values (?, ?, ?, ?, ?)`,
		sum.practice, sum.Upto, sum.After, sum.stored, joinedRanges)
}
