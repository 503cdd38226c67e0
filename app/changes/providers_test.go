package changes_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/changes"
	"birthregistry/app/fixture"
	"birthregistry/app/review"
	"birthregistry/store"
)

func TestAStudentWhoBecomesAMidwifeDoesNotRewriteThePast(t *testing.T) {
	b := fixture.New(t)
	b.Push(fixture.BirthBy("old", "Okonkwo", "2025-06-03", "lee", "", "Lee", "Assistant"))
	b.Push(fixture.BirthBy("new", "Haddad", "2026-03-02", "lee", "", "Lee", "CPM"))
	require.Equal(t, birth.RoleAssistant, b.Attendant("old"))
	require.Equal(t, birth.RoleMidwife, b.Attendant("new"), "the birth whose record stated it, too")

	b.Push(fixture.BirthBy("old", "Okonkwo", "2025-06-03", "lee", "", "Lee", "CPM")) // all births are sent again
	b.Push(fixture.BirthBy("late", "Novak", "2025-07-01", "lee", "", "Lee", "CPM"))
	require.Equal(t, birth.RoleAssistant, b.Attendant("old"))
	require.Equal(t, birth.RoleAssistant, b.Attendant("late"), "one that comes late, under the title of today")
	b.Push(fixture.BirthBy("old", "Okonkwo", "2025-06-03", "lee", "", "Lee", "Assistant")) // and again as they were
	require.Equal(t, birth.RoleMidwife, b.ProvidersByName()["Lee"].Role, "what was is no news")
	require.Equal(t, []string{"said Lee Assistant assistant 2025-06", "said Lee CPM midwife 2026-03"}, b.Career(b.ProvidersByName()["Lee"].ID))
	b.Clean()
}

func TestEarlierBirthsShowTheRoleOfThatTime(t *testing.T) {
	b := fixture.New(t)
	b.Push(fixture.BirthBy("new", "Haddad", "2026-03-02", "lee", "", "Lee", "CPM"))
	b.Push(fixture.BirthBy("old", "Okonkwo", "2025-06-03", "lee", "", "Lee", "Assistant"))
	require.Equal(t, birth.RoleAssistant, b.Attendant("old"))
	require.Equal(t, birth.RoleMidwife, b.Attendant("new"))
	require.Equal(t, birth.RoleMidwife, b.ProvidersByName()["Lee"].Role, "at present")
	require.Equal(t, []string{"said Lee CPM midwife 2026-03", "said Lee Assistant assistant 2025-06"}, b.Career(b.ProvidersByName()["Lee"].ID))
}

func TestAnUnknownRoleIsCorrectedByAnAmendment(t *testing.T) {
	b := fixture.New(t)
	b.Push(fixture.BirthBy("1", "Okonkwo", "2025-06-03", "lee", "", "Lee", "MD"))
	require.Equal(t, birth.RoleOther, b.Attendant("1"))
	b.Push(fixture.BirthBy("1", "Okonkwo", "2025-06-03", "lee", "", "Lee", "CNM"))
	require.Equal(t, birth.RoleMidwife, b.Attendant("1"))
	b.Push(fixture.BirthBy("2", "Haddad", "2025-05-03", "lee", "", "Lee", "CNM"))
	require.Equal(t, birth.RoleMidwife, b.Attendant("2"), "from the beginning")
}

func TestARoleThatWasWrongIsCorrectedWithinTheMonthOfTheBirth(t *testing.T) {
	b := fixture.New(t)
	born := time.Now().UTC().Format("2006-01-02")
	b.Push(fixture.BirthBy("1", "Okonkwo", born, "lee", "", "Lee", "RN"))
	require.Equal(t, birth.RoleNurse, b.Attendant("1"))
	b.Push(fixture.BirthBy("1", "Okonkwo", born, "lee", "", "Lee", "CNM"))
	require.Equal(t, birth.RoleMidwife, b.Attendant("1"))
	require.Equal(t, birth.RoleMidwife, b.ProvidersByName()["Lee"].Role)
}

