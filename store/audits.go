package store

import (
	"strings"
)

// AuditFilter selects rows of a practice's audit trail; its zero value selects all.
type AuditFilter struct {
	// Area is the beginning of an action (record, key, user, import, …), or "read"
	// for records that were opened or exported.
	Area   string
	Object string // a record's id, a key's label, a user's address
}

// Audits returns up to limit rows of a practice's audit trail, newest first
// before a row (0 for the newest), or with back oldest first after it.
func (v *View) Audits(p PracticeID, f AuditFilter, before int64, back bool, limit int) ([]Audit, error) {
	index, where, args := "audit_practice", "", []any{p}
	switch {
	case f.Object != "":
		index, where, args = "audit_object", "and a.object = ?", []any{p, f.Object}
	case f.Area != "":
		index, where, args = "audit_area", "and a.area = ?", []any{p, f.Area}
	}
	behind, order, from := "a.id < ?", "a.id desc", beforeID(before)
	if back {
		behind, order, from = "a.id > ?", "a.id", before
	}
	query := strings.Join([]string{
		`
		select
			a.id,
			a.at,
			coalesce(a.practice, 0),
			coalesce(a.user, 0),
			a.actor,
			a.action,
			a.object,
			a.address,
			a.mac
		from audit a indexed by `, index, `
		where a.practice = ? `, where, " and ", behind, `
			and (? = '' or a.area = ?)
		order by `, order, `
		limit ?`,
	}, "")
	return all(v, query, (*Audit).scan, append(args, from, f.Area, f.Area, limit)...)
}
