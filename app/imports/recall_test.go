package imports_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/auth"
	"birthregistry/app/fixture"
	"birthregistry/app/imports"
	"birthregistry/app/mapping/sheet"
	"birthregistry/store"
)

// answered uploads a file and answers the questions about its columns: names and habits are
// the answers by position, and all other columns keep the proposal.
func answered(b *fixture.Fixture, file string, names, habits map[int]string, dates sheet.DateOrder) imports.Import {
	b.Helper()
	who := b.Person(auth.Admin)
	i := b.Upload(who, file)
	require.Equal(b, imports.ToColumns, i.About.Step)
	answers := make([]imports.Answer, len(i.About.Layout.Columns))
	for n, c := range i.About.Layout.Columns {
		answers[n] = imports.Answer{Name: c.Name, As: habits[n]}
		if name, chosen := names[n]; chosen {
			answers[n].Name = name
		}
	}
	require.NoError(b, b.Imports.MatchColumns(b.Context(), who, i.ID, answers, dates, 0))
	i, err := b.Imports.Import(b.Context(), who, i.ID)
	require.NoError(b, err)
	require.Equal(b, imports.Matched, i.About.Step, "%+v", i.About.Layout)
	return i
}

func TestAnAnswerIsAskedAgainWhenTheNextFileMayMeanSomethingElse(t *testing.T) {
	const head = "Chart,Mom last,Mom first,Mom DOB,Baby DOB,Weight\n"
	mothers := map[int]string{3: "mother_birth_date", 4: "birth_date"}
	for name, c := range map[string]struct {
		first, next string
		names, as   map[int]string
		dates       sheet.DateOrder
		again       bool // no question is asked
	}{
		"the same habits": {
			head + "1,Lee,Ann,3/4/1990,5/6/2026,7.25\n2,Osei,Ada,3/5/1991,5/7/2026,8.5\n",
			head + "3,Hale,Ida,3/4/1992,5/8/2026,6.75\n",
			mothers,
			map[int]string{5: "lb"},
			sheet.MonthFirst, true,
		},
		"the columns in another order": {
			head + "1,Lee,Ann,3/4/1990,5/6/2026,7.25\n",
			"Chart,Mom first,Mom last,Weight,Mom DOB,Baby DOB\n3,Ida,Hale,6.75,3/4/1992,5/8/2026\n",
			mothers,
			map[int]string{5: "lb"},
			sheet.MonthFirst, true,
		},
		"mothers' dates of birth in the place of newborns'": {
			"Chart,Name,DOB\n1,\"Lee, Ann\",2026-03-04\n2,\"Osei, Ada\",2026-03-05\n",
			"Chart,Name,DOB\n3,\"Hale, Ida\",1990-03-04\n4,\"Ode, Uma\",1991-03-05\n",
			map[int]string{2: "birth_date"},
			nil, "", false,
		},
		"newborns of another year": {
			"Chart,Name,DOB\n1,\"Lee, Ann\",2025-03-04\n2,\"Osei, Ada\",2025-03-05\n",
			"Chart,Name,DOB\n3,\"Hale, Ida\",2022-03-04\n4,\"Ode, Uma\",2022-03-05\n",
			map[int]string{2: "birth_date"},
			nil, "", true,
		},
		"newborns of another decade, under a header that can mean nothing else": {
			"Chart,Name,Date of delivery\n1,\"Lee, Ann\",2025-03-04\n",
			"Chart,Name,Date of delivery\n3,\"Hale, Ida\",2012-03-04\n",
			map[int]string{2: "birth_date"},
			map[int]string{1: "given"},
			"", true,
		},
		"kilograms in the place of pounds": {
			head + "1,Lee,Ann,3/4/1990,5/6/2026,7.25\n2,Osei,Ada,3/5/1991,5/7/2026,8.5\n",
			head + "3,Hale,Ida,3/4/1992,5/8/2026,3.25\n4,Mora,Eva,3/4/1992,5/8/2026,3.9\n",
			mothers,
			map[int]string{5: "lb"},
			sheet.MonthFirst, false,
		},
		"a date that proves the other order": {
			head + "1,Lee,Ann,3/4/1990,5/6/2026,7.25\n",
			head + "3,Hale,Ida,3/4/1992,13/6/2026,6.75\n4,Mora,Eva,3/4/1992,5/6/2026,7.25\n",
			mothers,
			map[int]string{5: "lb"},
			sheet.MonthFirst, false,
		},
		"a header that comes twice, in another order": {
			"Chart,Last,DOB,First,Last,DOB\n1,Lee,1990-03-04,Ann,Leeson,2026-05-06\n",
			"Chart,First,Last,DOB,Last,DOB\n2,Ida,Haleson,2026-05-08,Hale,1992-03-04\n",
			map[int]string{1: "mother_family_name", 2: "mother_birth_date", 3: "mother_given_names", 4: "child_family_name", 5: "birth_date"},
			nil, "", false,
		},
		"a header that comes twice, in the same order": {
			"Chart,Last,DOB,First,Last,DOB\n1,Lee,1990-03-04,Ann,Leeson,2026-05-06\n",
			"Chart,Last,DOB,First,Last,DOB\n2,Hale,1992-03-04,Ida,Haleson,2026-05-08\n",
			map[int]string{1: "mother_family_name", 2: "mother_birth_date", 3: "mother_given_names", 4: "child_family_name", 5: "birth_date"},
			nil, "", true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := fixture.New(t)
			answered(b, c.first, c.names, c.as, c.dates)
			next := b.Upload(b.Person(auth.Admin), c.next)
			require.Equal(t, c.again, next.About.Remembered)
			require.Equal(t, c.again, next.About.Step == imports.Matched)
		})
	}
}

func TestDamagedAnswersAreAskedAgainAndADamagedImportHidesNoOther(t *testing.T) {
	b := fixture.New(t)
	const file = "Chart,Mom last,Mom first,Mom DOB,Baby DOB\n1,Lee,Ann,1990-03-04,2026-05-06\n"
	names := map[int]string{3: "mother_birth_date", 4: "birth_date"}
	first := answered(b, file, names, nil, "")
	require.NoError(t, b.DB.Update(func(tx *store.Tx) error {
		if err := tx.SetMatches(b.Caller.Practice, 1, []byte("damaged")); err != nil {
			return err
		}
		row, err := tx.Import(b.Caller.Practice, first.ID)
		if err != nil {
			return err
		}
		row.About = []byte("damaged")
		return tx.SetImport(b.Caller.Practice, row)
	}))
	answered(b, file, names, nil, "")
	who := b.Person(auth.Admin)
	require.True(t, b.Upload(who, file).About.Remembered)
	require.Len(t, b.Listed(who), 3)
}

// The lower case of İ is i, but the two are not equal when case is folded.
func TestHeadersThatDifferInADotlessLetterAreRecalled(t *testing.T) {
	b := fixture.New(t)
	const rest = ",Mom last,Mom first,Baby DOB\n1,Lee,Ann,2026-03-02\n"
	answered(b, "Chart İd"+rest, map[int]string{0: "chart_number"}, nil, "")
	i := b.Upload(b.Person(auth.Admin), "Chart id"+rest)
	require.Len(t, i.About.Layout.Columns, 4)
}
