package metamorphic

import (
	"slices"
	"strings"
	"testing"

	"birthregistry/app/birth"
	"birthregistry/app/corpus"
	"birthregistry/app/mapping/bundle"
)

// The statements of BFDR 2.0.0 in Procedure, Condition, Coverage and Location, read under the
// reading bfdr.

var wide = bundle.Reader{Reading: birth.BFDRReading}

// fullBFDR returns a course with a statement of every category in these resources.
func fullBFDR() object {
	of, whose := about("Patient/child"), about("Patient/mother")
	procedure := func(category, code string, more ...object) object {
		return with(object{
			"resourceType": "Procedure", "status": "completed", "category": concept(coding(loinc, category)), "code": concept(coding(snomed, code)),
		}, more...)
	}
	condition := func(category, code, profile string, more ...object) object {
		return with(object{
			"resourceType": "Condition", "category": list{concept(coding(loinc, category))}, "code": concept(coding(snomed, code)),
			"meta": object{"profile": list{bfdr + profile}},
		}, more...)
	}
	south := object{"resourceType": "Location", "id": "south", "name": "South Hospital", "status": "active"}
	doc := bundleOf(
		fullMother(), fullChild(), practitioner("reyes", "S-1", "Reyes", "Certified Nurse Midwife"),
		birthEncounter(of, physical("22232009"), participants(participant(loinc, "87286-1", "Practitioner/reyes"))),
		procedure("73762-7", "11466000", whose, object{"performedPeriod": object{"start": "2026-03-02T03:50:00-05:00"}}),
		procedure("73813-8", "236958009", whose), procedure("73813-8", "237001001", whose), procedure("73813-8", "18946005", whose),
		condition("73813-8", "11612004", "Condition-chorioamnionitis", whose),
		condition("73775-9", "11687002", "Condition-gestational-diabetes", whose, object{"onsetDateTime": "2025-11-03"}),
		procedure("73775-9", "63487001", whose), condition("72519-2", "105629000", "Condition-infection-present-during-pregnancy", whose),
		procedure("73814-6", "240278000", whose, object{"outcome": concept(coding(snomed, "385669000"))}),
		procedure("73781-7", "116859006", whose), condition("73781-7", "398019008", "Condition-perineal-laceration", whose),
		procedure("73812-0", "434701000124101", of), condition("73812-0", "91175000", "Condition-seizure", of),
		condition("73780-9", "80281008", "Condition-congenital-anomaly-of-newborn", of),
		object{
			"resourceType": "Coverage", "status": "active", "type": concept(coding("https://nahdo.org/sopt", "2")), "beneficiary": ref("Patient/mother"),
			"meta": object{"profile": list{bfdr + "Coverage-principal-payer-delivery"}},
		}, south,
	)
	stays := resources(doc, "Encounter")
	stays[0]["location"].(list)[0].(object)["location"] = ref("Location/south")
	return with(doc, object{"identifier": object{"value": "C-5"}})
}

// facts returns the Procedures and Conditions of BFDR in a document, each with its Bundle.
func facts(doc object) (all [][2]object) {
	for _, b := range courses(doc) {
		for _, r := range append(resources(b, "Procedure"), resources(b, "Condition")...) {
			if ofBFDR(r) {
				all = append(all, [2]object{b, r})
			}
		}
	}
	return all
}

// ofBFDR reports whether a resource names an item of BFDR, and so its fields.
func ofBFDR(r object) bool {
	return len(statesOf(r)) > 0 || textAt(r, "category", "coding", 0, "code") == ""
}

// statesOf returns the fields that an item states.
func statesOf(r object) (all []string) {
	text := write(r["category"], nil)
	for _, i := range bundle.BFDRItems {
		if strings.Contains(text, `"`+i.Category+`"`) && textAt(r, "code", "coding", 0, "code") == i.Code {
			for _, s := range i.States() {
				all = append(all, s.Field.Name)
			}
		}
	}
	return all
}

// yesOrNo are the fields that a denial can answer.
var yesOrNo = []string{"labor_augmented", "chorioamnionitis"}

// unsay returns a mutation that makes resources state nothing: the document must then read as
// if they were missing.
func unsay(says string, kinds []string, free []string, edit func(b, r object) bool) mutation {
	return mutation{says: says, make: func(doc object) []mutant {
		like, changed := clone(doc), false
		kept := courses(like)
		for n, b := range courses(doc) {
			for _, kind := range kinds {
				there := resources(kept[n], kind)
				for i, r := range resources(b, kind) {
					if (kind == "Coverage" || kind == "Location" || ofBFDR(r)) && edit(b, r) {
						changed = true
						remove(kept[n], there[i])
					}
				}
			}
		}
		if !changed {
			return nil
		}
		return []mutant{{doc: doc, like: like, lost: true, free: free}}
	}}
}

var both = []string{"Procedure", "Condition"}

func always(edit func(r object)) func(b, r object) bool {
	return func(_, r object) bool {
		edit(r)
		return true
	}
}

