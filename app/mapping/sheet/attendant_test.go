package sheet

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAGivenNameAfterACommaIsNotACredential(t *testing.T) {
	attendants := func(cells ...string) (all []string) {
		t.Helper()
		file := "Mother last name,Mother first name,Date of delivery,Midwife\n"
		for _, cell := range cells {
			file += "Lee,Ann,2026-03-02,\"" + cell + "\"\n"
		}
		format := Format{Encoding: UTF8}
		s, err := format.Survey(strings.NewReader(file))
		require.NoError(t, err)
		format.Layout = &s.Layout
		require.NoError(t, format.Read(strings.NewReader(file), func(Header) error { return nil }, func(c *Course) error {
			require.Empty(t, c.Wrong)
			all = append(all, c.stated.Care.Text("attendant_name")+"|"+c.stated.Care.Text("attendant_credentials"))
			return nil
		}))
		return all
	}
	require.Equal(t, []string{"Smith, Jane|", "Ruiz, Leo|", "Bos, Anna|"}, attendants("Smith, Jane", "Ruiz, Leo", "Bos, Anna"))
	require.Equal(t, []string{"Jane Smith|CNM", "Leo Ruiz|CNM", "M. Bos|"}, attendants("Jane Smith, CNM", "Leo Ruiz, CNM", "M. Bos"))
	require.Equal(t, []string{"Jane Smith|CNM, PhD", "Leo Ruiz|MD"}, attendants("Jane Smith, CNM, PhD", "Leo Ruiz, MD"))
}
