package bundle

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
	"birthregistry/app/mapping/mappingtest"
)

// wide reads what BFDR 2.0.0 has beyond the spec's list.
var wide = Reader{Reading: birth.BFDRReading}

// wideCourse maps resources together with a mother and a child born on 2026-03-02.
func wideCourse(t testing.TB, resources ...m) birth.Draft {
	t.Helper()
	born := child(m{"birthDate": "2026-03-02"})
	return masked(t, bundle(append([]m{mother(), born}, resources...)...), wide)
}

func codingOf(system, code string) m {
	if system == "" {
		return m{"coding": l{m{"code": code}}}
	}
	return m{"coding": l{m{"system": system, "code": code}}}
}

func snomedOf(code string) m { return codingOf(mapping.SNOMEDURL, code) }

// procedure and condition return resources as BFDR defines them.
func procedure(category, code string, more ...m) m {
	return m{
		"resourceType": "Procedure", "status": "completed", "category": codingOf(mapping.LOINCURL, category), "code": snomedOf(code),
	}.With(about("Patient/mother")).With(more...)
}

func condition(category, code string, more ...m) m {
	return m{
		"resourceType": "Condition", "code": snomedOf(code), "category": l{
			codingOf("http://terminology.hl7.org/CodeSystem/condition-category", "problem-list-item"), codingOf(mapping.LOINCURL, category),
		},
	}.With(about("Patient/mother")).With(more...)
}

func found(category, code string, more ...m) m {
	return m{
		"resourceType": "Observation", "status": "final", "code": codingOf(mapping.LOINCURL, category), "valueCodeableConcept": snomedOf(code),
	}.With(more...)
}

func none(category string) m { return found(category, NoneOfThese) }

func resourceOf(i BFDRItem) m {
	whose := about("Patient/mother")
	if fields := i.States(); fields[0].Field.About == birth.Child {
		whose = about("Patient/child")
	}
	switch code := (m{"code": codingOf(i.System, i.Code)}); i.Resource() {
	case "Procedure":
		return procedure(i.Category, i.Code, whose, code)
	case "Condition":
		return condition(i.Category, i.Code, whose, code)
	default:
		return found(i.Category, i.Code, whose)
	}
}

func TestEveryItemOfBFDRStatesWhatTheObservationWithItsCategoryAndCodeStates(t *testing.T) {
	resources := map[string]int{}
	for _, i := range BFDRItems {
		resources[i.Resource()]++
		require.NotEmpty(t, i.States(), "%s %s is on the spine", i.Category, i.Code)
		reported := wideCourse(t, resourceOf(i))
		observed := found(i.Category, i.Code, m{"valueCodeableConcept": codingOf(i.System, i.Code)}, about("Patient/child"))
		require.Equal(t, stripped(courseOf(t, observed)), stripped(reported), "%s %s", i.Category, i.Code)
		for _, s := range i.States() {
			require.Equal(t, string(s.Value.JSON(s.Field.Kind)), stated(reported, s.Field.Name), i.Code)
		}
		require.Equal(t, stripped(courseOf(t)), stripped(courseOf(t, resourceOf(i).With(m{"resourceType": "Procedure"}))), "not by default")
	}
	require.Equal(t, map[string]int{"Condition": 44, "Procedure": 19, "Observation": 6}, resources)
}

// stripped returns a course without its birth date and reading.
func stripped(d birth.Draft) birth.Draft {
	d.Reading = ""
	for i := range d.Children {
		d.Children[i].Drop("birth_date")
		d.Children[i].Drop("birth_month")
	}
	return d
}

