package bundle

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
	"birthregistry/app/corpus"
	"birthregistry/app/fhir"
)

// The fields that real documents state beyond the spec's list, and that therefore differ under
// the reading bfdr. Every value was read from the JSON by hand: from the Procedures,
// Conditions, Coverages, Locations and the participant with LOINC 87286-1. vbac follows from
// the previous cesareans and the route.
var (
	attendedByDO = spots{
		"attendant_title": `"do"`, "attendant_type": `"other"`, "attendant_credentials": `"D.O., Osteopath (occupation)"`,
		"facility_name": `"South Hospital"`,
	}
	wideQuinn2023 = attendedByDO.But(spots{
		"attendant_name": `"Avery Jones"`, "chorioamnionitis": "true", "infections": `["chlamydia"]`, "labor_onset_type": `"induced"`,
		"maternal_morbidity": `["uterine_rupture"]`, "obstetric_procedures": `["version_failed"]`, "risk_factors": `["hypertension_gestational"]`,
		"principal_payer": `"private"`, "congenital_anomalies": `["cyanotic_heart_disease","down_syndrome"]`,
		"delivery_method": `"cesarean"`, "vbac": "false",
	})
	wideQuinn2024 = wideQuinn2023.But(spots{
		"risk_factors": `["diabetes_prepregnancy","hypertension_gestational","infertility_treatment"]`,
		"pain_relief":  `["epidural_spinal"]`, "newborn_conditions": `["antibiotics_sepsis"]`,
	})
	wideLee2023 = attendedByDO.But(spots{
		"attendant_name": `"Seito Janet"`, "delivery_method": `"vaginal_spontaneous"`, "vbac": "true",
		"fetal_death_cause": `"membranes_ruptured_early"`, "fetal_death_other_causes": `["placental_insufficiency"]`,
	})
	wideLee2024 = wideLee2023.But(spots{"attendant_name": `"Janet Seito"`, "risk_factors": `["diabetes_gestational"]`})
)

// corpusUnderBFDR are the differences, in the files that have any.
var corpusUnderBFDR = map[string]spots{
	"hl7/2023-11-15.Bundle-bundle-jurisdiction-live-birth-babyg-quinn.json": wideQuinn2023,
	"hl7/2023-11-15.Bundle-bundle-provider-live-birth-babyg-quinn.json": wideQuinn2023.But(spots{
		"risk_factors": `["diabetes_prepregnancy","hypertension_gestational"]`,
	}),
	"hl7/2023-11-15.Bundle-bundle-jurisdiction-fetal-death-not-named.json":  wideLee2023,
	"hl7/2023-11-15.Bundle-bundle-provider-fetal-death-not-named.json":      wideLee2023,
	"hl7/2024-07-30.Bundle-bundle-jurisdiction-live-birth-babyg-quinn.json": wideQuinn2024,
	"hl7/2024-07-30.Bundle-bundle-provider-live-birth-babyg-quinn.json":     wideQuinn2024,
	"hl7/2024-07-30.Bundle-bundle-jurisdiction-fetal-death-not-named.json":  wideLee2024,
	"hl7/2024-07-30.Bundle-bundle-provider-fetal-death-not-named.json":      wideLee2024,
	"vital-records-dotnet/BasicBirthRecord.json":                            wideQuinn2024,
	"vital-records-dotnet/BirthRecordBabyGQuinn.json":                       wideQuinn2024.But(spots{"attendant_credentials": `"D.O., Osteopath"`}),
	"vital-records-dotnet/FetalDeathReport.json":                            wideLee2023.But(spots{"attendant_name": `"Janet Seito"`}),
	"vital-records-dotnet/BasicFetalDeathRecord.json":                       {"facility_name": `"South Hospital"`},
	"vital-records-dotnet/BirthRecordFakeNoRace.json": {
		"pain_relief": `["epidural_spinal"]`, "labor_augmented": "true", "risk_factors": `["hypertension_gestational"]`,
		"delivery_method": `"vaginal_spontaneous"`,
	},
}

// eachOfTheCorpus visits every document of the corpus, if there is one.
func eachOfTheCorpus(t *testing.T, visit func(file string, body []byte)) (there bool) {
	t.Helper()
	folder, files := corpus.Folder(t, corpus.Bundles)
	if folder == "" {
		return false
	}
	for _, file := range files {
		visit(file, corpus.Read(t, folder, file))
	}
	return true
}

// everythingIn lists everything that a document states, by subject and field.
func everythingIn(t *testing.T, mapper Reader, body []byte) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, i := range read(t, mapper, string(body)) {
		if i.Draft == nil {
			continue
		}
		d := birth.Mask(*i.Draft).Draft()
		require.Len(t, d.Children, 1)
		for _, values := range append([]birth.Values{d.Mother, d.Care}, d.Children...) {
			for _, s := range values {
				all[s.Field.Name] = string(s.Value.JSON(s.Field.Kind))
			}
		}
	}
	return all
}

func TestTheRealDocumentsStateMoreUnderBFDRAndNothingElse(t *testing.T) {
	more := 0
	there := eachOfTheCorpus(t, func(file string, body []byte) {
		t.Run(file, func(t *testing.T) {
			plain, wider := everythingIn(t, Reader{}, body), everythingIn(t, wide, body)
			differs := spots{}
			for field, value := range wider {
				if plain[field] != value {
					differs[field] = value
				}
				if _, before := plain[field]; !before {
					more++
				}
			}
			want := corpusUnderBFDR[file]
			if want == nil {
				want = spots{}
			}
			require.Equal(t, want, differs)
			for field := range plain {
				require.Contains(t, wider, field, "nothing is lost")
			}
		})
	})
	t.Logf("%d values are read under bfdr and not by default", more)
	require.Equal(t, there, more > 0)
}

// Under the default reading, a document gives byte for byte the same with and without the
// resources beyond the spec's list.
func TestUnderTheSpecTheRealDocumentsSayTheSameWithoutProceduresConditionsCoverageAndLocations(t *testing.T) {
	taken := 0
	there := eachOfTheCorpus(t, func(file string, body []byte) {
		bare, n := bereft(t, body)
		taken += n
		kept := func(body []byte) (docs []string) {
			for _, i := range read(t, Reader{}, string(body)) {
				if i.Draft != nil {
					c := birth.Mask(*i.Draft)
					docs = append(docs, string(c.Clinical()), string(c.Patient()), fmt.Sprint(c.Draft().Providers))
				}
			}
			return docs
		}
		require.Equal(t, kept(body), kept(bare), file)
	})
	require.Equal(t, there, taken > 100)
}

// bereft empties the entries, however deep, that only bfdr reads.
func bereft(t *testing.T, body []byte) (bare []byte, taken int) {
	t.Helper()
	var doc map[string]any
	require.NoError(t, json.Unmarshal(bytes.TrimPrefix(body, []byte("\ufeff")), &doc))
	var empty func(any)
	empty = func(resource any) {
		bundle, _ := resource.(map[string]any)
		entries, _ := bundle["entry"].([]any)
		for _, e := range entries {
			entry, _ := e.(map[string]any)
			inner, _ := entry["resource"].(map[string]any)
			if kind, _ := inner["resourceType"].(string); wideShapes[kind] != nil {
				delete(entry, "resource")
				taken++
			}
			empty(entry["resource"])
		}
	}
	empty(doc)
	bare, err := json.Marshal(doc)
	require.NoError(t, err)
	require.NoError(t, fhir.Scan(bytes.NewReader(bare)))
	return bare, taken
}
