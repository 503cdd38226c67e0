// Package report decides, field by field, which data leave the practice when a birth is in a
// report.
//
// A midwife's license may require a report of a year's births (WAC 246-834-370, for example). The
// practice downloads the report and sends it to the authority. The registry itself sends nothing
// (decision 54). A report has one of two forms. SafeHarbor is de-identified as 45 CFR 164.514(b)(2)
// requires: it contains none of the 18 identifiers. Limited is the limited data set of 45 CFR
// 164.514(e). It has dates and five-digit postal codes, and may go only to somebody who has signed
// a data use agreement.
//
// Columns lists every column, with what the report does with it and why. Draft reduces a birth to
// what the form of the report allows. The columns have the same names as in the spreadsheets of
// package sheet. If a report may state only the year of a date, the column of the date holds the
// year.
package report

import (
	"regexp"
	"strconv"
	"time"

	"birthregistry/app/birth"
)

// Form states how much of a birth a report contains.
type Form string

// These are the two forms of a report.
const (
	SafeHarbor Form = "safe-harbor"
	Limited    Form = "limited"
)

// Label returns the form's name as pages show it.
func (f Form) Label() string {
	if f == Limited {
		return "Limited data set"
	}
	return "De-identified (HIPAA Safe Harbor)"
}

// Treatment is what a report does with a column.
type Treatment string

// These are the treatments. A column that is withheld isn't in the file.
const (
	Kept      Treatment = "kept"
	Coarsened Treatment = "coarsened"
	Withheld  Treatment = "withheld"
)

// Decision is what a report does with a column, and why. Why is "" for a column that is kept.
type Decision struct {
	Treatment Treatment
	Why       string
}

// These are the reasons why a value is withheld or coarsened. The letters are those of 45 CFR
// 164.514(b)(2)(i).
const (
	aName    = "a name (A)"
	aPlace   = "free text that names a place smaller than a state (B)"
	aZip     = "the first three digits, or 000 if 20,000 or fewer people live there (B)"
	aYear    = "the year alone (C)"
	anAge    = "90 stands for 90 and over (C)"
	aNumber  = "a number by which the practice knows a person (H)"
	freeText = "free text, which may name a person"
	aChoice  = "every birth in the file has the mother's consent"
	yourOwn  = "a custom field, which may hold anything"
	fiveOnly = "the first five digits"
)

// Of returns what a report does with a column: with a field of the spine (birth.Spine), or with a
// member of a transfer of care (birth.TransferMembers).
func (f Form) Of(field *birth.Field) Decision {
	switch {
	case field.Name == "mother_postal_code" && f == Limited:
		return Decision{Coarsened, fiveOnly}
	case field.Name == "mother_postal_code":
		return Decision{Coarsened, aZip}
	case field.Kind == birth.Text:
		return Decision{Withheld, whyWithheld[field.Name]}
	case f == Limited:
		return Decision{Treatment: Kept}
	case field.Kind == birth.Date || field.Kind == birth.DateTime:
		return Decision{Coarsened, aYear}
	case field.Name == "mother_age_years":
		return Decision{Coarsened, anAge}
	default:
		return Decision{Treatment: Kept}
	}
}

// whyWithheld states, for each text field of the spine, why it is withheld. A report never contains
// free text, because it may contain anything.
var whyWithheld = map[string]string{
	"mother_family_name": aName, "mother_given_names": aName, "child_family_name": aName, "child_given_names": aName,
	"facility_name": aPlace, "attendant_name": aName, "attendant_credentials": freeText, "transfer_reason": freeText,
}

// Number is the name of a report's first column, which numbers the births in the file.
const Number = "birth"

// Column is a possible column of a report, with the decision whether the report has it.
type Column struct {
	Decision
	Name, Label string
	Field       *birth.Field // nil for a column that is always withheld, such as the chart number
	// Transfer returns a pointer to the text about a transfer of care that the column shows. The
	// field is nil for columns that aren't about transfers.
	Transfer func(*birth.Transfer) *string
}

// Columns lists the possible columns of a report in this form. They are the whole spine with the
// derived values, the transfer of care, and the other columns of a spreadsheet, such as the
// practice's custom fields.
func (f Form) Columns(custom []birth.CustomField) (all []Column) {
	for _, field := range birth.Spine {
		all = append(all, Column{f.Of(field), field.Name, field.Label, field, nil})
	}
	for _, m := range birth.TransferMembers {
		all = append(all, Column{f.Of(m.Field), m.Name, m.Label, m.Field, m.Of})
	}
	withheld := func(name, label, why string) {
		all = append(all, Column{Decision{Withheld, why}, name, label, nil, nil})
	}
	withheld("chart_number", "Chart number", aNumber)
	withheld("consent_granted", "Consent granted", aChoice)
	withheld("consent_date_time", "Consent given at", aChoice)
	for i := range custom {
		withheld(custom[i].Name(), custom[i].Label, yourOwn)
	}
	return all
}

// Draft returns the parts of a birth that go into a report. now is the time when the report is
// made.
func (f Form) Draft(d birth.Draft, now time.Time) birth.Draft {
	out := birth.Draft{Mother: f.values(d.Mother, now), Care: f.values(d.Care, now)}
	for _, child := range d.Children {
		out.Children = append(out.Children, f.values(child, now))
	}
	for _, t := range d.Transfers {
		for _, member := range birth.TransferMembers {
			at := member.Of(&t)
			v, ok := f.value(member.Field, birth.Value{Text: *at}, now)
			if !ok {
				v.Text = ""
			}
			*at = v.Text
		}
		out.Transfers = append(out.Transfers, t)
	}
	return out
}

func (f Form) values(all birth.Values, now time.Time) (out birth.Values) {
	for _, stated := range all {
		if v, ok := f.value(stated.Field, stated.Value, now); ok {
			out = append(out, birth.Stated{Field: stated.Field, Value: v})
		}
	}
	return out
}

// value returns the part of a value that a report in this form may contain. It returns false if the
// report may contain no part of the value.
func (f Form) value(field *birth.Field, v birth.Value, now time.Time) (birth.Value, bool) {
	switch f.Of(field).Treatment {
	case Kept:
		return v, true
	case Withheld:
		return birth.Value{}, false
	}
	switch {
	case field.Name == "mother_postal_code" && f == Limited:
		v.Text = zip5(v.Text)
	case field.Name == "mother_postal_code":
		v.Text = zip3(v.Text)
	case field.Kind == birth.Int:
		v.Number = min(v.Number, oldest+1)
		return v, true
	default:
		v.Text = year(v.Text, now)
	}
	return v, v.Text != ""
}

// oldest is the highest age that a SafeHarbor report may contain. Such a report contains 90 instead
// of every higher age (45 CFR 164.514(b)(2)(i)(C)).
const oldest = 89

var leadingYear = regexp.MustCompile(`^(\d{4})(-|$)`)

// year returns the year of a date. It returns "" if the text has no year, or if the year would
// reveal that the person is older than 89 at the time now.
func year(date string, now time.Time) string {
	found := leadingYear.FindStringSubmatch(date)
	if found == nil {
		return ""
	}
	if y, err := strconv.Atoi(found[1]); err != nil || now.Year()-y > oldest {
		return ""
	}
	return found[1]
}
