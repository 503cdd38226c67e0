package uscore

import (
	"regexp"
	"sync"
)

// pattern is a regular expression that is compiled when it is first used. The patterns for charts
// take a megabyte. A service that only receives Bundles never needs to compile them.
type pattern func() *regexp.Regexp

// patterns lists all patterns for the test that compiles them.
var patterns []pattern

func re(text string) pattern {
	p := pattern(sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) }))
	patterns = append(patterns, p)
	return p
}

// MatchString reports whether a text contains a match of the pattern.
func (p pattern) MatchString(text string) bool { return p().MatchString(text) }

// ReplaceAllString returns a text with each match of the pattern replaced.
func (p pattern) ReplaceAllString(text, with string) string { return p().ReplaceAllString(text, with) }
