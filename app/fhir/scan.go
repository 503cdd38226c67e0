package fhir

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// The limits of Scan. No real course of care comes near them.
const (
	MaxDepth   = 64
	maxMembers = 10_000 // members of one object or list, except the Bundle's entries
	maxEntries = 50_000 // elements of a list that is a member of the Bundle
	maxDigits  = 64     // characters of a number, with its sign and its point

	maxExponent = 3 // digits of the exponent of a number
)

// Scan reads a request body to its end and checks whether the push endpoint accepts it. The body
// must be one JSON object with resourceType Bundle, in strict UTF-8, without repeated member names,
// and within the limits. Scan keeps no value. It returns NotJSON, TooComplex, HasNUL or NotABundle,
// or the error from r.
func Scan(r io.Reader) error {
	guarded := &guard{from: r, exponent: -1}
	dec := decoders.Get().(*jsontext.Decoder)
	dec.Reset(guarded)
	defer func() {
		if guarded.read <= keptDecoder {
			decoders.Put(dec)
		}
	}()
	isBundle, err := scanObject(dec)
	if err == nil {
		after := dec.InputOffset()
		if _, err = dec.ReadToken(); err == nil { // a second value after the first
			return notJSONAfter(after)
		}
	}
	switch {
	case guarded.failed != nil && !errors.Is(guarded.failed, io.EOF):
		return guarded.failed
	case errors.Is(err, io.EOF):
		if isBundle {
			return nil
		}
		return NotABundle
	case err != nil:
		return asProblem(err)
	}
	return nil
}

// decoders is a pool of decoders with their buffers. A decoder's buffer grows to the longest value
// or white space that it has read. A decoder that has read more than keptDecoder bytes therefore
// isn't put back into the pool.
var decoders = sync.Pool{New: func() any { return jsontext.NewDecoder(strings.NewReader("")) }}

const keptDecoder = 1 << 20

// asProblem returns err if it is a Problem, and NotJSON otherwise. If err is a syntax error, the
// NotJSON gives its position. It leaves out the text and the path of the syntax error, because they
// may quote what was submitted.
func asProblem(err error) error {
	if problem := (*Problem)(nil); errors.As(err, &problem) {
		return problem
	}
	if syntax := (*jsontext.SyntacticError)(nil); errors.As(err, &syntax) {
		return notJSONAfter(syntax.ByteOffset)
	}
	return NotJSON
}

// notJSONAfter returns NotJSON with a text that gives the number of bytes before the error.
func notJSONAfter(offset int64) *Problem {
	return NotJSON.because(fmt.Sprintf("%s The error is after byte %d of the body.", NotJSON.Text, offset))
}

func scanObject(dec *jsontext.Decoder) (isBundle bool, err error) {
	if dec.PeekKind() != '{' {
		if _, err := dec.ReadValue(); err != nil {
			if errors.Is(err, io.EOF) {
				err = NotJSON
			}
			return false, err
		}
		return false, NotABundle
	}
	if _, err := dec.ReadToken(); err != nil {
		return false, err
	}
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return false, err
		}
		switch name.String() {
		case "resourceType":
			value, err := dec.ReadValue()
			if err != nil {
				return false, err
			}
			text, err := jsontext.AppendUnquote(nil, value)
			isBundle = err == nil && string(text) == "Bundle"
		case "entry":
			if err := scanEntries(dec); err != nil {
				return false, err
			}
		default:
			if _, err := dec.ReadValue(); err != nil {
				return false, err
			}
		}
	}
	_, err = dec.ReadToken()
	return isBundle, err
}

// scanEntries reads a Bundle's entries one by one, so that a large batch is never in memory as a
// whole.
func scanEntries(dec *jsontext.Decoder) error {
	if dec.PeekKind() != '[' {
		_, err := dec.ReadValue()
		return err
	}
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	for dec.PeekKind() != ']' {
		if _, err := dec.ReadValue(); err != nil {
			return err
		}
	}
	_, err := dec.ReadToken()
	return err
}

// guard counts depth, members and digits in the bytes before they reach the decoder. It stops a
// document that would use too much memory or stack in the decoder. The counts need to be right only
// for well-formed JSON, because the decoder refuses anything else.
type guard struct {
	from   io.Reader
	failed error
	read   int

	depth    int
	left     [MaxDepth + 1]int // how many more members the value at each depth may have
	entries  bool              // set if the Bundle's member being read is a list
	inString bool
	escape   int // 1 after a backslash, 5 to 2 before the digits of \u, otherwise 0
	zeros    int // zeros so far in \u0000; the fourth one refuses the document
	digits   int // length of the number being read
	exponent int // digits of that number's exponent, or -1 before the e
}

