package archive

import (
	"bytes"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"birthregistry/store"
)

// parse returns the values in a line of JSON, in the order of the table's columns. The values are
// the same as in the database, except that sealed values have been opened. parse checks that IDs
// are in the range that the manifest gives. It stops at the first unknown member of the line, so
// that a line with a million unknown members takes no time.
func (a *reader) parse(t *store.ArchiveTable, line []byte) ([]any, error) {
	values := make([]any, len(t.Columns)+len(t.With), len(t.Columns)+len(t.With)+len(t.Derived)+1)
	d := jsontext.NewDecoder(bytes.NewBuffer(line))
	if start, err := d.ReadToken(); err != nil || start.Kind() != '{' {
		return nil, errLine
	}
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return nil, errLine
		}
		i := slices.IndexFunc(t.Columns, func(c store.ArchiveColumn) bool { return c.Name == name.String() })
		if i < 0 {
			return nil, damaged("a line has a member that format %d does not have", Format)
		}
		raw, err := d.ReadValue()
		if err != nil {
			return nil, errLine
		}
		if values[i], err = a.parseColumn(t.Columns[i], raw); err != nil {
			return nil, err
		}
	}
	if end, err := d.ReadToken(); err != nil || end.Kind() != '}' {
		return nil, errLine
	}
	if _, err := d.ReadToken(); err != io.EOF {
		return nil, errLine
	}
	return values, nil
}

var errLine = damaged("a line is not one JSON object with each member once")

func (a *reader) parseColumn(c store.ArchiveColumn, raw jsontext.Value) (any, error) {
	value, ok := parseCell(c.Kind, raw)
	if !ok {
		return nil, damaged("%s is of another type or out of range", c.Name)
	}
	if c.Kind == store.Own || c.Kind == store.Reference {
		span, id := a.members[memberOf(c.Of)], value.(int64)
		if id < 1 || id < span.First || id > span.To {
			return nil, damaged("%s names a row that is not there", c.Name)
		}
	}
	return value, nil
}

// memberOf returns the name of the member that has the rows of a database table, or "" if there is
// none. For the table provider_log, the name is "careers.ndjson".
func memberOf(table string) string {
	for i := range store.ArchiveTables {
		if store.ArchiveTables[i].Table == table {
			return store.ArchiveTables[i].Name + lines
		}
	}
	return ""
}

func parseCell(kind store.ColumnKind, raw jsontext.Value) (value any, ok bool) {
	switch kind {
	case store.Number, store.Own, store.Reference:
		n, err := strconv.ParseInt(string(raw), 10, 64)
		return n, err == nil && n >= 0 && n <= maxNumber
	case store.Flag:
		switch string(raw) {
		case "true":
			return int64(1), true
		case "false":
			return int64(0), true
		}
		return nil, false
	case store.Document:
		return string(raw), raw.Kind() == '{' || raw.Kind() == '['
	case store.SealedDocument:
		return bytes.Clone(raw), raw.Kind() == '{' || raw.Kind() == '['
	}
	var text string
	if raw.Kind() != '"' || json.Unmarshal(raw, &text) != nil {
		return nil, false
	}
	switch kind {
	case store.Moment:
		at, err := time.Parse(time.RFC3339, text)
		return at.UnixMilli(), err == nil && at.Year() >= firstYear && at.Year() <= lastYear
	case store.Stamp: // any time that a sender may have stated and that fits into 64 bits of nanoseconds
		at, err := time.Parse(stampFormat, text)
		return at.UnixNano(), err == nil && at.Year() > 1677 && at.Year() <= lastYear
	case store.SealedText:
		return []byte(text), true
	}
	return text, true
}
