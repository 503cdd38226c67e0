package sheet

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestATimeOfBirthIsNotWrongBecauseItsDateIs(t *testing.T) {
	layout := &Layout{Delimiter: ',', Row: 1, Columns: []Column{{Name: "mother_family_name"}, {Name: "birth_date"}, {Name: birthTime, As: clock24}}}
	wrong := func(row string) (columns []string) {
		t.Helper()
		require.NoError(t, Format{Encoding: UTF8, Layout: layout}.Read(strings.NewReader("Last,Born,Time\n"+row+"\n"),
			func(Header) error { return nil }, func(c *Course) error {
				for _, cell := range c.Wrong {
					columns = append(columns, cell.Column)
				}
				return nil
			}))
		return columns
	}
	require.Equal(t, []string{"birth_date"}, wrong("Lee,2 marzo,04:18"))
	require.Equal(t, []string{"birth_date", birthTime}, wrong("Lee,2 marzo,28:18"))
	require.Equal(t, []string{birthTime}, wrong("Lee,,04:18"))
	require.Equal(t, []string{birthTime}, wrong("Lee,2026-03,04:18"))
	require.Empty(t, wrong("Lee,2026-03-02,04:18"))
}
