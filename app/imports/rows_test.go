package imports_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/auth"
	"birthregistry/app/drafts"
	"birthregistry/app/fixture"
	"birthregistry/app/imports"
	"birthregistry/store"
)

const wrongRows = "chart_number,mother_family_name,birth_date,birth_weight_g,fetal_presentation,attendant_name\n" +
	"A,One,2026-03-02,3000,vertex,Rivers\n" +
	"B,Two,2026-03-02,heavy,sideways,Rivers\n" +
	"C,Three,2026-03-02,3000,sideways,\n" +
	"D,Four,2026-03-02,heavy,breech,\n"

func draftsOf(b *fixture.Fixture, who auth.User) []drafts.Draft {
	b.Helper()
	all, err := drafts.New(b.DB, b.Vault, auth.New(b.DB, b.Vault)).List(b.Context(), who, false, 999)
	require.NoError(b, err)
	return all
}

func TestThePreviewGroupsErrorsByValueAndColumnWithWhatIsAllowed(t *testing.T) {
	b := fixture.New(t)
	found := b.Upload(b.Person(auth.Provider), wrongRows).About.Preview
	require.Len(t, found.Values, 2)
	require.Equal(t, []any{"birth_weight_g", "heavy", 2, []int{3, 5}},
		[]any{found.Values[0].Column, found.Values[0].Value, found.Values[0].Count, found.Values[0].Rows})
	require.Equal(t, []any{"fetal_presentation", "sideways", 2}, []any{found.Values[1].Column, found.Values[1].Value, found.Values[1].Count})
	require.Contains(t, imports.Allowed("fetal_presentation"), "Breech")
	require.Equal(t, 3, found.Drafts)
	require.NotContains(t, b.Log.String(), "sideways")
}

func TestARowWithErrorsIsKeptAsADraftWithWhatCouldBeReadAndANote(t *testing.T) {
	b := fixture.New(t)
	who := b.Person(auth.Scribe)
	i := b.Upload(who, wrongRows+"T,Twins,2026-03-04,2400,vertex,\nT,Twins,2026-03-04,light,vertex,\n")
	require.NoError(t, b.Imports.ConfirmWithDrafts(t.Context(), who, i.ID))
	require.NoError(t, b.Imports.ConfirmWithDrafts(t.Context(), who, i.ID), "to confirm twice is to confirm once")
	b.Drain()
	require.Len(t, b.Records(), 1)
	byChart := map[string]drafts.Draft{}
	for _, d := range draftsOf(b, who) {
		byChart[d.Typed.Get("chart_number")] = d
	}
	require.Len(t, byChart, 4)
	two := byChart["B"]
	require.Equal(t, "heavy", two.Typed.Get("child.0.birth_weight_g"), "a box of any text has the text of the file")
	require.Empty(t, two.Row.Get("child.0.birth_weight_g"))
	require.Equal(t, "Two", two.Row.Get("mother_family_name"))
	require.Equal(t, "Rivers", two.Typed.Get("person.0.name"), "the attendant is a provider")
	require.Contains(t, two.Note, "Row 3 of births.csv had errors and was kept as a draft.")
	require.Contains(t, two.Note, "“heavy” can’t be read. Write a whole number")
	require.Contains(t, two.Note, "“sideways” isn’t recognized. Choose one of: ")
	twins := byChart["T"]
	require.Contains(t, twins.Note, "Rows 6 to 7 of births.csv")
	require.Equal(t, []string{"2400", "light"}, []string{twins.Typed.Get("child.0.birth_weight_g"), twins.Typed.Get("child.1.birth_weight_g")})
	done, err := b.Imports.Import(t.Context(), who, i.ID)
	require.NoError(t, err)
	require.Equal(t, []int{0, 4}, []int{done.Result.Errors, done.Result.Drafts})
	require.NotContains(t, b.ErrorFile(who, i.ID), "heavy", "what is kept as a draft isn't left out as well")
}