func TestTheReportListsWhatIsStatedAndWhatIsLeftOut(t *testing.T) {
	const labor, route, risks, sick, version = "73813-8", "73762-7", "73775-9", "73781-7", "73814-6"
	const induction, augmentation, chorio, cesarean = "236958009", "237001001", "11612004", "11466000"
	status := func(status string) m { return m{"status": status} }
	verified := func(codes ...string) m {
		return m{"verificationStatus": codingOf("http://terminology.hl7.org/CodeSystem/condition-ver-status", codes[0])}
	}
	profile := func(name string) m {
		return m{"meta": m{"profile": l{"http://hl7.org/fhir/us/bfdr/StructureDefinition/" + name}}}
	}
	without := func(doc m, names ...string) m {
		doc = doc.With()
		for _, name := range names {
			delete(doc, name)
		}
		return doc
	}
	is := func(system, code string) m { return m{"code": codingOf(system, code)} }
	for _, c := range []struct {
		name, field, want string
		resources         []m
	}{
		// Status.
		{"completed", "labor_onset_type", `"induced"`, []m{procedure(labor, induction)}},
		{"no status", "labor_onset_type", `"induced"`, []m{without(procedure(labor, induction), "status")}},
		{"in preparation", "labor_onset_type", "", []m{procedure(labor, induction, status("preparation"))}},
		{"in progress", "labor_onset_type", "", []m{procedure(labor, induction, status("in-progress"))}},
		{"on hold", "labor_onset_type", "", []m{procedure(labor, induction, status("on-hold"))}},
		{"stopped", "labor_onset_type", "", []m{procedure(labor, induction, status("stopped"))}},
		{"cancelled", "labor_onset_type", "", []m{procedure(labor, induction, status("cancelled"))}},
		{"entered in error", "labor_onset_type", "", []m{procedure(labor, induction, status("entered-in-error"))}},
		{"unknown", "labor_onset_type", "", []m{procedure(labor, induction, status("unknown"))}},
		{
			"a status that is absent for a reason", "labor_onset_type", "",
			[]m{without(procedure(labor, induction, m{"_status": extended(extension("http://x/data-absent-reason", m{"valueCode": "unknown"}))}), "status")},
		},
		{"not done says no where the field can", "labor_augmented", "false", []m{procedure(labor, augmentation, status("not-done"))}},
		{"not done says nothing of one of several", "labor_onset_type", "", []m{procedure(labor, induction, status("not-done"))}},
		{"not done is none of a list", "risk_factors", "", []m{procedure(risks, "63487001", status("not-done"))}},
		{"confirmed", "chorioamnionitis", "true", []m{condition(labor, chorio, verified("confirmed"))}},
		{"refuted says no", "chorioamnionitis", "false", []m{condition(labor, chorio, verified("refuted"))}},
		{"unconfirmed", "chorioamnionitis", "", []m{condition(labor, chorio, verified("unconfirmed"))}},
		{"provisional", "chorioamnionitis", "", []m{condition(labor, chorio, verified("provisional"))}},
		{"differential", "chorioamnionitis", "", []m{condition(labor, chorio, verified("differential"))}},
		{"a Condition in error", "chorioamnionitis", "", []m{condition(labor, chorio, verified("entered-in-error"))}},
		{"verified in words", "chorioamnionitis", "", []m{condition(labor, chorio, m{"verificationStatus": m{"text": "ruled out"}})}},
		{
			"verified and not", "chorioamnionitis", "",
			[]m{condition(labor, chorio, m{"verificationStatus": concept("confirmed", "refuted")})},
		},
		{"resolved", "chorioamnionitis", "true", []m{condition(labor, chorio, m{"clinicalStatus": concept("resolved")})}},
		{"a modifier that nobody knows", "chorioamnionitis", "", []m{condition(labor, chorio, m{"modifierExtension": l{m{"url": "urn:x"}}})}},
		{"a modifier of a Procedure", "labor_onset_type", "", []m{procedure(labor, induction, m{"modifierExtension": l{m{"url": "urn:x"}}})}},

		// Code, system, category, profile.
		{"no system", "labor_onset_type", `"induced"`, []m{procedure(labor, induction, is("", induction))}},
		{"by OID", "labor_onset_type", `"induced"`, []m{procedure(labor, induction, is("urn:oid:2.16.840.1.113883.6.96", induction))}},
		{"another system", "labor_onset_type", "", []m{procedure(labor, induction, is("http://hl7.org/fhir/sid/icd-10-cm", induction))}},
		{"an option's own name", "labor_onset_type", "", []m{procedure(labor, "induced", is("", "induced"))}},
		{"a code that is none of the value set", "delivery_method", "", []m{procedure(route, "177128002")}},
		{"no code", "labor_onset_type", "", []m{without(procedure(labor, induction), "code")}},
		{
			"a code that is absent for a reason", "labor_onset_type", "",
			[]m{procedure(labor, induction, m{"code": extended(extension("http://x/data-absent-reason", m{"valueCode": "unknown"}))})},
		},
		{
			"two codes of two items", "delivery_method", "",
			[]m{procedure(route, "", m{"code": m{"coding": l{m{"system": mapping.SNOMEDURL, "code": cesarean}, m{"system": mapping.SNOMEDURL, "code": "700000006"}}}})},
		},
		{
			"a code next to one of another system", "delivery_method", `"cesarean"`,
			[]m{procedure(route, "", m{"code": m{"coding": l{m{"system": "http://www.ama-assn.org/go/cpt", "code": "700000006"}, m{"system": mapping.SNOMEDURL, "code": cesarean}}}})},
		},
		{"another category", "labor_onset_type", "", []m{procedure(sick, induction)}},
		{"a category of another system", "labor_onset_type", "", []m{procedure(labor, induction, m{"category": codingOf("urn:x", labor)})}},
		{"a cause of a fetal death", "chorioamnionitis", "", []m{condition("76060-3", chorio, profile("Condition-chorioamnionitis"))}},
		{"no category", "labor_onset_type", "", []m{without(procedure(labor, induction), "category")}},
		{
			"a profile in the place of the category", "labor_onset_type", `"induced"`,
			[]m{without(procedure(labor, induction, profile("Procedure-induction-of-labor|2.0.0")), "category")},
		},
		{
			"the same on another host", "newborn_conditions", `["surfactant"]`,
			[]m{without(procedure("", "434701000124101", about("Patient/child"), m{"meta": m{"profile": l{
				"https://profiles.ihe.net/QRPH/bfdr/StructureDefinition/Procedure-surfactant-replacement-therapy-ihe",
			}}}), "category")},
		},
		{
			"an earlier profile", "risk_factors", `["infertility_treatment"]`,
			[]m{without(procedure("", "58533008", profile("Procedure-artificial-insemination")), "category")},
		},
		{
			"a profile of another item", "labor_onset_type", "",
			[]m{without(procedure(labor, induction, profile("Procedure-final-route-method-delivery")), "category")},
		},
		{
			"BFDR's own code, in the build of the day", "newborn_conditions", `["ventilation_6h"]`,
			[]m{procedure("73812-0", "", about("Patient/child"),
				is("http://hl7.org/fhir/us/bfdr/CodeSystem/CodeSystem-abnormal-conditions-newborn", "assistedventmorethan6hrs"))},
		},
		{"BFDR's own code of another system", "newborn_conditions", "", []m{procedure("73812-0", "", is(mapping.SNOMEDURL, "assistedventmorethan6hrs"))}},
		{"another anomaly", "congenital_anomalies", `["other"]`, []m{condition("73780-9", "", is(nullFlavor, "OTH"), about("Patient/child"))}},
		{"OTH of a list without it", "infections", "", []m{condition("72519-2", "", is(nullFlavor, "OTH"))}},
		{
			"Down syndrome, the karyotype pending", "congenital_anomalies", `["down_syndrome"]`,
			[]m{condition("73780-9", "70156005", about("Patient/child"), m{"evidence": l{m{"code": l{snomedOf("312948004")}}}})},
		},

		// Statements that occur more than once.
		{"twice alike", "delivery_method", `"cesarean"`, []m{procedure(route, cesarean), procedure(route, cesarean), found(route, cesarean)}},
		{"two routes", "delivery_method", "", []m{procedure(route, cesarean), procedure(route, "700000006")}},
		{"a route that an Observation contradicts", "delivery_method", "", []m{procedure(route, cesarean), found(route, "700000006")}},
		{"a route that an Observation does not know", "delivery_method", `"cesarean"`, []m{procedure(route, cesarean), found(route, "261665006")}},
		{
			"a list in several resources", "risk_factors", `["diabetes_gestational","eclampsia","infertility_treatment"]`,
			[]m{condition(risks, "15938005"), found(risks, "11687002"), procedure(risks, "63487001")},
		},
		{"done and not done", "labor_augmented", "", []m{procedure(labor, augmentation), procedure(labor, augmentation, status("not-done"))}},
		{"a list without what is denied", "risk_factors", `["eclampsia"]`, []m{
			condition(risks, "15938005"), condition(risks, "11687002"), condition(risks, "11687002", verified("refuted")),
		}},
		{"an Observation that is denied", "labor_onset_type", "", []m{found(labor, induction), procedure(labor, induction, status("not-done"))}},
		{"none, and one of them", "risk_factors", "", []m{none(risks), condition(risks, "15938005")}},
		{"none, and one that none does not speak of", "labor_onset_type", "", []m{none(labor), procedure(labor, induction)}},
		{"what none says of the others is in doubt", "antibiotics_in_labor", "", []m{none(labor), procedure(labor, induction)}},
		{"none, and one of another category", "risk_factors", `["none"]`, []m{none(risks), condition(sick, "34430009")}},
		{"none, and what was not done", "chorioamnionitis", "false", []m{none(labor), procedure(labor, induction, status("not-done"))}},
		{"none in a Procedure", "obstetric_procedures", `["none"]`, []m{procedure(version, NoneOfThese)}},
		{"none in a Procedure next to an Observation", "risk_factors", "", []m{procedure(risks, NoneOfThese), found(risks, "11687002")}},
		{"none that is not so", "risk_factors", "", []m{condition(risks, NoneOfThese, verified("refuted"))}},
		{"none of the practice's own code, and one of them", "risk_factors", "", []m{
			{"resourceType": "Observation", "status": "final", "code": codingOf("", "risk_factors"), "valueCodeableConcept": codingOf("", "none")},
			condition(risks, "15938005"),
		}},
		{"a tear and a lesser one", "perineum", `"third_or_fourth"`, []m{condition(sick, "398019008"), found(sick, "6234006")}},
		{"cesareans before, counted", "previous_cesareans", "2", []m{
			condition(risks, "200144004"), {"resourceType": "Observation", "status": "final", "code": codingOf(mapping.LOINCURL, "68497-7"), "valueInteger": 2},
		}},
		{"cesareans before, counted as none", "previous_cesareans", "", []m{
			condition(risks, "200144004"), {"resourceType": "Observation", "status": "final", "code": codingOf(mapping.LOINCURL, "68497-7"), "valueInteger": 0},
		}},

		// The pregnancy.
		{"of the year before", "labor_onset_type", "", []m{procedure(labor, induction, m{"performedDateTime": "2024-11-02"})}},
		{"some days off the birth", "delivery_method", `"cesarean"`, []m{procedure(route, cesarean, m{"performedPeriod": m{"start": "2026-03-12T10:00:00Z"}})}},
		{"of a year after", "delivery_method", "", []m{procedure(route, cesarean, m{"performedDateTime": "2027-08"})}},
		{"in the year of the birth", "delivery_method", `"cesarean"`, []m{procedure(route, cesarean, m{"performedDateTime": "2026"})}},
		{"in the year before", "delivery_method", "", []m{procedure(route, cesarean, m{"performedDateTime": "2025"})}},
		{"nine months before the birth", "labor_onset_type", "", []m{procedure(labor, induction, m{"performedDateTime": "2025-06-01"})}},
		{"nine months after the birth", "delivery_method", "", []m{procedure(route, cesarean, m{"performedDateTime": "2026-12-01"})}},
		{"a transfusion nine months before", "maternal_morbidity", "", []m{procedure(sick, "116859006", m{"performedDateTime": "2025-06-01"})}},
		{"a version some weeks before", "obstetric_procedures", `["version"]`, []m{procedure(version, "240278000", m{"performedDateTime": "2026-01-02"})}},
		{"gestational, from the second trimester on", "risk_factors", `["diabetes_gestational"]`, []m{condition(risks, "11687002", m{"onsetDateTime": "2025-10-01"})}},
		{"gestational, after the birth", "risk_factors", "", []m{condition(risks, "11687002", m{"onsetDateTime": "2026-07-01"})}},
		{"an anomaly found months later", "congenital_anomalies", `["cyanotic_heart_disease"]`, []m{condition("73780-9", "12770006", about("Patient/child"), m{"onsetDateTime": "2026-07-01"})}},
		{"a seizure months later", "newborn_conditions", "", []m{condition("73812-0", "91175000", about("Patient/child"), m{"onsetDateTime": "2026-07-01"})}},
		{"a vacuum that failed", "delivery_method", "", []m{procedure(route, "61586001", m{"outcome": snomedOf("385671000")})}},
		{"a vacuum that failed, against an Observation", "delivery_method", "", []m{
			procedure(route, "61586001", m{"outcome": snomedOf("385671000")}), found(route, "61586001"),
		}},
		{"a cesarean after something else that failed", "delivery_method", `"cesarean"`, []m{
			procedure(route, cesarean, m{"outcome": m{"text": "Cesarean for failed induction; mother and baby well"}}),
		}},
		{"a vacuum that did not succeed, in words", "delivery_method", "", []m{procedure(route, "61586001", m{"outcome": m{"text": "Not successful."}})}},
		{"only its end is stated", "delivery_method", "", []m{procedure(route, cesarean, m{"performedPeriod": m{"end": "2031-05-10"}})}},
		{"of a long stay that has not ended", "delivery_method", `"cesarean"`, []m{
			{"resourceType": "Encounter", "id": "long", "status": "in-progress", "period": m{"start": "2026-01-20"}},
			procedure(route, cesarean, m{"encounter": m{"reference": "Encounter/long"}}),
		}},
		{"of a stay years later", "delivery_method", "", []m{
			{"resourceType": "Encounter", "id": "later", "status": "finished", "period": m{"start": "2028-01-01", "end": "2028-01-05"}},
			procedure(route, cesarean, m{"encounter": m{"reference": "Encounter/later"}}),
		}},
		{"a vacuum, in the words of real files", "delivery_method", "", []m{procedure(route, "61586001", m{"outcome": m{"text": "Vacuum extraction: Unsuccessful"}})}},
		{"a vacuum, successful by its code alone", "delivery_method", "", []m{procedure(route, "61586001", m{
			"outcome": m{"text": "Unsuccessful", "coding": l{m{"system": mapping.SNOMEDURL, "code": "385669000"}}},
		})}},
		{"a cesarean after a vacuum that failed", "delivery_method", `"cesarean"`, []m{procedure(route, cesarean, m{"outcome": m{"text": "Vacuum failed"}})}},
		{"a vacuum that succeeded", "delivery_method", `"vaginal_vacuum"`, []m{procedure(route, "61586001", m{"outcome": snomedOf("385669000")})}},
		{"a version whose outcome contradicts itself", "obstetric_procedures", `["version"]`, []m{procedure(version, "240278000", m{
			"outcome": m{"text": "External cephalic version: Unsuccessful", "coding": l{m{"system": mapping.SNOMEDURL, "code": "385669000"}}},
		})}},
		{"a cesarean before, with its date", "previous_cesareans", "1", []m{
			condition(risks, "200144004", m{"onsetDateTime": "2019-05-10", "abatementDateTime": "2019-05-11"}),
		}},
		{"a vacuum that failed, in words, and a cesarean", "delivery_method", `"cesarean"`, []m{
			procedure(route, "61586001", m{"outcome": m{"text": "Failed"}}), procedure(route, cesarean, m{"outcome": snomedOf("385669000")}),
		}},
		{"gestational, of years ago", "risk_factors", "", []m{condition(risks, "11687002", m{"onsetDateTime": "2021-05-01"})}},
		{"diabetes of years ago", "risk_factors", `["diabetes_prepregnancy"]`, []m{condition(risks, "73211009", m{"onsetDateTime": "2011"})}},
		{"diabetes that was over", "risk_factors", "", []m{condition(risks, "73211009", m{"onsetDateTime": "2011", "abatementDateTime": "2019-01"})}},
		{"an infection that was over", "infections", "", []m{condition("72519-2", "105629000", m{"abatementPeriod": m{"end": "2022-01-05"}})}},
		{"an infection of years ago", "infections", `["hepatitis_b"]`, []m{condition("72519-2", "66071002", m{"onsetPeriod": m{"start": "2004-01-05"}})}},
		{"a treatment of years ago", "risk_factors", `["infertility_treatment"]`, []m{procedure(risks, "63487001", m{"performedDateTime": "2023-01-05"})}},
		{"a date that is none", "risk_factors", "", []m{condition(risks, "11687002", m{"onsetDateTime": "2021-13-45"})}},
		{"gestational, at an age", "risk_factors", "", []m{condition(risks, "11687002", m{"onsetAge": m{"value": 22, "unit": "a"}})}},
		{"gestational, in words", "risk_factors", "", []m{condition(risks, "11687002", m{"onsetString": "first pregnancy, 2012"})}},
		{"gestational, recorded years ago", "risk_factors", "", []m{condition(risks, "11687002", m{"recordedDate": "2012-05-01"})}},
		{"gestational, recorded in this pregnancy", "risk_factors", `["diabetes_gestational"]`, []m{condition(risks, "11687002", m{"recordedDate": "2026-01-05"})}},
		{"gestational, of a stay years ago", "risk_factors", "", []m{
			{"resourceType": "Encounter", "id": "then", "status": "finished", "period": m{"start": "2012-05-01", "end": "2012-05-03"}},
			condition(risks, "11687002", m{"encounter": m{"reference": "Encounter/then"}}),
		}},
		{"done in words", "labor_onset_type", "", []m{procedure(labor, induction, m{"performedString": "in 2012, with her first child"})}},
		{"diabetes since an age", "risk_factors", `["diabetes_prepregnancy"]`, []m{condition(risks, "73211009", m{"onsetAge": m{"value": 12, "unit": "a"}})}},
		{"an infection of years ago, resolved", "infections", "", []m{condition("72519-2", "105629000", m{"onsetDateTime": "2010-05-01", "clinicalStatus": m{"coding": l{m{"code": "resolved"}}}})}},
		{"an infection, resolved", "infections", `["chlamydia"]`, []m{condition("72519-2", "105629000", m{"clinicalStatus": m{"coding": l{m{"code": "resolved"}}}})}},

		// The outcome of a version.
		{"a version that succeeded", "obstetric_procedures", `["version_successful"]`, []m{procedure(version, "240278000", m{"outcome": snomedOf("385669000")})}},
		{"a version that failed", "obstetric_procedures", `["version_failed"]`, []m{procedure(version, "240278000", m{"outcome": snomedOf("385671000")})}},
		{"a version, and nobody says", "obstetric_procedures", `["version"]`, []m{procedure(version, "240278000")}},
		{"a version of which both is said", "obstetric_procedures", `["version"]`, []m{procedure(version, "240278000", m{
			"outcome": m{"coding": l{m{"code": "385671000"}, m{"code": "385669000"}}},
		})}},
		{"a version's outcome of another system", "obstetric_procedures", `["version"]`, []m{procedure(version, "240278000", m{"outcome": codingOf("urn:x", "385671000")})}},
		{"a version that was not done", "obstetric_procedures", "", []m{procedure(version, "240278000", status("not-done"))}},

		// The subject.
		{"a child's by name", "newborn_conditions", `["seizure"]`, []m{condition("73812-0", "91175000", about("Patient/child"))}},
		{"an only child's", "newborn_conditions", `["seizure"]`, []m{condition("73812-0", "91175000", m{"subject": nil})}},
		{"of somebody whom the document does not hold", "newborn_conditions", "", []m{condition("73812-0", "91175000", about("urn:uuid:gone"))}},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, stated(wideCourse(t, c.resources...), c.field))
		})
	}
}

