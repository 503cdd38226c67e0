package changes_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/changes"
	"birthregistry/app/fixture"
)

func TestTheIndexOfNamesFollowsAnAmendmentAVoidARestoreAndAPush(t *testing.T) {
	s := fixture.NewStaffed(t)
	saved := s.Save(s.Provider, changes.Form{Draft: fixture.Typed("1", "Okafor", 3000)})
	require.Equal(t, []string{"1"}, s.Found("oka"))
	before := s.Names()
	require.Empty(t, s.Found("haddad"))

	saved = s.Save(s.Provider, changes.Form{Draft: fixture.Typed("1", "Okafor", 3100), UUID: saved.UUID, BaseVersion: saved.Version})
	require.Equal(t, before, s.Names(), "an amendment that leaves the name leaves the index")
	saved = s.Save(s.Provider, changes.Form{Draft: fixture.Typed("1", "Haddad", 3100), UUID: saved.UUID, BaseVersion: saved.Version})
	require.Empty(t, s.Found("oka"))
	require.Equal(t, []string{"1"}, s.Found("haddad"))
	s.Clean()

	_, err := s.Changes.Void(s.Provider, saved.UUID, "mistake", saved.Version)
	require.NoError(t, err)
	require.Equal(t, []string{"1"}, s.Found("haddad"), "a voided record is found as well")
	_, err = s.Changes.Restore(s.Provider, saved.UUID, "back")
	require.NoError(t, err)
	require.Equal(t, []string{"1"}, s.Found("haddad"))

	s.Push(fixture.Birth("2", "Oyelaran", fixture.Evening))
	require.Equal(t, []string{"2"}, s.Found("oyel"))
	s.Push(fixture.Birth("2", "Nakamura", fixture.Evening))
	require.Empty(t, s.Found("oyel"))
	require.Equal(t, []string{"2"}, s.Found("nakamura"))
	s.Push(fixture.Batch(fixture.Deletion("Bundle/2")))
	require.Equal(t, []string{"2"}, s.Found("nakamura"))
	s.Clean()
}

func TestTheIndexOfNamesFollowsAMergeAndItsUndo(t *testing.T) {
	c := fixture.NewPair(t)
	before := c.Names()
	merged := c.Did(c.Review.Merge(c.Provider, c.Of(), "", nil))
	require.Equal(t, []string{"1", "2"}, c.Found("okonkwo"), "both are on file")
	_, err := c.Review.Undo(c.Provider, merged)
	require.NoError(t, err)
	require.Equal(t, before, c.Names())
	c.Clean()
}

func TestTheNamesOfAnEarlierVersionAreIndexedByAStepThatResumesAfterAnInterruption(t *testing.T) {
	b := fixture.New(t)
	var courses []string
	for n := range 240 {
		courses = append(courses, fixture.Birth(fmt.Sprint("c", n), fmt.Sprint("De La ", n), fixture.Evening))
	}
	b.Push(fixture.Batch(courses...))
	want := b.Names()
	require.Len(t, want, 240)
	require.Empty(t, b.IndexNames(), "those of records that are new are indexed")
	b.Raw("delete from names", "insert into names_due select id from records")

	ctx, cutOff := context.WithCancel(context.Background())
	require.ErrorIs(t, b.Changes.IndexNames(ctx, func(done, _ int) {
		if done == 100 {
			cutOff()
		}
	}), context.Canceled)
	b.Restart()
	require.Equal(t, []string{"0/140", "100/140", "140/140"}, b.IndexNames(), "what was done is kept")
	require.Equal(t, want, b.Names())
	b.Clean()
}

func TestTheNamesSurviveARotationOfTheKey(t *testing.T) {
	b := fixture.New(t)
	b.Push(fixture.Birth("a", "Okafor", fixture.Evening))
	before := b.Names()
	_, err := b.Vault.Rotate(t.Context(), func(int, int) {})
	require.NoError(t, err)
	b.Restart()
	require.Equal(t, []string{"a"}, b.Found("okaf"))
	b.Push(fixture.Birth("a", "Okafor", fixture.Night))
	require.Equal(t, before, b.Names())
	b.Clean()
}

func TestARecordThatCannotBeReadIsLeftOutOfTheIndexAndStopsNothing(t *testing.T) {
	b := fixture.New(t)
	b.Push(fixture.Batch(fixture.Birth("a", "Okonkwo", fixture.Evening), fixture.Birth("b", "Haddad", fixture.Evening)))
	b.Raw("delete from names", "insert into names_due select id from records",
		"update versions set patient = zeroblob(length(patient)) where record = 1")
	require.Len(t, b.IndexNames(), 2)
	require.Empty(t, b.Found("okonkwo"))
	require.Equal(t, []string{"b"}, b.Found("haddad"))
	require.NotContains(t, b.Log.String(), "Okonkwo")
}

func TestNoNameAndNoPartOfOneIsReadableInTheFileItsWALOrItsFreePages(t *testing.T) {
	s := fixture.NewStaffed(t)
	families := []string{"Qvortzanix", "Wexlyphond", "Jumbrikovay"}
	saved := s.Save(s.Provider, changes.Form{Draft: fixture.Typed("1", families[0], 3000)})
	s.Push(fixture.Birth("2", families[2], fixture.Evening))
	_ = s.Save(s.Provider, changes.Form{Draft: fixture.Typed("1", families[1], 3000), UUID: saved.UUID, BaseVersion: saved.Version})
	require.Equal(t, []string{"1"}, s.Found("wexly"))
	require.Empty(t, s.Found("qvort"))
	inClear := func() (parts []string) {
		for _, family := range families {
			for at := range len(family) - 4 {
				part := family[at : at+5]
				for _, written := range []string{part, strings.ToLower(part), strings.ToUpper(part)} {
					if fixture.OnDisk(t, s.Path, []byte(written)) {
						parts = append(parts, written)
					}
				}
			}
		}
		return parts
	}
	require.Empty(t, inClear())
	s.Raw("insert into names (practice, word, record) values (1, cast('wexlyphond' as blob), 1)")
	require.NotEmpty(t, inClear(), "the test can find one")
}
