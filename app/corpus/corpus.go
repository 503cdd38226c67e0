// Package corpus finds folders of real documents for tests. Environment variables name
// the folders (BUNDLE_CORPUS, CHART_CORPUS); the documents are not part of this
// project and may not be copied into it. Only tests use this package.
package corpus

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/longtest"
)

// These are the environment variables that name the folders.
const (
	Bundles = "BUNDLE_CORPUS" // the folder of real Bundles
	Charts  = "CHART_CORPUS"  // the folder of charts
)

// Folder returns the folder that an environment variable names, and the sorted paths of the JSON
// files in the folder and below it. The paths have slashes on every system. If the variable isn't
// set, Folder returns "" and no files.
//
// Folder fails the test if the variable is set to "", if the folder is missing, or if it has no
// JSON file, because a test that reads nothing proves nothing. In a long run (package longtest),
// Folder also fails the test if the variable isn't set, unless [longtest.Lacks] reports that this
// machine has no corpora.
func Folder(t testing.TB, variable string) (folder string, files []string) {
	t.Helper()
	folder, set := os.LookupEnv(variable)
	if !set {
		if longtest.On() && !longtest.Lacks("corpora") {
			t.Fatalf("a long run needs a corpus: name its folder in %s", variable)
		}
		t.Logf("left out: %s is not set, so no corpus is read", variable)
		return "", nil
	}
	require.NotEmpty(t, folder, "%s names no folder: unset it, or name one", variable)
	require.NoError(t, filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".json" {
			return err
		}
		name, err := filepath.Rel(folder, path)
		files = append(files, filepath.ToSlash(name))
		return err
	}))
	require.NotEmpty(t, files, "the folder of %s holds no JSON file", variable)
	t.Logf("%s: %d documents", variable, len(files))
	return folder, files
}

// Read returns the content of a file in the folder.
func Read(t testing.TB, folder, file string) []byte {
	t.Helper()
	body, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(file)))
	require.NoError(t, err)
	return body
}
