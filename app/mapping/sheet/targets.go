package sheet

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"birthregistry/app/birth"
	"birthregistry/app/mapping"
)

// Targets that contain several fields in one cell, or that spread one field over several columns.
// The template has no such columns, but practices' own files do.
const (
	motherName   = "mother_name"
	childName    = "child_name"
	birthTime    = "birth_time"
	gestation    = "gestational_age"
	apgarScores  = "apgar_scores"
	weightPounds = "birth_weight_lb"
	weightOunces = "birth_weight_oz"
	attendant    = "attendant"
)

var combined = []knownColumn{
	{name: motherName, label: "Mother's name, family and given names in one cell", about: birth.Mother, read: nameIn("mother_family_name", "mother_given_names")},
	{name: childName, label: "Child's name, family and given names in one cell", about: birth.Child, read: nameIn("child_family_name", "child_given_names")},
	{name: birthTime, label: "Time of birth, with the date in another column", about: birth.Child, read: (*reader).readBirthTime},
	{name: gestation, label: "Gestational age, weeks and days in one cell", about: birth.Child, read: (*reader).readGestation},
	{name: apgarScores, label: "Apgar scores at 1 and 5 min in one cell", about: birth.Child, read: (*reader).readApgars},
	{name: weightPounds, label: "Birth weight, pounds, with the ounces in another column", about: birth.Child, read: (*reader).readPounds},
	{name: weightOunces, label: "Birth weight, ounces, with the pounds in another column", about: birth.Child, read: (*reader).readOunces},
	{name: attendant, label: "Attendant, name and credentials in one cell", about: birth.Care, read: (*reader).readAttendant},
}

// holders maps a field to the targets that contain it together with other fields, or that contain
// part of it.
var holders = map[string][]string{
	"mother_family_name":    {motherName},
	"mother_given_names":    {motherName},
	"child_family_name":     {childName},
	"child_given_names":     {childName},
	"birth_date":            {"birth_datetime"},
	"birth_datetime":        {birthTime},
	"gestational_age_weeks": {gestation},
	"gestational_age_days":  {gestation},
	"apgar_one_minute":      {apgarScores},
	"apgar_five_minute":     {apgarScores},
	"apgar_ten_minute":      {apgarScores},
	"birth_weight_g":        {weightPounds, weightOunces},
	"attendant_name":        {attendant},
	"attendant_credentials": {attendant},
	"attendant_type":        {attendant, "attendant_credentials"},
}

// targets returns the possible targets of a column. The columns of the template come first, and
// then the targets that combine fields.
func (c Format) targets() []knownColumn { return append(c.columns(), combined...) }

// Target is something that a column may contain, such as the date of birth.
type Target struct {
	Name, Label string
	About       birth.Subject
}

// Targets returns everything that a column may contain.
func (c Format) Targets() (all []Target) {
	for _, t := range c.targets() {
		all = append(all, Target{t.name, t.title(), t.subject()})
	}
	return all
}

func (c *knownColumn) subject() birth.Subject {
	switch {
	case c.field != nil:
		return c.field.About
	case c.read != nil:
		return c.about
	}
	return birth.Care
}

// title returns the label of a column. For the date and the time of birth, it adds "(newborn)",
// because a list of choices may not show to which group the column belongs.
func (c *knownColumn) title() string {
	if c.name == "birth_date" || c.name == "birth_datetime" {
		return c.label + " (newborn)"
	}
	return c.label
}

// names reports whether a column contains names of mothers or children.
func (c *knownColumn) names() bool {
	return c.name == motherName || c.name == childName || strings.HasSuffix(c.name, "_given_names") || strings.HasSuffix(c.name, "_family_name")
}

// coded reports whether a column contains values from a list, or yes and no.
func (c *knownColumn) coded() bool {
	switch {
	case c.field != nil:
		return c.field.Kind == birth.Code || c.field.Kind == birth.Codes || c.field.Kind == birth.Bool
	case c.custom != nil:
		return c.custom.Kind == birth.CustomChoice || c.custom.Kind == birth.CustomBool
	}
	return c.name == consentColumn
}

