package sheet

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAQuestionAboutTheClockNamesTheCellThatMakesItNecessary(t *testing.T) {
	format := Format{Encoding: UTF8}
	doubt := func(header string, cells ...string) (asked bool, doubtful, other Seen) {
		t.Helper()
		file := "Mother last name,Mother first name,Date of delivery," + header + "\n"
		for _, cell := range cells {
			file += "Lee,Ann,2026-03-02," + cell + "\n"
		}
		s, err := format.Survey(strings.NewReader(file))
		require.NoError(t, err)
		name := s.Layout.Columns[3].Name
		require.NotEmpty(t, name)
		doubtful, other = format.Doubt(s, 3, name)
		return len(format.Habits(s, 3, name)) > 1, doubtful, other
	}
	for _, c := range []struct {
		header          string
		cells           []string
		asked           bool
		doubtful, other Seen
	}{
		{"Time of birth", []string{"4:18 PM", "16:20", "4:25"}, true, Seen{4, "4:25"}, Seen{2, "4:18 PM"}},
		{"Time of birth", []string{"4:18", "5:20"}, true, Seen{2, "4:18"}, Seen{}},
		{"Time of birth", []string{"4:18", "16:20"}, false, Seen{}, Seen{}},
		{"Time of birth", []string{"4:18 PM", "16:20"}, false, Seen{}, Seen{}}, // no time may be of either clock
		{"Labor onset", []string{"2026-03-01 4:18 PM", "2026-03-01 10:20"}, true, Seen{3, "2026-03-01 10:20"}, Seen{2, "2026-03-01 4:18 PM"}},
	} {
		asked, doubtful, other := doubt(c.header, c.cells...)
		require.Equal(t, c.asked, asked, c.cells)
		require.Equal(t, c.doubtful, doubtful, c.cells)
		require.Equal(t, c.other, other, c.cells)
	}
}
