package cost_test

import (
	"fmt"
	"strings"

	"github.com/stretchr/testify/require"
)

// inAFile preview and import spreadsheets with many rows.
var inAFile = append(
	file("rows", fine),
	append(file("rows of one birth", func(i int) string { return fmt.Sprintf("C%d,Okonkwo,Amara,%s,3000,cesarean\n", i, local(0)) }),
		file("rows that are wrong", func(i int) string {
			if i == 0 { // a file without an importable row can't be confirmed
				return fine(0)
			}
			return wrong(i)
		})...)...,
)

const heading = "chart_number,mother_family_name,mother_given_names,birth_datetime,birth_weight_g,delivery_method\n"

func file(of string, row func(i int) string) []grows {
	return []grows{
		{"the preview of a file with many " + of, 100, nLogN, func(s *installation, n int) func() {
			body := heading + strings.Join(each(n, row), "")
			return func() { s.upload(body) }
		}},
		{"the import of a file with many " + of, 100, nLogN, func(s *installation, n int) func() {
			id := s.upload(heading + strings.Join(each(n, row), ""))
			return func() { s.confirm(id) }
		}},
		{"the undo of an import with many " + of, 100, nLogN, func(s *installation, n int) func() {
			id := s.upload(heading + strings.Join(each(n, row), ""))
			s.confirm(id)
			return func() { s.takeBack(id) }
		}},
	}
}

// ofFiles are the things that can be numerous in spreadsheets, or in a practice because of
// spreadsheets.
var ofFiles = []many{
	{"rows of a file that waits", 100, func(s *installation, n int) {
		s.named["import"] = s.upload(heading + strings.Join(each(n, fine), "") + strings.Join(each(n, wrong), ""))
	}, []string{"/registry/import", "/registry/imports/:import", "/registry/imports/:import/progress", "/registry/imports/:import/errors.csv", "/registry/imports/:import/columns"}, nil},
	{"rows of a file that was imported", 100, func(s *installation, n int) {
		s.named["import"] = s.upload(heading + strings.Join(each(n, fine), "") + strings.Join(each(n, wrong), ""))
		s.confirm(s.named["import"])
	}, []string{"/registry/import", "/registry/imports/:import", "/registry/imports/:import/progress", "/registry/imports/:import/errors.csv", "/registry/imports/:import/undo"}, nil},
	{"births that an undo leaves as they are", 100, func(s *installation, n int) {
		s.named["import"] = s.upload(heading + strings.Join(each(n, fine), ""))
		s.confirm(s.named["import"])
		s.confirm(s.upload(heading + strings.ReplaceAll(strings.Join(each(n, fine), ""), "3000", "3100") + fine(n)))
		s.takeBack(s.named["import"])
	}, []string{"/registry/imports/:import", "/registry/imports/:import/progress"}, nil},
	{"imports", 10, func(s *installation, n int) {
		for i := range n {
			s.confirm(s.upload(heading + fine(i)))
		}
	}, []string{"/registry/import", "/registry"}, []string{"/registry/ingestions"}},
}

func fine(i int) string {
	return fmt.Sprintf("C%d,Okonkwo %d,Amara,%s,3000,cesarean\n", i, i, local(i))
}

// local is at for a spreadsheet, which states local times.
func local(i int) string { return strings.TrimSuffix(at(i), "Z") }

func wrong(i int) string { return fmt.Sprintf("W%d,Okonkwo,Amara,never,heavy,somehow\n", i) }

// upload uploads a file as the admin.
func (s *installation) upload(body string) (id string) {
	s.Helper()
	i, err := s.Imports.Upload(s.Context(), s.admin, "births.csv", strings.NewReader(body))
	require.NoError(s, err)
	if i.About.Step == "values" { // texts that aren't values stay errors
		require.NoError(s, s.Imports.MatchValues(s.Context(), s.admin, i.ID, nil))
		i, err = s.Imports.Import(s.Context(), s.admin, i.ID)
		require.NoError(s, err)
	}
	require.Positive(s, i.About.Preview.New)
	return i.ID
}

// takeBack undoes the import of a file.
func (s *installation) takeBack(id string) {
	s.Helper()
	require.NoError(s, s.Imports.Undo(s.Context(), s.admin, id))
	for more := true; more; {
		var err error
		more, err = s.Imports.UndoSteps(s.Context())
		require.NoError(s, err)
	}
}

// confirm imports a file except for its faulty rows.
func (s *installation) confirm(id string) {
	s.Helper()
	require.NoError(s, s.Imports.Confirm(s.Context(), s.admin, id, true))
	s.drain()
}
