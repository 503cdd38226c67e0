package store

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
)

func TestBirthsAreCountedOncePerProviderByTheirPresentContent(t *testing.T) {
	db := opened(t)
	p := addPractice(t, db)
	var ids []int64
	for _, name := range []string{"One", "Two"} {
		update(t, db, func(tx *Tx) error {
			id, err := tx.AddProvider(p, Provider{Identity: []byte(name), Sealed: []byte{1}, Name: name, Role: birth.RoleMidwife}, "2026-03")
			ids = append(ids, id)
			return err
		})
	}
	first, second := addRecord(t, db, p, "1"), addRecord(t, db, p, "2")
	update(t, db, func(tx *Tx) error {
		return tx.AddAttributions(p, []Attribution{
			{first.ID, 1, ids[0], true, birth.RoleMidwife},
			{first.ID, 1, ids[1], false, birth.RoleNurse},
			{second.ID, 1, ids[1], true, birth.RoleMidwife},
		})
	})
	counts := func() (all [][3]any) {
		view(t, db, func(v *View) error {
			users, _, err := v.Providers(p)
			for _, i := range users {
				all = append(all, [3]any{i.Name, i.Births, i.Attended})
				births, attended, err := v.CountBirths(p, i.ID)
				require.NoError(t, err)
				require.Equal(t, []int{i.Births, i.Attended}, []int{births, attended})
				attended, err = v.CountAttended(p, i.ID)
				require.NoError(t, err)
				require.Equal(t, i.Attended, attended)
			}
			return err
		})
		return all
	}
	require.Equal(t, [][3]any{{"One", 1, 1}, {"Two", 2, 1}}, counts())
	update(t, db, func(tx *Tx) error { return tx.SetMerged(p, ids[0], ids[1]) })
	require.Equal(t, [][3]any{{"Two", 2, 2}}, counts(), "a birth that names both counts once")
	view(t, db, func(v *View) error {
		identities, err := v.Identities(p, ids[1])
		require.NoError(t, err)
		require.Len(t, identities, 2)
		require.Equal(t, []int{2, 1}, []int{identities[0].Births, identities[1].Births})
		named, err := v.ProvidersOf(p, first.ID, 1)
		require.Equal(t, []string{"Two", "Two"}, []string{named[0].Name, named[1].Name})
		require.Equal(t, birth.RoleNurse, named[1].Role, "in the role of the day")
		require.Equal(t, ids[1], named[0].SurvivorID())
		return err
	})
	raw(t, db, `update records set state = 'voided' where id = ?`, second.ID)
	require.Equal(t, [][3]any{{"Two", 1, 1}}, counts())
	raw(t, db, `update records set content = 2 where id = ?`, first.ID)
	require.Equal(t, [][3]any{{"Two", 0, 0}}, counts(), "who was named once and is not any more")
}

func TestTheBirthsThatSomebodyAttendedAreCountedUpToAHundred(t *testing.T) {
	db := opened(t)
	p := addPractice(t, db)
	var records []Record
	var births []Attribution
	for i := range int64(CountedTo + 20) {
		records = append(records, Record{ID: i + 1, UUID: fmt.Sprint(i), State: birth.Active, Version: 1, Content: 1})
		births = append(births, Attribution{i + 1, 1, 1, true, birth.RoleMidwife})
	}
	update(t, db, func(tx *Tx) error {
		if _, err := tx.AddProvider(p, Provider{Identity: []byte{1}, Sealed: []byte{1}, Name: "One", Role: birth.RoleMidwife}, "2026-03"); err != nil {
			return err
		}
		if err := tx.AddRecords(p, records); err != nil {
			return err
		}
		return tx.AddAttributions(p, births)
	})
	view(t, db, func(v *View) error {
		attended, err := v.CountAttended(p, 1)
		require.Equal(t, CountedTo, attended)
		return err
	})
}

// A provider's role on births from before a review stays the role stated first.
func TestTheRoleOnTheDayOfABirthComesFromTheCareerLog(t *testing.T) {
	path := t.TempDir() + "/registry.db"
	old := migratedTo(t, path, 8)
	for _, query := range []string{
		`insert into practices (id, name, created_at) values (1, 'Riverside', 1)`,
		`insert into records (id, uuid, practice, state, version, content, created_at, updated_at) values (1, 'a', 1, 'active', 2, 2, 1, 1)`,
		`insert into versions (record, version, content, change, source, created_at) values
			(1, 1, 1, 'create', 'fhir_push', 1000), (1, 2, 2, 'amend', 'fhir_push', 3000)`,
		`insert into providers (id, practice, identity, sealed, name, credentials, role, created_at, updated_at) values
			(1, 1, x'01', x'01', 'Lee', 'CPM', 'midwife', 1, 1), (2, 1, x'02', x'02', 'Ek', '', 'doula', 1, 1)`,
		`update providers set merged_into = 1 where id = 2`,
		`insert into provider_log (provider, name, credentials, role, at) values
			(1, 'Lee', '', 'assistant', 1000), (1, 'Lee', 'CPM', 'midwife', 2000), (2, 'Ek', '', 'doula', 5000)`,
		`insert into attributions (record, version, provider, attending) values (1, 1, 1, 1), (1, 2, 1, 1), (1, 2, 2, 0)`,
	} {
		_, err := old.Exec(query)
		require.NoError(t, err, query)
	}
	db := openedAt(t, path)
	view(t, db, func(v *View) error {
		named, err := v.ProvidersOf(1, 1, 2)
		require.NoError(t, err)
		require.Equal(t, []birth.Role{birth.RoleAssistant, birth.RoleDoula}, []birth.Role{named[0].Role, named[1].Role})
		require.EqualValues(t, 1, named[1].SurvivorID(), "what was merged has a survivor")
		careers, err := v.Careers(1, []int64{1})
		require.Equal(t, birth.Career{{Role: birth.RoleAssistant, Since: "1970-01"}, {Role: birth.RoleMidwife, Since: "1970-01"}}, careers[1])
		return err
	})
}
