package fhir

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// walker reads JSON whose syntax was checked before, by Scan when the JSON was submitted, or by the
// decoder of an EHR's response. It doesn't check the syntax again, so skipping a value takes no
// longer than finding its end. On broken JSON (a damaged buffer), it neither panics nor loops
// forever. If it notices the damage, it fails: it reads nothing more, and failed has the reason.
type walker struct {
	doc    []byte
	at     int       // offset in doc of the next token
	from   io.Reader // the source of more of the document, or nil if doc is all of it
	passed int       // length of the document before doc
	// narrative is where doc has a value whose end is known (Entry.narrative).
	narrative span
	// keeping is set if a value of a wrong JSON type is dropped, and everything else is still read
	// (DecodeKeeping).
	keeping bool
	failed  error
}

// span is a part of a document, from the offset of its first byte to that of the byte after it.
type span struct{ from, to int }

// A window is the part of a document that is in memory. firstWindow is its first size in bytes,
// because most Bundles are little longer. The window then grows to wideWindow, which holds nearly
// every entry, and grows further only for a longer value.
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

// read reads more of the document and drops the part that was already used. If there is no more, or
// the source fails, the walker fails, and read returns false.
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
	// Fill the whole window, and double it the next time: a long value is then scanned again
	// only when the window has doubled, not whenever the source delivers some bytes.
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

// step consumes the byte c. If another byte comes next, the walker fails.
func (w *walker) step(c byte) {
	if w.peek() != c {
		w.fail(errBroken)
		return
	}
	w.at++
}

// another advances to the next element of a list or an object. It returns false after a failure,
// and if the next byte is end ('}' or ']'), which it consumes. first is true before the first
// element; another clears it.
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

// name consumes the name of a member. The result is valid until the next call.
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

// longestName is longer than every name in FHIR's resources.
const longestName = 40

// usualName reads a member's name in the usual case: the name has no escapes, and the document is
// in memory and has no white space. In any other case, it consumes nothing and returns nil, and the
// method name reads the name. Decoding spends a tenth of its time on names, and usualName takes a
// third of the time that name takes without it.
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

// quoted consumes a string, which must come next, and returns it with its quotes and escapes, or
// nil after a failure.
func (w *walker) quoted() []byte {
	if size := sizeOfString(w.doc[w.at:]); size > 0 {
		w.at += size
		return w.doc[w.at-size : w.at]
	}
	return w.value()
}

// value consumes a value and returns it, or nil after a failure. The result is valid until the next
// call.
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

// text returns the text of a JSON string.
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

// unreadable returns nil, or the error if the buffered document couldn't be read. The error quotes
// nothing from the document.
func (w *walker) unreadable() error {
	switch {
	case w.failed == nil:
		return nil
	case errors.Is(w.failed, errBroken):
		return fmt.Errorf("%w after byte %d", ErrUnreadable, w.passed)
	}
	return fmt.Errorf("%w: %w", ErrUnreadable, w.failed)
}

// sizeOf returns the length of the value at the beginning of doc. It returns 0 if the value's
// end isn't in doc, and -1 if there is no value. whole is set if nothing comes after doc.
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

// endOfString returns the offset after the string whose text begins at i, or 0 if its end isn't in
// doc.
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

// endsEscaping reports whether the text of a string ends in a backslash that is not
// one of a pair.
func endsEscaping(text []byte) bool {
	before := len(text)
	for text[before-1] == '\\' {
		before--
	}
	return (len(text)-before)%2 == 1
}

// sizeOfNested returns the length of the rest of a list or an object, or 0 if its end isn't in
// doc. depth is the number of lists and objects that are open where the rest begins, 0 before the
// first bracket.
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

// nesting is how a byte outside a string changes the depth.
var nesting = [256]int8{'{': 1, '[': 1, '}': -1, ']': -1}
