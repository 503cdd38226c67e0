package apptest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
)

// The profiles of the two kinds of Patient: the mother and the child.
const (
	MotherProfile = "http://hl7.org/fhir/us/vr-common-library/StructureDefinition/Patient-mother-vr"
	ChildProfile  = "http://hl7.org/fhir/us/vr-common-library/StructureDefinition/Patient-child-vr"
)

// Course describes a course of care, which Bundle turns into a Bundle. The zero value describes a
// complete course of care without a chart number.
type Course struct {
	Chart   string
	Stamp   string // meta.lastUpdated
	Mother  string // family name
	Born    string // newborn date/time; "-" leaves it out
	Weight  int
	Mothers int      // how many; -1 for none
	Kids    int      // how many; -1 for none
	Status  string   // Composition.status
	Extra   []string // further resources as JSON
}

// Bundle returns the course of care as a document Bundle in JSON.
func (c Course) Bundle() string {
	var resources []string
	add := func(resource map[string]any) {
		doc, err := json.Marshal(resource)
		if err != nil {
			panic(err)
		}
		resources = append(resources, string(doc))
	}
	if c.Status != "" {
		add(map[string]any{"resourceType": "Composition", "id": "composition", "status": c.Status})
	}
	for n := range counted(c.Mothers) {
		add(map[string]any{
			"resourceType": "Patient", "id": fmt.Sprintf("mother%d", n),
			"meta":      map[string]any{"profile": []string{MotherProfile}},
			"name":      []any{map[string]any{"use": "official", "family": cmp.Or(c.Mother, "Okonkwo"), "given": []string{"Amara"}}},
			"birthDate": "1994-05-17",
		})
	}
	born := cmp.Or(c.Born, "2026-03-02T04:18:00-05:00")
	for n := range counted(c.Kids) {
		child := map[string]any{
			"resourceType": "Patient", "id": fmt.Sprintf("child%d", n),
			"meta": map[string]any{"profile": []string{ChildProfile}},
		}
		if born != "-" {
			child["birthDate"] = born[:10]
			child["_birthDate"] = map[string]any{"extension": []any{map[string]any{
				"url": "http://hl7.org/fhir/StructureDefinition/patient-birthTime", "valueDateTime": born,
			}}}
		}
		add(child)
	}
	if c.Weight != 0 {
		add(map[string]any{
			"resourceType": "Observation", "status": "final", "subject": map[string]any{"reference": "Patient/child0"},
			"code":          map[string]any{"coding": []any{map[string]any{"system": "http://loinc.org", "code": "8339-4"}}},
			"valueQuantity": map[string]any{"value": c.Weight, "unit": "g", "code": "g"},
		})
	}
	resources = append(resources, c.Extra...)
	head := ""
	if c.Chart != "" {
		head += fmt.Sprintf(`"identifier":{"system":"urn:charts","value":%q},`, c.Chart)
	}
	if c.Stamp != "" {
		head += fmt.Sprintf(`"meta":{"lastUpdated":%q},`, c.Stamp)
	}
	return `{"resourceType":"Bundle",` + head + `"type":"document","entry":[` + entries(resources) + `]}`
}

// Batch returns a batch Bundle whose entries are these Bundles.
func Batch(bundles ...string) string {
	return `{"resourceType":"Bundle","type":"batch","entry":[` + entries(bundles) + `]}`
}

func entries(resources []string) string {
	for i, r := range resources {
		resources[i] = `{"resource":` + r + `}`
	}
	return strings.Join(resources, ",")
}

func counted(n int) int {
	switch n {
	case 0:
		return 1
	case -1:
		return 0
	}
	return n
}
