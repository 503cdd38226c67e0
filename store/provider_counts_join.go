package store

import "database/sql"

// joinedRanges is how many adjacent rows of stored counts are added up into one row. In a practice
// with a million records, the list of providers would otherwise read a thousand rows, one for each
// thousand records. If a record changes, the row that covers it is deleted. For a joined row, the
// counts of sixteen thousand records are then lost. The newest rows are therefore not joined,
// because recent births are corrected most often. keptApart is the number of these rows.
const (
	joinedRanges = 16
	keptApart    = 16
)

// joinProviderCounts adds up sixteen adjacent rows of a practice's stored counts into one row, and
// reports whether it did. It never uses the newest sixteen rows.
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

// addedUp returns one row with the sum of several rows. It returns false if the rows aren't
// adjacent, or if one of them can't be used.
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

// replaceProviderCounts replaces several rows of stored counts by their sum.
func (tx *Tx) replaceProviderCounts(sum countsRow) error {
	err := tx.do(`delete from provider_counts where practice = ? and upto > ? and upto <= ?`, sum.practice, sum.After, sum.Upto)
	if err != nil {
		return err
	}
	return tx.do(`insert into provider_counts (practice, upto, after, counts, ranges) values (?, ?, ?, ?, ?)`,
		sum.practice, sum.Upto, sum.After, sum.stored, joinedRanges)
}
