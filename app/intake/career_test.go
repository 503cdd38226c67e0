package intake

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/store"
)

// birthBy is a birth that somebody with an id, a name and a title attended.
func birthBy(chart, mother, born, id, npi, name, title string) string {
	identifier := fmt.Sprintf(`{"value":%q}`, id)
	if npi != "" {
		identifier = fmt.Sprintf(`{"system":"http://hl7.org/fhir/sid/us-npi","value":%q},%s`, npi, identifier)
	}
	return fmt.Sprintf(`{"resourceType":"Bundle","identifier":{"value":%q},"type":"document","entry":[
		{"resource":{"resourceType":"Patient","id":"m","meta":{"profile":["x/Patient-mother-vr"]},"name":[{"family":%q}]}},
		{"resource":{"resourceType":"Patient","id":"c","meta":{"profile":["x/Patient-child-vr"]},"birthDate":%q}},
		{"resource":{"resourceType":"Practitioner","id":"p","identifier":[%s],"name":[{"text":%q}],"qualification":[{"code":{"text":%q}}]}},
		{"resource":{"resourceType":"Encounter","participant":[{"type":[{"coding":[{"code":"ATND"}]}],"individual":{"reference":"Practitioner/p"}}]}}]}`,
		chart, mother, born, identifier, name, title)
}

// attendant is the role that counts for a birth, where it is kept three times.
func (b *bed) attendant(chart string) birth.Role {
	b.Helper()
	var role birth.Role
	require.NoError(b, b.db.View(context.Background(), func(v *store.View) error {
		found, err := v.RecordsByChart(b.caller.Practice, []string{chart})
		require.NoError(b, err)
		require.Len(b, found, 1)
		named, err := v.ProvidersOf(b.caller.Practice, found[0].ID, found[0].Content)
		require.Len(b, named, 1)
		role = named[0].Role
		require.Equal(b, string(role), found[0].Facts.Attendant)
		on, err2 := b.BaseVersion(context.Background(), b.caller.Practice, found[0].UUID)
		require.NoError(b, err2)
		require.Equal(b, string(role), on.Draft.Care.Text("attendant_type"))
		return err
	}))
	return role
}

// who are the providers of the practice, by name.
func (b *bed) who() map[string]store.Identity {
	b.Helper()
	all := map[string]store.Identity{}
	require.NoError(b, b.db.View(context.Background(), func(v *store.View) error {
		people, err := v.People(b.caller.Practice)
		for _, p := range people {
			all[p.Name] = p
		}
		return err
	}))
	return all
}

func (b *bed) career(id int64) (log []string) {
	b.Helper()
	require.NoError(b, b.db.View(context.Background(), func(v *store.View) error {
		entries, err := v.Career(b.caller.Practice, id)
		for _, e := range entries {
			text := fmt.Sprintf("%s %s %s %s %s", e.Kind, e.Name, e.Credentials, e.Role, e.Since)
			if e.Other != 0 {
				text = e.Kind + " " + e.OtherName + " by " + e.By
			}
			log = append(log, text)
		}
		return err
	}))
	return log
}

func TestAStudentWhoBecomesAMidwifeDoesNotRewriteThePast(t *testing.T) {
	b := newBed(t)
	b.push(birthBy("old", "Okonkwo", "2025-06-03", "lee", "", "Lee", "Assistant"))
	b.push(birthBy("new", "Haddad", "2026-03-02", "lee", "", "Lee", "CPM"))
	require.Equal(t, birth.RoleAssistant, b.attendant("old"))
	require.Equal(t, birth.RoleMidwife, b.attendant("new"), "the birth that told of it as well")

	b.push(birthBy("old", "Okonkwo", "2025-06-03", "lee", "", "Lee", "CPM")) // all births are sent again
	b.push(birthBy("late", "Novak", "2025-07-01", "lee", "", "Lee", "CPM"))
	require.Equal(t, birth.RoleAssistant, b.attendant("old"))
	require.Equal(t, birth.RoleAssistant, b.attendant("late"), "one that comes late, under the title of today")
	b.push(birthBy("old", "Okonkwo", "2025-06-03", "lee", "", "Lee", "Assistant")) // and as it was
	require.Equal(t, birth.RoleMidwife, b.who()["Lee"].Role, "what was is no news")
	require.Equal(t, []string{"said Lee Assistant assistant 2025-06", "said Lee CPM midwife 2026-03"}, b.career(b.who()["Lee"].ID))
	b.clean()
}

