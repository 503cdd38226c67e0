package uscore

import (
	"cmp"
	"slices"
	"strings"

	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

// diagnosis is a Condition of the patient that wasn't entered in error. The Condition may have no
// category, because some systems leave it out.
type diagnosis struct {
	*fhir.Condition
	onset     mapping.Moment // when it began; if that isn't known, when it was recorded
	end       mapping.Moment // the days between which it ended
	recorded  mapping.Moment
	uncertain bool   // provisional, differential, unconfirmed
	unclear   string // the reason why its meaning isn't clear, or ""
	active    bool
	untimed   string // the reason why its times aren't known, or ""
}

func (r *reader) readDiagnoses() {
	kind := kindOfResource[fhir.Condition]{
		head: func(c *fhir.Condition) (string, *fhir.Meta) { return c.ID, &c.Meta },
		counts: func(c *fhir.Condition) bool {
			return r.isPatient(c.Subject.Reference) && !c.VerificationStatus.HasCode("entered-in-error", "refuted")
		},
	}
	for _, versions := range kind.each(r.chart.Conditions) {
		if versions.unsettled() {
			r.several++
			r.addVersions(versions)
			continue
		}
		c := versions[0]
		d := diagnosisOf(c)
		switch {
		case !r.isPatient(c.Subject.Reference):
			r.foreign++
		case c.VerificationStatus.HasCode("entered-in-error"):
			r.withdrawn++
		case c.VerificationStatus.HasCode("refuted"):
			r.withdrawn++
			r.refuted = append(r.refuted, d)
		case r.future(d.onset):
			r.later++
		case c.Marked:
			r.marked++
			r.obscured("Condition", d.matters())
		default:
			r.diagnoses = append(r.diagnoses, d)
		}
	}
	slices.SortFunc(r.diagnoses, func(a, b *diagnosis) int {
		return cmp.Or(
			b.onset.At.Compare(a.onset.At), b.recorded.At.Compare(a.recorded.At), cmp.Compare(a.ID, b.ID),
			cmp.Compare(Written(a.Condition), Written(b.Condition)),
		)
	})
}

func diagnosisOf(c *fhir.Condition) *diagnosis {
	d := &diagnosis{
		Condition: c,
		recorded:  mapping.MomentOf(c.RecordedDate),
		uncertain: !confirmed(c.VerificationStatus) || isConcern(c),
		active:    c.ClinicalStatus.HasCode("active", "recurrence", "relapse") && !overInWords(c.ClinicalStatus),
	}
	d.time()
	return d
}

// addVersions adds all versions of a Condition. It marks them as unclear, because it isn't known
// which version is the last.
func (r *reader) addVersions(versions versions[fhir.Condition]) {
	for _, c := range versions {
		d := diagnosisOf(c)
		d.unclear = severalVersions
		if !r.isPatient(c.Subject.Reference) {
			continue
		}
		r.obscured("Condition", d.matters())
		switch {
		case c.VerificationStatus.HasCode("refuted"):
			r.refuted = append(r.refuted, d)
		case !c.VerificationStatus.HasCode("entered-in-error") && !r.future(d.onset) && !c.Marked:
			r.diagnoses = append(r.diagnoses, d)
		}
	}
}

// is returns the code by which a diagnosis matches. It may be a SNOMED CT code in the list codes,
// or an ICD-10-CM code that begins with one of the prefixes. A descendant of a SNOMED CT code in
// the list doesn't match, because no terminology server is used.
func (d *diagnosis) is(codes, prefixes []string) (code string, ok bool) {
	if code, ok := codeIn(d.Code, mapping.SNOMEDURL, codes); ok {
		return "SNOMED CT " + code, true
	}
	for _, coding := range d.Code.Coding {
		if mapping.SystemOf(coding.System) != mapping.ICD10URL {
			continue
		}
		plain := strings.ReplaceAll(strings.ToUpper(coding.Code), ".", "")
		for _, prefix := range prefixes {
			if strings.HasPrefix(plain, strings.ReplaceAll(prefix, ".", "")) {
				return "ICD-10-CM " + short(coding.Code, 10), true
			}
		}
	}
	return "", false
}

func (d *diagnosis) origin(code string) string {
	says := phraseOf(d.Code)
	if d.uncertain {
		says += " (" + short(cmp.Or(phraseOf(fhir.CodeableConcept{Coding: d.VerificationStatus.Coding}), "not confirmed"), 20) + ")"
	}
	return says + ", " + dated(d.onset) + ", " + code
}

// confirmed reports whether a verification status confirms a diagnosis. If the status has codes,
// one must be "confirmed", and no words may contradict it. If it has no codes, its text must be
// "confirmed" or empty.
func confirmed(status fhir.CodeableConcept) bool {
	switch text := strings.TrimSpace(saying(status.Text)); {
	case status.HasCode("provisional", "differential", "unconfirmed"):
		return false
	case len(status.Coding) > 0:
		return status.HasCode("confirmed") && !slices.ContainsFunc(textsOf(status, anyCoding), wording{}.takesBack)
	default:
		return text == "" || text == "confirmed"
	}
}

// isConcern reports whether a Condition is only a health concern. All its categories then say so, and
// it isn't confirmed.
func isConcern(c *fhir.Condition) bool {
	concern := func(category fhir.CodeableConcept) bool {
		return category.HasCode("health-concern") || slices.ContainsFunc(textsOf(category, anyCoding), func(text string) bool { return healthConcern.MatchString(saying(text)) })
	}
	other := func(category fhir.CodeableConcept) bool { return !concern(category) }
	return len(c.Category) > 0 && !slices.ContainsFunc(c.Category, other) && !c.VerificationStatus.HasCode("confirmed")
}

// healthConcern matches the name of a category of US Core, which says nothing against a diagnosis.
var healthConcern = alternatives(`health concerns?`)

// overWords matches words for a condition that is over.
var overWords = alternatives(`inactive`, `not active`, `resolved`, `remission`, `over`, `past`)

func overInWords(status fhir.CodeableConcept) bool {
	return slices.ContainsFunc(textsOf(status, anyCoding), func(text string) bool { return overWords.MatchString(saying(text)) })
}

// time reads when the diagnosis began and ended. If a time is given but isn't a date, it isn't
// known (decision 48). If no beginning is given, the day on which the diagnosis was recorded is
// used. For this, the diagnosis must be active, because any other diagnosis may have been over when
// it was recorded.
func (d *diagnosis) time() {
	c := d.Condition
	d.onset = mapping.FirstMoment(c.OnsetDateTime, c.OnsetPeriod.Start)
	if last := mapping.MomentOf(c.OnsetPeriod.End); d.onset.Known() && last.Known() && c.OnsetDateTime == "" {
		d.onset.Last = max(d.onset.Last, last.Last) // at some time in that period
	}
	known := c.OnsetDateTime+c.OnsetPeriod.End+c.OnsetString != "" || c.OnsetAge != nil || c.OnsetRange != nil
	switch {
	case d.onset.Known():
	case known:
		d.untimed = onsetUnread
	case d.recorded.Known() && !d.active:
		d.untimed = recordedOnly
	}
	if !d.onset.Known() {
		d.onset = d.recorded
	}
	d.end = mapping.FirstMoment(c.AbatementDateTime, c.AbatementPeriod.Start)
	if last := mapping.MomentOf(c.AbatementPeriod.End); d.end.Known() && last.Known() && c.AbatementDateTime == "" {
		d.end.Last = max(d.end.Last, last.Last)
	}
	known = c.AbatementDateTime+c.AbatementPeriod.End+c.AbatementString != "" || c.AbatementAge != nil || c.AbatementRange != nil || c.AbatementBoolean
	switch {
	case d.untimed != "":
	case !d.end.Known() && known:
		d.untimed = endUnread
	case d.end.Known() && d.onset.Known() && d.end.Last < d.onset.First:
		d.untimed = "it was over before it began"
	}
}

// stands reports whether the diagnosis itself is certain.
func (d *diagnosis) stands() bool { return !d.uncertain && d.unclear == "" && d.untimed == "" }

// matters reports whether a diagnosis is in diagnosisRows, or is about a pregnancy, a loss, an
// earlier birth or several children.
func (d *diagnosis) matters() bool {
	if _, ok := d.is(pregnantCodes, anyPrefixes); ok || d.ofLoss() {
		return true
	}
	for _, of := range []struct{ snomed, icd []string }{
		{oldCesareanCodes, slices.Concat(oldCesareans, oldPreterm)},
		{twins, manyBorn},
	} {
		if _, ok := d.is(of.snomed, of.icd); ok {
			return true
		}
	}
	return slices.ContainsFunc(diagnosisRows, func(row diagnosisRow) bool {
		_, ok := d.is(row.snomed, row.icd)
		return ok
	})
}
