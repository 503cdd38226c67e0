package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// nextSteps prints what a person can try in the demo. Each command works as it is pasted.
func (t tryout) nextSteps(out io.Writer) error {
	program := quoted(os.Args[0])
	if filepath.Base(filepath.Dir(os.Args[0])) == "exe" { // built by "go run"
		program = "go run ."
	}
	_, err := fmt.Fprintf(out, `
The service is up until you press Ctrl-C. Open it in a browser and sign in:

  %[1]s
  address   %[7]s
  password  %[8]s

For integrators, in another terminal:

  export REGISTRY_API_KEY=%[2]s

  # push an amendment of a birth on file; Content-Location names its receipt
  curl -si %[1]s/api/registry/fhir/Bundle \
    -H "Authorization: Bearer $REGISTRY_API_KEY" -H 'Content-Type: application/fhir+json' \
    --data-binary %[10]s

  # read the receipt of the last sample above, of which one course of care was rejected
  curl -s -H "Authorization: Bearer $REGISTRY_API_KEY" %[9]s

  # push all samples again and wait for their receipts; now the first is older than the record, so it is rejected
  %[4]s push %[6]s --url %[1]s

  # see what was stored
  %[4]s record list --db %[3]s --practice %[5]d
  %[4]s record show SAMPLE-0001 --db %[3]s --practice %[5]d

  # the guide, the contract and the health check
  %[1]s/docs
  curl -s %[1]s/openapi.json
  curl -s %[1]s/health/json
`, t.address, t.key, quoted(t.db), program, t.practice, quoted(t.samples), t.email, t.password,
		t.receipt, quoted("@"+t.samples+"/04-amendment.json"))
	if err != nil || t.ehr == "" {
		return err
	}
	_, err = fmt.Fprintf(out, `
From the chart of a patient to the form: start the test EHR (Node.js 20 or later) in the folder app/testehr,

  npm ci
  node ehr.mjs --app %[1]s

open the address that it prints, pick a patient and press "Record a birth". To try what other vendors do, list that too:

  %[2]s ehr add %[3]s --client-id registry-public --db %[4]s
`, t.address, program, strings.TrimSuffix(t.ehr, "/fhir")+"/epic/fhir", quoted(t.db))
	return err
}