func TestTheCareerLogListsNamesAndTitlesOnce(t *testing.T) {
	b := fixture.New(t)
	for range 3 {
		b.Push(fixture.BirthBy("1", "Okonkwo", "2026-03-02", "lee", "", "Jane Lee", "CNM"))
	}
	b.Push(fixture.BirthBy("2", "Haddad", "2026-03-04", "lee", "", "Jane Lee-Novak", "CNM"))
	log := b.Career(b.ProvidersByName()["Jane Lee-Novak"].ID)
	require.Len(t, log, 2)
	require.Contains(t, log[1], "Jane Lee-Novak CNM midwife")
}

func TestAMergeMovesAttributionToTheSurvivorAndUndoingItMovesItBack(t *testing.T) {
	d, goes, stays := fixture.TwoIdentities(t)
	before := d.ProvidersByName()
	require.NoError(t, d.Review.MergeProvider(d.Admin, goes, stays))
	require.Len(t, d.ProvidersByName(), 1)
	require.Equal(t, []int{2, 2}, []int{d.ProvidersByName()["Jane Lee"].Births, d.ProvidersByName()["Jane Lee"].Attended})
	on, err := d.Changes.BaseVersion(t.Context(), d.Caller.Practice, d.Records()[1].UUID)
	require.NoError(t, err)
	require.Equal(t, "Jane Lee", on.Draft.Providers[0].Name)
	require.Equal(t, birth.RoleNurse, d.Attendant("1"), "the role on the day of the birth does not follow a merge")

	d.Push(fixture.BirthBy("3", "Novak", "2026-03-04", "17", "", "J. Lee", "RN")) // the identity is still sent
	require.Equal(t, 3, d.ProvidersByName()["Jane Lee"].Births)
	require.Equal(t, birth.RoleMidwife, d.ProvidersByName()["Jane Lee"].Role)
	d.Clean()

	require.NoError(t, d.Review.UnmergeProvider(d.Admin, goes))
	after := d.ProvidersByName()
	require.Equal(t, 2, after["J. Lee"].Births, "with what has come since")
	require.Equal(t, before["Jane Lee"].Births, after["Jane Lee"].Births)
	require.Equal(t, before["Jane Lee"].Role, after["Jane Lee"].Role)
	require.Equal(t, before["J. Lee"].Role, after["J. Lee"].Role)
	for _, id := range []int64{goes, stays} {
		log := d.Career(id)
		require.Len(t, log, 3)
		require.Contains(t, log[1], "merge ")
		require.Contains(t, log[2], "unmerge ")
		require.Contains(t, log[2], "by Robin")
	}
	require.Equal(t, []string{
		fmt.Sprintf("provider.merge provider %d into %d", goes, stays), fmt.Sprintf("provider.unmerge provider %d from %d", goes, stays),
	}, d.Trail())
	d.Clean()
}

func TestTheCareerOfAMergedIdentityContinues(t *testing.T) {
	d := fixture.NewStaffed(t)
	d.Push(fixture.BirthBy("1", "Okonkwo", "2025-06-03", "17", "", "J. Lee", "Assistant"))
	d.Push(fixture.BirthBy("2", "Haddad", "2025-06-04", "lee@clinic", "", "Jane Lee", "Assistant"))
	goes, stays := d.ProvidersByName()["J. Lee"].ID, d.ProvidersByName()["Jane Lee"].ID
	require.NoError(t, d.Review.MergeProvider(d.Admin, goes, stays))

	d.Push(fixture.BirthBy("3", "Novak", "2026-03-04", "17", "", "J. Lee-Novak", "CPM"))
	d.Push(fixture.BirthBy("late", "Moreau", "2025-07-01", "17", "", "J. Lee-Novak", "CPM"))
	require.Equal(t, birth.RoleMidwife, d.Attendant("3"))
	require.Equal(t, birth.RoleAssistant, d.Attendant("late"), "before that role")
	require.Contains(t, d.Career(stays), "said J. Lee-Novak CPM midwife 2026-03")
	require.Equal(t, birth.RoleAssistant, d.ProvidersByName()["Jane Lee"].Role, "the survivor's own")
	d.Clean()

	require.NoError(t, d.Review.UnmergeProvider(d.Admin, goes))
	require.Equal(t, birth.RoleMidwife, d.ProvidersByName()["J. Lee-Novak"].Role)
}

