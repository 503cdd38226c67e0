package apptest

import (
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/longtest"
)

// EHR is a running test EHR (app/testehr): a certified authorization server, a SMART launch layer
// and a FHIR store. Address is its URL, without a slash at its end.
type EHR struct {
	t       testing.TB
	Address string `json:"address"`
	Clients []struct {
		ID     string `json:"client_id"`
		Secret string `json:"client_secret"`
		Auth   string `json:"token_endpoint_auth_method"`
	} `json:"clients"`
	Patients []string `json:"patients"` // ids

	process *exec.Cmd
}

// Asked is a request that the EHR received.
type Asked struct {
	Method, Path, Credentials, Token string
	Query                            map[string]string
	Status                           int
}

// StartEHR starts a test EHR and registers the service at the URL app with it. options are
// additional flags for ehr.mjs, such as --charts and a folder. Every test that calls StartEHR is
// skipped in a plain run of the tests (longtest.Only).
func StartEHR(t testing.TB, app string, options ...string) *EHR {
	t.Helper()
	longtest.Only(t, "launches from the test EHR, and its attacks")
	source := filepath.Join(moduleRoot(t), "app", "testehr")
	modules, err := nodeModules(source)
	longtest.Needs(t, "Node.js", err) // 20 or later, with npm
	folder := t.TempDir()
	scripts, err := filepath.Glob(filepath.Join(source, "*.mjs"))
	require.NoError(t, err)
	for _, script := range append(scripts, filepath.Join(source, "package.json")) {
		text, err := os.ReadFile(script)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(folder, filepath.Base(script)), text, 0o600))
	}
	require.NoError(t, os.Symlink(modules, filepath.Join(folder, "node_modules")))

	arguments := []string{"ehr.mjs", "--port", "0", "--app", app}
	if !slices.Contains(options, "--charts") {
		arguments = append(arguments, "--charts", filepath.Join(source, "charts"))
	}
	e := &EHR{t: t, process: exec.Command("node", append(arguments, options...)...)}
	e.process.Dir, e.process.Stderr = folder, &Log{}
	out, err := e.process.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, e.process.Start())
	t.Cleanup(e.Stop)
	line, err := bufio.NewReader(out).ReadBytes('\n')
	require.NoError(t, err, "the test EHR does not start: %s", e.process.Stderr)
	require.NoError(t, json.Unmarshal(line, e))
	return e
}

// Stop ends the EHR. Nothing answers at its address afterwards.
func (e *EHR) Stop() {
	_ = e.process.Process.Kill() // it may have ended
	_ = e.process.Wait()
}

// Base returns the FHIR base address at which the EHR has a mood. A mood makes the EHR behave like
// a certain vendor's EHR, or like a hostile one (moods.mjs). With the mood "", the EHR behaves
// normally.
func (e *EHR) Base(mood string) string {
	return strings.TrimSuffix(e.Address+"/"+mood, "/") + "/fhir"
}

// Press presses "Record a birth" in a patient's chart. It returns the address to which the EHR
// redirects the browser: the service's launch address. Base explains mood. more overrides fields
// that the start page sends (pages.mjs).
func (e *EHR) Press(mood, patient string, more url.Values) string {
	e.t.Helper()
	form := url.Values{"mood": {mood}, "patient": {patient}}
	maps.Copy(form, more)
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.PostForm(e.Address+"/launch", form)
	require.NoError(e.t, err)
	require.NoError(e.t, answer.Body.Close())
	require.Equal(e.t, http.StatusSeeOther, answer.StatusCode)
	return answer.Header.Get("Location")
}

// Journal returns the requests that the EHR has received, except requests for the journal itself
// and requests for which fits returns false.
func (e *EHR) Journal(fits func(Asked) bool) (all []Asked) {
	e.t.Helper()
	answer, err := http.Get(e.Address + "/journal")
	require.NoError(e.t, err)
	doc, err := io.ReadAll(answer.Body)
	require.NoError(e.t, err)
	require.NoError(e.t, answer.Body.Close())
	require.NoError(e.t, json.Unmarshal(doc, &all))
	return slices.DeleteFunc(all, func(a Asked) bool { return a.Path == "/journal" || !fits(a) })
}

// moduleRoot returns the folder of go.mod.
func moduleRoot(t testing.TB) string {
	t.Helper()
	folder, err := os.Getwd()
	require.NoError(t, err)
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder
		}
		require.NotEqual(t, "/", folder, "there is no go.mod above")
		folder = filepath.Dir(folder)
	}
}

var installing sync.Mutex

// nodeModules installs the packages that the test EHR needs, in the versions of its lock file, and
// returns their folder. A machine keeps the folder until the lock file changes.
func nodeModules(source string) (string, error) {
	installing.Lock()
	defer installing.Unlock()
	lock, err := os.ReadFile(filepath.Join(source, "package-lock.json"))
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	folder := filepath.Join(cache, fmt.Sprintf("birthregistry-testehr-%.8x", sha256.Sum256(lock)))
	if _, err := os.Stat(folder); err == nil {
		return filepath.Join(folder, "node_modules"), nil
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", err
	}
	making, err := os.MkdirTemp(cache, "birthregistry-testehr-new-")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(making) }()
	manifest, err := os.ReadFile(filepath.Join(source, "package.json"))
	if err != nil {
		return "", err
	}
	for name, text := range map[string][]byte{"package.json": manifest, "package-lock.json": lock} {
		if err := os.WriteFile(filepath.Join(making, name), text, 0o600); err != nil {
			return "", err
		}
	}
	install := exec.Command("npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts")
	install.Dir = making
	if out, err := install.CombinedOutput(); err != nil {
		return "", fmt.Errorf("npm ci: %w\n%s", err, out)
	}
	if err := os.Rename(making, folder); err != nil {
		if _, there := os.Stat(folder); there != nil { // nor has another test process installed it meanwhile
			return "", err
		}
	}
	return filepath.Join(folder, "node_modules"), nil
}
