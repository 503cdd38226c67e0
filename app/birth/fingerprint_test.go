package birth_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"birthregistry/app/birth"
)

const practice = 7

var fingerprintKey = []byte("0123456789abcdef0123456789abcdef")

// born holds the values from which a fingerprint is made.
type born struct{ family, given, at, date string }

var quinn = born{"Quinn", "Jada Ann", "2019-02-12T13:00:00-07:00", "2019-02-12"}

func (b born) fingerprints(twins ...born) []birth.Fingerprint {
	return b.course(twins...).Fingerprints(fingerprintKey, practice)
}

func (b born) course(twins ...born) birth.Course {
	var d birth.Draft
	text(&d.Mother, "mother_family_name", b.family)
	text(&d.Mother, "mother_given_names", b.given)
	for _, child := range append([]born{b}, twins...) {
		var values birth.Values
		text(&values, "birth_datetime", child.at)
		text(&values, "birth_date", child.date)
		d.Children = append(d.Children, values)
	}
	return birth.Mask(d)
}

func text(v *birth.Values, field, text string) {
	if text != "" {
		v.Set(birth.Must(field), birth.Value{Text: text, Source: birth.FHIRPush})
	}
}

func (b born) with(change func(*born)) born {
	change(&b)
	return b
}

func TestNamesMatchRegardlessOfCaseWhiteSpaceAndComposition(t *testing.T) {
	for _, c := range []struct{ name, one, other string }{
		{"case", "Quinn", "qUINN"},
		{"white space around", "Quinn", "  Quinn\t"},
		{"white space within", "de la Cruz", "de\u00a0la \n Cruz"},
		{"white space or none", "De La Cruz", "DeLaCruz"},
		{"white space or none, in another script", "Αγία Νίκη", "ΑΓΊΑΝΊΚΗ"},
		{"white space that a letter is made of", "a\u00b4b", "a \u0301b"},
		{"a character nobody sees", "De La Cruz", "De\u200bLa\u00adCruz"},
		{"a wide space", "de la Cruz", "de\u3000la Cruz"},
		{"composed and decomposed", "Zo\u00eb", "Zoe\u0308"},
		{"two marks in another order", "a\u0323\u0307", "a\u0307\u0323"},
		{"sharp s", "Weiß", "WEISS"},
		{"capital sharp s", "Weiß", "WEIẞ"},
		{"dotted capital i, composed and decomposed", "İpek", "I\u0307pek"},
		{"final sigma", "ΝΙΚΟΣ", "Νικος"},
		{"ligature", "Sofﬁ", "SOFFI"},
		{"full-width letters", "Ｌｅｅ", "lee"},
	} {
		t.Run(c.name, func(t *testing.T) {
			one, other := quinn, quinn
			one.family, other.family = c.one, c.other
			require.Len(t, one.fingerprints(), 1)
			require.Equal(t, one.fingerprints(), other.fingerprints())
		})
	}
}

func TestDifferentBirthsHaveDifferentFingerprints(t *testing.T) {
	seen := map[birth.Fingerprint]string{quinn.fingerprints()[0]: "the birth itself"}
	for name, change := range map[string]func(*born){
		"another family name":             func(b *born) { b.family = "Quin" },
		"another given name":              func(b *born) { b.given = "Jada" },
		"a letter with another mark":      func(b *born) { b.family = "Quïnn" },
		"a dotless i":                     func(b *born) { b.family = "Quınn" },
		"a minute later":                  func(b *born) { b.at = "2019-02-12T13:01:00-07:00" },
		"the same clock, another zone":    func(b *born) { b.at = "2019-02-12T13:00:00-06:00" },
		"the same clock without a zone":   func(b *born) { b.at = "2019-02-12T13:00:00" },
		"no time":                         func(b *born) { b.at = "" },
		"another birth date, same moment": func(b *born) { b.date = "2019-02-13" },
		"no birth date, same moment":      func(b *born) { b.date = "" },
	} {
		fingerprints := quinn.with(change).fingerprints()
		require.Len(t, fingerprints, 1, name)
		require.NotContains(t, seen, fingerprints[0], "%s is like %s", name, seen[fingerprints[0]])
		seen[fingerprints[0]] = name
	}
}

