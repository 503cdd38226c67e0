package birth_test

import (
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
		{"Smith", "Garcia Maria", birth.NamesDiffer},
	} {
		require.Equal(t, c.want, birth.CompareNames(c.a, c.b), "%s, %s", c.a, c.b)
		require.Equal(t, c.want, birth.CompareNames(c.b, c.a), "%s, %s", c.b, c.a)
	}
}