// parts holds parts of fields that a row spreads over several columns.
type parts struct {
	clock          string
	pounds, ounces string
}

const (
	oneName  = "Write the family name, a comma, and the given names."
	howClock = "Write the time as 16:18 or 4:18 PM."
)

// The two orders of a name that has no comma.
const (
	givenFirst  = "given"
	familyFirst = "family"
)

// nameOf splits a name into family name and given names. If there is no comma, it splits only a
// name of two words whose order is known. Otherwise, ok is false.
func nameOf(text, order string) (family, given string, ok bool) {
	if family, given, comma := strings.Cut(text, ","); comma {
		family, given = strings.TrimSpace(family), strings.TrimSpace(given)
		return family, given, family != "" && given != "" && !strings.Contains(given, ",") && !isTitle(family, given)
	}
	words := strings.Fields(text)
	if len(words) != 2 || order == "" {
		return "", "", false
	}
	if order == familyFirst {
		return words[0], words[1], true
	}
	return words[1], words[0], true
}

// isTitle reports whether the text after the comma of a name isn't given names. It may be a suffix,
// as in Leo Smith, Jr., or credentials, as in Jane Smith, RN. After a single word, two capitals may
// be initials.
func isTitle(family, given string) bool {
	if slices.Contains(strings.Fields("jr sr ii iii iv junior senior"), strings.Trim(fold(given), ".")) {
		return true
	}
	return strings.Contains(family, " ") && credential.MatchString(given) && birth.RoleOf(given) != birth.RoleOther
}

// nameIn returns a function that reads a cell with a whole name and sets two fields.
func nameIn(familyField, givenField string) func(r *reader, n *newborn, text, as string) string {
	return func(r *reader, n *newborn, text, as string) string {
		family, given, ok := nameOf(text, as)
		if !ok {
			return oneName
		}
		return cmp.Or(r.set(n, familyField, family), r.set(n, givenField, given))
	}
}

// set reads part of a cell as the value of a field, and stores the value. The result wrong says
// what is wrong with this part, or is "".
func (r *reader) set(n *newborn, field, text string) (wrong string) {
	f := birth.Must(field)
	if column := (&knownColumn{name: field, field: f}); column.blank(text) {
		return ""
	}
	value, wrong := r.cell(f, text, "")
	if wrong == "" {
		n.values(f).Set(f, value)
	}
	return wrong
}

// The ways to read times without AM or PM (Column.As). With clock24, they are on a 24-hour clock.
// With noClock, they are left out.
const (
	clock24 = "24"
	noClock = "none"
)

// dayPart matches the number that a spreadsheet stores for a time. For example, 0.25 is 6:00 AM.
var dayPart = regexp.MustCompile(`^0?[.,]\d+$`)

func (r *reader) readBirthTime(n *newborn, text, as string) string {
	half := strings.ContainsAny(strings.ToLower(text), "apm")
	if !half && as == noClock {
		return ""
	}
	if strings.HasPrefix(text, "24:00") {
		return midnightText
	}
	clock := readClock(text)
	if dayPart.MatchString(text) {
		return "A spreadsheet stores times as parts of a day, and this may be such a part. Format the cell as a time, or write the time as 16:18."
	}
	if clock == "" || !half && as != clock24 {
		return howClock
	}
	n.parts.clock = clock
	return ""
}

// The two ways to read 39.2 as a gestational age. With dotDays, it is 39 weeks and 2 days. With
// dotDecimal, it is 39 and two-tenths weeks.
const (
	dotDays    = "days"
	dotDecimal = "decimal"
)

// inDays matches a gestational age in days, such as 276 days.
var inDays = regexp.MustCompile(`^(\d{3}) ?(?:d|days?)$`)

