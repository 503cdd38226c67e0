package sheet

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// Problem says why a file as a whole can't be read, and what to do. It never quotes the file.
type Problem struct {
	Row  int // the row in the spreadsheet, or 0 if the problem is the whole file
	Text string
}

func (p *Problem) Error() string {
	if p.Row > 0 {
		return fmt.Sprintf("Row %d: %s", p.Row, p.Text)
	}
	return p.Text
}

func unreadable(row int, format string, args ...any) *Problem {
	return &Problem{Row: row, Text: fmt.Sprintf(format, args...)}
}

var (
	emptyFile = unreadable(0, "The file is empty. Choose a file with a header row and a row for each newborn.")
	noRows    = unreadable(0, "The file has a header and no rows. Add a row for each newborn.")
)

// Encoding is the character encoding of a file.
type Encoding string

// The encodings that spreadsheet programs write. A byte order mark shows the encoding. Without one,
// text that is valid UTF-8 is read as UTF-8. Any other text is in Windows-1252 or in Mac OS Roman.
// In the United States, Excel uses Windows-1252 for plain "CSV". Numbers and Excel on a Mac offer
// Mac OS Roman. If the letters don't prove which of the two it is (letters.go), the file is
// refused.
const (
	UTF8        Encoding = "UTF-8"
	UTF16LE     Encoding = "UTF-16LE"
	UTF16BE     Encoding = "UTF-16BE"
	Windows1252 Encoding = "Windows-1252"
	MacRoman    Encoding = "Mac OS Roman"
)

// asCSV is the advice for nearly every problem with a file.
const asCSV = "In the spreadsheet choose File, Save as, “CSV UTF-8 (comma delimited)” and upload that file."

// magics lists the first bytes of files that people upload instead of a CSV file.
var magics = []struct{ bytes, what string }{
	{"PK\x03\x04", "an Excel workbook or another zip file"},
	{"\xd0\xcf\x11\xe0", "an old Excel workbook"},
	{"%PDF", "a PDF document"},
	{"\x89PNG", "a picture (PNG)"},
	{"\xff\xd8\xff", "a picture (JPEG)"},
	{"GIF8", "a picture (GIF)"},
	{"{\\rtf", "a text document (RTF)"},
	{"\x1f\x8b", "a compressed file (gzip)"},
	{"<!DOCTYPE", "a web page"},
	{"<!doctype", "a web page"},
	{"<html", "a web page"},
	{"<?xml", "an XML file"},
	{"{\"", "a JSON file"},
	{"SQLite format 3", "a database"},
}

// Sniffer detects the encoding of a file. The whole file must be passed to Write. Write returns an
// error as soon as the Sniffer finds that the file isn't text.
type Sniffer struct {
	head  []byte
	tail  []byte // the first bytes of a character whose other bytes come with the next Write
	not8  bool   // the bytes so far are not UTF-8
	undef bool   // the file has bytes that Windows-1252 doesn't define
	letters
}

// magicLength is how many bytes at the beginning of a file are compared with magics.
const magicLength = 16

// Write takes the next bytes of the file. Its error is a *Problem.
func (s *Sniffer) Write(p []byte) (int, error) {
	if missing := magicLength - len(s.head); missing > 0 {
		s.head = append(s.head, p[:min(missing, len(p))]...)
		if len(s.head) == magicLength {
			if err := s.magic(); err != nil {
				return 0, err
			}
		}
	}
	if s.marked() {
		return len(p), nil
	}
	if bytes.IndexByte(p, 0) >= 0 {
		if err := s.magic(); err != nil {
			return 0, err
		}
		return 0, unreadable(0, "The file holds NUL characters, so it is not a CSV file as spreadsheets write it. %s", asCSV)
	}
	s.text(p)
	return len(p), nil
}

// marked reports whether the file begins with a byte order mark for UTF-16.
func (s *Sniffer) marked() bool {
	return bytes.HasPrefix(s.head, []byte("\xff\xfe")) || bytes.HasPrefix(s.head, []byte("\xfe\xff"))
}

