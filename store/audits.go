package store

import (
	"fmt"
	"math"
	"time"
)

// AuditFilter selects rows of a practice's audit trail. Its zero value selects all rows.
type AuditFilter struct {
	// Area is the first part of an action (record, key, user, import, …). "read" stands for actions
	// that opened or exported records. "" stands for all actions.
	Area   string
	Object string // a record's ID, an API key's label, or a user's address
}

// formerly is subtracted from the numbers of the entries that a practice brought from another
// installation. All of these numbers are then negative, so the entries sort as older than all
// others.
const formerly = 1 << 40

// Audits returns up to limit rows of a practice's audit trail. before is the number of a row. If
// back is false, Audits returns rows with lower numbers, newest first. If back is set, it returns
// rows with higher numbers, oldest first. If before is 0, it starts at the newest row, or at the
// oldest if back is set. Entries that the practice brought from another installation have negative
// numbers, so they sort as older than all others.
func (v *View) Audits(p PracticeID, f AuditFilter, before int64, back bool, limit int) ([]Audit, error) {
	s := auditSelection{"audit_practice", "", "?2 = ''", f.Object}
	switch {
	case f.Object != "":
		s = auditSelection{"audit_object", "indexed by former_audit_object", "object = ?2", f.Object}
	case f.Area != "":
		s = auditSelection{"audit_area", "indexed by former_audit_area", "area = ?2", f.Area}
	}
	return v.audits(p, s, f.Area, before, back, limit)
}

// auditSelection holds the SQL that selects rows of the audit trail. index is the index to use in
// the table audit, and former is the clause for the index in the table former_audit. where is a
// condition in which ?2 stands for value.
type auditSelection struct {
	index, former, where string
	value                any
}

func (v *View) audits(p PracticeID, s auditSelection, area string, before int64, back bool, limit int) ([]Audit, error) {
	behind, order, from := "<", "desc", min(beforeID(before), math.MaxInt64-formerly)
	if back {
		behind, order, from = ">", "asc", before
	}
	if back && before == 0 {
		from = -formerly
	}
	query := fmt.Sprintf(`
		select id, at, practice, user, actor, action, object, address, mac
		from (
			select * from (
				select id, at, practice, coalesce(user, 0) as user, actor, action, object, address, mac
				from audit indexed by %[1]s
				where practice = ?1 and %[3]s and id %[4]s ?3 and (?4 = '' or area = ?4)
				order by id %[5]s
				limit ?5
			)
			union all
			select * from (
				select id - ?6, at, practice, coalesce(user, 0), actor, action, object, address, x''
				from former_audit %[2]s
				where practice = ?1 and %[3]s and id %[4]s ?3 + ?6 and (?4 = '' or area = ?4)
				order by id %[5]s
				limit ?5
			)
		)
		order by id %[5]s
		limit ?5`, s.index, s.former, s.where, behind, order)
	return all(v, query, (*Audit).scan, p, s.value, from, area, limit, int64(formerly))
}

// Downloads returns up to limit rows of the audit trail, newest first, about downloads of births
// (an export, a report or an archive) at or after a time. If before isn't 0, it returns only rows
// with lower numbers. Like Audits, it includes entries from another installation.
func (v *View) Downloads(p PracticeID, since time.Time, before int64, limit int) ([]Audit, error) {
	return v.audits(p, auditSelection{
		"audit_downloads", "indexed by former_audit_downloads",
		"action in ('record.export', 'report.download', 'practice.export') and at >= ?2", millis(since),
	}, "", before, false, limit)
}
