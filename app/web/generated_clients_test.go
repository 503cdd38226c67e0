package web_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/longtest"
)

// The contract that a service answers is all that the generators get.
func TestClientsGeneratedFromTheContractPushAndReadTheReceipt(t *testing.T) {
	longtest.Only(t, "what needs generators of clients")
	clients, generator := os.Getenv("REGISTRY_TEST_CLIENTS"), os.Getenv("REGISTRY_OAPI_CODEGEN")
	if clients == "" || generator == "" {
		longtest.Needs(t, "generators", errors.New("set REGISTRY_TEST_CLIENTS to a copy of app/testclients after npm ci, and REGISTRY_OAPI_CODEGEN to that program; .ci/run does"))
	}
	for name, commands := range map[string][][]string{
		"oapi-codegen": {
			{generator, "-generate", "types,client", "-package", "main", "-o", "api.go", "openapi.json"},
			{"go", "run", ".", "BASE", "bundle.json"},
		},
		"openapi-typescript": {
			{"node_modules/.bin/openapi-typescript", "openapi.json", "-o", "contract.d.ts"},
			{"node_modules/.bin/tsc", "--strict", "--target", "es2022", "--module", "nodenext", "--types", "node", "--skipLibCheck", "push.ts"},
			{"node", "push.js", "BASE", "bundle.json"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			i := apptest.Start(t)
			folder := filepath.Join(t.TempDir(), "client")
			require.NoError(t, os.CopyFS(folder, os.DirFS(filepath.Join(clients, "generated"))))
			require.NoError(t, os.Symlink(filepath.Join(clients, "node_modules"), filepath.Join(folder, "node_modules")))
			write := func(name string, content []byte) {
				require.NoError(t, os.WriteFile(filepath.Join(folder, name), content, 0o600))
			}
			write("package.json", []byte(`{"type": "module"}`))
			write("openapi.json", i.Do("GET", "/openapi.json", "").Body)
			write("bundle.json", []byte(apptest.Course{Chart: name}.Bundle()))
			var out []byte
			for _, command := range commands {
				for n, argument := range command {
					if argument == "BASE" {
						command[n] = i.URL
					}
				}
				run := exec.CommandContext(t.Context(), command[0], command[1:]...)
				run.Dir = folder
				run.Env = append(os.Environ(), "REGISTRY_API_KEY="+i.Key)
				var complaints strings.Builder // and what Go states about its downloads
				run.Stderr = &complaints
				var err error
				out, err = run.Output()
				require.NoError(t, err, "%s%s", out, &complaints)
			}
			require.Equal(t, "completed: 1 accepted, 0 rejected\n", string(out))
			require.Equal(t, name, i.Record(name).ChartNumber)
		})
	}
}