func TestAmongTwinsAFactBelongsToTheTwinThatItNames(t *testing.T) {
	of := func(resources ...m) birth.Draft {
		return masked(t, bundle(append([]m{mother(), twin(1), twin(2)}, resources...)...), wide)
	}
	both := func(d birth.Draft, field string) [2]string {
		return [2]string{mappingtest.Stated(d.Children[0], field), mappingtest.Stated(d.Children[1], field)}
	}
	const route, sick = "73762-7", "73812-0"
	require.Equal(t, [2]string{"", `["seizure"]`}, both(of(condition(sick, "91175000", about("Patient/b"))), "newborn_conditions"))
	require.Equal(t, [2]string{}, both(of(condition(sick, "91175000")), "newborn_conditions"), "of which is not told")
	require.Equal(t, [2]string{`"cesarean"`, `"cesarean"`}, both(of(procedure(route, "11466000")), "delivery_method"))
	require.Equal(t, [2]string{}, both(of(procedure(route, "11466000"), procedure(route, "700000006")), "delivery_method"))
	named := of(procedure(route, "11466000", about("Patient/a")), procedure(route, "700000006", about("Patient/b")))
	require.Equal(t, [2]string{`"cesarean"`, `"vaginal_spontaneous"`}, both(named, "delivery_method"))
	ofB := m{"code": m{"coding": l{m{"system": mapping.SNOMEDURL, "code": "11466000"}}, "text": "Cesarean section of twin B"}}
	require.Equal(t, [2]string{"", `"cesarean"`}, both(of(procedure(route, "11466000", ofB)), "delivery_method"))
	none := none(sick).With(about("Patient/a"))
	require.Equal(t, [2]string{`["none"]`, `["seizure"]`}, both(of(none, condition(sick, "91175000", about("Patient/b"))), "newborn_conditions"))
}

