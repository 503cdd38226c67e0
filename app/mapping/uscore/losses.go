package uscore

import (
	"slices"

	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

// loss is a pregnancy loss or a stillbirth that is recorded in a chart.
type loss struct {
	when  mapping.Moment
	text  string
	still bool // a stillbirth, which is recorded like a birth
}

// Codes of diagnoses of a loss (SNOMED CT, ICD-10 of the WHO and of the CDC): miscarriage, ectopic
// and molar pregnancy, termination, and stillbirth.
var (
	icd10WHO  = "http://hl7.org/fhir/sid/icd-10"
	lossCodes = []string{
		"17369002", "19169002", "85116003", "156072005", "156073000", "16607004", "35999006", // miscarriage, blighted ovum
		"34801009", "79586000", // ectopic, tubal
		"44782008", "417044008", // molar
		"57797005", "386639001", // termination
		"276507005", "237364002", // fetal death, stillbirth
	}
	lossPrefixes = []string{
		"O00", "O01", "O02", "O03", "O04", "O05", "O06", "O07", "O08", "Z33.2", "O31.1", "O31.2", "O36.4", "P95",
	}
	stillCodes    = []string{"276507005", "237364002"}
	stillPrefixes = []string{"O36.4", "P95"}
	// stillborn lists the outcomes of delivery with a stillbirth (ICD-10-CM). The stillbirth may be
	// of a single child, of one or both twins, or of some or all of more children.
	stillborn = []string{"Z37.1", "Z37.3", "Z37.4", "Z37.6", "Z37.7"}
)

// losing returns the loss that a concept stands for, or false if it isn't a loss.
func losing(c fhir.CodeableConcept, when mapping.Moment) (l loss, ok bool) {
	d := diagnosis{Condition: &fhir.Condition{Code: c}, onset: when}
	code, ok := d.is(lossCodes, slices.Concat(lossPrefixes, stillborn))
	if _, still := d.is(stillCodes, slices.Concat(stillPrefixes, stillborn)); ok {
		return loss{when, d.origin(code), still}, true
	}
	described := fhir.CodeableConcept{Text: c.Text}
	for _, coding := range c.Coding {
		if mapping.SystemOf(coding.System) == icd10WHO {
			described.Coding = append(described.Coding, fhir.Coding{System: mapping.ICD10URL, Code: coding.Code})
		}
	}
	if len(described.Coding) == 0 {
		return loss{}, false
	}
	return losing(described, when)
}

func (d *diagnosis) ofLoss() bool {
	_, ok := losing(d.Code, d.onset)
	return ok
}

// readLosses finds losses in the diagnoses, even in uncertain ones, and in the reasons and types of
// visits.
func (r *reader) readLosses() {
	for _, d := range r.diagnoses {
		if l, ok := losing(d.Code, d.onset); ok {
			r.losses = append(r.losses, l)
		}
	}
	for _, v := range r.visits {
		for _, reason := range slices.Concat(v.ReasonCode, v.Type) {
			if l, ok := losing(reason, v.start); ok {
				r.losses = append(r.losses, l)
			}
		}
	}
}

// lossIn returns a loss that may belong to the index pregnancy, or nil if there is none. Such a
// loss was recorded during the pregnancy or in the six weeks after the birth, or has no date.
func (r *reader) lossIn(p *pregnancy) *loss {
	for i := range r.losses {
		l := &r.losses[i]
		if p != nil && (!l.when.Known() || l.when.Last >= p.since && l.when.First <= max(p.end, p.last+longestPuerperium)) {
			return l
		}
	}
	return nil
}

// unborn reports whether a loss may have ended the pregnancy without a birth. It may have if the
// chart has neither a birth nor a stay for a stillbirth.
func (p *pregnancy) unborn(l *loss) bool {
	stay := l != nil && l.still && p.born && l.when.Known() && l.when.First >= p.first-longestStay && l.when.Last <= p.last+longestStay
	return l != nil && !p.exact && !stay
}

// lost adds a notice if a mother's chart has a loss in the index pregnancy. If the loss is a
// stillbirth, it also turns the Apgar scores into hints.
func (f *filler) lost() {
	switch l := f.lossIn(f.preg); {
	case l == nil:
	case l.still:
		f.retreat("the chart records a stillbirth", "apgar_one_minute", "apgar_five_minute", "apgar_ten_minute")
		f.notice("The chart records a stillbirth (" + l.text + "): this pregnancy may not have ended in a birth of a living child. Record whether the newborn was born alive.")
	default:
		f.notice("The chart records a miscarriage, an ectopic or molar pregnancy or a termination (" + l.text + "): this pregnancy may not have ended in a birth.")
	}
}
