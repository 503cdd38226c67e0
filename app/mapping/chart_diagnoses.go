package mapping

import (
	"cmp"
	"slices"
	"strings"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
)

// diagnosis is a Condition of the patient that is neither refuted nor entered in
// error. Without a category it is one, too: some systems leave it out.
type diagnosis struct {
	*fhir.Condition
	onset     moment // else when it was recorded
	end       moment
	recorded  moment
	uncertain bool // provisional, differential, unconfirmed
	active    bool
}

func (r *chartReader) readDiagnoses() {
	for _, c := range latest(r.chart.Conditions, func(c *fhir.Condition) (string, string) { return c.ID, c.Meta.LastUpdated }) {
		d := diagnosis{
			Condition: c,
			onset:     firstOf(c.OnsetDateTime, c.OnsetPeriod.Start, c.RecordedDate),
			end:       firstOf(c.AbatementDateTime, c.AbatementPeriod.End, c.AbatementPeriod.Start),
			recorded:  momentOf(c.RecordedDate),
			uncertain: len(c.VerificationStatus.Coding) > 0 && !c.VerificationStatus.HasCode("confirmed"),
			active:    c.ClinicalStatus.HasCode("active", "recurrence", "relapse"),
		}
		switch {
		case !r.isPatient(c.Subject.Reference):
			r.foreign++
		case c.VerificationStatus.HasCode("refuted", "entered-in-error"):
			r.withdrawn++
		case r.future(d.onset):
			r.later++
		default:
			r.diagnoses = append(r.diagnoses, d)
		}
	}
	slices.SortFunc(r.diagnoses, func(a, b diagnosis) int {
		return cmp.Or(
			b.onset.at.Compare(a.onset.at), b.recorded.at.Compare(a.recorded.at), cmp.Compare(a.ID, b.ID),
			cmp.Compare(written(a.Condition), written(b.Condition)),
		)
	})
}

