package store

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
)

func TestTheHistoryShowsTheSourceOfEachVersionNewestFirst(t *testing.T) {
	db := opened(t)
	w := newFixture(t, db)
	stamp := time.Date(2026, 3, 2, 4, 18, 0, 7, time.UTC)
	var user int64
	update(t, db, func(tx *Tx) (err error) {
		if user, err = tx.insert(`insert into users (email, name, created_at) values ('carla@riverside.example', 'Carla', 0)`); err != nil {
			return err
		}
		if _, err = tx.exec(`update ingestions set kind = 'csv', api_key = null where id = ?`, w.ingestion.ID); err != nil {
			return err
		}
		id, _, err := tx.Accept(w.p, NewIngestion{PublicID: "pushed", APIKey: w.key, Parts: [][]byte{{1}}})
		if err != nil {
			return err
		}
		pushed, err := tx.Ingestion(w.p, id)
		if err != nil {
			return err
		}
		v := versionOf(w.record, "amend")
		two, three, four, five := v, v, v, v
		two.Version, two.Content, two.Source, two.Ingestion, two.User = 2, 2, birth.CSV, w.ingestion.ID, user
		three.Version, three.Content, three.Ingestion, three.Stamp = 3, 3, pushed.ID, stamp
		four.Version, four.Content, four.Source, four.User, four.Change, four.Note = 4, 3, birth.Manual, user, "void", []byte("why")
		five.Version, five.Content, five.Source, five.Change = 5, 3, birth.Manual, "revive"
		four.Course, four.Patient, five.Course, five.Patient = nil, nil, nil, nil
		return tx.AddVersions(w.p, []Version{two, three, four, five})
	})
	view(t, db, func(v *View) error {
		all, err := v.History(w.p, w.record.ID, 0, 9)
		require.NoError(t, err)
		at := all[0].At
		require.WithinDuration(t, time.Now(), at, time.Minute)
		require.Equal(t, []Event{
			{Version: 5, Content: 3, Change: "revive", Source: birth.Manual, At: at},
			{Version: 4, Content: 3, Change: "void", Source: birth.Manual, At: at, User: "Carla", Note: []byte("why")},
			{Version: 3, Content: 3, Change: "amend", Source: birth.FHIRPush, At: at, Stamp: stamp, Key: "nightly", Ingestion: "pushed", Kind: "bundle"},
			{Version: 2, Content: 2, Change: "amend", Source: birth.CSV, At: at, User: "Carla", Ingestion: w.ingestion.PublicID, Kind: "csv"},
			{Version: 1, Content: 1, Change: "create", Source: birth.FHIRPush, At: all[4].At},
		}, all)
		some, err := v.History(w.p, w.record.ID, 4, 2)
		require.Equal(t, all[2:4], some)
		require.NoError(t, err)

		contents, err := v.ContentsBefore(w.p, w.record.ID, 5, 9)
		require.NoError(t, err)
		var versions []int
		for _, c := range contents {
			require.Equal(t, course.Clinical(), c.Clinical)
			versions = append(versions, c.Version)
		}
		require.Equal(t, []int{3, 2, 1}, versions, "a version without content of its own has none")
		contents, err = v.ContentsBefore(w.p, w.record.ID, 3, 1)
		require.Len(t, contents, 1)
		require.Equal(t, 2, contents[0].Version)
		return err
	})
}
