package birth

import (
	"slices"
	"strings"
	"unicode"
)

// Provider is a practitioner whom a course of care names (spec, "Practitioner rules"). Providers
// are not patients: their names and credentials are stored unencrypted. Key and NPI identify the
// person, and are stored hashed and sealed.
type Provider struct {
	// Key identifies the provider. In a Bundle, it is the first identifier that isn't an NPI or, if
	// there is none, the resource ID. For a provider whose name was typed, it is the result of
	// TypedKey. A provider without a key isn't stored.
	Key string
	// NPI is the National Provider Identifier, or "". It helps to find duplicates, but is never
	// used as Key.
	NPI         string
	Name        string
	Credentials string
	Role        Role
	// Attending is set for the attendant. The other providers were present.
	Attending bool
	Source    Source
}

// Role is a provider's role in broad terms, such as "midwife".
type Role string

// The roles. RoleOther is left out of attendant-type benchmarks.
const (
	RoleMidwife   Role = "midwife"
	RoleDoula     Role = "doula"
	RoleNurse     Role = "nurse"
	RoleAssistant Role = "assistant"
	RoleOther     Role = "other"
)

// keywords lists words that show a role. They are tried in this order, so a "nurse midwife" is a
// midwife, and so is a "midwife's assistant". The words in within match anywhere in a text. The
// abbreviations in words match only whole words, so "RN" doesn't match "intern".
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

// RoleOf returns the role that a practitioner's qualifications show. It looks for keywords in the
// texts and displays of the qualifications (spec, "Practitioner rules" 4).
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

// MayBe reports whether p and other may be the same person: they must have the same name
// (SpokenName) and the same role. If one of them is Untitled, the roles may differ.
func (p Provider) MayBe(other Provider) bool {
	return SpokenName(p.Name) != "" && SpokenName(p.Name) == SpokenName(other.Name) &&
		(p.Role == other.Role || p.Untitled() || other.Untitled())
}

// Untitled reports whether nothing shows the provider's role: there are no credentials, and the
// role is "" or RoleOther.
func (p Provider) Untitled() bool {
	return (p.Role == "" || p.Role == RoleOther) && p.Credentials == ""
}

// TypedKey returns the Key of a provider whose name a person typed, by hand or into a file. People
// don't type identifiers, so within a practice the same name in the same role means the same
// person. Case, white space and the composition of letters don't matter. A TypedKey never equals a
// Key from a Bundle. It is "" if name is blank.
func TypedKey(name string, role Role) string {
	if name = fold(name); name == "" {
		return ""
	}
	return typedKey + string(role) + "\x00" + name
}

const typedKey = "typed\x00"

// IsTyped reports whether a provider's Key was made by TypedKey.
func IsTyped(key string) bool { return strings.HasPrefix(key, typedKey) }
