package sheet

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// surveyed returns what a file shows by itself.
func surveyed(t *testing.T, file string) *Survey {
	t.Helper()
	s, err := Format{Encoding: UTF8}.Survey(strings.NewReader(file))
	require.NoError(t, err)
	return s
}

func TestANumberOfBirthsIsNotGuessedToLeaveOutThisOne(t *testing.T) {
	for header, asked := range map[string]bool{"P": true, "Para": true, "Births before this one": false} {
		s := surveyed(t, "Chart #,Mother last,Baby DOB,G,"+header+"\n1,Lee,2026-03-02,2,1\n2,Ode,2026-03-03,1,1\n")
		require.Equal(t, asked, s.Layout.Columns[4].Name == Unsaid, header)
		require.Equal(t, asked, (Format{}).BirthCounts(&s.Layout)[4], header)
	}
	require.True(t, Format{}.BirthCounts(&Layout{Columns: []Column{{Header: "Parity"}}})[0], "the page says so, although the template has that name")
	s := surveyed(t, "Chart #,Mother last,Baby DOB,G,P\n1,Lee,2026-03-02,2,1-0-0-1\n2,Ode,2026-03-03,1,2-0-1-2\n")
	require.Empty(t, s.Layout.Columns[4].Name)
	require.Contains(t, Format{}.Misfits(s, &s.Layout), 4)
}

func TestAColumnOfASecondNewbornIsNamed(t *testing.T) {
	for _, head := range []string{
		"Chart #,Mother last,Date of delivery,Sex A,Weight A,Sex B,Weight B\n",
		"Chart #,Mother last,Date of delivery,Baby sex,Baby weight,Baby 2 sex,Baby 2 weight\n",
		"Chart #,Mother last,Date of delivery,Sex,Weight,Twin B sex,Twin B weight\n",
		"Chart #,Mother last,Date of delivery,Sex,Weight,Sex,Weight\n",
		",,,Twin A,,Twin B,\nChart #,Mother last,Date of delivery,Sex,Weight,Sex,Weight\n",
	} {
		s := surveyed(t, head+"1,Lee,2026-03-02,F,2400,M,2300\n2,Ode,2026-03-03,M,3400,,\n")
		repeats := Format{}.Repeats(s, &s.Layout)
		require.Equal(t, Repeat{"Sex", 3, true}, repeats[5], head)
		require.Equal(t, Repeat{"Birth weight", 4, true}, repeats[6], head)
		require.Len(t, repeats, 2, head)
	}
	s := surveyed(t, "Chart #,Mother last,Date of delivery,Birth date\n1,Lee,2026-03-02,2026-03-02\n")
	require.NotContains(t, Format{}.Repeats(s, &s.Layout), 2)
}
