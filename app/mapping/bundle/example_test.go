package bundle_test

import (
	"fmt"
	"strings"

	"birthregistry/app/birth"
	"birthregistry/app/mapping"
	"birthregistry/app/mapping/bundle"
)

// A Bundle is read item by item. Only the result of birth.Mask may be stored.
func ExampleReader_Read() {
	doc := strings.NewReader(`{
		"resourceType": "Bundle", "type": "document", "identifier": {"value": "2026-0147"},
		"entry": [
			{"resource": {"resourceType": "Patient", "id": "m", "meta": {"profile": ["Patient-mother-vr"]}}},
			{"resource": {"resourceType": "Patient", "id": "c", "meta": {"profile": ["Patient-child-vr"]}, "birthDate": "2026-03-02"}},
			{"resource": {"resourceType": "Observation", "status": "final", "subject": {"reference": "Patient/c"},
				"code": {"coding": [{"system": "http://loinc.org", "code": "8339-4"}]},
				"valueQuantity": {"value": 3430, "code": "g", "system": "http://unitsofmeasure.org"}}}
		]}`)
	err := bundle.Reader{}.Read(doc, func(item mapping.Item) error {
		if item.Problem != nil {
			fmt.Println("rejected:", item.Problem.Text)
			return nil
		}
		course := birth.Mask(*item.Draft).Draft()
		weight, _ := course.Children[0].Get("birth_weight_g")
		fmt.Println("chart number:", course.Chart)
		fmt.Println("birth weight:", weight.Number, "g")
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// chart number: 2026-0147
	// birth weight: 3430 g
}