func put(name string, value any) func(b, r object) bool {
	return always(func(r object) { r[name] = value })
}

func verifiedAs(code string) func(b, r object) bool {
	return put("verificationStatus", concept(coding("http://terminology.hl7.org/CodeSystem/condition-ver-status", code)))
}

// lastsNot reports whether an item belongs to one pregnancy, so that its date shows which.
func lastsNot(r object) bool {
	return !slices.Contains(statesOf(r), "infections") && (textAt(r, "resourceType") == "Condition" || !slices.Contains(statesOf(r), "risk_factors")) &&
		!slices.Contains([]string{"73211009", "38341003"}, textAt(r, "code", "coding", 0, "code"))
}

var bfdrLosses = []mutation{
	unsay("Procedures are in preparation: as if not there", both[:1], nil, put("status", "preparation")),
	unsay("Procedures are in progress: as if not there", both[:1], nil, put("status", "in-progress")),
	unsay("Procedures are on hold: as if not there", both[:1], nil, put("status", "on-hold")),
	unsay("Procedures were stopped: as if not there", both[:1], nil, put("status", "stopped")),
	unsay("Procedures were entered in error: as if not there", both[:1], nil, put("status", "entered-in-error")),
	unsay("the status of Procedures is unknown: as if not there", both[:1], nil, put("status", "unknown")),
	unsay("the status of Procedures is of no value set: as if not there", both[:1], nil, put("status", "cancelled")),
	unsay("Procedures were not done: never a yes", both[:1], yesOrNo, put("status", "not-done")),
	unsay("Conditions were refuted: never a yes", both[1:], yesOrNo, verifiedAs("refuted")),
	unsay("Conditions were entered in error: as if not there", both[1:], nil, verifiedAs("entered-in-error")),
	unsay("Conditions are unconfirmed: as if not there", both[1:], nil, verifiedAs("unconfirmed")),
	unsay("Conditions are provisional: as if not there", both[1:], nil, verifiedAs("provisional")),
	unsay("Conditions are one of several diagnoses: as if not there", both[1:], nil, verifiedAs("differential")),
	unsay("facts have a modifier that nobody knows: as if not there", both, nil, put("modifierExtension", list{object{"url": "urn:example:negated", "valueBoolean": true}})),
	unsay("facts are of another category: as if not there", both, nil, always(func(r object) {
		c := concept(coding(loinc, "57075-4"))
		r["category"] = c
		if textAt(r, "resourceType") == "Condition" {
			r["category"] = list{c}
		}
	})),
	unsay("facts have no category and no profile: as if not there", both, nil, always(func(r object) {
		delete(r, "category")
		delete(r, "meta")
	})),
	unsay("the codes of facts are of another system: as if not there", both, nil, always(func(r object) {
		everyObject(r["code"], func(c object) {
			if c["code"] != nil {
				c["system"] = "http://hl7.org/fhir/sid/icd-10-cm"
			}
		})
	})),
	unsay("facts have no code: as if not there", both, nil, put("code", object{"text": "as stated"})),
	unsay("the codes of facts are numbers: as if not there", both, nil, put("code", object{"coding": list{object{"system": snomed, "code": 11466000}}})),
	unsay("facts are texts where a concept belongs: as if not there", both, nil, put("code", "11466000")),
	unsay("the subjects of facts are lists: as if not there", both, nil, put("subject", list{ref("Patient/mother")})),
	unsay("facts were three years ago: as if not there", both, nil, func(_, r object) bool {
		if !lastsNot(r) {
			return false
		}
		delete(r, "performedPeriod")
		r["performedDateTime"], r["onsetDateTime"] = "2016-01-05", "2016-01-05"
		return true
	}),
	unsay("facts are three years later: as if not there", both, nil, func(_, r object) bool {
		delete(r, "performedPeriod")
		r["performedDateTime"], r["onsetDateTime"] = "2029-06-05", "2029-06-05"
		return true
	}),
	unsay("Coverages are cancelled: as if not there", []string{"Coverage"}, nil, put("status", "cancelled")),
	unsay("Coverages are of another system: as if not there", []string{"Coverage"}, nil, put("type", concept(coding("urn:example:plans", "5")))),
	unsay("Coverages are of the child: as if not there", []string{"Coverage"}, nil, func(b, r object) bool {
		r["beneficiary"] = ref(referenceTo(b, childrenOf(b)[0]))
		return true
	}),
	unsay("Coverages were over before the birth: as if not there", []string{"Coverage"}, nil, put("period", object{"end": "2017-12-31"})),
	unsay("the payer is not known: as if not there", []string{"Coverage"}, nil, put("type", concept(coding("https://nahdo.org/sopt", "9999")))),
	unsay("the names of Locations are unknown: as if not there", []string{"Location"}, nil, put("name", "UNKNOWN")),
	unsay("Locations are of wrong types: as if not there", []string{"Location"}, nil, put("name", list{"South Hospital"})),
}

