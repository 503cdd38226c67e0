package app_test

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// layers holds every package with the packages it may import. Imports point down
// only; a new one is a change of this table, to be argued for in its commit.
//
//	start      main, app/cli, app, app/ops
//	callers    app/web over app/web/ui and app/web/api; app/worker, app/metrics
//	use cases  app/archive, app/ingest, app/imports, app/erase, app/forget, app/review, app/drafts, app/changes, app/records, app/customfields, app/auth, app/audit, app/smart, app/sso, app/webhooks, app/lint, app/guide
//	tools      app/mapping and its readers, app/stats, app/seal, app/dial, app/certs, app/systemd, app/task, store
//	ground     app/fhir, app/birth, views, assets, migrations
//	other      app/bench, app/demo, app/apptest, app/testehr, app/testclients: they measure, show and test
//
// app/stats is not in app/birth: the record and what is counted about it change for different
// reasons, and only the store needs to count what it writes.
var layers = map[string][]string{
	".":           {"app/cli"},
	"app/cli":     {"app", "app/archive", "app/audit", "app/auth", "app/birth", "app/certs", "app/changes", "app/demo", "app/drafts", "app/fhir", "app/forget", "app/guide", "app/imports", "app/ingest", "app/lint", "app/mapping", "app/mapping/sheet", "app/ops", "app/records", "app/seal", "app/smart", "app/sso", "app/task", "app/webhooks", "assets", "store"},
	"app":         {"app/archive", "app/certs", "app/changes", "app/customfields", "app/drafts", "app/erase", "app/forget", "app/imports", "app/ingest", "app/metrics", "app/ops", "app/records", "app/review", "app/smart", "app/sso", "app/task", "app/web", "app/web/ui", "app/webhooks", "app/worker", "store"},
	"app/ops":     {"app/auth", "app/birth", "app/changes", "app/records", "app/seal", "app/systemd", "app/task", "app/worker", "store"},
	"app/web":     {"app/auth", "app/erase", "app/fhir", "app/guide", "app/ingest", "app/sso", "app/task", "app/web/api", "app/web/pages", "app/web/request", "app/web/session", "app/web/ui", "store"},
	"app/web/ui":  {"app/archive", "app/audit", "app/auth", "app/birth", "app/changes", "app/customfields", "app/drafts", "app/erase", "app/fhir", "app/guide", "app/imports", "app/ingest", "app/mapping", "app/mapping/form", "app/mapping/sheet", "app/mapping/uscore", "app/records", "app/report", "app/review", "app/seal", "app/smart", "app/sso", "app/stats", "app/web/pages", "app/web/request", "app/web/session", "app/webhooks", "assets", "store", "views"},
	"app/web/api": {"app/fhir", "app/ingest", "app/web/request", "assets", "store"},
	// What the handlers share: a page renders what a session holds, and both know their request.
	"app/web/pages":      {"app/auth", "app/imports", "app/web/request", "app/web/session", "store", "views"},
	"app/web/session":    {"app/auth", "app/smart", "app/web/request", "store"},
	"app/web/request":    {"app/auth"},
	"app/certs":          {"app/seal", "store"},
	"app/metrics":        {"app/ingest", "app/task", "store"},
	"app/worker":         {"app/auth", "app/drafts", "app/forget", "app/imports", "app/ingest", "app/smart", "app/task", "app/webhooks", "store"},
	"app/ingest":         {"app/auth", "app/birth", "app/changes", "app/fhir", "app/mapping", "app/mapping/bundle", "app/seal", "app/task", "store"},
	"app/imports":        {"app/auth", "app/birth", "app/changes", "app/drafts", "app/fhir", "app/ingest", "app/mapping", "app/mapping/form", "app/mapping/sheet", "app/seal", "store"},
	"app/erase":          {"app/auth", "app/changes", "app/drafts", "app/imports", "app/ingest", "store"},
	"app/forget":         {"app/auth", "store"},
	"app/archive":        {"app/auth", "app/birth", "app/changes", "app/drafts", "app/imports", "app/ingest", "app/records", "app/seal", "store"},
	"app/review":         {"app/auth", "app/birth", "app/changes", "app/mapping", "app/seal", "store"},
	"app/changes":        {"app/auth", "app/birth", "app/fhir", "app/mapping", "app/records", "app/seal", "app/task", "store"},
	"app/records":        {"app/birth", "app/report", "app/stats", "app/mapping/sheet", "app/seal", "store"}, // an export is written as the import reads it
	"app/drafts":         {"app/auth", "app/mapping/form", "app/seal", "store"},
	"app/demo":           {}, // invents births; lint checks them in its tests
	"app/lint":           {"app/birth", "app/fhir", "app/mapping", "app/mapping/bundle"},
	"app/webhooks":       {"app/auth", "app/dial", "app/seal", "app/task", "store"},
	"app/smart":          {"app/auth", "app/birth", "app/dial", "app/fhir", "app/mapping/uscore", "app/seal", "app/task", "store"},
	"app/sso":            {"app/auth", "app/dial", "app/seal", "store"},
	"app/auth":           {"app/audit", "app/auth/internal/cost", "app/seal", "app/task", "store"},
	"app/audit":          {"app/seal", "store"},
	"app/customfields":   {"app/auth", "app/birth", "store"},
	"app/guide":          {"app/auth", "app/birth", "app/fhir", "app/mapping", "app/mapping/bundle", "assets"},
	"app/mapping":        {"app/birth", "app/fhir"},
	"app/mapping/bundle": {"app/birth", "app/fhir", "app/mapping"},
	"app/mapping/form":   {"app/birth", "app/mapping"},
	"app/mapping/sheet":  {"app/birth", "app/fhir", "app/mapping"},
	"app/mapping/uscore": {"app/birth", "app/fhir", "app/mapping"},
	"app/seal":           {},
	"app/dial":           {},                                                   // checks where connections to addresses of others lead
	"store":              {"app/birth", "app/stats", "app/task", "migrations"}, // it writes the counts across practices; app/task counts panics
	"app/fhir":           {},
	"app/stats":          {"app/birth"},
	"app/report":         {"app/birth"},
	"app/birth":          {},
	// What a password costs; tests alone, through app/auth/authtest, make it cheap.
	"app/auth/internal/cost": {},
	"app/task":               {},
	"app/systemd":            {},
	"assets":                 {},
	"views":                  {"app/birth"},
	"migrations":             {},
	// A tool, which nothing imports; its peer is a module of its own.
	"app/bench":            {"app", "app/apptest", "app/auth", "app/birth", "app/birth/birthtest", "app/changes", "app/ingest", "app/mapping", "app/mapping/bundle", "app/seal", "app/stats", "app/task", "assets", "store"},
	"app/bench/pocketbase": {},
	".ci/packages/image":   {}, // a program and a module of its own, for releases
	// Built by a test, a module of its own.
	"app/testclients/generated": {},
	// Tests only.
	"app/corpus":              {"app/longtest"},
	"app/longtest":            {},
	"app/apptest/r4":          {"app/longtest"},
	"app/birth/birthtest":     {"app/birth"},
	"app/mapping/mappingtest": {"app/birth", "assets"},
	"app/powercut":            {},
	"app/auth/authtest":       {"app/auth/internal/cost"},
	"store/storetest":         {},
	"app/fixture":             {"app/auth", "app/birth", "app/changes", "app/drafts", "app/erase", "app/imports", "app/ingest", "app/review", "app/seal", "store", "store/storetest"},
	"app/apptest":             {"app", "app/auth", "app/auth/authtest", "app/ingest", "app/longtest", "app/ops", "app/records", "app/smart", "assets", "store", "store/storetest"},
}

