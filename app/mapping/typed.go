package mapping

import (
	"math"
	"strconv"
	"strings"

	"birthregistry/app/birth"
)

// The words for yes and no in forms and spreadsheets.
const (
	Yes = "yes"
	No  = "no"
)

// TypedProvider returns a provider whom somebody has typed, in the form or in a file. If role is
// "", the role is derived from the credentials. The provider's key is derived from the name and the
// role.
func TypedProvider(name, credentials, role string, attending bool) birth.Provider {
	p := birth.Provider{
		Name: name, Credentials: credentials, Role: birth.Role(role), Attending: attending,
	}
	if role == "" {
		p.Role = birth.RoleOf(credentials)
	}
	p.Key = birth.TypedKey(p.Name, p.Role)
	return p
}

// Typed returns a value in the form in which a user would type it. Several choices are separated by
// commas.
func Typed(f *birth.Field, v birth.Value) string {
	switch f.Kind {
	case birth.Int, birth.Decimal:
		return strconv.FormatFloat(v.Number, 'f', -1, 64)
	case birth.Bool:
		return map[bool]string{true: Yes, false: No}[v.Flag]
	case birth.Codes:
		return strings.Join(v.Set, ", ")
	default:
		return v.Text
	}
}

// ReadAmount reads a number, or an amount with its units ("7 lb 9 oz", "7#9", "5 ft 6"). It returns
// the amount in the field's unit.
//
// A number without a unit is in the field's unit. After pounds, however, it is in ounces, and after
// feet, it is in inches. Each further part must be in a smaller unit than the part before it
// (continues). For a field of whole numbers, a converted amount is rounded. ReadAmount doesn't read
// feet with a decimal fraction (partOfFoot).
func ReadAmount(f *birth.Field, text string) (total float64, ok bool) {
	text = strings.ToLower(strings.TrimSpace(straight.Replace(text)))
	if text == "" || partOfFoot.MatchString(text) {
		return 0, false
	}
	converted, within, before := false, smaller{}, typedPart{}
	for parts := 1; text != ""; parts++ {
		digits := Leading(text, "0123456789.,")
		name := Leading(strings.TrimSpace(text[len(digits):]), "abcdefghijklmnopqrstuvwxyz_[]/'\"#")
		n, ok := plainNumber(digits)
		text = strings.TrimSpace(strings.TrimSpace(text[len(digits):])[len(name):])
		if rest, dot := strings.CutPrefix(text, "."); dot && name != "" && (rest == "" || rest[0] == ' ') { // "7 lb. 8 oz."
			text = strings.TrimSpace(rest)
		}
		unit := unitWord(name)
		if name == "" && within.unit != "" && n < within.most {
			unit = within.unit
		}
		bare := unit == ""
		now := typedPart{n: n}
		now.unit, _ = UnitNamed(unit)
		ok = ok && (parts == 1 || now.continues(before) && digits[0] != '.') // 7 lb.5 may be 7.5 lb
		if !bare && ok {
			n, ok = Convert(n, unit, f.Unit)
			converted = converted || unit != strings.ToLower(f.Unit)
		}
		if !ok || bare && (parts > 1 || text != "") {
			return 0, false
		}
		total, before, within = total+n, now, below[unit]
	}
	if converted && f.Kind == birth.Int {
		total = whole(total, f.Unit)
	}
	return total, true
}

// straight replaces the marks for feet and inches that programs write instead of ' and ".
var straight = strings.NewReplacer("’", "'", "‘", "'", "′", "'", "”", `"`, "“", `"`, "″", `"`, "''", `"`)

// smaller is the unit that a number without a unit has after a part in a larger unit. The field
// most is how many of the smaller unit make one of the larger unit.
type smaller struct {
	unit string
	most float64
}

var below = map[string]smaller{"lb": {"oz", 16}, "[ft_i]": {"[in_i]", 12}}

// typedPart is one number in an amount, with its unit.
type typedPart struct {
	n    float64
	unit Unit
}

// continues reports whether p can follow the previous part of an amount. The previous part must be
// a whole number of a larger unit, and p must be less than one of that unit. Otherwise, the amount
// has a mistake, as in 7 lb 17 oz, 7.5 lb 3 oz and 7 lb 7 lb.
func (p typedPart) continues(before typedPart) bool {
	return p.unit.Base == before.unit.Base && p.n*p.unit.Size < before.unit.Size && before.n == math.Trunc(before.n)
}

// unitWord returns the unit for a word or a symbol that means feet, inches, pounds or ounces. It
// returns any other name unchanged.
func unitWord(name string) string {
	switch name {
	case "'", "ft", "feet", "foot":
		return "[ft_i]"
	case `"`, "inch", "inches":
		return "[in_i]"
	case "#", "lbs", "pound", "pounds":
		return "lb"
	case "ounce", "ounces":
		return "oz"
	}
	return name
}

// Leading returns the beginning of s, up to the first character that isn't in set.
func Leading(s, set string) string {
	return s[:len(s)-len(strings.TrimLeft(s, set))]
}

// plainNumber reads a number such as 3420, 3,420 or 66.5. It returns false for a sign, an exponent,
// or a comma that doesn't separate thousands.
func plainNumber(s string) (float64, bool) {
	whole, rest, _ := strings.Cut(s, ".")
	if groups := strings.Split(whole, ","); len(groups) > 1 {
		for i, g := range groups {
			if i > 0 && len(g) != 3 || i == 0 && (g == "" || len(g) > 3) {
				return 0, false
			}
		}
		s = strings.Join(groups, "") + s[len(whole):]
	}
	if len(s) > 12 || strings.ContainsAny(rest, ".,") {
		return 0, false
	}
	n, err := strconv.ParseFloat(s, 64)
	return n, err == nil
}
