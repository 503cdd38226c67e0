package app_test

import (
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

// The house: every room with the rooms below it that it may use. Arrows point
// down only; a new arrow is a change to this table, and to be argued for.
//
//	roof       main, app/cli, app; beside it app/bench, which measures the house
//	edges      app/web, app/worker, app/metrics, views, assets
//	use cases  app/intake, app/access, app/records, app/smart, app/lint, app/guide
//	tools      app/mapping, app/certs, app/seal, store
//	ground     app/fhir, app/birth, app/figures, app/task, app/systemd, migrations
//
// app/figures is not in app/birth: the record and what is counted of it change
// for different reasons, and nobody who makes a record needs to count: the store
// counts what is written.
var house = map[string][]string{
	".":       {"app/cli"},
	"app/cli": {"app", "app/access", "app/birth", "app/certs", "app/fhir", "app/guide", "app/intake", "app/lint", "app/mapping", "app/records", "app/smart", "app/task", "assets", "store"},
	"app": {
		"app/access", "app/certs", "app/intake", "app/metrics", "app/records", "app/seal", "app/smart", "app/systemd", "app/task", "app/web", "app/worker", "store",
	},
	"app/web":     {"app/access", "app/birth", "app/fhir", "app/figures", "app/guide", "app/intake", "app/mapping", "app/records", "app/smart", "app/task", "assets", "store", "views"},
	"app/certs":   {"app/seal", "store"},
	"app/metrics": {"app/intake", "app/task", "store"},
	"app/worker":  {"app/access", "app/intake", "app/smart", "app/task", "store"},
	"app/intake":  {"app/access", "app/birth", "app/fhir", "app/mapping", "app/records", "app/seal", "app/task", "store"},
	"app/records": {"app/birth", "app/figures", "app/mapping", "app/seal", "store"}, // an export is written as the import reads it
	"app/lint":    {"app/birth", "app/fhir", "app/mapping"},
	"app/smart":   {"app/access", "app/birth", "app/fhir", "app/mapping", "app/seal", "app/task", "store"},
	"app/access":  {"app/access/internal/cost", "app/birth", "app/seal", "store"},
	"app/guide":   {"app/access", "app/birth", "app/fhir", "app/mapping", "assets"},
	"app/mapping": {"app/birth", "app/fhir"},
	"app/seal":    {},
	"store":       {"app/birth", "app/figures", "app/task", "migrations"}, // it keeps what counts across practices; the task room counts what panics
	"app/fhir":    {},
	"app/figures": {"app/birth"},
	"app/birth":   {},
	// What a password costs; tests alone, through app/access/accesstest, make it cheap.
	"app/access/internal/cost": {},
	"app/task":                 {},
	"app/systemd":              {},
	"assets":                   {},
	"views":                    {"app/birth"},
	"migrations":               {},
	// A tool, which nothing imports; its peer is a module of its own.
	"app/bench": {
		"app", "app/access", "app/apptest", "app/birth", "app/figures", "app/intake", "app/mapping", "app/records", "app/seal", "app/task", "assets", "store",
	},
	"app/bench/pocketbase": {},
	// Tests only.
	"app/corpus":            {"app/longtest"},
	"app/longtest":          {},
	"app/powercut":          {},
	"app/access/accesstest": {"app/access/internal/cost"},
	"store/storetest":       {},
	"app/apptest":           {"app", "app/access", "app/access/accesstest", "app/birth", "app/intake", "app/longtest", "app/records", "app/smart", "assets", "store", "store/storetest"},
}

// pure rooms have no clock, no I/O, no logger.
var pure = []string{"app/birth", "app/fhir", "app/figures", "app/mapping"}

var impure = []string{"os", "net", "net/http", "log", "log/slog", "database/sql", "os/exec", "syscall"}

func TestArrowsBetweenRoomsPointDownOnly(t *testing.T) {
	seen := map[string]bool{}
	eachFile(t, func(room, file string, imports []string) {
		seen[room] = true
		allowed, known := house[room]
		require.True(t, known, "%s is in a room that the house does not have", file)
		for _, path := range imports {
			if below, ours := strings.CutPrefix(path, "birthregistry/"); ours {
				require.Contains(t, allowed, below, "%s: a new arrow from %s", file, room)
			}
			if slices.Contains(pure, room) {
				require.NotContains(t, impure, path, "%s: %s is pure", file, room)
			}
		}
	})
	for room := range house {
		require.True(t, seen[room], "the house has a room %s that is not there", room)
	}
}

func TestSQLAndEchoStayInTheirRooms(t *testing.T) {
	eachFile(t, func(room, file string, imports []string) {
		for _, path := range imports {
			switch {
			case room == "app/bench" || room == "app/bench/pocketbase":
				// A reference is often what the house does not do.
			case path == "database/sql" || strings.HasPrefix(path, "modernc.org/") || strings.Contains(path, "goqite"):
				require.Equal(t, "store", room, "%s imports %s", file, path)
			case strings.HasPrefix(path, "github.com/labstack/echo"):
				require.Equal(t, "app/web", room, "%s imports %s", file, path)
			case path == "encoding/json":
				require.Equal(t, "app/apptest", room, "%s: encoding/json is unfit for our edges", file)
			case path == "text/template" || path == "html/template":
				t.Errorf("%s: a template finds methods by name, for which the linker keeps all there are (3 MB)", file)
			}
		}
	})
}

// What reads a form unasked reads multipart forms, too, and puts their files
// into temporary files, in clear and without a limit.
func TestPagesReadFormsByTheirOwnTwoReaders(t *testing.T) {
	readers := regexp.MustCompile(`\.(FormValue|PostFormValue|FormFile|FormParams|ParseMultipartForm|MultipartForm|ParseForm|MultipartReader|Bind)\(`)
	var found []string
	eachFile(t, func(room, file string, _ []string) {
		text, err := os.ReadFile(filepath.Join("..", file))
		require.NoError(t, err)
		if room == "app/web" {
			for _, m := range readers.FindAllSubmatch(text, -1) {
				found = append(found, filepath.Base(file)+" "+string(m[1]))
			}
		}
	})
	slices.Sort(found)
	require.Equal(t, []string{"body.go ParseForm", "body.go ParseForm", "imports.go MultipartReader"}, found)
}

func TestOnlyOneHelperStartsGoroutines(t *testing.T) {
	eachFile(t, func(room, file string, _ []string) {
		text, err := os.ReadFile(filepath.Join("..", file))
		require.NoError(t, err)
		if room != "app/task" && room != "app/apptest" {
			require.NotRegexp(t, `(?m)^\s*go (func|\w+[.(])`, string(text), "%s starts a goroutine of its own", file)
		}
	})
}

func TestTheTopLevelHoldsNothingElse(t *testing.T) {
	allowed := []string{
		"main.go", "app", "store", "views", "assets", "migrations", "go.mod", "go.sum", "justfile", "README.md",
		"birthregistry", "dist", "profiles", "screenshots", // made by recipes, and not kept
	}
	entries, err := os.ReadDir("..")
	require.NoError(t, err)
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			require.Contains(t, allowed, e.Name())
		}
	}
}

// eachFile visits the Go files of the program, tests aside.
func eachFile(t *testing.T, visit func(room, file string, imports []string)) {
	t.Helper()
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		var imports []string
		for _, i := range parsed.Imports {
			imports = append(imports, strings.Trim(i.Path.Value, `"`))
		}
		file, err := filepath.Rel("..", path)
		visit(filepath.ToSlash(filepath.Dir(file)), file, imports)
		return err
	})
	require.NoError(t, err)
}