func TestThePrincipalPayerIsTheOneThatCoveragesAgreeOn(t *testing.T) {
	const local = "http://hl7.org/fhir/us/bfdr/CodeSystem/"
	coverage := func(system, code string, more ...m) m {
		return m{
			"resourceType": "Coverage", "status": "active", "type": codingOf(system, code),
			"meta":        m{"profile": l{"http://hl7.org/fhir/us/bfdr/StructureDefinition/" + PayerProfile}},
			"beneficiary": m{"reference": "Patient/mother"},
		}.With(more...)
	}
	plain := m{"meta": m{}}
	for _, c := range []struct {
		name, want string
		resources  []m
	}{
		{"private", `"private"`, []m{coverage(mapping.SOPTURL, "5")}},
		{"by OID", `"private"`, []m{coverage("urn:oid:2.16.840.1.113883.3.221.5", "5")}},
		{"other", `"other"`, []m{coverage(mapping.SOPTURL, "99")}},
		{"unknown says nothing", "", []m{coverage(mapping.SOPTURL, "9999")}},
		{"none of the value set", "", []m{coverage(mapping.SOPTURL, "512")}},
		{"another system", "", []m{coverage("http://terminology.hl7.org/CodeSystem/v3-ActCode", "5")}},
		{"as an earlier build spelled it", `"self_pay"`, []m{coverage(local+"CodeSystem-vr-birth-and-fetal-death-financial-class", "selfpay")}},
		{"as another one did", `"ihs"`, []m{coverage(local+"CodeSystem-local-codes", "finclass_indianhealth")}},
		{"cancelled", "", []m{coverage(mapping.SOPTURL, "5", m{"status": "cancelled"})}},
		{"in error", "", []m{coverage(mapping.SOPTURL, "5", m{"status": "entered-in-error"})}},
		{"the child's", "", []m{coverage(mapping.SOPTURL, "5", m{"beneficiary": m{"reference": "Patient/child"}})}},
		{"over before the birth", "", []m{coverage(mapping.SOPTURL, "5", m{"period": m{"end": "2025-12-31"}})}},
		{"begun after it", "", []m{coverage(mapping.SOPTURL, "5", m{"period": m{"start": "2026-03-03"}})}},
		{"in force", `"private"`, []m{coverage(mapping.SOPTURL, "5", m{"period": m{"start": "2026-03-02", "end": "2026-03-02"}})}},
		{"two alike", `"private"`, []m{coverage(mapping.SOPTURL, "5"), coverage("", "5")}},
		{"two that differ", "", []m{coverage(mapping.SOPTURL, "5"), coverage(mapping.SOPTURL, "2")}},
		{"the principal one of two", `"medicaid"`, []m{coverage(mapping.SOPTURL, "5", plain), coverage(mapping.SOPTURL, "2")}},
		{"the only one", `"private"`, []m{coverage(mapping.SOPTURL, "5", plain)}},
		{"two of which none is the principal one", "", []m{coverage(mapping.SOPTURL, "5", plain), coverage(mapping.SOPTURL, "2", plain)}},
		{"two types", "", []m{coverage("", "", m{"type": m{"coding": l{m{"system": mapping.SOPTURL, "code": "5"}, m{"system": mapping.SOPTURL, "code": "2"}}}})}},
		{"a modifier", "", []m{coverage(mapping.SOPTURL, "5", m{"modifierExtension": l{m{"url": "urn:x"}}})}},
		{"an Observation that agrees", `"private"`, []m{coverage(mapping.SOPTURL, "5"), obs("principal_payer", coded("private"), m{"code": codingOf("", "principal_payer")})}},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, stated(wideCourse(t, c.resources...), "principal_payer"))
		})
	}
	for _, p := range BFDRPayers {
		require.Equal(t, `"`+p.Option+`"`, stated(wideCourse(t, coverage(mapping.SOPTURL, p.Code)), "principal_payer"))
		require.True(t, birth.Must("principal_payer").HasOption(p.Option))
	}
	require.Empty(t, stated(courseOf(t, coverage(mapping.SOPTURL, "5")), "principal_payer"), "not by default")
}