func TestTheNewbornTimeIsNormalizedToTheUTCMinute(t *testing.T) {
	for _, same := range []string{
		"2019-02-12T20:00:00Z", "2019-02-12T20:00Z", "2019-02-12T15:00:00-05:00", "2019-02-13T09:00:00+13:00",
		"2019-02-12T13:00:59-07:00", "2019-02-12T13:00:00.4567-07:00",
	} {
		require.Equal(t, quinn.fingerprints(), quinn.with(func(b *born) { b.at = same }).fingerprints(), same)
	}
	local := quinn.with(func(b *born) { b.at = "2019-02-12T13:00:00" }).fingerprints()
	require.Equal(t, local, quinn.with(func(b *born) { b.at = "2019-02-12T13:00:42" }).fingerprints(), "the local minute")
}

func TestNoDuplicateCheckRunsWithoutANameOrADate(t *testing.T) {
	for name, b := range map[string]born{
		"no mother's name":              {"", "", quinn.at, quinn.date},
		"a name of white space":         {"  ", "\t", quinn.at, quinn.date},
		"no date at all":                {"Quinn", "Jada", "", ""},
		"a partial date":                {"Quinn", "Jada", "", "2019-02"},
		"a year":                        {"Quinn", "Jada", "", "2019"},
		"a time that is a partial date": {"Quinn", "Jada", "2019-02", "2019-02"},
		"a date that is none":           {"Quinn", "Jada", "yesterday", "2019-02-30"},
	} {
		require.Empty(t, b.fingerprints(), name)
	}
	require.Len(t, born{"", "Jada", quinn.at, quinn.date}.fingerprints(), 1, "part of the name is a name")
	require.Len(t, born{"Quinn", "", "", quinn.date}.fingerprints(), 1, "the birth date alone is a date")
}

func TestTheBirthDateStandsInForATimeThatIsNotStated(t *testing.T) {
	dated := quinn.with(func(b *born) { b.at = "" })
	require.Equal(t, dated.fingerprints(), quinn.with(func(b *born) { b.at = "2019-02" }).fingerprints())
	require.NotEqual(t, dated.fingerprints(), quinn.with(func(b *born) { b.at = "2019-02-12T00:00:00" }).fingerprints(),
		"midnight is a time that was stated")
}

func TestEveryChildHasAFingerprintAndSharedOnesCountOnce(t *testing.T) {
	second := quinn.with(func(b *born) { b.at = "2019-02-12T13:09:00-07:00" })
	both := quinn.fingerprints(second)
	require.Equal(t, []birth.Fingerprint{quinn.fingerprints()[0], second.fingerprints()[0]}, both)
	require.Equal(t, quinn.fingerprints(), quinn.fingerprints(quinn), "twins with nothing to tell them apart")
	undated := quinn.with(func(b *born) { b.at, b.date = "", "" })
	require.Equal(t, second.fingerprints(), undated.fingerprints(second), "a child without a date has none")
}

func TestFingerprintsAreKeyedAndBelongToAPractice(t *testing.T) {
	course := quinn.course()
	here := course.Fingerprints(fingerprintKey, practice)
	require.Equal(t, here, course.Fingerprints(fingerprintKey, practice))
	require.NotEqual(t, here, course.Fingerprints(fingerprintKey, practice+1))
	require.NotEqual(t, here, course.Fingerprints([]byte("another key"), practice))
}

func TestThePartsOfAFingerprintAreSeparated(t *testing.T) {
	one := born{"Quinn", "", "", "2019-02-12"}
	other := born{"Quinn2019-02-12", "", "", "2019-02-12"}
	require.NotEqual(t, one.fingerprints(), other.fingerprints())
}

func TestEveryNormalFormOfANameIsTheSameName(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[\pL\pM '\-]{1,24}`).Draw(t, "name")
		want := quinn.with(func(b *born) { b.family = name }).fingerprints()
		for _, form := range []norm.Form{norm.NFC, norm.NFD, norm.NFKC, norm.NFKD} {
			got := quinn.with(func(b *born) { b.family = form.String(name) }).fingerprints()
			require.Equal(t, want, got)
		}
	})
}
