package powercut

import (
	"errors"
	"strconv"
	"strings"
)

// call is a system call in a line of strace's output: name(args) = result.
type call struct {
	name   string
	args   []string // the arguments as strace wrote them
	paths  []string // the strings among them, unquoted
	data   []byte   // the last string
	result int64
	cutOff bool // the process was killed within the call
}

// number returns the nth argument of the call as a number.
func (c call) number(n int) int64 {
	v, _ := strconv.ParseInt(c.args[n], 0, 64) // strace has written it
	return v
}

var errShort = errors.New("strace has cut a string short; give it a larger -s")

// parse parses a call. If the text has no result, because the call hasn't returned, parse sets
// cutOff.
func parse(text string) (c call, err error) {
	name, rest, found := strings.Cut(text, "(")
	if !found {
		return c, errors.New("no call")
	}
	c.name = name
	for depth, arg := 0, rest; rest != ""; {
		switch rest[0] {
		case '"':
			var s []byte
			if s, rest = unquote(rest[1:]); strings.HasPrefix(rest, "...") {
				return c, errShort
			}
			c.paths, c.data = append(c.paths, string(s)), s
			continue
		case '{', '[', '(':
			depth++
		case '}', ']':
			depth--
		case ')', ',':
			if depth > 0 && rest[0] == ')' {
				depth--
			} else if depth == 0 {
				c.args = append(c.args, strings.TrimSpace(arg[:len(arg)-len(rest)]))
				arg = rest[1:]
				if rest[0] == ')' {
					return c.returned(arg), nil
				}
			}
		}
		if rest = rest[1:]; rest == "" {
			c.args = append(c.args, strings.TrimSpace(arg))
		}
	}
	return c, nil
}

// returned adds the result of a call. rest is the text after the arguments. If it has no result,
// returned sets cutOff.
func (c call) returned(rest string) call {
	_, value, found := strings.Cut(rest, "= ")
	value, _, _ = strings.Cut(value, " ")
	if !found || value == "?" {
		c.cutOff = true
		return c
	}
	if n, err := strconv.ParseInt(value, 0, 64); err == nil { // otherwise, it is an address
		c.result = n
	}
	return c
}

// unquote decodes a C string, whose opening quote has been removed. It returns the string, and the
// text after the closing quote.
func unquote(text string) (s []byte, rest string) {
	s = make([]byte, 0, len(text)/2)
	for n := 0; n < len(text); n++ {
		switch b := text[n]; b {
		case '"':
			return s, text[n+1:]
		case '\\':
			n++
			if at := strings.IndexByte(`ntvrf`, text[n]); at >= 0 {
				s = append(s, "\n\t\v\r\f"[at])
				continue
			}
			if text[n] < '0' || text[n] > '7' {
				s = append(s, text[n])
				continue
			}
			v := 0
			end := min(n+3, len(text))
			for ; n < end && text[n] >= '0' && text[n] <= '7'; n++ {
				v = v<<3 | int(text[n]-'0')
			}
			n--
			s = append(s, byte(v))
		default:
			s = append(s, b)
		}
	}
	return s, ""
}
