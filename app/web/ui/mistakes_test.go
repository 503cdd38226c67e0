package ui

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// The texts of mistakes, in every form in which the code states them. The browser of apptest
// requires the same of every page that it is shown.
var mistakeForms = map[string]*regexp.Regexp{
	"a mistake":    regexp.MustCompile(`Name: [^,{}]+, Text: "([^"]+)"`),
	"a column's":   regexp.MustCompile(`Problem = fmt\.Sprintf\("([^"]+)"`),
	"a question's": regexp.MustCompile(`\bb\.mistake\([^,\n]+, "([^"]+)"\)`),
	"a file's":     regexp.MustCompile(`\bnotUploaded\(c, (?:fmt\.Sprintf\()?"([^"]+)"`),
	"a call's":     regexp.MustCompile(`\bwrong\([^"\n]+, "([^"]+)"\)`),
	"an import's":  regexp.MustCompile(`\b(?:drafts|fixes): +"([^"]+)"`),
}

func TestEveryMistakeIsWrittenAsASentence(t *testing.T) {
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	seen := map[string]int{}
	for _, file := range files {
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		for form, mistake := range mistakeForms {
			for _, m := range mistake.FindAllSubmatch(source, -1) {
				seen[form]++
				require.Regexp(t, `^[A-Z“%].*[.?] ?$`, string(m[1]), file)
			}
		}
	}
	for form := range mistakeForms {
		require.Positive(t, seen[form], form)
	}
}