// eachFact returns a mutation after which every fact says the same.
func eachFact(says string, edit func(b, r object)) mutation {
	return same(says, func(doc object) {
		for _, f := range facts(doc) {
			edit(f[0], f[1])
		}
	})
}

var bfdrTies = []mutation{
	eachFact("Procedures have no status", func(_, r object) { delete(r, "status") }),
	eachFact("every fact stands twice", func(b, r object) { add(b, clone(r)) }),
	eachFact("the codes of facts have no system", func(_, r object) {
		everyObject(r["code"], func(c object) { delete(c, "system") })
	}),
	eachFact("facts are coded in another system as well", func(_, r object) {
		codings, _ := at(r, "code", "coding").(list)
		r["code"].(object)["coding"] = append(list{coding("http://www.ama-assn.org/go/cpt", "700000006")}, codings...)
	}),
	eachFact("Conditions have resolved", func(_, r object) {
		if textAt(r, "resourceType") == "Condition" {
			r["clinicalStatus"] = concept(coding("http://terminology.hl7.org/CodeSystem/condition-clinical", "resolved"))
		}
	}),
	eachFact("the profile of Conditions says their category", func(_, r object) {
		if textAt(r, "resourceType") == "Condition" && textAt(r, "meta", "profile", 0) != "" && len(statesOf(r)) > 0 {
			delete(r, "category")
		}
	}),
	eachFact("an Observation says the same", func(b, r object) {
		if i := textAt(r, "code", "coding", 0, "code"); len(statesOf(r)) > 0 && i != "240278000" {
			category := ""
			for _, item := range bundle.BFDRItems {
				if item.Code == i && strings.Contains(write(r["category"], nil), item.Category) {
					category = item.Category
				}
			}
			add(b, observation(category, object{"subject": r["subject"]}, sct(i)))
		}
	}),
	{says: "the route is said otherwise in an Observation: left out", make: func(doc object) []mutant {
		return against(doc, "delivery_method", func(b object) object { return observation("73762-7", sct("302383004")) })
	}},
	{says: "the payer is said otherwise in an Observation: left out", make: func(doc object) []mutant {
		return against(doc, "principal_payer", func(b object) object {
			return ownObservation("principal_payer", object{"valueCodeableConcept": concept(coding(own, "tricare"))})
		})
	}},
	{says: "no risk factor is said in an Observation next to one: left out", make: func(doc object) []mutant {
		return against(doc, "risk_factors", func(b object) object { return observation("73775-9", sct("260413007")) }, "previous_preterm_birth", "previous_cesareans")
	}},
	{says: "no anomaly is said in an Observation next to one: left out", make: func(doc object) []mutant {
		return against(doc, "congenital_anomalies", func(b object) object {
			return observation("73780-9", about(referenceTo(b, childrenOf(b)[0])), sct("260413007"))
		})
	}},
}

// against adds an Observation that contradicts a field to a document that states it.
func against(doc object, field string, other func(b object) object, free ...string) []mutant {
	there := false
	for _, b := range courses(doc) {
		if readsAs(b)[field] {
			there = true
			add(b, other(b))
		}
	}
	if !there {
		return nil
	}
	return []mutant{{doc: doc, gone: []string{field}, free: append(free, "vbac")}}
}

// readsAs returns the fields that only the reading bfdr finds in a Bundle's resources.
func readsAs(b object) map[string]bool {
	all := map[string]bool{"principal_payer": len(resources(b, "Coverage")) > 0}
	for _, f := range facts(b) {
		for _, field := range statesOf(f[1]) {
			all[field] = true
		}
	}
	return all
}

func TestMutationsOfWhatOnlyBFDRReadsChangeTheReadingAsTheyShould(t *testing.T) {
	read := func(t testing.TB, body string) reading { return readBundle(t, wide, body) }
	var sources []source
	add := func(name string, doc object, foreign bool) {
		body := write(doc, nil)
		sources = append(sources, source{name, doc, body, read(t, body), foreign})
	}
	add("a full document of BFDR", parse(t, []byte(write(fullBFDR(), nil))), false)
	for name, body := range corpusOf(t, corpus.Bundles) {
		add(name, parse(t, body), true)
	}
	slices.SortFunc(sources, func(a, b source) int { return strings.Compare(a.name, b.name) })
	apply(t, slices.Concat(bfdrLosses, bfdrTies), sources, func(t testing.TB, _ source, _ object, body string) reading {
		return read(t, body)
	})
}

// Under the default reading, none of these mutations changes anything.
func TestMutationsOfWhatOnlyBFDRReadsChangeNothingByDefault(t *testing.T) {
	for _, m := range bfdrLosses {
		for _, mutated := range m.make(fullBFDR()) {
			before := readBundle(t, bundle.Reader{}, write(fullBFDR(), nil))
			if lines := differences(before, readBundle(t, bundle.Reader{}, mutated.text()), nil); len(lines) > 0 {
				t.Errorf("%s: %s", m.says, strings.Join(lines, "; "))
			}
		}
	}
}