// pure packages have no clock, no I/O, no logger.
var pure = []string{"app/birth", "app/fhir", "app/report", "app/stats", "app/mapping", "app/mapping/bundle", "app/mapping/form", "app/mapping/sheet", "app/mapping/uscore"}

var impure = []string{"os", "net", "net/http", "log", "log/slog", "database/sql", "os/exec", "syscall"}

func TestImportsPointDownOnly(t *testing.T) {
	seen := map[string]bool{}
	eachFile(t, func(pkg, file string, imports []string) {
		seen[pkg] = true
		allowed, known := layers[pkg]
		require.True(t, known, "%s is in a package that the table does not have", file)
		for _, path := range imports {
			if below, own := strings.CutPrefix(path, "birthregistry/"); own {
				require.Contains(t, allowed, below, "%s: a new import of %s", file, pkg)
			}
			if slices.Contains(pure, pkg) {
				require.NotContains(t, impure, path, "%s: %s is pure", file, pkg)
			}
		}
	})
	for pkg := range layers {
		require.True(t, seen[pkg], "the table has a package %s that does not exist", pkg)
	}
}

func TestSQLAndEchoStayInTheirPackages(t *testing.T) {
	eachFile(t, func(pkg, file string, imports []string) {
		for _, path := range imports {
			switch {
			case pkg == "app/bench" || pkg == "app/bench/pocketbase":
				// A reference often does what the program does not.
			case path == "database/sql" || strings.HasPrefix(path, "modernc.org/") || strings.Contains(path, "goqite"):
				require.Contains(t, []string{"store", "store/storetest"}, pkg, "%s imports %s", file, path)
			case strings.HasPrefix(path, "github.com/labstack/echo"):
				require.True(t, pkg == "app/web" || strings.HasPrefix(pkg, "app/web/"), "%s imports %s", file, path)
			case path == "encoding/json":
				require.Contains(t, []string{"app/apptest", "app/mapping/mappingtest"}, pkg, "%s: encoding/json is too lenient for what comes from outside", file)
			case path == "text/template" || path == "html/template":
				t.Errorf("%s: a template finds methods by name, for which the linker keeps all there are (3 MB)", file)
			}
		}
	})
}