// is returns the code by which a diagnosis is one of the given: exactly, in SNOMED
// CT (no terminology server tells what is below a code), or by the beginning of
// an ICD-10-CM code.
func (d *diagnosis) is(codes, prefixes []string) (code string, ok bool) {
	if code, ok := codeIn(d.Code, snomed, codes); ok {
		return "SNOMED CT " + code, true
	}
	for _, coding := range d.Code.Coding {
		if systemOf(coding.System) != icd10 {
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

func (d *diagnosis) told(code string) string {
	says := phraseOf(d.Code)
	if d.uncertain {
		says += " (" + short(cmp.Or(d.VerificationStatus.Coding[0].Code, "not confirmed"), 20) + ")"
	}
	return says + ", " + dated(d.onset) + ", " + code
}

// When a diagnosis counts.
type timing int

const (
	inPregnancy     timing = iota // it began in the pregnancy
	beforePregnancy               // it began before, and was not over
	before20Weeks                 // the same, up to 20 weeks
	lasting                       // it was there in the pregnancy, whenever it began
	codedBefore                   // the code itself says "before the pregnancy": coded in it
	anyTime                       // of the past
)

// chartDiagnosis is what a diagnosis states (uscore-mapping §4).
type chartDiagnosis struct {
	field, option string // no option: a yes
	when          timing
	snomed, icd   []string
}

var chartDiagnoses = []chartDiagnosis{
	{"previous_preterm_birth", "", anyTime, []string{"161765003"}, nil},
	{"risk_factors", "diabetes_prepregnancy", codedBefore, nil, []string{"O24.0", "O24.1", "O24.3", "O24.8"}},
	{
		"risk_factors", "diabetes_prepregnancy", beforePregnancy,
		[]string{"73211009", "44054006", "46635009"},
		[]string{"E08", "E09", "E10", "E11", "E13"},
	},
	{"risk_factors", "diabetes_gestational", inPregnancy, []string{"11687002"}, []string{"O24.4"}},
	{"risk_factors", "hypertension_prepregnancy", codedBefore, nil, []string{"O10", "O11"}},
	{
		"risk_factors", "hypertension_prepregnancy", before20Weeks,
		[]string{"38341003", "59621000"},
		[]string{"I10", "I11", "I12", "I13", "I15", "I16"},
	},
	{
		"risk_factors", "hypertension_gestational", inPregnancy,
		[]string{"48194001", "398254007", "46764007"},
		[]string{"O13", "O14"},
	},
	{"risk_factors", "eclampsia", inPregnancy, []string{"15938005", "198992004"}, []string{"O15"}},
	{"infections", "gonorrhea", inPregnancy, []string{"15628003"}, []string{"O98.2", "A54"}},
	{"infections", "syphilis", inPregnancy, []string{"76272004"}, []string{"O98.1", "A50", "A51", "A52", "A53"}},
	{"infections", "chlamydia", inPregnancy, []string{"105629000"}, []string{"A55", "A56"}},
	{"infections", "hepatitis_b", lasting, []string{"66071002"}, []string{"B18.0", "B18.1"}},
	{"infections", "hepatitis_b", inPregnancy, nil, []string{"B16"}}, // acute
	{"infections", "hepatitis_c", lasting, []string{"50711007"}, []string{"B18.2"}},
	{"infections", "hepatitis_c", inPregnancy, nil, []string{"B17.1"}},
	{"infections", "herpes", inPregnancy, []string{"33839006"}, []string{"A60"}},
	{"infections", "gbs_positive", inPregnancy, nil, []string{"Z22.330", "O99.82"}},
	{"chorioamnionitis", "", inPregnancy, []string{"11612004"}, []string{"O41.12"}},
	{"perineum", "first", inPregnancy, []string{"57759005"}, []string{"O70.0"}},
	{"perineum", "second", inPregnancy, []string{"6234006"}, []string{"O70.1"}},
	{"perineum", "third", inPregnancy, []string{"10217006"}, []string{"O70.2"}},
	{"perineum", "fourth", inPregnancy, []string{"399031001"}, []string{"O70.3"}},
	{"perineum", "third_or_fourth", inPregnancy, []string{"398019008"}, nil},
	{"maternal_morbidity", "uterine_rupture", inPregnancy, []string{"34430009"}, []string{"O71.0", "O71.1"}},
	{"maternal_morbidity", "hemorrhage", inPregnancy, []string{"47821001"}, nil},
}

// exclusive are the answers of which one alone can be right: a disease that was
// there before is not gestational.
var exclusive = [][2]string{
	{"diabetes_prepregnancy", "diabetes_gestational"},
	{"hypertension_prepregnancy", "hypertension_gestational"},
}

// misses says why a diagnosis does not count for the index pregnancy.
func (f *filler) misses(d *diagnosis, when timing) string {
	p := f.preg
	switch {
	case d.uncertain:
		return "it is not confirmed"
	case !d.onset.known():
		return "undated, so it may be of another time"
	case p == nil:
		return "which pregnancy it belongs to is not known"
	case when == anyTime:
		if d.onset.last > p.end || p.born && d.onset.last >= p.first {
			return afterBirth
		}
		return ""
	case d.end.known() && d.end.last < p.start:
		return overBefore
	}
	begun, in := d.onset.first >= p.start, d.onset.first >= p.start && d.onset.last <= p.end
	// Before the pregnancy and not over by it, as far as the chart tells.
	still := d.onset.last < p.start && (d.active || d.end.known())
	switch when {
	case inPregnancy, codedBefore:
		if !in && !d.onset.exact() && d.onset.first <= p.end && d.onset.last >= p.start {
			return halfDate
		}
		if !in {
			return notBegun
		}
	case lasting:
		if !in && !still {
			return "it may not have been there in this pregnancy"
		}
	case beforePregnancy, before20Weeks:
		limit, told := p.lastPeriod()
		if when == before20Weeks {
			limit += viable
		}
		switch {
		case begun && !told:
			return "it may have begun in the pregnancy"
		case begun && d.onset.last >= limit:
			return "it began in the pregnancy"
		case !begun && !still:
			return "it may not have been there in this pregnancy"
		}
	}
	return ""
}

// diagnosed fills in what the diagnoses state. That one is not there says nothing.
func (f *filler) diagnosed() {
	type answer struct{ texts []string }
	found := map[[2]string]*answer{}
	var order [][2]string
	for _, row := range chartDiagnoses {
		key := [2]string{row.field, row.option}
		hints := 0
		for i := range f.diagnoses {
			d := &f.diagnoses[i]
			code, ok := d.is(row.snomed, row.icd)
			if !ok {
				continue
			}
			f.used["c"+d.ID] = true
			why := f.misses(d, row.when)
			if why != "" {
				v := row.value()
				if outOfTime(why) {
					v = nil
				}
				if hints++; hints <= mostHints {
					f.hint(row.field, v, d.told(code), why)
				}
				continue
			}
			if found[key] == nil {
				found[key] = &answer{}
				order = append(order, key)
			}
			found[key].texts = append(found[key].texts, d.told(code))
		}
	}
	for _, pair := range exclusive {
		a, b := [2]string{"risk_factors", pair[0]}, [2]string{"risk_factors", pair[1]}
		if found[a] == nil || found[b] == nil {
			continue
		}
		for _, key := range [][2]string{a, b} {
			f.hint(key[0], &birth.Value{Set: []string{key[1]}}, found[key].texts[0], "the chart holds both this and the other kind")
			found[key] = nil
		}
	}
	for _, key := range order {
		if a := found[key]; a != nil {
			f.answer(key[0], key[1], a.texts)
		}
	}
}

func (row chartDiagnosis) value() *birth.Value { return answerOf(row.field, row.option) }

func answerOf(field, option string) *birth.Value {
	switch birth.Must(field).Kind {
	case birth.Bool:
		return &birth.Value{Flag: true}
	case birth.Codes:
		return &birth.Value{Set: []string{option}}
	default:
		return &birth.Value{Text: option}
	}
}

// answer adds one answer of a diagnosis to its field: sets grow, and of two tears
// the worse stands.
func (f *filler) answer(name, option string, texts []string) {
	field, v := birth.Must(name), answerOf(name, option)
	before, stated := f.values(field).Get(name)
	if stated && field.Kind == birth.Codes {
		v.Set = union(before.Set, v.Set)
	}
	for i := range f.out.Origins {
		o := &f.out.Origins[i]
		if stated && o.At == placeOfField(field) {
			if field.Kind == birth.Code && !outranks(field, *v, before, true) {
				o.Others = capped(append(o.Others, texts...))
				return
			}
			if field.Kind == birth.Code {
				f.values(field).Set(field, sourced(*v))
				o.Text, o.Others = texts[0], capped(append([]string{o.Text}, o.Others...))
				return
			}
			f.values(field).Set(field, sourced(mustAccept(field, *v)))
			o.Text += "; " + texts[0]
			o.Others = capped(append(o.Others, texts[1:]...))
			return
		}
	}
	f.state(name, *v, texts[0], texts[1:]...)
}

func mustAccept(field *birth.Field, v birth.Value) birth.Value {
	v, _ = field.Accept(v)
	return v
}

func sourced(v birth.Value) birth.Value {
	v.Source = birth.EHRPull
	return v
}
