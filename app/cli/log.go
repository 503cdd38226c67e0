package cli

import (
	"context"
	"encoding"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// logger returns a logger that writes to w: text if w is a terminal, and otherwise JSON.
func logger(w io.Writer) *slog.Logger {
	if isTerminal(w) {
		return slog.New(allowed{slog.NewTextHandler(w, nil)})
	}
	return slog.New(allowed{slog.NewJSONHandler(w, nil)})
}

// loggable lists the attributes that may be logged: IDs, counts, times and the program's own words.
// Other attributes are left out. A new log line therefore can't contain submitted values unless
// somebody deliberately adds the attribute here.
var loggable = []string{
	"request_id", "correlation_id", "method", "route", "status", "bytes", "duration_ms", "cause", "stack", "task",
	"practice", "key", "ingestion", "exception", "items", "count", "address", "listen", "database", "folder", "key_file", "version", "reading", "attempts",
	"ehr", "provider", "observations", "conditions", "encounters", "unread", "conduct", "share", "most", "table", "row",
	"problem", "answer", // of webhooks: one of a fixed list of texts, and an HTTP status
}

// allowed is a log handler that passes on only the attributes in loggable, and cuts long values.
type allowed struct{ slog.Handler }

// Handle writes a log record, but only with the attributes in the list loggable.
func (h allowed) Handle(ctx context.Context, r slog.Record) error {
	kept := slog.NewRecord(r.Time, r.Level, cut(r.Message), r.PC)
	withheld := 0
	r.Attrs(func(a slog.Attr) bool {
		switch value := a.Value.Any(); {
		case value == nil || value == "": // such as the cause of an ingestion that failed without an error
		case slices.Contains(loggable, a.Key):
			kept.AddAttrs(discreet(a))
		default:
			withheld++
		}
		return true
	})
	if withheld > 0 {
		kept.AddAttrs(slog.Int("withheld", withheld))
	}
	return h.Handler.Handle(ctx, kept)
}

// WithAttrs ignores the attributes, because they would bypass the filter in Handle.
func (h allowed) WithAttrs([]slog.Attr) slog.Handler { return h }

// WithGroup does nothing: see WithAttrs.
func (h allowed) WithGroup(string) slog.Handler { return h }

// longest is the maximum length of a logged text in bytes. Stack traces may be longer.
const longest = 1000

// discreet returns an attribute that can be logged. It cuts long texts. If the value is a library's
// error that quotes its input, or has an unexpected type, discreet replaces the value with the name
// of its type.
func discreet(a slog.Attr) slog.Attr {
	switch v := a.Value.Any().(type) {
	case error:
		a.Value = slog.StringValue(cut(wordless(v)))
	case string:
		if a.Key != "stack" {
			a.Value = slog.StringValue(cut(v))
		}
	case encoding.TextMarshaler, fmt.Stringer, bool, int64, uint64, float64, time.Time, time.Duration, slog.Level:
	default:
		if number := reflect.ValueOf(v); number.CanInt() { // a number, such as a practice's ID
			a.Value = slog.Int64Value(number.Int())
			break
		}
		a.Value = slog.StringValue(fmt.Sprintf("withheld %T", v))
	}
	return a
}

func cut(text string) string {
	if len(text) <= longest {
		return text
	}
	return strings.ToValidUTF8(text[:longest], "") // not half a character at the end
}

// wordless returns the text of an error. If the error comes from a library that quotes its input,
// wordless returns only the error's type.
func wordless(err error) string {
	for _, quotes := range []any{
		new(*json.SemanticError), new(*jsontext.SyntacticError), new(*strconv.NumError), new(*time.ParseError),
		new(*url.Error), new(*csv.ParseError), new(url.EscapeError), new(url.InvalidHostError),
	} {
		if errors.As(err, quotes) {
			return fmt.Sprintf("%T, its text withheld", err)
		}
	}
	return err.Error()
}