func TestTheFacilityIsTheLocationOfTheStayForTheBirth(t *testing.T) {
	location := func(id, name string, more ...m) m {
		return m{"resourceType": "Location", "id": id, "name": name}.With(more...)
	}
	typed := func(codes ...string) m {
		list := l{}
		for _, code := range codes {
			list = append(list, codingOf(bfdrCodes, code))
		}
		return m{"type": list}
	}
	at := func(ids ...string) m {
		list := l{}
		for _, id := range ids {
			list = append(list, m{"location": m{"reference": "Location/" + id}})
		}
		return m{"location": list}
	}
	ward := m{"physicalType": concept("ro"), "partOf": m{"reference": "Location/south"}}
	south, north := location("south", "South Hospital"), location("north", "North Hospital")
	stay := encounter(about("Patient/child"), at("south"))
	for _, c := range []struct {
		name, want string
		resources  []m
	}{
		{"of the child's stay", "South Hospital", []m{stay, south, north}},
		{"before that of the mother's", "South Hospital", []m{encounter(about("Patient/mother"), at("north")), stay, south, north}},
		{"of the mother's where there is no other", "North Hospital", []m{encounter(about("Patient/mother"), at("north")), south, north}},
		{"not where she is to go", "", []m{encounter(about("Patient/child"), m{"location": l{m{"status": "planned", "location": m{"reference": "Location/south"}}}}), south}},
		{"not where she came from", "", []m{stay, location("south", "South Hospital", typed("loc_transfer-from"))}},
		{"of two the birth location", "North Hospital", []m{
			encounter(about("Patient/child"), at("south", "north")), south, location("north", "North Hospital", typed("loc_birth")),
		}},
		{"of two neither", "", []m{encounter(about("Patient/child"), at("south", "north")), south, north}},
		{"one by two names of it", "South Hospital", []m{encounter(about("Patient/child"), at("south", "north")), south, location("north", "South Hospital")}},
		{"the birth location of a document without stays", "South Hospital", []m{location("south", "South Hospital", typed("loc_birth")), north}},
		{"two birth locations", "", []m{location("south", "South Hospital", typed("loc_birth")), location("north", "North Hospital", typed("loc_birth"))}},
		{"a birth location that the stay contradicts", "", []m{stay, south, location("north", "North Hospital", typed("loc_birth"))}},
		{"of no type and no stay", "", []m{south}},
		{"the building of a room", "South Hospital", []m{encounter(about("Patient/child"), at("12")), location("12", "Room 12", ward), south}},
		{"a room of no building", "", []m{encounter(about("Patient/child"), at("12")), location("12", "Room 12", ward)}},
		{"a room that is part of itself", "", []m{encounter(about("Patient/child"), at("12")), location("12", "Room 12", ward, m{"partOf": m{"reference": "Location/12"}})}},
		{"unknown", "", []m{stay, location("south", "UNKNOWN")}},
		{"a kind of place", "", []m{stay, location("south", "Hospital", m{"mode": "kind"})}},
		{"two Locations of one id", "", []m{stay, south, location("south", "North Hospital")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := wideCourse(t, c.resources...)
			require.Equal(t, c.want, d.Care.Text("facility_name"))
		})
	}
}