func (s *Sniffer) magic() error {
	text := bytes.TrimPrefix(s.head, []byte("\ufeff"))
	for _, m := range magics {
		if bytes.HasPrefix(text, []byte(m.bytes)) {
			return unreadable(0, "The file is %s, not a CSV file. %s", m.what, asCSV)
		}
	}
	return nil
}

func (s *Sniffer) text(p []byte) {
	if !s.not8 {
		b := append(s.tail, p...) //nolint:gocritic // the tail has a few bytes, and an array of its own
		whole := len(b) - unfinished(b)
		s.not8 = !utf8.Valid(b[:whole])
		s.tail = slices.Clone(b[whole:])
	}
	for _, b := range p {
		s.next(b)
	}
	for _, undefined := range "\u0081\u008d\u008f\u0090\u009d" {
		s.undef = s.undef || bytes.IndexByte(p, byte(undefined)) >= 0
	}
}

// unfinished returns how many bytes at the end of b belong to an incomplete character.
func unfinished(b []byte) int {
	for n := 1; n <= min(utf8.UTFMax-1, len(b)); n++ {
		if last := b[len(b)-n:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				return n
			}
			break
		}
	}
	return 0
}

// Encoding returns the encoding of the file. It must be called after the last byte was written. It
// fails if the file is empty, isn't a CSV file, or has an unknown encoding.
func (s *Sniffer) Encoding() (Encoding, error) {
	if err := s.magic(); err != nil {
		return "", err
	}
	valid := !s.not8 && len(s.tail) == 0
	found, certain := s.encoding()
	switch {
	case len(s.head) == 0:
		return "", emptyFile
	case bytes.HasPrefix(s.head, []byte("\xff\xfe")):
		return UTF16LE, nil
	case bytes.HasPrefix(s.head, []byte("\xfe\xff")):
		return UTF16BE, nil
	case valid:
		return UTF8, nil
	case !certain, bytes.HasPrefix(s.head, []byte("\ufeff")), s.undef && found == Windows1252:
		return "", unreadable(0, "The file has letters with accents, but its encoding is not certain. %s", asCSV)
	}
	return found, nil
}

// decode returns a reader of a file's text in UTF-8, without a byte order mark.
func (e Encoding) decode(r io.Reader) *bufio.Reader {
	switch e {
	case UTF16LE:
		r = transform.NewReader(r, unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder())
	case UTF16BE:
		r = transform.NewReader(r, unicode.UTF16(unicode.BigEndian, unicode.ExpectBOM).NewDecoder())
	case MacRoman:
		r = transform.NewReader(r, charmap.Macintosh.NewDecoder())
	case Windows1252:
		r = transform.NewReader(r, charmap.Windows1252.NewDecoder())
	}
	text := bufio.NewReaderSize(r, peekSize)
	if mark, err := text.Peek(len("\ufeff")); err == nil && string(mark) == "\ufeff" {
		_, _ = text.Discard(len(mark)) // can't fail, because the bytes were just peeked at
	}
	return text
}

// peekSize is how many bytes are searched for the delimiter. It is enough for the header of the
// widest file.
const peekSize = 128 << 10

// separator returns the delimiter in a first line such as "sep=;", which some files have for Excel,
// and discards this line. It returns 0 if there is no such line.
func separator(text *bufio.Reader) byte {
	line, _ := text.Peek(len(`"sep=;"`) + 2)
	first, _, _ := strings.Cut(strings.ReplaceAll(string(line), "\r", "\n"), "\n")
	bare := strings.Trim(first, `"`)
	if len(bare) != len("sep=;") || !strings.EqualFold(bare[:len("sep=")], "sep=") || len(first) == len(line) {
		return 0
	}
	_, _ = text.Discard(len(first)) // it was just peeked at
	if b, err := text.ReadByte(); err == nil && b == '\r' {
		if next, err := text.Peek(1); err == nil && next[0] == '\n' {
			_, _ = text.Discard(1)
		}
	}
	return bare[len(bare)-1]
}
