package store

import (
	"fmt"
	"slices"
	"strings"
)

// These methods read the data that app/archive writes into the archive of a practice.
// archive_tables.go lists the tables and columns.

// DatabaseColumn returns the name that the column has in the database.
func (c ArchiveColumn) DatabaseColumn() string {
	if c.Column != "" {
		return c.Column
	}
	return c.Name
}

func (t *ArchiveTable) rows(from string) string {
	all := make([]string, 0, len(t.Columns)+len(t.With))
	for _, c := range t.Columns {
		all = append(all, "t."+c.DatabaseColumn())
	}
	return "select /* archive */ " + strings.Join(append(all, t.With...), ", ") + from
}

// ArchiveRows calls visit for each of a practice's rows in one of ArchiveTables, in the table's
// order. A row holds the values of the columns, followed by those of the expressions in With, as
// SQLite returns them. It is valid only until visit returns.
func (v *View) ArchiveRows(p PracticeID, t *ArchiveTable, visit func(row []any) error) error {
	for _, from := range []string{t.from, t.then} {
		if from == "" {
			continue
		}
		if err := v.anyRows(len(t.Columns)+len(t.With), t.rows(from), visit, p); err != nil {
			return err
		}
	}
	return nil
}

// Busy returns how many submissions, imports and undos of imports a practice has that aren't
// finished yet.
func (v *View) Busy(p PracticeID) (int, error) {
	return only[int](v, `
		select
			(select count(*) from ingestions indexed by ingestions_unfinished where practice = ?1 and status in ('queued', 'processing'))
			+ (select count(*) from undos u where u.practice = ?1 and u.ended_at is null)`, p)
}

// CountVersions returns the number of a practice's records, and the total number of their versions.
func (v *View) CountVersions(p PracticeID) (records, versions int, err error) {
	err = v.one(`select count(*), coalesce(sum(version), 0) from records where practice = ?`, []any{p}, &records, &versions)
	return records, versions, err
}

// EHRsOf returns the EHRs that only this practice may use.
func (v *View) EHRsOf(p PracticeID) ([]EHR, error) {
	all, err := v.EHRs()
	return slices.DeleteFunc(all, func(e EHR) bool { return e.Practice != p }), err
}

// ArchiveTableNamed returns the table with the given name. The name is that of the table's file in
// an archive, without .ndjson. ArchiveTableNamed returns an error if there is no such table.
func ArchiveTableNamed(name string) (*ArchiveTable, error) {
	for i := range ArchiveTables {
		if ArchiveTables[i].Name == name {
			return &ArchiveTables[i], nil
		}
	}
	return nil, fmt.Errorf("store: an archive has no table %s", name)
}
