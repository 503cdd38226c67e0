package cost_test

import (
	"fmt"
	"strings"

	"github.com/stretchr/testify/require"
)

// inAFile preview and import spreadsheets with many rows.
var inAFile = append(
	file("rows", func(i int) string { return fmt.Sprintf("C%d,Okonkwo %d,Amara,%s,3000,cesarean\n", i, i, at(i)) }),
	append(file("rows of one birth", func(i int) string { return fmt.Sprintf("C%d,Okonkwo,Amara,%s,3000,cesarean\n", i, at(0)) }),
		file("rows that are wrong", func(i int) string {
			if i == 0 { // a file without a row that can be imported is not confirmed
				return fmt.Sprintf("A,Okonkwo,Amara,%s,3000,cesarean\n", at(0))
			}
			return fmt.Sprintf("C%d,Okonkwo,Amara,never,heavy,somehow\n", i)
		})...)...,
)

const heading = "chart_number,mother_family_name,mother_given_names,birth_datetime,birth_weight_g,delivery_method\n"

func file(of string, row func(i int) string) []grows {
	upload := func(s *site, n int) func() (id string) {
		body := heading + strings.Join(each(n, row), "")
		return func() string {
			i, err := s.Intake.Upload(s.Context(), s.admin, "births.csv", strings.NewReader(body))
			require.NoError(s, err)
			require.Positive(s, i.About.Preview.New)
			return i.ID
		}
	}
	return []grows{
		{"the preview of a file with many " + of, 250, nLogN, func(s *site, n int) func() {
			send := upload(s, n)
			return func() { send() }
		}},
		{"the import of a file with many " + of, 250, nLogN, func(s *site, n int) func() {
			id := upload(s, n)()
			return func() {
				require.NoError(s, s.Intake.Confirm(s.Context(), s.admin, id, true))
				s.drain()
			}
		}},
	}
}