func TestUnderBFDRTheBirthAttendantAttends(t *testing.T) {
	doc := bundle(mother(), child(), staff("p", qualified("Midwife")), encounter(m{"participant": l{participant("87286-1", "Practitioner/p")}}))
	require.Empty(t, stated(masked(t, doc), "attendant_type"))
	require.Equal(t, `"midwife"`, stated(masked(t, doc, wide), "attendant_type"))
	own := Reader{Reading: birth.BFDRReading, Attendants: []string{"X"}}
	require.Equal(t, `"midwife"`, stated(masked(t, doc, own), "attendant_type"), "beside what the operator names")
	require.Equal(t, []string{"X"}, own.Attendants)
}

// wideShapes are the shapes that are read only under bfdr.
var wideShapes = map[string]any{
	"Procedure": fhir.Procedure{}, "Condition": fhir.BirthCondition{}, "Coverage": fhir.Coverage{}, "Location": fhir.Location{},
}

func TestAWrongTypeInABFDRResourceLosesOnlyThatResource(t *testing.T) {
	fit := map[string]m{
		"Procedure": procedure("73813-8", "236958009"), "Condition": condition("73813-8", "11612004"),
		"Coverage": {"type": codingOf(mapping.SOPTURL, "5")}, "Location": {"id": "south", "name": "South", "type": l{codingOf(bfdrCodes, "loc_birth")}},
	}
	bare := stripped(wideCourse(t))
	for kind, shape := range wideShapes {
		require.NotEqual(t, bare, stripped(wideCourse(t, fit[kind].With(m{"resourceType": kind}))), kind)
		for _, mem := range membersOf(reflect.TypeOf(shape), false) {
			for _, wrong := range wrongFor(mem.kind) {
				doc, _ := put(wrong, mem.path)
				resource := fit[kind].With(doc.(m), m{"resourceType": kind})
				require.Equal(t, bare, stripped(wideCourse(t, resource)), "%s %v", kind, mem.path)
			}
		}
	}
}

