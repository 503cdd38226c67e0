package store

// ReplacedRecords returns up to limit active records, oldest first, in which a push has replaced
// what a person had entered, and which nobody has reviewed since then.
func (v *View) ReplacedRecords(p PracticeID, limit int) ([]Record, error) {
	return v.records(`
		select`+recordColumns+`
		from records r indexed by records_replaced
		where r.practice = ? and r.replaced is not null and r.state = 'active'
		order by r.id
		limit ?`, p, limit)
}

// CountReplaced returns the number of records that ReplacedRecords would return without a limit.
// There are usually few.
func (v *View) CountReplaced(p PracticeID) (int, error) {
	return only[int](v, `
		select count(*) from records indexed by records_replaced
		where practice = ? and replaced is not null and state = 'active'`, p)
}

// LeaveReplaced records that somebody has reviewed a record, so that ReplacedRecords no longer
// returns it. The record's state doesn't change. LeaveReplaced returns ErrNotFound if the record
// doesn't wait for such a review.
func (tx *Tx) LeaveReplaced(p PracticeID, record int64) error {
	return found(tx.exec(`
		update records set replaced = null
		where id = ? and practice = ? and replaced is not null`, record, p))
}
