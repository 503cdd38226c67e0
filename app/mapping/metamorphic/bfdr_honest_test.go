package metamorphic

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
	"birthregistry/app/mapping/bundle"
)

func TestHonestDocumentsOfBFDRGiveTheCourseThatAMidwifeReadsInThem(t *testing.T) {
	names := map[string]bool{}
	for _, h := range honestBFDR {
		t.Run(h.says, func(t *testing.T) {
			require.False(t, names[h.says], "named twice")
			names[h.says] = true
			wrong := h.wrongFor(t, bundle.Reader{Reading: birth.BFDRReading})
			if len(wrong) > 0 {
				wrong = append(wrong, write(h.doc, nil))
			}
			assert.Empty(t, strings.Join(wrong, "\n"))
		})
	}
}

// Statements that the wider reading reads from Procedures, Conditions, Coverages and
// Locations.
var honestBFDR = []honest{
	{
		says: "an induction, a vacuum and a laceration, with everything else of it unsaid",
		doc:  course(procedure("73813-8", "236958009"), procedure("73762-7", "61586001"), reportedCondition("73781-7", "398019008")),
		want: `labor_onset_type "induced"
			child[0].delivery_method "vaginal_vacuum"
			perineum "third_or_fourth"`,
	},
	{
		says: "the cesarean of the birth before, by its date",
		doc:  course(procedure("73762-7", "11466000", object{"performedDateTime": "2021-05-06"})),
	},
	{
		says: "a cesarean that was planned, and a forceps that was given up",
		doc:  course(procedure("73762-7", "11466000", status("preparation")), procedure("73762-7", "302383004", status("stopped"))),
	},
	{
		says: "an epidural that was not done",
		doc:  course(procedure("73813-8", "18946005", status("not-done"))),
	},
	{
		says: "a cesarean and a vaginal birth of one child",
		doc:  course(procedure("73762-7", "11466000"), procedure("73762-7", "700000006")),
	},
	{
		says: "a cesarean in one resource, a vaginal birth in an Observation",
		doc:  course(procedure("73762-7", "11466000"), observation("73762-7", about("Patient/mother"), sct("700000006"))),
	},
	{
		says: "gestational diabetes that was ruled out",
		doc:  course(reportedCondition("73775-9", "11687002", object{"verificationStatus": concept(coding(verified, "refuted"))})),
	},
	{
		says: "gestational diabetes that is feared",
		doc:  course(reportedCondition("73775-9", "11687002", object{"verificationStatus": concept(coding(verified, "provisional"))})),
	},
	{
		says: "eclampsia in the pregnancy before, by its dates",
		doc:  course(reportedCondition("73775-9", "15938005", onset("2021-05-01"), object{"abatementDateTime": "2021-05-20"})),
	},
	{
		says: "none of the infections, and one of them",
		doc:  course(observation("72519-2", about("Patient/mother"), sct("260413007")), reportedCondition("72519-2", "105629000")),
	},
	{
		says: "an anomaly of a twin, and one of nobody's",
		doc:  bundleOf(mother(), twin("a", 1), twin("b", 2), reportedCondition("73780-9", "80281008", about("Patient/b")), reportedCondition("73780-9", "70156005")),
		want: secondChild + `plurality 2
			child[0].birth_order 1
			child[1].birth_order 2
			child[1].congenital_anomalies ["cleft_lip"]`,
	},
	{
		says: "the father's insurance, and hers that ended",
		doc:  course(father, coverage("5", object{"beneficiary": ref("RelatedPerson/father")}), coverage("2", object{"period": object{"end": "2020-01-01"}})),
	},
	{
		says: "two insurances of hers",
		doc:  course(coverage("5"), coverage("2")),
	},
	{
		says: "the hospital that the child was taken to has a name, and the birth center has none",
		doc:  course(location("n", "loc_transfer-to", "North Hospital"), location("b", "loc_birth", ""), birthEncounter(object{"location": list{object{"location": ref("Location/b")}}})),
	},
	{
		says: "the ward in the hospital",
		doc: course(location("h", "loc_birth", "South Hospital"), object{
			"resourceType": "Location", "id": "w", "name": "Labor ward", "partOf": ref("Location/h"),
			"physicalType": concept(coding("http://terminology.hl7.org/CodeSystem/location-physical-type", "wa")),
		}, birthEncounter(object{"location": list{object{"location": ref("Location/w")}}})),
		want: `facility_name "South Hospital"`, either: "facility_name",
	},
	{
		says: "the clinic of a prenatal visit is not where the birth was",
		doc:  course(object{"resourceType": "Location", "id": "c", "name": "Prenatal Clinic"}, encounter(visitType("Prenatal visit"), period("2025-10-01", "2025-10-01"), object{"location": list{object{"location": ref("Location/c")}}})),
	},
	{
		says: "the birth attendant of BFDR attends, and an attending physician named second was present",
		doc: course(practitioner("a", "S-1", "Reyes", "CNM"), practitioner("b", "S-2", "Adler", "MD"),
			birthEncounter(participants(participant(loinc, "87286-1", "Practitioner/a"), participant(parts, "ATND", "Practitioner/b")))),
		want: `attendant_name "Reyes"
			attendant_credentials "CNM"
			attendant_type "midwife"
			provider[0] S-1 |  | Reyes | CNM | midwife | attending
			provider[1] S-2 |  | Adler | MD | other`,
	},
	{
		says: "what the brother had done, and has",
		doc: course(patient("brother", core+"us-core-patient"), procedure("73812-0", "434621000124103", about("Patient/brother")),
			reportedCondition("73780-9", "70156005", about("Patient/brother")), procedure("73762-7", "11466000", about("Patient/brother"))),
	},
}