func TestUnderTheSpecNoBFDRResourceIsRead(t *testing.T) {
	require.Nil(t, Reader{}.courseAt("Bundle").bfdr, "there is nowhere to keep it")
	for kind := range wideShapes {
		for _, resource := range []m{{"id": l{"x"}}, {"code": 5, "meta": 5, "subject": 5, "name": 5}} {
			d := courseOf(t, resource.With(m{"resourceType": kind}))
			require.Equal(t, courseOf(t), d)
			require.Equal(t, birth.SpecReading, d.Reading)
		}
	}
	require.Equal(t, birth.BFDRReading, wideCourse(t).Reading)
}

// Under the default reading, a Procedure costs as little as a resource that is never read: the
// reader finds it and skips it.
func TestUnderTheSpecProceduresAreNotDecoded(t *testing.T) {
	doc := func(kind string) []byte {
		resource := procedure("73762-7", "11466000", m{"resourceType": kind})
		return []byte(text(t, bundle(append(repeat(100, func(int) m { return resource }), mother(), child())...)))
	}
	work := func(mapper Reader, kind string) float64 {
		body := doc(kind)
		return testing.AllocsPerRun(5, func() {
			require.NoError(t, mapper.ReadWhole(body, func(mapping.Item) error { return nil }))
		})
	}
	plain, other := work(Reader{}, "Procedure"), work(Reader{}, "DeviceUse")
	require.InDelta(t, other, plain, 5)
	require.Greater(t, work(wide, "Procedure"), plain+500, "where it is read, it is decoded")
}

