package birth_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
)

// named returns the codes of a mother's name in practice 1.
func named(family, given string) []birth.NameWord { return namedIn(1, family, given) }

func namedIn(practice int64, family, given string) []birth.NameWord {
	mother := birth.Values{}
	for field, text := range map[string]string{"mother_family_name": family, "mother_given_names": given} {
		if text != "" {
			mother = append(mother, birth.Stated{Field: birth.Must(field), Value: birth.Value{Text: text, Source: birth.Manual}})
		}
	}
	return birth.Mask(birth.Draft{Mother: mother, Children: []birth.Values{nil}}).NameWords([]byte("key"), practice)
}

// finds reports whether each word of a typed name begins a word of the mother's name.
func finds(typed string, words []birth.NameWord) bool {
	beginnings := birth.NameSearch([]byte("key"), 1, typed)
	for _, beginning := range beginnings {
		found := false
		for _, w := range words {
			found = found || bytes.HasPrefix(w[:], beginning)
		}
		if !found {
			return false
		}
	}
	return len(beginnings) > 0
}

func TestAMotherIsFoundByWholeWordsAndByBeginningsOfThreeLettersInAnyOrder(t *testing.T) {
	for _, c := range []struct {
		family, given, found, missed string
	}{
		{"Okafor", "Ngozi Ada", "Okafor|okafor ngozi|ngo oka|Oka|OKAFOR, NGOZI|ada|  ngozi ", "ok|okaforr|ngozi smith|kafor|"},
		{"Garcia-Lopez", "María José", "lopez|garcia lopez|maria|MARÍA|Garcia-Lopez|jose garc", "garcialopez|mariajose"},
		{"O'Brien", "Síle", "o'brien|obrien|brien|o’brien|o brien|O´Brien|sile", "bri en"},
		{"De La Cruz", "Li", "cruz|de la cruz|li|cruz li|la", "delacruz|d|lin"},
		{"Sørensen", "Łucja Æsa", "sorensen|sørensen|lucja|aesa|SØR", "s0rensen"},
		{"Strauß", "ZOË", "strauss|strauß|zoe|zoë", ""},
		{"Papadopoulos", "Alexandrina", "papadopoulos|papadopoul|papadop|alexandrin", "papadopulos"},
		{"王", "小明", "王|小明|王小明"[:len("王|小明")], "小"},
	} {
		words := named(c.family, c.given)
		for typed := range strings.SplitSeq(c.found, "|") {
			require.True(t, finds(typed, words), "%s %s by %q", c.given, c.family, typed)
		}
		for typed := range strings.SplitSeq(c.missed, "|") {
			require.False(t, finds(typed, words), "%s %s by %q", c.given, c.family, typed)
		}
	}
}

func TestANameCodeRevealsNeitherTheWordNorItsLength(t *testing.T) {
	words := named("Okafor", "Li Ngozi Alexandrina")
	require.Len(t, words, 4)
	for _, w := range words {
		for _, part := range []string{"oka", "li", "ngo", "ale"} {
			require.NotContains(t, strings.ToLower(string(w[:])), part)
		}
		require.NotEqual(t, make([]byte, 4), w[len(w)-4:], "no code ends early")
	}
	require.NotEqual(t, named("Okafor", ""), namedIn(2, "Okafor", ""), "another practice's differ")
	require.Equal(t, named("OKAFOR", ""), named(" okafor  okafor", "Okafor"), "without repeats")
	require.NotEqual(t, named("Oka", ""), named("Okafor", ""))
	require.Len(t, named(strings.Repeat("ab cd ef gh ij kl mn op qr st uv wx ", 3), "yz"), 12, "a name has a bounded number of words")
	require.Empty(t, named("", " - '"))
	require.Nil(t, birth.NameSearch([]byte("key"), 1, " -' "))
}

func TestANameIsMatchedByItsWordsAndTheirBeginnings(t *testing.T) {
	for typed, want := range map[string]bool{
		"rivers": true, "jane riv": true, "Rivers, Jane": true, "obr": true, "o'brien": true, "": false, " - ": false, "iver": false, "jane brook": false,
	} {
		require.Equal(t, want, birth.NameMatches("Jane Rivers O'Brien", typed), typed)
	}
	require.False(t, birth.NameMatches("", "jane"))
	require.True(t, birth.NameMatches("José Müller", "jose mul"))
}
