package archive

import (
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"birthregistry/store"
)

// parse reads a line into the values of a table's columns, as the database has them;
// sealed ones hold their content. Numbers of rows are within what the manifest says.
func (a *reader) parse(t *store.ArchiveTable, line []byte) ([]any, error) {
	var stated map[string]jsontext.Value
	if json.Unmarshal(line, &stated) != nil {
		return nil, damaged("a line is not a JSON object")
	}
	values := make([]any, len(t.Columns)+len(t.With), len(t.Columns)+len(t.With)+len(t.Derived)+1)
	for i, c := range t.Columns {
		raw, ok := stated[c.Name]
		if !ok {
			continue
		}
		delete(stated, c.Name)
		value, ok := parseCell(c.Kind, raw)
		if !ok {
			return nil, damaged("%s is not what it should be", c.Name)
		}
		if c.Kind == store.Own || c.Kind == store.Reference {
			span, id := a.members[memberOf(c.Of)], value.(int64)
			if id < 1 || id < span.First || id > span.To {
				return nil, damaged("%s names a row that is not there", c.Name)
			}
		}
		values[i] = value
	}
	if len(stated) > 0 {
		return nil, damaged("a line has a member that nobody knows")
	}
	return values, nil
}

// memberOf returns the member with the rows of a table.
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
		return n, err == nil
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
		return []byte(raw), raw.Kind() == '{' || raw.Kind() == '['
	}
	var text string
	if raw.Kind() != '"' || json.Unmarshal(raw, &text) != nil {
		return nil, false
	}
	switch kind {
	case store.Moment:
		at, err := time.Parse(time.RFC3339, text)
		return at.UnixMilli(), err == nil
	case store.Stamp:
		at, err := time.Parse(stampFormat, text)
		return at.UnixNano(), err == nil && at.Year() > 1677 && at.Year() < 2262
	case store.SealedText:
		return []byte(text), true
	}
	return text, true
}
