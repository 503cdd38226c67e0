package fhir_test

import (
	"errors"
	"fmt"
	"strings"

	"birthregistry/app/fhir"
)

// Scan accepts or refuses a body without keeping any of its values.
func ExampleScan() {
	for _, body := range []string{
		`{"resourceType": "Bundle", "type": "document", "entry": []}`,
		`{"resourceType": "Patient"}`,
		`{"resourceType": "Bundle", "resourceType": "Bundle"}`,
	} {
		err := fhir.Scan(strings.NewReader(body))
		if problem := (*fhir.Problem)(nil); errors.As(err, &problem) {
			fmt.Println(problem.Status, problem.Name)
			continue
		}
		fmt.Println("accepted", err)
	}
	// Output:
	// accepted <nil>
	// 400 not-a-bundle
	// 400 not-json
}
