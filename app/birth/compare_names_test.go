package birth_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
)

func TestNamesAreComparedByTheirWords(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want birth.NameLikeness
	}{
		{"Okafor Ngozi", "okafor NGOZI", birth.NamesEqual},
		{"De la Cruz María", "Maria De La Cruz", birth.NamesEqual},
		{"Núñez José", "Nunez Jose", birth.NamesEqual},
		{"Smith-Jones Ann", "Jones Ann", birth.NamesEqual},
		{"Quinn Jada", "Quinn Jada Ann", birth.NamesEqual},
		{"O'Brien Una", "O’Brien Una", birth.NamesEqual},
		{"Quinn J", "Quinn Jada", birth.NamesUnknown},
		{"Quinn", "Quinn Jada", birth.NamesUnknown},
		{"", "Quinn Jada", birth.NamesUnknown},
		{" ", " ", birth.NamesUnknown},
		{"Lopez Maria", "Garcia Maria", birth.NamesSimilar},
		{"Lee Sue", "Lee Ann", birth.NamesSimilar},
		{"Novak", "Nowak Ana", birth.NamesSimilar},
		{"Okafro", "Okafor", birth.NamesSimilar},
		{"Okafor", "Okafour", birth.NamesSimilar},
		{"Lee", "Lea", birth.NamesDiffer},
		{"Abel Ann", "Zeta Zoe", birth.NamesDiffer},
		{"Abel, Ann", "Abell, Ann", birth.NamesClose},
		{"Garcia Lopez, Maria", "Garcia Lopes, Maria", birth.NamesClose},
		{"De La Cruz, Maria", "Del Cruz, Mariah", birth.NamesClose},
		{"Cruz, Maria", "De La Cruz, Maria", birth.NamesEqual},
		{"De La Cruz", "De La Cruz, Maria", birth.NamesUnknown},
		{"De La Cruz, Maria", "De La Rosa, Ana", birth.NamesDiffer},
		{"Al Amin, Noor", "Al Hadi, Sara", birth.NamesDiffer},
		{"Nguyen Van, Kim", "Nguyen Tran, Kim", birth.NamesSimilar},
		{"Van, Kim", "Tran, Kim", birth.NamesSimilar},
		{"Garcia, Maria", "Garcia, Rosa", birth.NamesSimilar},
		{"Nguyen, Maria", "Smith, Maria", birth.NamesSimilar},
		{"Kim, Anna", "Roe, Hanna", birth.NamesSimilar},
		{"Smith", "Garcia Maria", birth.NamesDiffer},
	} {
		require.Equal(t, c.want, birth.CompareNames(nameOf(c.a), nameOf(c.b)), "%s, %s", c.a, c.b)
		require.Equal(t, c.want, birth.CompareNames(nameOf(c.b), nameOf(c.a)), "%s, %s", c.b, c.a)
	}
}

func nameOf(text string) birth.PersonName {
	family, given, _ := strings.Cut(text, ", ")
	return birth.PersonName{Family: family, Given: given}
}