func (g *guard) Read(p []byte) (int, error) {
	if g.failed != nil {
		return 0, g.failed
	}
	n, err := g.from.Read(p)
	g.read += n
	if !g.allow(p[:n]) {
		g.failed = g.refused()
		return 0, g.failed
	}
	if err != nil {
		g.failed = err
	}
	return n, err
}

// refused returns the problem for which allow returned false.
func (g *guard) refused() *Problem {
	switch {
	case g.zeros == 4:
		return HasNUL
	case g.depth > MaxDepth:
		return TooComplex.because(fmt.Sprintf("The body is nested deeper than %d levels.", MaxDepth))
	case g.digits > maxDigits:
		return TooComplex.because(fmt.Sprintf("A number of the body is longer than %d characters.", maxDigits))
	case g.exponent > maxExponent:
		return TooComplex.because(fmt.Sprintf("A number of the body has an exponent of more than %d digits.", maxExponent))
	case g.depth == 2 && g.entries:
		return TooComplex.because(fmt.Sprintf("A list of the Bundle has more than %d entries.", maxEntries))
	}
	return TooComplex.because(fmt.Sprintf("An object or a list of the body has more than %d members.", maxMembers))
}

// The kinds of bytes outside strings that matter to the guard. It ignores all other bytes.
const (
	quote = iota + 1
	begin
	end
	comma
	numeric
)

var kinds = [256]byte{
	'"': quote, '{': begin, '[': begin, '}': end, ']': end, ',': comma,
	'0': numeric, '1': numeric, '2': numeric, '3': numeric, '4': numeric, '5': numeric, '6': numeric, '7': numeric,
	'8': numeric, '9': numeric, '.': numeric, '-': numeric, '+': numeric, 'e': numeric, 'E': numeric,
}

func (g *guard) allow(p []byte) bool {
	for i := 0; i < len(p); i++ {
		if g.inString {
			if g.escape == 0 { // most of a document is plain text: skip to the quote or escape that ends it
				i += plainRun(p[i:])
				if i == len(p) {
					return true
				}
			}
			if !g.allowInString(p[i]) {
				return false
			}
			continue
		}
		switch kinds[p[i]] {
		case numeric:
			if !g.allowInNumber(p[i]) {
				return false
			}
			continue
		case quote:
			g.inString = true
		case begin:
			g.depth++
			if g.depth > MaxDepth {
				return false
			}
			g.left[g.depth] = maxMembers
			if g.depth == 2 {
				if g.entries = p[i] == '['; g.entries {
					g.left[g.depth] = maxEntries
				}
			}
		case end:
			g.depth = max(g.depth-1, 0)
		case comma:
			g.left[g.depth]--
			if g.left[g.depth] == 0 {
				return false
			}
		}
		g.digits, g.exponent = 0, -1
	}
	return true
}

// window is how many bytes plainRun searches at a time. A document may have a million escapes, and
// it would take minutes to search the whole rest of the document after each of them.
const window = 256

// plainRun returns how many bytes come before the first quote or backslash in p.
func plainRun(p []byte) int {
	for n := 0; n < len(p); n += window {
		part := p[n:min(n+window, len(p))]
		at := bytes.IndexByte(part, '"')
		if at < 0 {
			at = len(part)
		}
		if escape := bytes.IndexByte(part[:at], '\\'); escape >= 0 {
			at = escape
		}
		if at < len(part) {
			return n + at
		}
	}
	return len(p)
}

func (g *guard) allowInNumber(c byte) bool {
	g.digits++
	switch {
	case c == 'e' || c == 'E':
		g.exponent = 0
	case g.exponent >= 0 && c >= '0' && c <= '9':
		g.exponent++
	}
	return g.digits <= maxDigits && g.exponent <= maxExponent
}

// allowInString checks the next byte of a string. It returns false if the byte completes a NUL
// character (\u0000), which no text in a record may contain.
func (g *guard) allowInString(c byte) bool {
	switch {
	case g.escape == 1 && c == 'u':
		g.escape, g.zeros = 5, 0
	case g.escape > 1:
		g.escape--
		if c == '0' {
			g.zeros++
		}
		if g.escape == 1 {
			g.escape = 0
			return g.zeros < 4
		}
	case g.escape == 1:
		g.escape = 0
	case c == '\\':
		g.escape = 1
	case c == '"':
		g.inString = false
	}
	return true
}
