package mapping

import (
	"strings"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
)

// Words that tell which transfer an Encounter.type names (decisions 32). A
// type counts as a transfer when it says so or carries one of the
// SNOMED CT transfer codes.
var (
	transferCodes = []string{"19712007", "107724000"} // patient transfer; patient transfer to other facility
	phases        = []struct {
		phase string
		words []string
	}{
		{"antepartum", []string{"antepartum", "antenatal", "prenatal", "antepartal"}},
		{"intrapartum", []string{"intrapartum", "intrapartal", "labor", "labour"}},
		{"postpartum", []string{"postpartum", "postnatal", "postpartal", "puerperal"}},
		{"neonatal", []string{"neonatal", "newborn", "neonate", "infant", "nicu", "baby"}},
	}
)

func isTransfer(e *fhir.Encounter) bool {
	for _, t := range e.Type {
		if t.HasCode(transferCodes...) || namesTransfer(words(t)) {
			return true
		}
	}
	return false
}

// words returns everything a concept says, in lower case, with single blanks
// around every word.
func words(c fhir.CodeableConcept) string {
	said := []string{c.Text}
	for _, coding := range c.Coding {
		said = append(said, coding.Code, coding.Display)
	}
	fields := strings.FieldsFunc(strings.ToLower(strings.Join(said, " ")), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	return " " + strings.Join(fields, " ") + " "
}

// transfers reads the transfers of care an Encounter records: the one its type
// names, and those of its hospitalization (BFDR's form).
func (c *course) transfers(e *fhir.Encounter) []birth.Transfer {
	who := "mother"
	if c.isChild(e.Subject.Reference) {
		who = "child"
	}
	var found []birth.Transfer
	for _, t := range e.Type {
		said := words(t)
		if !t.HasCode(transferCodes...) && !namesTransfer(said) {
			continue
		}
		transfer := birth.Transfer{
			Type: phaseOf(said), Direction: directionOf(said, e), Urgency: urgencyOf(said, e), Who: who,
			Source: birth.FHIRPush, DateTime: e.Period.Start, Reason: reasonOf(e),
		}
		if transfer.Type == "neonatal" || transfer.Type == "" && who == "child" {
			transfer.Type, transfer.Who = "neonatal", "child"
		}
		return []birth.Transfer{transfer}
	}
	if h := e.Hospitalization; h != nil {
		// Documents that leave the subject out mean the mother who came in and
		// the child who went out.
		if h.AdmitSource != nil && h.AdmitSource.HasCode("hosp-trans") {
			found = append(found, birth.Transfer{
				Direction: "in", Who: who, Source: birth.FHIRPush, DateTime: e.Period.Start,
			})
		}
		if h.DischargeDisposition != nil && h.DischargeDisposition.HasCode("other-hcf") {
			out := birth.Transfer{Direction: "out", Who: who, Source: birth.FHIRPush, DateTime: e.Period.End}
			switch {
			case who == "child" || e.Subject.Reference == "":
				out.Who, out.Type = "child", "neonatal"
			default:
				out.Type = "postpartum"
			}
			found = append(found, out)
		}
	}
	return found
}

func phaseOf(said string) string {
	for _, p := range phases {
		for _, word := range p.words {
			if strings.Contains(said, word) {
				return p.phase
			}
		}
	}
	return ""
}

// inLabor takes out what says when, not where to.
var inLabor = strings.NewReplacer(" in labor ", " labor ", " in labour ", " labour ")

func directionOf(said string, e *fhir.Encounter) string {
	said = inLabor.Replace(said)
	switch h := e.Hospitalization; {
	case strings.Contains(said, " out ") || strings.Contains(said, " to "):
		return "out"
	case strings.Contains(said, " in ") || strings.Contains(said, " from "):
		return "in"
	case h != nil && h.DischargeDisposition != nil && h.DischargeDisposition.HasCode("other-hcf"):
		return "out"
	case h != nil && h.AdmitSource != nil && h.AdmitSource.HasCode("hosp-trans"):
		return "in"
	}
	return ""
}

// urgencyOf reads Encounter.priority (v3-ActPriority), else the words.
func urgencyOf(said string, e *fhir.Encounter) string {
	if p := e.Priority; p != nil {
		switch {
		case p.HasCode("EM", "UR", "S", "A"):
			return "urgent"
		case p.HasCode("EL", "R"):
			return "non_urgent"
		}
	}
	switch {
	case strings.Contains(said, "non urgent") || strings.Contains(said, "nonurgent") || strings.Contains(said, "not urgent"):
		return "non_urgent"
	case strings.Contains(said, "urgent") || strings.Contains(said, "emergency") || strings.Contains(said, "emergent"):
		return "urgent"
	}
	return ""
}

func reasonOf(e *fhir.Encounter) string {
	for _, reason := range e.ReasonCode {
		if reason.Text != "" {
			return reason.Text
		}
		for _, coding := range reason.Coding {
			if coding.Display != "" {
				return coding.Display
			}
		}
	}
	return ""
}

func namesTransfer(said string) bool {
	return strings.Contains(said, "transfer") || strings.Contains(said, "transport")
}
