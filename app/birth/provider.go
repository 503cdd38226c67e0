package birth

import (
	"slices"
	"strings"
	"unicode"
)

// Provider is a practitioner whom a course of care names (spec, "Practitioner rules").
// Providers are not patient data: Name and Credentials are stored in clear. Key and NPI
// identify the person and are stored hashed and sealed.
type Provider struct {
	// Key is the stable identity: in a Bundle, the first identifier that isn't an NPI, otherwise the
	// resource ID; for a typed provider, the TypedKey. A practitioner without a key isn't kept.
	Key string
	// NPI helps to find duplicates but is never the key.
	NPI         string
	Name        string
	Credentials string
	Role        Role
	// Attending marks the attendant; the others were present.
	Attending bool
	Source    Source
}

// Role is the coarse role of a provider.
type Role string

// The roles. RoleOther is left out of attendant-type benchmarks.
const (
	RoleMidwife   Role = "midwife"
	RoleDoula     Role = "doula"
	RoleNurse     Role = "nurse"
	RoleAssistant Role = "assistant"
	RoleOther     Role = "other"
)

// keywords are tried in this order, so that a "nurse midwife" is a midwife, and so is a
// "midwife's assistant". Long words match anywhere in the text, abbreviations only as whole
// words, so that "RN" doesn't match "intern".
var keywords = []struct {
	role   Role
	within []string
	words  []string
}{
	{RoleMidwife, []string{"midwi"}, []string{"cnm", "cpm", "lm"}},
	{RoleDoula, []string{"doula"}, nil},
	{RoleNurse, []string{"nurse"}, []string{"rn"}},
	{RoleAssistant, []string{"assistant"}, nil},
}

// RoleOf derives the role from the texts and displays of a practitioner's qualifications
// by coarse keyword match (spec, "Practitioner rules" 4).
func RoleOf(qualifications ...string) Role {
	text := strings.ToLower(strings.Join(qualifications, " | "))
	words := strings.FieldsFunc(strings.ReplaceAll(text, ".", ""), notLetter)
	for _, k := range keywords {
		for _, part := range k.within {
			if strings.Contains(text, part) {
				return k.role
			}
		}
		for _, abbreviation := range k.words {
			if slices.Contains(words, abbreviation) {
				return k.role
			}
		}
	}
	return RoleOther
}

func notLetter(r rune) bool { return !unicode.IsLetter(r) }

// MayBe reports whether p and other may be the same person: they have the same name (SpokenName)
// and the same role. If one of them has no credentials and no role, or only RoleOther, any role
// fits.
func (p Provider) MayBe(other Provider) bool {
	return SpokenName(p.Name) != "" && SpokenName(p.Name) == SpokenName(other.Name) &&
		(p.Role == other.Role || p.Untitled() || other.Untitled())
}

// Untitled reports whether a provider has no credentials and no role, or only RoleOther.
func (p Provider) Untitled() bool {
	return (p.Role == "" || p.Role == RoleOther) && p.Credentials == ""
}

// TypedKey returns the stable identity of a provider that a person typed, by hand or into a
// file. Nobody types an identifier, so within a practice the same name in the same role is the
// same person, whatever the case, the white space and the composition of letters. It never
// equals a key from a Bundle.
func TypedKey(name string, role Role) string {
	if name = fold(name); name == "" {
		return ""
	}
	return typedKey + string(role) + "\x00" + name
}

const typedKey = "typed\x00"

// IsTyped reports whether a stable identity belongs to a typed provider.
func IsTyped(key string) bool { return strings.HasPrefix(key, typedKey) }