func TestTheShapesOfBFDRHoldNothingOffTheAllowList(t *testing.T) {
	for kind, shape := range wideShapes {
		for _, mem := range membersOf(reflect.TypeOf(shape), false) {
			for _, name := range []string{"telecom", "address", "note", "payor", "subscriberId", "contained", "div", "alias", "performer"} {
				require.NotContains(t, mem.path, name, "%s.%s", kind, strings.Join(mem.path, "."))
			}
		}
	}
}

func TestANoteOrAStatusInWordsThatDeniesAFactLeavesItOut(t *testing.T) {
	noted := func(text string) m { return m{"note": l{m{"text": text}}} }
	status := func(text string) m {
		return m{"verificationStatus": m{"coding": l{m{"code": "confirmed"}}, "text": text}}
	}
	for _, c := range []struct {
		name string
		of   m
		want string
	}{
		{"no note", condition("72519-2", "33839006"), `["herpes"]`},
		{"a plain note", condition("72519-2", "33839006", noted("On valacyclovir since January")), `["herpes"]`},
		{"a note on the partner", condition("72519-2", "33839006", noted("Partner has it")), ""},
		{"a note that denies it", condition("72519-2", "33839006", noted("Ruled out by PCR")), ""},
		{"a second note that doubts it", condition("72519-2", "33839006", m{"note": l{m{"text": "seen"}, m{"text": "possible"}}}), ""},
		{"a status in words", condition("72519-2", "33839006", status("Confirmed")), `["herpes"]`},
		{"a status in words that deny it", condition("72519-2", "33839006", status("Ruled out")), ""},
	} {
		require.Equal(t, c.want, stated(masked(t, bundle(mother(), child(), c.of), wide), "infections"), c.name)
	}
	require.Empty(t, stated(masked(t, bundle(mother(), child(), procedure("73813-8", "236958009", noted("Declined, not done"))), wide), "labor_onset_type"))
	kin := m{"category": l{concept("73775-9"), shown("10157-6", "History of family member diseases", "")}}
	require.Empty(t, stated(masked(t, bundle(mother(), child(), condition("73775-9", "48194001", kin)), wide), "risk_factors"), "a category that speaks of the family")
}

func TestATwinWhoseBirthIsKnownOnlyByTheYearDoesNotWidenTheTimeOfTheOthersFacts(t *testing.T) {
	of := func(second string, more ...m) birth.Draft {
		twins := []m{mother(), child(m{"id": "a", "birthDate": "2026-03-10"}), child(m{"id": "b", "birthDate": second})}
		return masked(t, bundle(append(twins, more...)...), wide)
	}
	early := procedure("73813-8", "236958009", m{"performedDateTime": "2025-12-10"})
	for _, second := range []string{"2026-03-10", "2026-03", "2026"} {
		require.Empty(t, stated(of(second, early), "labor_onset_type"), second)
	}
}
