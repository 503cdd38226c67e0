package mapping

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
)

// The words and SNOMED CT codes for a transfer of care in Encounter.type (decision 32).
var (
	transferCodes = []string{"19712007", "107724000"} // patient transfer; patient transfer to other facility
	phases        = []struct {
		phase string
		words []string
	}{
		{"antepartum", []string{"antepartum", "antenatal", "prenatal", "antepartal"}},
		{"intrapartum", []string{"intrapartum", "intrapartal", " labor ", " labour "}},
		{"postpartum", []string{"postpartum", "postnatal", "postpartal", "puerperal"}},
		{"neonatal", []string{"neonatal", "newborn", "neonate", "infant", "nicu", "baby"}},
	}
)

// Stay is an Encounter with what its type says about a transfer of care.
type Stay struct {
	*fhir.Encounter
	// Who names the patient who was transferred: mother or child. It is "" if the Encounter doesn't
	// say.
	Who string
	// Transfer is set if a type of the Encounter is a transfer of care. Words has the words of that
	// type, in the form that Spaced returns. It is "" if Transfer isn't set.
	Transfer bool
	Words    string
}

// StayOf returns a Stay for an Encounter. The argument who is mother, child, or "" if the Encounter
// doesn't say whose stay it is.
func StayOf(e *fhir.Encounter, who string) Stay {
	s := Stay{Encounter: e, Who: who}
	s.Words, s.Transfer = transferType(e)
	return s
}

// transferType returns the words of the Encounter's first type that is a transfer of care. It
// returns false if there is no such type.
func transferType(e *fhir.Encounter) (stated string, is bool) {
	for _, t := range e.Type {
		stated := SpacedWords(t)
		coded := t.HasCode(transferCodes...) && !denial.MatchString(otherDenials.ReplaceAllString(stated, " "))
		if coded || namesTransfer(t, stated) {
			return stated, true
		}
	}
	return "", false
}

// SpacedWords returns the words in a concept's text, codes and displays, in the form that Spaced
// returns. It leaves out everything after MaxPhrases bytes.
func SpacedWords(c fhir.CodeableConcept) string { return Spaced(strings.Join(phrasesOf(c), " ")) }

// MaxPhrases is the maximum number of bytes that are searched in a concept or a text. Concepts for
// a transfer are far shorter.
const MaxPhrases = 2000

func phrasesOf(c fhir.CodeableConcept) []string {
	phrases := []string{c.Text}
	for _, coding := range c.Coding {
		phrases = append(phrases, coding.Code, coding.Display)
	}
	length := 0
	for i, phrase := range phrases {
		if length += len(phrase) + 1; length > MaxPhrases {
			return phrases[:i]
		}
	}
	return phrases
}

// Spaced returns the words of a text in lower case, separated by single spaces. There is also a
// space at the beginning and at the end. A search for " home " therefore finds only the whole word.
func Spaced(text string) string {
	fields := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	return " " + strings.Join(fields, " ") + " "
}

// TransfersOf returns the transfers of care that an Encounter records. If the Encounter's type is a
// transfer, TransfersOf returns only this transfer. Otherwise, TransfersOf reads transfers from the
// hospitalization, as BFDR records them.
func TransfersOf(s Stay) []birth.Transfer {
	who := cmp.Or(s.Who, "mother")
	if s.Transfer {
		transfer := birth.Transfer{
			Type: PhaseOf(s.Words), Direction: directionOf(s.Words, s.Encounter), Urgency: urgencyOf(s.Words, s.Encounter), Who: who,
			Source: birth.FHIRPush, DateTime: s.Period.Start, Reason: reasonOf(s.Encounter),
			ReasonCode: reasonCodeOf(s.Encounter),
		}
		if transfer.Type == "neonatal" || transfer.Type == "" && who == "child" {
			transfer.Type, transfer.Who = "neonatal", "child"
		}
		return []birth.Transfer{transfer}
	}
	h := s.Hospitalization
	if h == nil {
		return nil
	}
	// If the Encounter doesn't say whose transfer it is, assume that an admission from a hospital
	// is the mother's and a discharge to another facility is the child's.
	var found []birth.Transfer
	if h.AdmitSource != nil && AnyOf(h.AdmitSource.Coding, fromHospital) && !Denied(h.AdmitSource) {
		found = append(found, birth.Transfer{
			Direction: "in", Who: who, Source: birth.FHIRPush, DateTime: s.Period.Start,
		})
	}
	if h.DischargeDisposition != nil && AnyOf(h.DischargeDisposition.Coding, toFacility) && !Denied(h.DischargeDisposition) {
		out := birth.Transfer{Type: "postpartum", Direction: "out", Who: who, Source: birth.FHIRPush, DateTime: s.Period.End}
		if s.Who != "mother" {
			out.Type, out.Who = "neonatal", "child"
		}
		found = append(found, out)
	}
	return found
}

