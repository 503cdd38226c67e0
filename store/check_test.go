package store

import (
	"errors"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
)

// problems runs the check and returns the problems it found, by rule.
func problems(t *testing.T, db *DB) map[string]string {
	t.Helper()
	found := map[string]string{}
	checks := 0
	require.NoError(t, db.Check(t.Context(), func(check, problem string) {
		checks++
		if problem != "" {
			found[check] = problem
		}
	}))
	require.Equal(t, len(invariants)+6, checks, "the check names every rule")
	return found
}

func TestTheCheckFindsNothingInASoundDatabase(t *testing.T) {
	db := opened(t)
	require.Empty(t, problems(t, db))
	w := newFixture(t, db)
	require.Empty(t, problems(t, db))
	update(t, db, func(tx *Tx) error { // amended, voided, merged
		r := w.record
		r.Version, r.Content = 2, 2
		voided := Version{Record: r.ID, Version: 3, Content: 2, Change: "void", Source: "fhir_push"}
		err := tx.AddVersions(w.p, []Version{versionOf(r, "amend"), voided})
		r.Version, r.State = 3, "voided"
		fingerprints := RecordFingerprints{Record: r.ID, All: []birth.Fingerprint{w.print}}
		return errors.Join(err, tx.UpdateRecord(w.p, r), tx.SetFingerprints(w.p, fingerprints))
	})
	require.Empty(t, problems(t, db))
	raw(t, db, `update fingerprints set live = 0`)
	raw(t, db, `update records set state = 'merged', merged_into = (select max(o.id) from records o where o.id <> records.id and o.practice = records.practice)`)
	require.Empty(t, problems(t, db))
	finish(t, db, w.p, w.ingestion, Ending{Status: Completed})
	update(t, db, func(tx *Tx) error {
		_, err := tx.EndQueue(w.p)
		return err
	})
	require.Empty(t, problems(t, db))
}

func TestTheCheckFindsEveryKindOfDamage(t *testing.T) {
	t.Parallel()
	const (
		references   = "every row refers to rows that exist"
		versions     = "every record has its versions 1 to n"
		content      = "every record's content is one of its versions"
		voided       = "a record that is not merged is voided exactly if its last change voided it"
		items        = "every item of an ingestion is applied once"
		receipts     = "a completed ingestion has a receipt and no buffer"
		buffers      = "an unfinished ingestion has its buffer"
		files        = "an unfinished import has its file"
		fileParts    = "every part of a file belongs to an import that keeps it"
		announced    = "an unfinished ingestion is announced"
		fingerprints = "fingerprints belong to their record's practice"
		names        = "names belong to their record's practice"
		counting     = "fingerprints count exactly if their record is active"
		attribution  = "providers who took part in a birth belong to the record's practice"
		merging      = "a merged record was merged into another of its practice"
		keeping      = "two records marked as not duplicates are marked in both directions, within one practice"
		surviving    = "a merged provider has a survivor, of its practice"
		named        = "the search index has the present name of every provider"
	)
	completed := `
		update ingestions set status = 'completed', outcome = x'00', completed_at = 1;
		delete from buffers; delete from ledger; delete from lanes;`
	confirmed := `
		insert into ingestions (public_id, practice, kind, size, created_at) values ('file', 1, 'csv', 1, 1);
		update imports set ingestion = 2;`
	seen := map[string]bool{}
	for _, c := range []struct {
		damage string
		rule   string
	}{
		{`pragma foreign_keys = off; delete from api_keys`, references},
		{`pragma foreign_keys = off; update attributions set provider = 77`, references},
		{`update records set version = 2`, versions},
		{`update versions set version = 2; update records set version = 2, content = 2; update versions set content = 2`, versions},
		{`insert into versions (record, version, content, change, source, created_at) values (1, 2, 1, 'void', 'manual', 1)`, versions},
		{`update records set content = 7`, content},
		{`update versions set clinical = null`, content},
		{`update versions set patient = null`, content},
		{`update records set state = 'voided'`, voided},
		{`update versions set change = 'void'`, voided},
		{`drop index versions_item;
			insert into versions (record, version, content, change, source, ingestion, item, created_at)
			values (1, 2, 1, 'amend', 'manual', 1, 1, 1), (1, 3, 1, 'amend', 'manual', 1, 1, 1);
			update records set version = 3`, items},
		{completed + `update ingestions set outcome = null`, receipts},
		{completed + `update ingestions set completed_at = null`, receipts},
		{completed + `insert into buffers (id, sealed) values (4096, x'00')`, receipts},
		{completed + `insert into buffers (id, sealed) values (4096 + 4095, x'00')`, receipts},
		{completed + `insert into ledger values (1, 0, 1, 0, 0, x'00')`, receipts},
		{completed + `update ingestions set status = 'failed', outcome = null`, receipts},
		{`delete from buffers`, buffers},
		{`update buffers set id = id + 4096`, buffers},
		{confirmed + `delete from import_parts`, files},
		{confirmed + `update imports set kept = 0`, files},
		{`update imports set kept = 0`, fileParts},
		{`delete from imports where kept = 1`, fileParts},
		{`delete from lanes`, announced},
		{`delete from goqite`, announced},
		{`update fingerprints set practice = 2`, fingerprints},
		{`update names set practice = 2`, names},
		{`update fingerprints set live = 0`, counting},
		{`update providers set practice = 2`, attribution},
		{`update records set merged_into = null`, merging},
		{`update records set merged_into = id`, merging},
		{`update records set practice = 2 where id = 1`, merging},
		{`delete from kept where record < other`, keeping},
		{`update records set practice = 2 where id = 4`, keeping},
		{`update providers set merged_into = 1 where id = 2`, surviving},
		{`update providers set survivor = 1 where id = 2`, surviving},
		{`update providers set survivor = 1, merged_into = 1`, surviving},
		{`delete from provider_names`, named},
		{`update provider_names set name = 'somebody else'`, named},
		{`update provider_names set practice = 2`, named},
	} {
		db := opened(t)
		newFixture(t, db)
		addPractice(t, db)
		require.Empty(t, problems(t, db))
		raw(t, db, c.damage)
		found := problems(t, db)
		require.Contains(t, found, c.rule, c.damage)
		require.Regexp(t, `^[1-5] rows break it$`, found[c.rule])
		seen[c.rule] = true
	}
	for _, i := range invariants {
		require.True(t, seen[i.rule], "no damage shows that the check knows: %s", i.rule)
	}
}

func TestTheCheckFindsDamagedPages(t *testing.T) {
	db := opened(t)
	newFixture(t, db)
	raw(t, db, `pragma wal_checkpoint(truncate)`)
	root := asked(t, db, `select rootpage from sqlite_schema where name = 'records_chart'`)
	f, err := os.OpenFile(db.Path(), os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteAt([]byte{10, 0, 0, 0, 0}, int64(root-1)*4096) // an index without its entries
	require.NoError(t, err)
	require.NoError(t, f.Close())
	db = openedAt(t, db.Path())
	require.Contains(t, problems(t, db), "every page of the file is sound")
}
