package store

// ReplacedRecords lists the active records that wait for somebody to see what a
// push has put in the place of what a person said, oldest first.
func (v *View) ReplacedRecords(p PracticeID, limit int) ([]Record, error) {
	return v.records(`
		select`+recordColumns+`
		from records r indexed by records_replaced
		where r.practice = ? and r.replaced is not null and r.state = 'active'
		order by r.id
		limit ?`, p, limit)
}

// CountReplaced counts them: they are few.
func (v *View) CountReplaced(p PracticeID) (n int, err error) {
	err = v.one(`
		select count(*) from records indexed by records_replaced
		where practice = ? and replaced is not null and state = 'active'`, []any{p}, &n)
	return n, err
}

// LeaveReplaced takes a record off that list: somebody has looked. Where it stands
// does not change by it. ErrNotFound when the practice has no such record that
// waits.
func (tx *Tx) LeaveReplaced(p PracticeID, record int64) error {
	return found(tx.exec(`
		update records set replaced = null
		where id = ? and practice = ? and replaced is not null`, record, p))
}