func TestBirthsOfFormerYearsTellOfAFormerRole(t *testing.T) {
	b := newBed(t)
	b.push(birthBy("new", "Haddad", "2026-03-02", "lee", "", "Lee", "CPM"))
	b.push(birthBy("old", "Okonkwo", "2025-06-03", "lee", "", "Lee", "Assistant"))
	require.Equal(t, birth.RoleAssistant, b.attendant("old"))
	require.Equal(t, birth.RoleMidwife, b.attendant("new"))
	require.Equal(t, birth.RoleMidwife, b.who()["Lee"].Role, "at present")
	require.Equal(t, []string{"said Lee CPM midwife 2026-03", "said Lee Assistant assistant 2025-06"}, b.career(b.who()["Lee"].ID))
}

func TestARoleThatWasNotKnownIsCorrectedByAnAmendment(t *testing.T) {
	b := newBed(t)
	b.push(birthBy("1", "Okonkwo", "2025-06-03", "lee", "", "Lee", "MD"))
	require.Equal(t, birth.RoleOther, b.attendant("1"))
	b.push(birthBy("1", "Okonkwo", "2025-06-03", "lee", "", "Lee", "CNM"))
	require.Equal(t, birth.RoleMidwife, b.attendant("1"))
	b.push(birthBy("2", "Haddad", "2025-05-03", "lee", "", "Lee", "CNM"))
	require.Equal(t, birth.RoleMidwife, b.attendant("2"), "from the beginning")
}

func TestARoleThatWasWrongIsCorrectedWithinTheMonthOfTheBirth(t *testing.T) {
	b := newBed(t)
	born := time.Now().UTC().Format("2006-01-02")
	b.push(birthBy("1", "Okonkwo", born, "lee", "", "Lee", "RN"))
	require.Equal(t, birth.RoleNurse, b.attendant("1"))
	b.push(birthBy("1", "Okonkwo", born, "lee", "", "Lee", "CNM"))
	require.Equal(t, birth.RoleMidwife, b.attendant("1"))
	require.Equal(t, birth.RoleMidwife, b.who()["Lee"].Role)
}

func TestTheCareerLogTellsOfNamesAndTitlesOnce(t *testing.T) {
	b := newBed(t)
	for range 3 {
		b.push(birthBy("1", "Okonkwo", "2026-03-02", "lee", "", "Jane Lee", "CNM"))
	}
	b.push(birthBy("2", "Haddad", "2026-03-04", "lee", "", "Jane Lee-Novak", "CNM"))
	log := b.career(b.who()["Jane Lee-Novak"].ID)
	require.Len(t, log, 2)
	require.Contains(t, log[1], "Jane Lee-Novak CNM midwife")
}

// people pushes a birth of each of two identities of Jane Lee.
func people(t *testing.T) (d *desk, goes, stays int64) {
	d = newDesk(t)
	d.push(birthBy("1", "Okonkwo", "2026-03-02", "17", "1234567893", "J. Lee", "RN"))
	d.push(birthBy("2", "Haddad", "2026-03-03", "lee@clinic", "1234567893", "Jane Lee", "CNM"))
	who := d.who()
	return d, who["J. Lee"].ID, who["Jane Lee"].ID
}

func TestAMergeRepointsAttributionToTheSurvivorAndItsUndoingRestoresIt(t *testing.T) {
	d, goes, stays := people(t)
	before := d.who()
	require.NoError(t, d.MergeProvider(d.admin, goes, stays))
	require.Len(t, d.who(), 1)
	require.Equal(t, []int{2, 2}, []int{d.who()["Jane Lee"].Births, d.who()["Jane Lee"].Attended})
	on, err := d.BaseVersion(t.Context(), d.caller.Practice, d.records()[1].UUID)
	require.NoError(t, err)
	require.Equal(t, "Jane Lee", on.Draft.Providers[0].Name)
	require.Equal(t, birth.RoleNurse, d.attendant("1"), "the role on the day of the birth does not follow a merge")

	d.push(birthBy("3", "Novak", "2026-03-04", "17", "", "J. Lee", "RN")) // the identity goes on to be sent
	require.Equal(t, 3, d.who()["Jane Lee"].Births)
	require.Equal(t, birth.RoleMidwife, d.who()["Jane Lee"].Role)
	d.clean()

	require.NoError(t, d.UnmergeProvider(d.admin, goes))
	after := d.who()
	require.Equal(t, 2, after["J. Lee"].Births, "with what has come since")
	require.Equal(t, before["Jane Lee"].Births, after["Jane Lee"].Births)
	require.Equal(t, before["Jane Lee"].Role, after["Jane Lee"].Role)
	require.Equal(t, before["J. Lee"].Role, after["J. Lee"].Role)
	for _, id := range []int64{goes, stays} {
		log := d.career(id)
		require.Len(t, log, 3)
		require.Contains(t, log[1], "merge ")
		require.Contains(t, log[2], "unmerge ")
		require.Contains(t, log[2], "by Robin")
	}
	require.Equal(t, []string{
		fmt.Sprintf("provider.merge provider %d into %d", goes, stays), fmt.Sprintf("provider.unmerge provider %d from %d", goes, stays),
	}, d.trail())
	d.clean()
}

