package store

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
)

func TestAVersionKeepsItsContentAndARetractionKeepsTheLast(t *testing.T) {
	db := opened(t)
	p := addPractice(t, db)
	r := addRecord(t, db, p, "chart")
	stamp := time.Date(2026, 3, 2, 4, 18, 0, 7, time.UTC)
	i := accept(t, db, p)
	update(t, db, func(tx *Tx) error {
		return tx.AddVersions(p, []Version{
			{
				Record: r.ID, Version: 2, Content: 2, Change: "amend", Source: birth.CSV, Ingestion: i.ID, Item: 0,
				Stamp: stamp, IGVersion: "2.0.0", Reading: birth.BFDRReading, Course: &course, Patient: []byte("second"),
			},
			{Record: r.ID, Version: 3, Content: 2, Change: "void", Source: birth.FHIRPush, Ingestion: i.ID, Item: 1},
		})
	})
	view(t, db, func(v *View) error {
		one, err := v.VersionOf(p, r.ID, 1)
		require.NoError(t, err)
		require.Equal(t, StoredVersion{
			Version: 1, Content: 1, Change: "create", State: birth.Active, Source: birth.FHIRPush, Reading: birth.SpecReading,
			Clinical: course.Clinical(), Patient: []byte("sealed patient"), At: one.At,
		}, one)
		two, err := v.VersionOf(p, r.ID, 2)
		require.NoError(t, err)
		require.Equal(t, StoredVersion{
			Version: 2, Content: 2, Change: "amend", State: birth.Active, Source: birth.CSV, Stamp: stamp, IGVersion: "2.0.0", Reading: birth.BFDRReading,
			Clinical: course.Clinical(), Patient: []byte("second"), At: two.At,
		}, two)
		three, err := v.VersionOf(p, r.ID, 3)
		require.NoError(t, err)
		two.Version, two.Change, two.State, two.Source = 3, "void", birth.Voided, birth.FHIRPush
		require.Equal(t, two, three)
		_, err = v.VersionOf(p, r.ID, 4)
		require.ErrorIs(t, err, ErrNotFound)

		var sealed []string
		err = v.SealedVersions(func(s SealedVersion) error {
			sealed = append(sealed, fmt.Sprintf("%d %s %d %s", s.Practice, s.UUID, s.Version, s.Patient))
			require.Equal(t, s.Version == 1, s.Present)
			return nil
		})
		require.ElementsMatch(t, []string{
			fmt.Sprintf("%d %s 1 sealed patient", p, r.UUID), fmt.Sprintf("%d %s 2 second", p, r.UUID),
		}, sealed)
		require.NoError(t, err)
		return nil
	})
	require.ErrorIs(t, db.View(t.Context(), func(v *View) error {
		return v.SealedVersions(func(SealedVersion) error { return errRefused })
	}), errRefused)
}

func TestAVersionAndAnItemOfAnIngestionAreWrittenOnce(t *testing.T) {
	db := opened(t)
	p := addPractice(t, db)
	r, other := addRecord(t, db, p, "1"), addRecord(t, db, p, "2")
	i := accept(t, db, p)
	add := func(v Version) error {
		return db.Update(func(tx *Tx) error { return tx.AddVersions(p, []Version{v}) })
	}
	require.ErrorIs(t, add(versionOf(r, "amend")), ErrConflict)
	v := versionOf(r, "amend")
	v.Version, v.Ingestion, v.Item = 2, i.ID, 0
	require.NoError(t, add(v))
	v.Record = other.ID
	require.ErrorIs(t, add(v), ErrConflict, "the item was applied already")
	v.Item = 1
	require.NoError(t, add(v))
}

