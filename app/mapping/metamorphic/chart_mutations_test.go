package metamorphic

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"birthregistry/app/mapping/uscore"
)

// chartMutations returns the mutations of charts, class by class. A field that is no longer
// filled in may be shown as a hint; the tests don't compare that.
func chartMutations() []mutation {
	return slices.Concat(chartFormMutations, chartFindingMutations, chartDiagnosisMutations, chartPersonMutations)
}

func TestMutationsOfChartsChangeWhatIsFilledInAsTheyShould(t *testing.T) {
	apply(t, chartMutations(), chartSources(t), func(t testing.TB, s source, chart object, _ string) reading {
		return filledIn(t, chart, uscore.Role(textAt(s.doc, "as")))
	})
}

// filledIn returns the lines that a chart fills in under a role, without hints and notices.
func filledIn(t testing.TB, chart object, as uscore.Role) reading {
	r := readChart(t, chart, as)
	for line := range r {
		if strings.HasPrefix(line, "hint ") || line == "notices" || line == "role" {
			delete(r, line)
		}
	}
	return r
}

// ofChart returns the resources of a type in a chart; "" means all.
func ofChart(chart object, kind string) (all []object) {
	for _, r := range objectsAt(chart, "resources") {
		if kind == "" || textAt(r, "resourceType") == kind {
			all = append(all, r)
		}
	}
	return all
}

// idNextTo returns an id for a resource that is placed next to another. If that one has no id, it
// returns none, because all that have no id would be versions of one resource.
func idNextTo(prefix string, r object) any {
	if id := textAt(r, "id"); id != "" {
		return prefix + id
	}
	return nil
}

func addTo(chart object, more ...object) {
	for _, r := range more {
		chart["resources"] = append(chart["resources"].(list), r)
	}
}

// withhold returns a mutation that makes resources uncertain: no more may be filled in than if
// they were missing. A doubtful resource may also remove other values.
func withhold(says, kind string, fits func(object) bool, edit func(object)) mutation {
	return mutation{says: says + ": not filled in", make: func(chart object) []mutant {
		like, changed := clone(chart), false
		var left list
		for _, r := range objectsAt(like, "resources") {
			if textAt(r, "resourceType") != kind || !fits(r) {
				left = append(left, r)
			}
		}
		like["resources"] = left
		m := mutant{doc: chart, like: like, lost: true, less: true}
		for _, r := range ofChart(chart, kind) {
			if fits(r) {
				m.gone = append(m.gone, statedBy(r)...)
				edit(r)
				changed = true
			}
		}
		if !changed {
			return nil
		}
		return []mutant{m}
	}}
}

// inVersions returns a mutation that adds another version of each resource, without a time or a
// number that says which is the last.
func inVersions(kind string, other object) mutation {
	says := kind + "s come in another version as well, with " + write(other, nil)
	with := func(r object) object { return with(r, object{"meta": nil}, other) }
	fits := func(r object) bool { return textAt(r, "id") != "" && write(with(r), nil) != write(r, nil) }
	m := withhold(says, kind, fits, func(object) {})
	make := m.make
	m.make = func(chart object) []mutant {
		mutants := make(chart)
		for _, r := range ofChart(chart, kind) {
			if fits(r) {
				r["meta"] = nil
				addTo(chart, with(r))
			}
		}
		return mutants
	}
	return m
}

// statedBy returns the fields that a resource of a chart may fill in.
func statedBy(r object) (fields []string) {
	switch textAt(r, "resourceType") {
	case "Observation":
		for _, c := range append(objectsAt(r, "component"), r) {
			for _, code := range objectsAt(c, "code", "coding") {
				for _, f := range fieldsByCode[textAt(code, "code")] {
					fields = append(fields, f.Name)
				}
				fields = append(fields, chartCodes[textAt(code, "code")]...)
			}
		}
	case "Condition":
		fields = []string{"risk_factors", "infections", "chorioamnionitis", "perineum", "maternal_morbidity", "previous_preterm_birth", "congenital_anomalies", "newborn_conditions"}
	case "Encounter":
		fields = []string{"provider"}
	}
	return fields
}

