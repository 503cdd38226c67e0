package mapping

import (
	"slices"
	"strconv"
	"strings"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
)

// flagOf reads a value as yes or no. It accepts the field's codes for findings (Field.Yes and
// Field.No).
//
// If the field has codes in Field.Yes, flagOf accepts nothing else, unless the Observation's code
// is one of the service's own. In every other case, it also accepts a boolean, a yes/no code and a
// yes/no word.
func flagOf(obs *fhir.Observation, r Meaning) (birth.Value, Reason) {
	if yes, ok := finding(obs, r); ok {
		return birth.Value{Flag: yes}, ""
	}
	if len(r.Field.Yes) > 0 && !r.Own {
		return birth.Value{}, OtherFinding
	}
	switch {
	case obs.ValueBoolean != nil:
		return birth.Value{Flag: *obs.ValueBoolean}, ""
	case obs.ValueCodeableConcept != nil:
		yes, ok := YesNo(obs.ValueCodeableConcept.Coding...)
		return birth.Value{Flag: yes}, r.unless(ok, UnknownOption)
	case obs.ValueString != "":
		yes, ok := YesNo(Word(obs.ValueString)...)
		return birth.Value{Flag: yes}, r.unless(ok, UnknownOption)
	}
	return birth.Value{}, UnknownOption
}

// finding reads a coded value as yes or no by the field's codes for the two answers (Field.Yes,
// Field.No). The result ok is false if the value has no such code, or codes for both answers.
func finding(obs *fhir.Observation, r Meaning) (yes, ok bool) {
	if obs.ValueCodeableConcept == nil {
		return false, false
	}
	return eitherOf(obs.ValueCodeableConcept.Coding, r.Field.Yes, r.Field.No)
}

// The codes for the answers yes and no in v2-0136, v2-0532, SNOMED CT and LOINC, and the words for
// them.
var (
	yesAnswers = []birth.Coding{
		{System: birth.YesNo, Code: "Y"},
		{System: birth.SNOMED, Code: "373066001"},
		{System: birth.LOINC, Code: "LA33-6"},
		{System: birth.Own, Code: "true"},
		{System: birth.Own, Code: "yes"},
	}
	noAnswers = []birth.Coding{
		{System: birth.YesNo, Code: "N"},
		{System: birth.SNOMED, Code: "373067005"},
		{System: birth.LOINC, Code: "LA32-8"},
		{System: birth.Own, Code: "false"},
		{System: birth.Own, Code: "no"},
	}
)

// YesNo reads yes or no from codes, or from a word in the form that Word returns. The result ok is
// false if the codings give no answer or both answers.
func YesNo(codings ...fhir.Coding) (yes, ok bool) { return eitherOf(codings, yesAnswers, noAnswers) }

// eitherOf reports whether the codings give the answer yes. The result ok is false if they give
// neither answer or both.
func eitherOf(codings []fhir.Coding, yes, no []birth.Coding) (isYes, ok bool) {
	isYes, isNo := AnyOf(codings, yes), AnyOf(codings, no)
	return isYes, isYes != isNo
}

// Codes from HL7's tables for the role of a participant, for the origin and the destination of a
// hospitalization, and for urgency.
var (
	MotherRole, ChildRole    = hl7("MTH"), hl7("CHILD")
	fromHospital, toFacility = hl7("hosp-trans"), hl7("other-hcf")
	urgent, elective         = hl7("EM", "UR", "S", "A"), hl7("EL", "R")
)

func hl7(codes ...string) (all []birth.Coding) {
	for _, code := range codes {
		all = append(all, birth.Coding{System: birth.HL7, Code: code})
	}
	return all
}

// AnyOf reports whether one of the codings is one of the given codes. The codes must be equal, and
// the coding must have the same system or none.
func AnyOf(codings []fhir.Coding, meant []birth.Coding) bool {
	return slices.ContainsFunc(codings, func(c fhir.Coding) bool {
		return slices.ContainsFunc(meant, func(m birth.Coding) bool { return m.Is(c.System, c.Code) })
	})
}

// optionOf returns the field's option that the value of an Observation means, or "" if there is
// none.
func optionOf(obs *fhir.Observation, r Meaning) string {
	return OptionAmong(r.Field, codingsOf(obs), r)
}

// OptionAmong returns the option that the codings mean. It returns "" if they mean no option, or
// several different options. If they mean "unknown" and another option, it ignores "unknown".
//
// If the Observation's code names a category of findings (Meaning.Category), OptionAmong always
// ignores "other" and "unknown". It also ignores "none", unless this is an answer for the whole
// category (hasNone).
func OptionAmong(field *birth.Field, codings []fhir.Coding, r Meaning) (option string) {
	for _, coding := range codings {
		switch o := field.OptionFor(coding.System, coding.Code, r.Own); {
		case o == "" || o == option || r.Category && (o == "other" || o == "unknown" || o == "none" && !hasNone(field)):
		case option != "" && o == "unknown":
		case option != "" && option != "unknown":
			return ""
		default:
			option = o
		}
	}
	return option
}

// hasNone reports whether a category's answer "none of these" means the field's option "none". Some
// fields have an option with this code that means something else, such as "no pain relief" or "no
// labor".
func hasNone(field *birth.Field) bool {
	return slices.ContainsFunc(field.Options, func(o birth.Option) bool { return o.Code == "none" && len(o.In(birth.SNOMED)) > 0 })
}

// codingsOf returns the codes that an Observation's value may stand for. For a boolean, this is the
// code "true" or "false". For a text, these are the codes from Word.
func codingsOf(obs *fhir.Observation) []fhir.Coding {
	switch {
	case obs.ValueCodeableConcept != nil:
		return obs.ValueCodeableConcept.Coding
	case obs.ValueBoolean != nil:
		return []fhir.Coding{{Code: strconv.FormatBool(*obs.ValueBoolean)}}
	case obs.ValueString != "":
		return Word(obs.ValueString)
	}
	return nil
}

// Word returns the codes that a text may stand for. These are the text itself and the text in lower
// case, because people capitalize words such as Yes and Breech.
func Word(text string) []fhir.Coding {
	text = strings.TrimSpace(text)
	if lower := strings.ToLower(text); lower != text {
		return []fhir.Coding{{Code: text}, {Code: lower}}
	}
	return []fhir.Coding{{Code: text}}
}