func TestAProviderIsFoundByIdentityAndAMergedOneNamesItsSurvivor(t *testing.T) {
	db := opened(t)
	p, other := addPractice(t, db), addPractice(t, db)
	add := func(p PracticeID, identity, name string) (r Provider) {
		r = Provider{Identity: []byte(identity), Name: name, Credentials: "CNM", Role: birth.RoleMidwife}
		update(t, db, func(tx *Tx) (err error) {
			sealed := r
			sealed.NPI, sealed.Sealed = []byte("npi"), []byte("sealed")
			r.ID, err = tx.AddProvider(p, sealed, "2026-01")
			return err
		})
		return r
	}
	one, two, merged := add(p, "one\x00", "One"), add(p, "two", "Two"), add(p, "three", "Three")
	add(other, "one\x00", "Of another")
	update(t, db, func(tx *Tx) error { return tx.SetMerged(p, merged.ID, two.ID) })
	view(t, db, func(v *View) error {
		found, err := v.ProvidersByIdentity(p, [][]byte{[]byte("one\x00"), []byte("three"), []byte("none")})
		merged.Survivor = two.ID
		require.Equal(t, map[string]Provider{"one\x00": one, "three": merged}, found)
		return err
	})
	require.ErrorIs(t, db.Update(func(tx *Tx) error {
		_, err := tx.AddProvider(p, Provider{Identity: []byte("two"), Sealed: []byte{1}, Role: birth.RoleOther}, "")
		return err
	}), ErrConflict)
}

func TestTheCareerLogListsWhatWasStatedOfAProviderAndSinceWhen(t *testing.T) {
	db := opened(t)
	p := addPractice(t, db)
	r := Provider{Identity: []byte("one"), Sealed: []byte{1}, Name: "Lindqvist", Role: birth.RoleOther}
	update(t, db, func(tx *Tx) (err error) {
		r.ID, err = tx.AddProvider(p, r, "2026-01")
		return err
	})
	r.Credentials, r.Role = "CPM", birth.RoleMidwife
	update(t, db, func(tx *Tx) error { return tx.UpdateProvider(p, r, "2026-03") })
	unknown := r
	unknown.ID = 77
	require.ErrorIs(t, db.Update(func(tx *Tx) error { return tx.UpdateProvider(p, unknown, "") }), ErrNotFound)
	var log string
	require.NoError(t, db.write.QueryRow(`
		select group_concat(name || ',' || credentials || ',' || role, ';' order by at, id) from provider_log`).Scan(&log))
	require.Equal(t, "Lindqvist,,other;Lindqvist,CPM,midwife", log)
}

func TestParticipantsOfABirthAreKeptForEveryContentVersionTheAttendantFirst(t *testing.T) {
	db := opened(t)
	p := addPractice(t, db)
	r, other := addRecord(t, db, p, "1"), addRecord(t, db, p, "2")
	var ids []int64
	update(t, db, func(tx *Tx) error {
		for n := range 3 {
			id, err := tx.AddProvider(p, Provider{Identity: []byte{byte(n)}, Sealed: []byte{1}, Name: fmt.Sprint(n), Role: birth.RoleNurse}, "")
			if err != nil {
				return err
			}
			ids = append(ids, id)
		}
		return nil
	})
	names := func(record int64, content int) (all []string) {
		view(t, db, func(v *View) error {
			found, err := v.ProvidersOf(p, record, content)
			for _, a := range found {
				all = append(all, fmt.Sprint(a.Name, a.Attending))
			}
			return err
		})
		return all
	}
	add := func(all ...Attribution) { update(t, db, func(tx *Tx) error { return tx.AddAttributions(p, all) }) }
	add(
		Attribution{r.ID, 1, ids[0], false, ""}, Attribution{r.ID, 1, ids[1], false, ""}, Attribution{r.ID, 1, ids[2], true, ""},
		Attribution{other.ID, 1, ids[0], true, ""},
	)
	require.Equal(t, []string{"2true", "0false", "1false"}, names(r.ID, 1))
	update(t, db, func(tx *Tx) error {
		r.Version, r.Content = 2, 2
		return tx.AddVersions(p, []Version{versionOf(r, "amend")})
	})
	require.Empty(t, names(r.ID, 2))
	add(Attribution{r.ID, 2, ids[1], true, ""})
	require.Equal(t, []string{"1true"}, names(r.ID, 2))
	require.Equal(t, []string{"2true", "0false", "1false"}, names(r.ID, 1), "an amendment leaves them")
	require.Equal(t, []string{"0true"}, names(other.ID, 1))
}