func (r *reader) readGestation(n *newborn, text, as string) string {
	const how = "Write the weeks and days as 39+2 or 39w 2d."
	lower := strings.ToLower(text)
	weeks, days, ok := mapping.ReadGestation(lower)
	switch total := inDays.FindStringSubmatch(lower); {
	case ok:
	case total != nil:
		n, _ := strconv.Atoi(total[1]) // digits only
		weeks, days = strconv.Itoa(n/7), strconv.Itoa(n%7)
	case isDigits(strings.TrimRight(lower, " weks")): // such as 39 or 39 wks
		weeks, days = strings.TrimRight(lower, " weks"), ""
	default:
		var fraction string
		weeks, fraction, ok = strings.Cut(strings.Replace(lower, ",", ".", 1), ".")
		switch {
		case !ok || !isDigits(weeks) || !isDigits(fraction) || as == "":
			return how
		case as == dotDays && (len(fraction) != 1 || fraction > "6"):
			return how
		case as == dotDays:
			days = fraction
		}
	}
	inWeeks := birth.Must("gestational_age_weeks")
	if wrong := r.set(n, inWeeks.Name, weeks); wrong != "" || days == "" || !n.values(inWeeks).Has(inWeeks.Name) { // 99 weeks are unknown
		return wrong
	}
	return r.set(n, "gestational_age_days", days)
}

// between matches what separates two scores. A score that is left out, as in 8//9, isn't skipped,
// because the next score would then be read as that of another minute.
var between = regexp.MustCompile(` *[/,;-] *| +`)

// noThird matches two scores with a dash for the third, which is seldom taken.
var noThird = regexp.MustCompile(`^(\d+ */ *\d+) */ *[-–—]+$`)

func (r *reader) readApgars(n *newborn, text, _ string) string {
	const how = "Write the scores at 1 and 5 min as 8/9."
	scores := between.Split(noThird.ReplaceAllString(text, "$1"), -1)
	if len(scores) < 2 || len(scores) > 3 {
		return how
	}
	for i, field := range []string{"apgar_one_minute", "apgar_five_minute", "apgar_ten_minute"}[:len(scores)] {
		if wrong := r.set(n, field, scores[i]); wrong != "" {
			return how
		}
	}
	return ""
}

func (r *reader) readPounds(n *newborn, text, _ string) string {
	n.parts.pounds = strings.TrimRight(strings.ToLower(text), " lbs#.")
	return ""
}

func (r *reader) readOunces(n *newborn, text, _ string) string {
	n.parts.ounces = strings.TrimRight(strings.ToLower(text), " oz.")
	return ""
}

func (r *reader) readAttendant(n *newborn, text, _ string) string {
	name, titles := titled(text)
	if wrong := r.set(n, "attendant_name", name); wrong != "" || titles == "" {
		return wrong
	}
	return r.set(n, "attendant_credentials", titles)
}

// join combines values that a row spreads over several columns. These are the date and the time of
// birth, and the pounds and ounces of the birth weight.
func (r *reader) join(n *newborn) {
	if at := n.parts.clock; at != "" {
		day := n.child.Text("birth_date")
		when, ok := birth.ParseDateTime(day + "T" + at)
		switch {
		case day == "" && n.failed("birth_date"): // reported already, as an error of the date
		case len(day) != len("2026-03-02") || !ok:
			n.fail(birthTime, "The time needs a date of birth. Write or correct the date.")
		default:
			n.child.Set(birth.Must("birth_datetime"), birth.Value{Text: when, Source: birth.CSV})
		}
	}
	if mapping.InUTC(n.child.Text("birth_datetime")) && !n.child.Has("birth_date") && !n.failed("birth_date") {
		n.fail("birth_datetime", "The time is in UTC, which doesn't show the local day. Write the local time, or write the date in the column birth_date.")
	}
	p := n.parts
	if p.pounds == "" && p.ounces == "" {
		return
	}
	if p.pounds == "" || p.ounces == "" {
		n.fail(weightPounds, "Write both the pounds and the ounces; 0 for none.")
		return
	}
	if wrong := r.set(n, "birth_weight_g", fmt.Sprintf("%s lb %s oz", p.pounds, p.ounces)); wrong != "" {
		n.fail(weightPounds, "Write whole pounds, and the ounces in the column next to them.")
	}
}

func isDigits(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }
