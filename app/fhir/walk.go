package fhir

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// walker reads JSON whose syntax has already been checked. Scan checks a submission, and the
// decoder checks an EHR's response. A walker doesn't check the syntax again, so it can skip a value
// in the time that it takes to find the value's end. If the JSON is broken (a damaged buffer), a
// walker neither panics nor loops forever. If it notices the damage, it sets failed and reads
// nothing more.
type walker struct {
	doc    []byte
	at     int       // offset in doc of the next token
	from   io.Reader // the source of more of the document, or nil if doc is all of it
	passed int       // length of the document before doc
	// narrative is where in doc there is a value whose end is already known (Entry.narrative).
	narrative span
	// keeping is set if the walker drops a value of the wrong JSON type and still reads everything
	// else (DecodeKeeping).
	keeping bool
	failed  error
}

// span is a part of a document. The field from is the offset of its first byte, and the field to is
// the offset after its last byte.
type span struct{ from, to int }

// A window is the part of a document that is in memory. Its first size is firstWindow bytes,
// because most Bundles are little longer. It then grows to wideWindow, which holds nearly every
// entry. It grows further only for a longer value.
const (
	firstWindow = 8 << 10
	wideWindow  = 64 << 10
)

var errBroken = errors.New("fhir: not the JSON that was checked")

func (w *walker) fail(err error) {
	if w.failed == nil {
		w.failed = err
		w.doc, w.at = nil, 0
	}
}

// read reads more of the document and drops the part that was already used. If the document has
// ended or its source fails, read returns false and the walker fails.
func (w *walker) read() bool {
	if w.from == nil || w.failed != nil {
		w.fail(errBroken)
		return false
	}
	w.passed += w.at
	rest := w.doc[w.at:]
	w.at = 0
	if size := cap(w.doc); size < wideWindow || len(rest) == size {
		w.doc = make([]byte, 0, max(firstWindow, 2*size))
	}
	w.doc = append(w.doc[:0], rest...)
	// Fill the whole window, and double it the next time. A long value is then scanned again only
	// once per doubling, and not whenever the source delivers a few bytes.
	n, err := io.ReadFull(w.from, w.doc[len(w.doc):cap(w.doc)])
	w.doc = w.doc[:len(w.doc)+n]
	switch {
	case n > 0:
		return true
	case errors.Is(err, io.EOF):
		err = errBroken
	}
	w.fail(err)
	return false
}

// peek skips white space and returns the next byte without consuming it. It returns 0 after a
// failure.
func (w *walker) peek() (c byte) {
	if w.at < len(w.doc) {
		c = w.doc[w.at]
	}
	if c > ' ' { // nearly always
		return c
	}
	return w.peekFurther()
}

func (w *walker) peekFurther() byte {
	for {
		for w.at < len(w.doc) {
			switch c := w.doc[w.at]; c {
			case ' ', '\t', '\n', '\r':
				w.at++
			case 0:
				w.fail(errBroken)
			default:
				return c
			}
		}
		if !w.read() {
			return 0
		}
	}
}

// step consumes the next byte, which must be c. Otherwise, the walker fails.
func (w *walker) step(c byte) {
	if w.peek() != c {
		w.fail(errBroken)
		return
	}
	w.at++
}

// another reports whether a list or an object has another element, and advances to it. If the next
// byte is end ('}' or ']'), another consumes it and returns false. It also returns false after a
// failure. The caller sets first to true before the first element, and another clears it.
func (w *walker) another(first *bool, end byte) bool {
	if w.peek() == end {
		w.at++
		return false
	}
	if !*first {
		w.step(',')
	}
	*first = false
	return w.failed == nil
}

// name consumes the name of a member and returns it. The result is valid until the next call.
func (w *walker) name() []byte {
	if name := w.usualName(); name != nil {
		return name
	}
	if w.peek() != '"' {
		w.fail(errBroken)
		return nil
	}
	name := w.quoted()
	if w.failed != nil {
		return nil
	}
	if bytes.IndexByte(name, '\\') >= 0 {
		name = []byte(w.text(name))
	} else {
		name = name[1 : len(name)-1]
	}
	if w.from != nil { // the next read may move the bytes
		name = bytes.Clone(name)
	}
	w.step(':')
	return name
}

// longestName limits the names that usualName reads, in bytes. Every name in FHIR's resources is
// shorter.
const longestName = 40

