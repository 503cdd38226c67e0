package store

// ReplacedRecords returns up to limit active records in which a push has replaced a person's
// entries, and which nobody has reviewed since, oldest first.
func (v *View) ReplacedRecords(p PracticeID, limit int) ([]Record, error) {
	return v.records(`
		select`+recordColumns+`
		from records r indexed by records_replaced
		where r.practice = ? and r.replaced is not null and r.state = 'active'
		order by r.id
		limit ?`, p, limit)
}

// CountReplaced counts the records that ReplacedRecords lists; there are usually few.
func (v *View) CountReplaced(p PracticeID) (int, error) {
	return only[int](v, `
		select count(*) from records indexed by records_replaced
		where practice = ? and replaced is not null and state = 'active'`, p)
}

// LeaveReplaced removes a reviewed record from the list of ReplacedRecords, without changing the
// record's state. It returns ErrNotFound if the list has no such record of the practice.
func (tx *Tx) LeaveReplaced(p PracticeID, record int64) error {
	return found(tx.exec(`
		update records set replaced = null
		where id = ? and practice = ? and replaced is not null`, record, p))
}