func TestTheCareerOfAMergedIdentityGoesOn(t *testing.T) {
	d := newDesk(t)
	d.push(birthBy("1", "Okonkwo", "2025-06-03", "17", "", "J. Lee", "Assistant"))
	d.push(birthBy("2", "Haddad", "2025-06-04", "lee@clinic", "", "Jane Lee", "Assistant"))
	goes, stays := d.who()["J. Lee"].ID, d.who()["Jane Lee"].ID
	require.NoError(t, d.MergeProvider(d.admin, goes, stays))

	d.push(birthBy("3", "Novak", "2026-03-04", "17", "", "J. Lee-Novak", "CPM"))
	d.push(birthBy("late", "Moreau", "2025-07-01", "17", "", "J. Lee-Novak", "CPM"))
	require.Equal(t, birth.RoleMidwife, d.attendant("3"))
	require.Equal(t, birth.RoleAssistant, d.attendant("late"), "before that role")
	require.Contains(t, d.career(stays), "said J. Lee-Novak CPM midwife 2026-03")
	require.Equal(t, birth.RoleAssistant, d.who()["Jane Lee"].Role, "the survivor's own")
	d.clean()

	require.NoError(t, d.UnmergeProvider(d.admin, goes))
	require.Equal(t, birth.RoleMidwife, d.who()["J. Lee-Novak"].Role)
}

func TestAChainOfMergesComesApartLinkByLink(t *testing.T) {
	d, one, two := people(t)
	d.push(birthBy("3", "Novak", "2026-03-04", "third", "", "Lee Jane", "CNM"))
	three := d.who()["Lee Jane"].ID
	require.NoError(t, d.MergeProvider(d.admin, one, two))
	require.NoError(t, d.MergeProvider(d.admin, two, three))
	require.Equal(t, 3, d.who()["Lee Jane"].Births)
	require.ErrorIs(t, d.MergeProvider(d.admin, three, one), ErrMergedInto)
	require.ErrorIs(t, d.MergeProvider(d.admin, one, three), ErrMergedInto)
	require.ErrorIs(t, d.MergeProvider(d.admin, three, three), ErrSamePerson)
	d.clean()
	require.NoError(t, d.UnmergeProvider(d.admin, two))
	require.Equal(t, 2, d.who()["Jane Lee"].Births, "with what had been merged into it before")
	require.Equal(t, 1, d.who()["Lee Jane"].Births)
	require.NoError(t, d.UnmergeProvider(d.admin, one))
	require.ErrorIs(t, d.UnmergeProvider(d.admin, one), ErrNotMerged)
	require.Len(t, d.who(), 3)
	d.clean()
}

func TestOnlyAnAdminMergesProvidersAndOnlyOwnOnes(t *testing.T) {
	d, goes, stays := people(t)
	for _, who := range []auth.User{d.provider, d.scribe, d.viewer} {
		require.ErrorIs(t, d.MergeProvider(who, goes, stays), auth.ErrForbidden)
		require.ErrorIs(t, d.UnmergeProvider(who, goes), auth.ErrForbidden)
	}
	elsewhere := d.admin
	require.NoError(t, d.db.Update(func(tx *store.Tx) (err error) {
		elsewhere.Practice.ID, err = tx.AddPractice("Hillside", false, false)
		return err
	}))
	require.ErrorIs(t, d.MergeProvider(elsewhere, goes, stays), store.ErrNotFound)
	require.ErrorIs(t, d.UnmergeProvider(elsewhere, goes), store.ErrNotFound)
}

func TestAPersonWhoAmendsABirthLeavesTheCareerAsItIs(t *testing.T) {
	d := newDesk(t)
	d.push(birthBy("old", "Okonkwo", "2025-06-03", "lee", "", "Lee", "Assistant"))
	d.push(birthBy("new", "Haddad", "2026-03-02", "lee", "", "Lee", "CPM"))
	old := d.records()[1]
	require.Equal(t, "old", old.Chart)
	on, err := d.BaseVersion(t.Context(), d.caller.Practice, old.UUID)
	require.NoError(t, err)
	on.Draft.Children[0].Set(birth.Must("birth_weight_g"), birth.Value{Number: 3300, Source: birth.Manual})
	d.save(d.provider, Entry{Draft: on.Draft, UUID: old.UUID, BaseVersion: 1})
	require.Equal(t, birth.RoleAssistant, d.attendant("old"))
	require.Equal(t, birth.RoleMidwife, d.who()["Lee"].Role)
	require.Len(t, d.career(d.who()["Lee"].ID), 2)
}
