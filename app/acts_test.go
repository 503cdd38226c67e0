package app_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// notActs are the functions that know a user or add to the trail, but write outside auth.Act.
var notActs = map[string]string{
	"app/archive: finish":      "the operator acts",
	"app/auth: Act":            "it is what asks",
	"app/auth: AddUser":        "the operator acts",
	"app/auth: changeAccount":  "the operator acts",
	"app/auth: completeSignIn": "nobody is signed in yet",
	"app/auth: joinWith":       "nobody is signed in yet",
	"app/auth: noteRefusal":    "nobody is signed in",
	"app/auth: Redeem":         "nobody is signed in yet",
	"app/forget: Begin":        "the operator acts",
	"app/forget: delete":       "the operator acts",
	"app/imports: drop":        "what was received of a file goes even if the session has ended",
}

func TestEveryWriteOfAUserChecksTheirSessionFirst(t *testing.T) {
	t.Parallel()
	unused := map[string]bool{}
	for f := range notActs {
		unused[f] = true
	}
	acts := 0
	eachSource(t, []string{".go"}, func(file string, text []byte) {
		pkg := filepath.ToSlash(filepath.Dir(file))
		if strings.HasSuffix(file, "_test.go") || slices.Contains([]string{"app/apptest", "app/fixture", "app/bench", "app/cli"}, pkg) {
			return
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, text, 0)
		require.NoError(t, err)
		for _, d := range parsed.Decls {
			f, is := d.(*ast.FuncDecl)
			if !is {
				continue
			}
			at := pkg + ": " + f.Name.Name
			if calls(f, "Act", "auth", "s") || calls(f, "ActIf", "auth", "s") {
				acts++
			}
			if !calls(f, "Update", "db", "DB") || !knowsUser(f) {
				continue
			}
			delete(unused, at)
			assert.Contains(t, notActs, at, "%s: write it with auth.Act, which refuses a user whose session has ended", file)
		}
	})
	require.Greater(t, acts, 40)
	require.Empty(t, unused, "take them off the list")
}

// calls reports whether a function calls a method of something that has one of these names.
func calls(f *ast.FuncDecl, method string, of ...string) (found bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		if m, is := n.(*ast.SelectorExpr); is && m.Sel.Name == method {
			switch x := m.X.(type) {
			case *ast.SelectorExpr:
				found = found || slices.Contains(of, x.Sel.Name)
			case *ast.Ident:
				found = found || slices.Contains(of, x.Name)
			}
		}
		return true
	})
	return found
}

// knowsUser reports whether a function has a user, or a receiver that holds one, or adds what one
// does to the trail.
func knowsUser(f *ast.FuncDecl) (knows bool) {
	if calls(f, "Note", "auth", "s") {
		return true
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.Ident:
			knows = knows || x.Name == "who" || f.Recv != nil && x.Name == "upload" || x.Name == "rewriting"
		case *ast.Field:
			switch kind := x.Type.(type) {
			case *ast.SelectorExpr:
				knows = knows || kind.Sel.Name == "User"
			case *ast.Ident:
				knows = knows || kind.Name == "User"
			}
		}
		return true
	})
	return knows
}