// Echo and net/http read a multipart form unasked, and write its files to temporary
// files, in clear text and without a limit.
func TestPagesReadFormsByTheirOwnTwoReaders(t *testing.T) {
	readers := regexp.MustCompile(`\.(FormValue|PostFormValue|FormFile|FormParams|ParseMultipartForm|MultipartForm|ParseForm|MultipartReader|Bind)\(`)
	var found []string
	eachFile(t, func(pkg, file string, _ []string) {
		text, err := os.ReadFile(filepath.Join("..", file))
		require.NoError(t, err)
		if pkg == "app/web" || strings.HasPrefix(pkg, "app/web/") {
			for _, m := range readers.FindAllSubmatch(text, -1) {
				found = append(found, file+" "+string(m[1]))
			}
		}
	})
	slices.Sort(found)
	require.Equal(t, []string{"app/web/pages/form.go ParseForm", "app/web/pages/form.go ParseForm", "app/web/ui/imports.go MultipartReader"}, found)
}

func TestOnlyOneHelperStartsGoroutines(t *testing.T) {
	eachFile(t, func(pkg, file string, _ []string) {
		text, err := os.ReadFile(filepath.Join("..", file))
		require.NoError(t, err)
		if pkg != "app/task" && pkg != "app/apptest" {
			require.NotRegexp(t, `(?m)^\s*go (func|\w+[.(])`, string(text), "%s starts a goroutine of its own", file)
		}
	})
}

func TestTheTopLevelContainsNothingElse(t *testing.T) {
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
func eachFile(t *testing.T, visit func(pkg, file string, imports []string)) {
	t.Helper()
	eachSource(t, []string{".go"}, func(file string, text []byte) {
		if strings.HasSuffix(file, "_test.go") {
			return
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, text, parser.ImportsOnly)
		require.NoError(t, err)
		var imports []string
		for _, i := range parsed.Imports {
			imports = append(imports, strings.Trim(i.Path.Value, `"`))
		}
		visit(filepath.ToSlash(filepath.Dir(file)), file, imports)
	})
}