func TestAChainOfMergesComesApartLinkByLink(t *testing.T) {
	d, one, two := fixture.TwoIdentities(t)
	d.Push(fixture.BirthBy("3", "Novak", "2026-03-04", "third", "", "Lee Jane", "CNM"))
	three := d.ProvidersByName()["Lee Jane"].ID
	require.NoError(t, d.Review.MergeProvider(d.Admin, one, two))
	require.NoError(t, d.Review.MergeProvider(d.Admin, two, three))
	require.Equal(t, 3, d.ProvidersByName()["Lee Jane"].Births)
	require.ErrorIs(t, d.Review.MergeProvider(d.Admin, three, one), review.ErrMergedInto)
	require.ErrorIs(t, d.Review.MergeProvider(d.Admin, one, three), review.ErrMergedInto)
	require.ErrorIs(t, d.Review.MergeProvider(d.Admin, three, three), review.ErrSameProvider)
	d.Clean()
	require.NoError(t, d.Review.UnmergeProvider(d.Admin, two))
	require.Equal(t, 2, d.ProvidersByName()["Jane Lee"].Births, "with what had been merged into it before")
	require.Equal(t, 1, d.ProvidersByName()["Lee Jane"].Births)
	require.NoError(t, d.Review.UnmergeProvider(d.Admin, one))
	require.ErrorIs(t, d.Review.UnmergeProvider(d.Admin, one), review.ErrNotMerged)
	require.Len(t, d.ProvidersByName(), 3)
	d.Clean()
}

func TestOnlyAnAdminMergesProvidersAndOnlyOfTheirPractice(t *testing.T) {
	d, goes, stays := fixture.TwoIdentities(t)
	for _, who := range []auth.User{d.Provider, d.Scribe, d.Viewer} {
		require.ErrorIs(t, d.Review.MergeProvider(who, goes, stays), auth.ErrForbidden)
		require.ErrorIs(t, d.Review.UnmergeProvider(who, goes), auth.ErrForbidden)
	}
	elsewhere := d.Admin
	require.NoError(t, d.DB.Update(func(tx *store.Tx) (err error) {
		elsewhere.Practice.ID, err = tx.AddPractice("Hillside", false, false)
		return err
	}))
	require.ErrorIs(t, d.Review.MergeProvider(elsewhere, goes, stays), store.ErrNotFound)
	require.ErrorIs(t, d.Review.UnmergeProvider(elsewhere, goes), store.ErrNotFound)
}

func TestAmendingABirthByHandLeavesTheCareerUnchanged(t *testing.T) {
	d := fixture.NewStaffed(t)
	d.Push(fixture.BirthBy("old", "Okonkwo", "2025-06-03", "lee", "", "Lee", "Assistant"))
	d.Push(fixture.BirthBy("new", "Haddad", "2026-03-02", "lee", "", "Lee", "CPM"))
	old := d.Records()[1]
	require.Equal(t, "old", old.Chart)
	on, err := d.Changes.BaseVersion(t.Context(), d.Caller.Practice, old.UUID)
	require.NoError(t, err)
	on.Draft.Children[0].Set(birth.Must("birth_weight_g"), birth.Value{Number: 3300, Source: birth.Manual})
	d.Save(d.Provider, changes.Form{Draft: on.Draft, UUID: old.UUID, BaseVersion: 1})
	require.Equal(t, birth.RoleAssistant, d.Attendant("old"))
	require.Equal(t, birth.RoleMidwife, d.ProvidersByName()["Lee"].Role)
	require.Len(t, d.Career(d.ProvidersByName()["Lee"].ID), 2)
}
