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

// retired are words that no identifier has anymore, with the words that replaced them. They
// were private metaphors, or a second word for the same thing.
var retired = map[string]string{
	"house": "layers", "roof": "layer", "door": "reader, format", "doors": "readers", "lane": "practice queue, source", "lanes": "practice queues, sources",
	"turn": "job", "turns": "jobs", "board": "change set", "enroll": "create", "annotate": "attach",
	"promise": "acknowledge, commit", "promises": "acknowledges", "arrival": "ingestion", "arrivals": "ingestions",
	"people": "providers, users", "prints": "fingerprints", "alike": "duplicates, similar", "settle": "rebase", "settled": "rebased",
	"neutral": "redacted", "forecast": "preview", "verdict": "result", "residue": "WAL", "scrub": "truncate", "symptom": "input", "symptoms": "inputs",
	"cure": "fix", "cures": "fixes", "trouble": "problem", "troubles": "problems", "told": "reported, stated, known", "tell": "report, notify, state",
	"tells": "reports, states", "said": "stated", "beside": "with, near, comparison", "bed": "fixture", "desk": "session", "world": "fixture",
	"shelf": "store", "ours": "the installation's", "theirs": "the caller's",
}

// inSentences are retired words that a test's name, which is a sentence, may have:
// "as people type them", "prints the key".
var inSentences = []string{"people", "prints", "alike"}

// retiredInProse are the phrases that no comment, page, message or guide has anymore.
var retiredInProse = regexp.MustCompile(`(?i)\b(worked off|worked to (its|their) end|own fields|enroll\w*|arrivals|(the|a) (house|roof|lane|board|bed|desk|shelf|door)|practice's practice|ours|theirs)\b`)

// others are names of other people's code and of the specification.
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

// prose returns the part of a line that is written for readers: a guide's whole line, the
// comment in code.
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

// eachSource visits the files of the project with these endings, by their path from its root.
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