// chartCodes are codes that count in a chart but not in a Bundle.
var chartCodes = map[string][]string{
	"93857-1": {"birth_date", "birth_datetime"}, "11779-6": {"estimated_due_date"}, "11780-4": {"estimated_due_date"}, "8348-5": {"prepregnancy_weight_lb"},
	"29463-7": {"delivery_weight_lb", "birth_weight_g"}, "3141-9": {"delivery_weight_lb", "birth_weight_g"},
	"72607-5": {"infections"}, "48683-7": {"infections"}, "11267-2": {"infections"},
}

// stay returns a mutation of a chart's resources after which the same values are filled in.
func stay(says, kind string, edit func(object)) mutation {
	return same(says, func(chart object) {
		for _, r := range ofChart(chart, kind) {
			edit(r)
		}
	})
}

func whatever(object) bool { return true }

// chartFormMutations change how a chart is written.
var chartFormMutations = []mutation{
	same("resources come in the opposite order", func(chart object) { slices.Reverse(chart["resources"].(list)) }),
	same("resources come in no order", func(chart object) {
		all := chart["resources"].(list)
		rand.New(rand.NewPCG(3, 4)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	}),
	same("resources that have an id come twice", func(chart object) {
		for _, r := range ofChart(chart, "") {
			if textAt(r, "id") != "" && textAt(r, "resourceType") != "Patient" {
				addTo(chart, clone(r))
			}
		}
	}),
	stay("narratives, tags, languages and unknown extensions are added", "", func(r object) {
		r["text"] = object{"status": "generated", "div": "<div>family history of diabetes</div>"}
		r["language"] = "en-US"
		extensions, _ := r["extension"].(list)
		r["extension"] = append(extensions, extension("http://vendor.example/note", object{"valueString": "rule out"}))
		meta, _ := r["meta"].(object)
		r["meta"] = with(meta, object{"tag": list{coding("urn:x", "y")}, "source": "urn:ehr"})
	}),
	same("resources of other types are added", func(chart object) {
		addTo(chart, object{"resourceType": "Procedure", "id": "x1", "subject": ref("Patient/p"), "code": concept(coding(snomed, "11466000"))}, object{"resourceType": "Coverage", "id": "x2"},
			object{"resourceType": "FamilyMemberHistory", "id": "x3", "condition": list{object{"code": concept(coding(snomed, "73211009"))}}})
	}),
	same("resources about another patient are added", func(chart object) {
		for _, r := range ofChart(chart, "") {
			if r["subject"] != nil {
				addTo(chart, with(r, object{"id": idNextTo("other-", r), "subject": ref("Patient/somebody-else")}))
			}
		}
	}),
	same("members that are null are added", func(chart object) {
		for _, r := range ofChart(chart, "") {
			for _, name := range []string{"dataAbsentReason", "issued", "focus", "onsetAge", "abatementString"} {
				if r[name] == nil {
					r[name] = nil
				}
			}
		}
	}),
	partial("Observation"), partial("Condition"), partial("Encounter"),
	same("references name a version", func(chart object) {
		for _, r := range ofChart(chart, "") {
			if to := textAt(r, "subject", "reference"); to != "" && !strings.Contains(to, "_history") {
				r["subject"] = ref(to + "/_history/2")
			}
		}
	}),
	same("the patient has another id, and the references follow", func(chart object) {
		id := textAt(ofChart(chart, "Patient")[0], "id")
		if id == "" {
			return
		}
		ofChart(chart, "Patient")[0]["id"] = "renamed"
		everyObject(chart["resources"], func(o object) {
			to, version, versioned := strings.Cut(textAt(o, "reference"), "/_history/")
			if before, ok := strings.CutSuffix(to, "Patient/"+id); ok {
				o["reference"] = before + "Patient/renamed"
				if versioned {
					o["reference"] = before + "Patient/renamed/_history/" + version
				}
			}
		})
	}),
}
