package archive

import (
	"errors"

	"birthregistry/app/drafts"
	"birthregistry/app/imports"
	"birthregistry/app/ingest"
	"birthregistry/app/records"
	"birthregistry/app/seal"
	"birthregistry/store"
)

// row is a row of a database table. Besides its columns, it has the values of
// store.ArchiveTable.With, which are needed to seal and open the sealed columns.
type row struct {
	table  *store.ArchiveTable
	values []any // the values of the columns, followed by the values of store.ArchiveTable.With
}

func (r row) at(name string) any {
	for i, c := range r.table.Columns {
		if c.Name == name {
			return r.values[i]
		}
	}
	return nil
}

func (r row) text(name string) string {
	s, _ := r.at(name).(string)
	return s
}

func (r row) number(name string) int64 {
	n, _ := r.at(name).(int64)
	return n
}

// with returns the value of the first expression in store.ArchiveTable.With. For a version, it is
// the UUID of the record.
func (r row) with() any { return r.values[len(r.table.Columns)] }

// places has a function for each sealed column. The function returns the place to which the value
// in a row is bound. A sealed value can be opened only with the place for which it was sealed.
var places = map[string]func(p store.PracticeID, r row) seal.Place{
	"versions.patient":     ofVersion(records.PatientPlace),
	"versions.note":        ofVersion(records.NotePlace),
	"custom_values.values": ofVersion(records.CustomPlace),
	"providers.identity": func(p store.PracticeID, r row) seal.Place {
		identity, _ := r.with().([]byte)
		return records.ProviderPlace(p, identity)
	},
	"ingestions.outcome": func(p store.PracticeID, r row) seal.Place { return ingest.OutcomePlace(p, r.text("public_id")) },
	"imports.about":      func(p store.PracticeID, r row) seal.Place { return imports.AboutPlace(p, r.text("public_id")) },
	"drafts.content": func(p store.PracticeID, r row) seal.Place {
		return drafts.Place(p, r.text("token"), r.number("author"))
	},
	"matches.columns": func(p store.PracticeID, _ row) seal.Place { return imports.MatchesPlace(p) },
}

// ofVersion returns the function in places for a sealed column of a version. The given function
// returns the column's place for the UUID of a record and the number of a version.
func ofVersion(place func(p store.PracticeID, uuid string, version int) seal.Place) func(store.PracticeID, row) seal.Place {
	return func(p store.PracticeID, r row) seal.Place {
		uuid, _ := r.with().(string)
		return place(p, uuid, int(r.number("version")))
	}
}

func isSealed(kind store.ColumnKind) bool {
	return kind == store.SealedDocument || kind == store.SealedText
}

// open replaces the sealed values in a row with their content. An empty value becomes nil. It
// stands for a receipt that was deleted because of its age.
func (r row) open(vault *seal.Vault, p store.PracticeID) error {
	for i, c := range r.table.Columns {
		if !isSealed(c.Kind) || r.values[i] == nil {
			continue
		}
		sealed, _ := r.values[i].([]byte)
		if len(sealed) == 0 {
			r.values[i] = nil
			continue
		}
		content, err := vault.Open(places[r.table.Name+"."+c.Name](p, r), sealed)
		if err != nil {
			return errors.Join(errors.New("archive: "+r.table.Name+" holds a value that does not open; run birthregistry check"), err)
		}
		r.values[i] = content
	}
	return nil
}

// seal seals the values in a row's sealed columns and binds them to their places in this
// installation.
func (r row) seal(vault *seal.Vault, p store.PracticeID) (err error) {
	for i, c := range r.table.Columns {
		content, ok := r.values[i].([]byte)
		if !isSealed(c.Kind) || !ok || len(content) == 0 {
			continue
		}
		if r.values[i], err = vault.Seal(places[r.table.Name+"."+c.Name](p, r), content); err != nil {
			return err
		}
	}
	return nil
}