func TestARowOfARecordOnFileIsNoDraft(t *testing.T) {
	b := fixture.New(t)
	who := b.Person(auth.Provider)
	b.Imported(who, fixture.Head+fixture.Row("A", "One", 1, 3000))
	i := b.Upload(who, "chart_number,birth_weight_g\nA,heavy\nB,heavy\n")
	require.Equal(t, 1, i.About.Preview.Drafts)
	require.NoError(t, b.Imports.ConfirmWithDrafts(t.Context(), who, i.ID), "drafts alone are something to import")
	b.Drain()
	require.Len(t, draftsOf(b, who), 1)
	require.Contains(t, b.ErrorFile(who, i.ID), "A,heavy,")
	done := again(b, who, i.ID).About.Preview
	require.Equal(t, 1, done.Wrong, "the other one is in a draft")
	require.Len(t, done.Values, 1)
	require.Equal(t, []int{2}, done.Values[0].Rows)
}

func TestTooManyRowsForDraftsAreRefusedAndNothingHappens(t *testing.T) {
	b := fixture.New(t)
	who := b.Person(auth.Provider)
	file := "chart_number,mother_family_name,birth_date\nA,One,2026-03-02\n" + strings.Repeat(",Two,never\n", 201)
	i := b.Upload(who, file)
	require.Equal(t, 201, i.About.Preview.Drafts)
	require.ErrorIs(t, b.Imports.ConfirmWithDrafts(t.Context(), who, i.ID), drafts.ErrTooMany)
	require.Empty(t, draftsOf(b, who))
	i, err := b.Imports.Import(t.Context(), who, i.ID)
	require.NoError(t, err)
	require.False(t, i.Confirmed)
	i = b.Upload(who, strings.Replace(file, ",Two,never\n", "", 1))
	require.NoError(t, b.Imports.ConfirmWithDrafts(t.Context(), who, i.ID))
	require.Len(t, draftsOf(b, who), 200)
}

func TestNoTextOfAFileIsStoredInAPreviewOnceTheFileIsDeleted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := fixture.New(t)
		who := b.Person(auth.Provider)
		values := func(id string) (all []string) {
			i, err := b.Imports.Import(t.Context(), who, id)
			require.NoError(t, err)
			for _, v := range i.About.Preview.Values {
				all = append(all, v.Value)
			}
			return append(all, i.About.Ignored...)
		}
		const file = "chart_number,mother_family_name,birth_date,Ada Lovelace\nA,One,1999-03-02,x\nB,Two,never,x\n" // the bubble's clock starts in 2000
		swept, dropped := b.Imported(who, file), b.Imported(who, strings.ReplaceAll(file, "A,", "C,"))
		require.Equal(t, []string{"never", "D (Ada Lovelace)"}, values(swept.ID))
		require.NoError(t, b.Imports.Drop(t.Context(), who, dropped.ID))
		require.Equal(t, []string{"", "D"}, values(dropped.ID))
		time.Sleep(25 * time.Hour)
		n, err := b.Imports.Sweep()
		require.NoError(t, err)
		require.Equal(t, 1, n)
		require.Equal(t, []string{"", "D"}, values(swept.ID))
		changed := b.Imported(who, "chart_number,mother_family_name,birth_date,birth_weight_g\nA,One,1999-03-02,3000\n")
		require.Equal(t, "A", changed.About.Preview.Changed[0].Chart)
		require.NoError(t, b.Imports.Drop(t.Context(), who, changed.ID))
		require.Empty(t, again(b, who, changed.ID).About.Preview.Changed[0].Chart)
		require.NoError(t, b.DB.Close())
	})
}

func TestRowsThatAnImportLeftOutAreNotUndone(t *testing.T) {
	b := fixture.New(t)
	who := b.Person(auth.Provider)
	i := b.Upload(who, wrongRows)
	require.NoError(t, b.Imports.ConfirmWithDrafts(t.Context(), who, i.ID))
	b.Drain()
	require.Equal(t, store.UndoCounts{Voided: 1}, undone(b, who, i.ID).UndoCounts)
	require.Len(t, draftsOf(b, who), 3, "a draft is its author's")
}
