// Package r4 validates the FHIR R4 resources that the program writes. It runs fhir.js, from npm.
package r4

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/longtest"
)

// validate is a script that validates each line of a file as a resource, and prints the errors.
const validate = `
const { Fhir } = require(process.argv[2]);
const fhir = new Fhir();
let seen = 0;
for (const line of require('fs').readFileSync(process.argv[3], 'utf8').trim().split('\n')) {
  const answer = fhir.validate(JSON.parse(line), { errorOnUnexpected: true });
  for (const m of answer.messages) if (m.severity === 'error') console.log(m.location + ': ' + m.message);
  seen++;
}
console.log(seen + ' resources');
`

// Validate returns what the validator reports about the resources in ndjson: a line for each error,
// then "N resources". The environment variable REGISTRY_FHIR_VALIDATOR names the folder of the
// validator. A plain run of the tests skips every test that calls Validate (longtest.Only).
func Validate(t *testing.T, ndjson []byte) string {
	t.Helper()
	longtest.Only(t, "what needs an R4 validator")
	path := os.Getenv("REGISTRY_FHIR_VALIDATOR")
	if path == "" {
		longtest.Needs(t, "fhir.js", fmt.Errorf("set REGISTRY_FHIR_VALIDATOR to the folder of npm's package fhir; .ci/run does"))
	}
	dir := t.TempDir()
	file, script := filepath.Join(dir, "resources.ndjson"), filepath.Join(dir, "validate.js")
	require.NoError(t, os.WriteFile(file, ndjson, 0o600))
	require.NoError(t, os.WriteFile(script, []byte(validate), 0o600))
	out, err := exec.CommandContext(t.Context(), "node", script, path, file).CombinedOutput()
	require.NoError(t, err, string(out))
	return string(out)
}
