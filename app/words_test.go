package app_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// retired maps words that identifiers no longer use to the words that replaced them. They were
// private metaphors, or second words for one thing.
var retired = map[string]string{
	"house": "layers", "roof": "layer", "door": "reader, format", "doors": "readers", "lane": "practice queue, source", "lanes": "practice queues, sources",
	"turn": "job", "turns": "jobs", "board": "change set", "enroll": "create", "annotate": "attach",
	"promise": "acknowledge, commit", "promises": "acknowledges", "arrival": "ingestion", "arrivals": "ingestions",
	"land": "write", "landing": "incoming", "landed": "written", "arrive": "begin, finish", "arriving": "incoming", "arrived": "finished, received",
	"people": "providers, users", "prints": "fingerprints", "alike": "duplicates, similar", "settle": "rebase", "settled": "rebased",
	"neutral": "redacted", "forecast": "preview", "verdict": "result", "residue": "WAL", "scrub": "truncate", "symptom": "input", "symptoms": "inputs",
	"cure": "fix", "cures": "fixes", "trouble": "problem", "troubles": "problems", "told": "reported, stated, known", "tell": "report, notify, state",
	"tells": "reports, states", "said": "stated", "beside": "with, near, comparison", "bed": "fixture", "desk": "session", "world": "fixture",
	"shelf": "store", "ours": "the installation's", "theirs": "the caller's",
}

// inSentences are retired words that a sentence may use, such as a test's name: "as people type
// them", "prints the key".
var inSentences = []string{"people", "prints", "alike", "arrive"}

// retiredInProse matches the phrases that comments, pages, messages and guides no longer use.
var retiredInProse = regexp.MustCompile(`(?i)\b(worked off|worked to (its|their) end|own fields|enroll\w*|arrivals?|(the|a) (house|roof|lane|board|bed|desk|shelf|door)|practice's practice|ours|theirs)\b`)

// others are names from other people's code and from the specification.
var others = []string{"EvalAwaitPromise", "TestAChartTakesTheFourResourcesOfThePullLaneAndNothingElse"}

func TestNoIdentifierHasARetiredWord(t *testing.T) {
	var found []string
	eachSource(t, []string{".go"}, func(path string, text []byte) {
		if strings.HasSuffix(path, "_templ.go") || path == "app/words_test.go" {
			return
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, text, 0)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			id, is := n.(*ast.Ident)
			if !is || slices.Contains(others, id.Name) {
				return true
			}
			for _, word := range words(id.Name) {
				sentence := strings.HasPrefix(id.Name, "Test") && slices.Contains(inSentences, word)
				if instead := retired[word]; instead != "" && !sentence {
					found = append(found, path+": "+id.Name+" ("+word+" → "+instead+")")
				}
			}
			return true
		})
	})
	slices.Sort(found)
	require.Empty(t, slices.Compact(found))
}

// logged are the functions that write to the log, and those whose name for a task gets there.
var logged = []string{"Debug", "Info", "Warn", "Error", "Go", "Do", "Caught"}

func TestNoLineOfTheLogHasARetiredWord(t *testing.T) {
	var found []string
	eachSource(t, []string{".go"}, func(path string, text []byte) {
		if strings.HasSuffix(path, "_templ.go") || strings.HasSuffix(path, "_test.go") {
			return
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, text, 0)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			call, is := n.(*ast.CallExpr)
			if !is {
				return true
			}
			if by, is := call.Fun.(*ast.SelectorExpr); !is || !slices.Contains(logged, by.Sel.Name) {
				return true
			}
			for _, arg := range call.Args {
				if text, is := arg.(*ast.BasicLit); is {
					for _, word := range words(text.Value) {
						if instead := retired[word]; instead != "" && !slices.Contains(inSentences, word) {
							found = append(found, path+": "+text.Value+" ("+word+" → "+instead+")")
						}
					}
				}
			}
			return true
		})
	})
	require.Empty(t, found)
}

func TestNoCommentPageOrGuideHasARetiredPhrase(t *testing.T) {
	var found []string
	eachSource(t, []string{".go", ".templ", ".md", ".sql"}, func(path string, text []byte) {
		if strings.HasSuffix(path, "_templ.go") || path == "app/words_test.go" {
			return
		}
		for line := range strings.Lines(string(text)) {
			if m := retiredInProse.FindString(prose(filepath.Ext(path), line)); m != "" {
				found = append(found, path+": "+m+": "+strings.TrimSpace(line))
			}
		}
	})
	require.Empty(t, found)
}

// spacedPercent is a percent sign, or the verb for one, with a space before it.
var spacedPercent = regexp.MustCompile(`[0-9][ \x{a0}\x{202f}]%(["',.;:)|]|$| [a-z])|%[a-z0-9.]+[ \x{a0}\x{202f}]%%`)

func TestAPercentSignFollowsItsNumberWithoutASpace(t *testing.T) {
	require.Regexp(t, spacedPercent, "48 %\"")
	var found []string
	eachSource(t, []string{".go", ".templ", ".md", ".json", ".js"}, func(path string, text []byte) {
		if strings.HasSuffix(path, "_templ.go") || path == "app/words_test.go" {
			return
		}
		for line := range strings.Lines(string(text)) {
			if spacedPercent.MatchString(strings.TrimRight(line, "\n")) {
				found = append(found, path+": "+strings.TrimSpace(line))
			}
		}
	})
	require.Empty(t, found)
}

// prose returns the part of a line that people read: the whole line of a guide, or the comment
// in code.
func prose(ending, line string) string {
	mark := map[string]string{".go": "//", ".templ": "//", ".sql": "--"}[ending]
	if mark == "" {
		return line
	}
	_, comment, _ := strings.Cut(line, mark)
	return comment
}

var inName = regexp.MustCompile(`[A-Z]+(?:[a-z]*|$)|[a-z]+`)

// words splits a name into its words, in lower case.
func words(name string) (all []string) {
	for _, w := range inName.FindAllString(name, -1) {
		all = append(all, strings.ToLower(w))
	}
	return all
}

// eachSource visits the project's files with these endings, by their path from the top of the
// repository.
func eachSource(t *testing.T, endings []string, visit func(path string, text []byte)) {
	t.Helper()
	require.NoError(t, filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if err == nil && (d.Name() == ".git" || d.Name() == "node_modules" || d.Name() == "testdata") {
				return filepath.SkipDir
			}
			return err
		}
		if slices.Contains(endings, filepath.Ext(path)) {
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			rel, err := filepath.Rel("..", path)
			require.NoError(t, err)
			visit(filepath.ToSlash(rel), text)
		}
		return nil
	}))
}