// usualName reads a member's name in the usual case: the document is in memory and without white
// space, and the name has no escapes. In any other case, it consumes nothing and returns nil, and
// the method name reads the name. Decoding spends a tenth of its time on names. With usualName, it
// takes a third of the time to read a name.
func (w *walker) usualName() []byte {
	if w.from != nil || w.at >= len(w.doc) || w.doc[w.at] != '"' {
		return nil
	}
	rest := w.doc[w.at+1 : min(w.at+longestName, len(w.doc))]
	for i, c := range rest {
		switch c {
		case '\\':
			return nil
		case '"':
			if i+1 < len(rest) && rest[i+1] == ':' {
				w.at += i + 3
				return rest[:i]
			}
			return nil
		}
	}
	return nil
}

// quoted consumes the next value, which must be a string. It returns the string with its quotes and
// escapes, or nil after a failure.
func (w *walker) quoted() []byte {
	if size := sizeOfString(w.doc[w.at:]); size > 0 {
		w.at += size
		return w.doc[w.at-size : w.at]
	}
	return w.value()
}

// value consumes the next value and returns its JSON, or nil after a failure. The result is valid
// until the next call.
func (w *walker) value() []byte {
	for w.peek() != 0 {
		if w.at == w.narrative.from && w.at > 0 {
			w.at = w.narrative.to
			return w.doc[w.narrative.from:w.narrative.to]
		}
		switch size := sizeOf(w.doc[w.at:], w.from == nil); {
		case size > 0:
			w.at += size
			return w.doc[w.at-size : w.at]
		case size < 0:
			w.fail(errBroken)
		default:
			w.read()
		}
	}
	return nil
}

// text returns the string that a JSON string stands for, without quotes and escapes.
func (w *walker) text(quoted []byte) string {
	if len(quoted) < 2 {
		return ""
	}
	if bytes.IndexByte(quoted, '\\') < 0 {
		return string(quoted[1 : len(quoted)-1])
	}
	text, err := jsontext.AppendUnquote(nil, quoted)
	if err != nil {
		w.fail(errBroken)
	}
	return string(text)
}

// unreadable returns an error if the buffered document couldn't be read, and nil otherwise. The
// error quotes nothing from the document.
func (w *walker) unreadable() error {
	switch {
	case w.failed == nil:
		return nil
	case errors.Is(w.failed, errBroken):
		return fmt.Errorf("%w after byte %d", ErrUnreadable, w.passed)
	}
	return fmt.Errorf("%w: %w", ErrUnreadable, w.failed)
}

// sizeOf returns the length of the JSON value at the beginning of doc. It returns 0 if doc ends
// before the value does, and -1 if there is no value. The argument whole is set if nothing comes
// after doc.
func sizeOf(doc []byte, whole bool) int {
	switch c := doc[0]; {
	case c == '"':
		return sizeOfString(doc)
	case c == '{' || c == '[':
		return sizeOfNested(doc, 0)
	case c != '-' && (c < '0' || c > '9') && c != 't' && c != 'f' && c != 'n':
		return -1
	}
	size := bytes.IndexAny(doc, ",}] \t\n\r")
	if size < 0 && whole {
		return len(doc)
	}
	return max(size, 0)
}

func sizeOfString(doc []byte) int { return endOfString(doc, 1) }

// endOfString returns the offset after a string's closing quote. The argument i is the offset after
// its opening quote. endOfString returns 0 if the closing quote isn't in doc.
func endOfString(doc []byte, i int) int {
	for {
		n := bytes.IndexByte(doc[i:], '"')
		if n < 0 {
			return 0
		}
		i += n + 1
		if doc[i-2] != '\\' || !endsEscaping(doc[:i-1]) {
			return i
		}
	}
}

// endsEscaping reports whether text ends in an odd number of backslashes, so that the last one
// escapes the next character.
func endsEscaping(text []byte) bool {
	before := len(text)
	for text[before-1] == '\\' {
		before--
	}
	return (len(text)-before)%2 == 1
}

// sizeOfNested returns the length of the list or object at the beginning of doc, or 0 if its end
// isn't in doc. If doc begins in the middle of a list or object, sizeOfNested returns the length of
// the rest. The argument depth is the number of lists and objects that are open at the beginning of
// doc, which is 0 before the first bracket.
func sizeOfNested(doc []byte, depth int) int {
	for i := 0; i < len(doc); {
		c := doc[i]
		i++
		if c != '"' {
			depth += int(nesting[c])
			if depth == 0 {
				return i
			}
			continue
		}
		if i = endOfString(doc, i); i == 0 {
			return 0
		}
	}
	return 0
}

// nesting says how each byte outside a string changes the depth: by 1, -1 or 0.
var nesting = [256]int8{'{': 1, '[': 1, '}': -1, ']': -1}
