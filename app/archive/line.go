package archive

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"birthregistry/store"
)

// timeFormat is RFC 3339 with milliseconds. stampFormat is RFC 3339 with the fractions of a second
// that a sender has stated.
const (
	timeFormat  = "2006-01-02T15:04:05.000Z07:00"
	stampFormat = time.RFC3339Nano
)

// appendLine appends a row as a line of JSON, without a line break. Sealed values in the row must
// already have been opened.
func appendLine(b []byte, t *store.ArchiveTable, row []any) ([]byte, error) {
	b = append(b, '{')
	first := true
	for i, c := range t.Columns {
		if row[i] == nil {
			continue
		}
		if !first {
			b = append(b, ',')
		}
		first = false
		b = append(append(append(b, '"'), c.Name...), `":`...)
		var err error
		if b, err = appendCell(b, c.Kind, row[i]); err != nil {
			return nil, fmt.Errorf("archive: %s.%s: %w", t.Name, c.Name, err)
		}
	}
	return append(b, '}'), nil
}

// errCell means that the database has a value that isn't valid in its column. This program never
// writes such a value.
var errCell = errors.New("the database holds a value that the column cannot have; run birthregistry check")

func appendCell(b []byte, kind store.ColumnKind, value any) ([]byte, error) {
	switch value := value.(type) {
	case int64:
		return appendNumber(b, kind, value)
	case string:
		switch kind {
		case store.String, store.SealedText:
			return appendText(b, value)
		case store.Document:
			return appendDocument(b, []byte(value))
		}
	case []byte:
		switch kind {
		case store.SealedText:
			return appendText(b, string(value))
		case store.SealedDocument:
			return appendDocument(b, value)
		}
	}
	return nil, errCell
}

func appendNumber(b []byte, kind store.ColumnKind, n int64) ([]byte, error) {
	switch kind {
	case store.Number, store.Own, store.Reference:
		return strconv.AppendInt(b, n, 10), nil
	case store.Flag:
		return strconv.AppendBool(b, n != 0), nil
	case store.Moment:
		return strconv.AppendQuote(b, time.UnixMilli(n).UTC().Format(timeFormat)), nil
	case store.Stamp:
		return strconv.AppendQuote(b, time.Unix(0, n).UTC().Format(stampFormat)), nil
	}
	return nil, errCell
}

func appendText(b []byte, s string) ([]byte, error) {
	quoted, err := jsontext.AppendQuote(b, s)
	if err != nil { // not UTF-8, which no source accepts
		return nil, errCell
	}
	return quoted, nil
}

// appendDocument appends a JSON document without white space.
func appendDocument(b, doc []byte) ([]byte, error) {
	v := jsontext.Value(doc)
	if !v.IsValid() {
		return nil, errCell
	}
	if err := v.Compact(); err != nil {
		return nil, errCell
	}
	return append(b, v...), nil
}