// PhaseOf returns the phase of a transfer (birth.TransferTypes) that a text mentions, or "" if
// there is none. The text must be in the form that Spaced returns.
func PhaseOf(stated string) string {
	if all := PhasesOf(stated); len(all) > 0 {
		return all[0]
	}
	return ""
}

// PhasesOf returns all phases that a text mentions. The text must be in the form that Spaced
// returns.
func PhasesOf(stated string) (all []string) {
	for _, p := range phases {
		if hasAny(stated, p.words) {
			all = append(all, p.phase)
		}
	}
	return all
}

// inLabor removes "in" from "in labor". There it is about the time of a transfer, and not about the
// direction.
var inLabor = strings.NewReplacer(" in labor ", " labor ", " in labour ", " labour ")

func directionOf(stated string, e *fhir.Encounter) string {
	stated = inLabor.Replace(stated)
	in := strings.Contains(stated, " in ") || strings.Contains(stated, " from ")
	to := strings.Contains(stated, " to ")
	switch h := e.Hospitalization; {
	case strings.Contains(stated, " out "), to && !in:
		return "out"
	case in && !to: // "from home to hospital" states no direction: either place may have written it
		return "in"
	case h != nil && h.DischargeDisposition != nil && AnyOf(h.DischargeDisposition.Coding, toFacility):
		return "out"
	case h != nil && h.AdmitSource != nil && AnyOf(h.AdmitSource.Coding, fromHospital):
		return "in"
	}
	return ""
}

// urgencyOf returns the urgency of a transfer. It uses Encounter.priority (v3-ActPriority). If that
// has no urgency, it uses stated, the words of the Encounter's type.
func urgencyOf(stated string, e *fhir.Encounter) string {
	if p := e.Priority; p != nil {
		switch {
		case AnyOf(p.Coding, urgent):
			return "urgent"
		case AnyOf(p.Coding, elective):
			return "non_urgent"
		}
	}
	switch {
	case notUrgent.MatchString(stated):
		return "non_urgent"
	case strings.Contains(stated, "urgent") || strings.Contains(stated, "emergen"):
		return "urgent"
	}
	return ""
}

// notUrgent matches words that deny urgency, such as non-urgent, nonemergent or not an emergency.
var notUrgent = regexp.MustCompile(`\b(non|not|no) ?(an )?(urgent|urgency|emergen[a-z]*)\b`)

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

// reasonCodeOf returns the main reason for a transfer, a code from the service's own code system in
// Encounter.reasonCode. It returns "" if there is no such code, or if there are several.
func reasonCodeOf(e *fhir.Encounter) (code string) {
	for _, reason := range e.ReasonCode {
		for _, c := range reason.Coding {
			switch {
			case birth.SystemOf(c.System) != birth.Own || birth.LabelIn(birth.TransferReasons, c.Code) == "" || c.Code == code:
			case code != "":
				return ""
			default:
				code = c.Code
			}
		}
	}
	return code
}

// namesTransfer reports whether a type of an Encounter is a transfer of care. There are two ways to
// recognize one. The type's words (stated) mention a transfer and a phase, or one of its phrases
// consists only of words that clearly describe a transfer. namesTransfer returns false if the
// transfer is denied. It also returns false for other things that medicine calls transfers, such as
// an embryo transfer.
func namesTransfer(t fhir.CodeableConcept, stated string) bool {
	if !transferred.MatchString(stated) || denial.MatchString(otherDenials.ReplaceAllString(stated, " ")) {
		return false
	}
	if PhaseOf(stated) != "" {
		return true
	}
	return slices.ContainsFunc(phrasesOf(t), func(phrase string) bool {
		return transferred.MatchString(strings.ToLower(phrase)) && plainly.MatchString(Spaced(phrase))
	})
}

var (
	transferred = regexp.MustCompile(`\b(transfer|transport)`)
	// otherDenials matches a denial of something other than the transfer.
	otherDenials = regexp.MustCompile(
		`\b((non|not|no) ?(an )?(urgent|urgency|emergen[a-z]*)|(no|without) (complications?|incidents?|delay))\b`)
	denial = regexp.MustCompile(
		`\b(no|non|not|none|never|without|declined|denied|refused|cancell?ed|embryos?|gametes?|records?|files?|data)\b|\bnontransf`)
	plainly = regexp.MustCompile(`^ ((` +
		`transfer(s|red|ring)?|transport(s|ed|ation)?|of|care|patient|maternal|mother|woman|client|responsibility|` +
		`in|out|to|from|by|via|for|at|the|a|an|another|other|different|outside|higher|level|facility|hospital|home|birth|birthing|center|centre|clinic|` +
		`unit|provider|physician|obstetrician|obstetric|medical|inter|interfacility|interhospital|between|` +
		`ambulance|ems|air|ground|helicopter|non|not|urgent|nonurgent|emergency|emergent|nonemergency|nonemergent|elective|planned|unplanned|routine` +
		`) )*$`)
)
