package guide_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	root         = "../.."
	contributing = ".github/CONTRIBUTING.md"
)

var (
	code       = regexp.MustCompile("`([^`]+)`")
	braces     = regexp.MustCompile(`^(.*)\{([^}]*)\}(.*)$`)
	path       = regexp.MustCompile(`^(\.?[a-z]+/[\w./*-]+|app|store|views|migrations)$`)
	identifier = regexp.MustCompile(`^\w+$`)
	mention    = regexp.MustCompile(`\.?/?(app|store|views|migrations)(/[\w./-]+)?`)
	testNames  = regexp.MustCompile(`(?m)^func (Test\w+)`)
	testRun    = regexp.MustCompile(`-run '?([^'` + "`" + ` ]+)'?`)
)

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	require.NoError(t, err)
	return string(text)
}

// filesOf returns the files that a path in the table names; * and {a,b} are patterns.
func filesOf(t *testing.T, named string) (files []string) {
	t.Helper()
	if m := braces.FindStringSubmatch(named); m != nil {
		for _, one := range strings.Split(m[2], ",") {
			files = append(files, filesOf(t, m[1]+one+m[3])...)
		}
		return files
	}
	files, err := filepath.Glob(filepath.Join(root, named))
	require.NoError(t, err)
	require.NotEmpty(t, files, "%s names %s, which does not exist", contributing, named)
	return files
}

func codesOf(text string) (all []string) {
	for _, m := range code.FindAllStringSubmatch(text, -1) {
		all = append(all, strings.ReplaceAll(m[1], `\|`, "|"))
	}
	return all
}

func TestEveryPathThatContributingNamesExists(t *testing.T) {
	paths := 0
	for _, c := range codesOf(read(t, contributing)) {
		if plain := strings.NewReplacer("{", "", "}", "", ",", "").Replace(c); path.MatchString(plain) {
			filesOf(t, c)
			paths++
		}
	}
	require.Greater(t, paths, 50)
}

// rows returns the rows of the tables of changes, each as its cells.
func rows(t *testing.T) (all [][]string) {
	t.Helper()
	_, tables, found := strings.Cut(read(t, contributing), "## Ten common changes")
	require.True(t, found)
	for line := range strings.Lines(tables) {
		if strings.HasPrefix(line, "|") && !strings.HasPrefix(line, "|---") {
			cells := strings.Split(strings.ReplaceAll(line, `\|`, "\x00"), "|")
			require.Len(t, cells, 5, line)
			for i := range cells {
				cells[i] = strings.ReplaceAll(cells[i], "\x00", `\|`)
			}
			all = append(all, cells[1:4])
		}
	}
	require.Greater(t, len(all), 30)
	return all
}

// A name next to a file is declared or used in that file, so that a newcomer finds it there.
func TestEveryNameInContributingIsInTheFileNamedWithIt(t *testing.T) {
	names := 0
	for _, row := range rows(t) {
		text := ""
		for _, c := range codesOf(row[1]) {
			if !strings.Contains(c, " ") && (strings.Contains(c, "/") || path.MatchString(c)) {
				for _, file := range filesOf(t, c) {
					if content, err := os.ReadFile(file); err == nil { // not a folder
						text += string(content)
					}
				}
			}
		}
		for _, c := range codesOf(row[1]) {
			if identifier.MatchString(c) && !path.MatchString(c) {
				names++
				require.True(t, regexp.MustCompile(`\b`+c+`\b`).MatchString(text), "%s: no file next to %s has it: %s", contributing, c, row[1])
			}
		}
	}
	require.GreaterOrEqual(t, names, 10)
}

// A pattern that matches no test would run nothing and pass.
func TestEveryTestThatContributingNamesExists(t *testing.T) {
	patterns := 0
	for _, row := range rows(t) {
		for _, c := range codesOf(row[2]) {
			m := testRun.FindStringSubmatch(c)
			if m == nil {
				continue
			}
			var tests []string
			for _, named := range mention.FindAllString(c[strings.Index(c, "go test"):], -1) {
				files, err := filepath.Glob(filepath.Join(root, named, "*_test.go"))
				require.NoError(t, err)
				for _, file := range files {
					content, err := os.ReadFile(file)
					require.NoError(t, err)
					tests = append(tests, testNames.FindAllString(string(content), -1)...)
				}
			}
			for _, part := range strings.Split(m[1], "|") {
				patterns++
				require.True(t, slices.ContainsFunc(tests, regexp.MustCompile(part).MatchString), "%s: %s finds no test called %s", contributing, c, part)
			}
		}
	}
	require.Greater(t, patterns, 15)
}

func TestTheREADMEIsShortAndItsLinksLeadSomewhere(t *testing.T) {
	readme := read(t, "README.md")
	require.LessOrEqual(t, strings.Count(readme, "\n"), 120)
	links := regexp.MustCompile(`\]\(([^)#]+)\)`)
	for from, text := range map[string]string{".": readme, ".github": read(t, contributing) + read(t, ".github/SECURITY.md")} {
		for _, m := range links.FindAllStringSubmatch(text, -1) {
			require.FileExists(t, filepath.Join(root, from, m[1]))
		}
	}
}
