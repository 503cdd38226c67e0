package cli

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestALogLineCannotCarryWhatWasSubmitted(t *testing.T) {
	const canary = "Okonkwo"
	var number int
	_, wrongNumber := strconv.Atoi(canary)
	_, wrongTime := time.Parse(time.DateOnly, canary)
	_, wrongURL := url.Parse("https://" + canary + "/" + strings.Repeat("%z", 2))
	_, wrongCSV := csv.NewReader(strings.NewReader(`"` + canary)).Read()
	wrongJSON := json.Unmarshal([]byte(`"`+canary+`"`), &number)
	for name, line := range map[string][]any{
		"a name that is not allowed": {"mother", canary},
		"a body":                     {"cause", []byte(canary)},
		"a struct":                   {"cause", struct{ Name string }{canary}},
		"a number":                   {"cause", wrongNumber},
		"a time, wrapped":            {"cause", fmt.Errorf("read: %w", wrongTime)},
		"an address":                 {"cause", errors.Join(errors.New("x"), wrongURL)},
		"a row":                      {"cause", wrongCSV},
		"a document":                 {"cause", wrongJSON},
		"a long text":                {"cause", strings.Repeat("x", longest) + canary},
	} {
		var b bytes.Buffer
		log := logger(&b)
		log.Error("it failed", append(line, "request_id", "kept")...)
		log.With("mother", canary).WithGroup(canary).Error("again", line...)
		require.NotContains(t, b.String(), canary, name)
		require.Contains(t, b.String(), "it failed", name)
		require.Contains(t, b.String(), `"request_id":"kept"`, name)
	}
	var b bytes.Buffer
	logger(&b).Info("request", "status", 200, "duration_ms", 3.25, "cause", errors.New("the disk is full"), "mother", canary)
	require.Contains(t, b.String(), `"status":200`)
	require.Contains(t, b.String(), `"cause":"the disk is full"`)
	require.Contains(t, b.String(), `"withheld":1`)
}

// The log withholds every name that isn't listed. So a name that somebody uses in a log line
// and forgets to list would be missing when the line is needed.
func TestEveryNameThatIsLoggedIsLoggable(t *testing.T) {
	found := 0
	eachSource(t, func(path string) error {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, is := n.(*ast.CallExpr)
			if !is || !logs(call) {
				return true
			}
			for i, arg := range call.Args[1:] {
				if name, is := arg.(*ast.BasicLit); is && i%2 == 0 {
					found++
					assert.Contains(t, loggable, strings.Trim(name.Value, `"`), path)
				}
			}
			return true
		})
		return nil
	})
	require.Greater(t, found, 40)
}

// eachSource visits every Go file of the project that isn't a test.
func eachSource(t *testing.T, visit func(path string) error) {
	t.Helper()
	require.NoError(t, filepath.WalkDir("../..", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		return visit(path)
	}))
}

// logs reports whether a call writes a line of the log.
func logs(call *ast.CallExpr) bool {
	method, is := call.Fun.(*ast.SelectorExpr)
	if !is || !slices.Contains([]string{"Debug", "Info", "Warn", "Error"}, method.Sel.Name) {
		return false
	}
	on := ""
	switch x := method.X.(type) {
	case *ast.SelectorExpr:
		on = x.Sel.Name
	case *ast.Ident:
		on = x.Name
	}
	return slices.Contains([]string{"log", "Log", "slog"}, on) && len(call.Args) > 0
}
