package intake

import (
	"maps"
	"slices"

	"birthregistry/app/birth"
	"birthregistry/store"
)

// newBoard looks up everything the submissions may concern.
func (s *Service) newBoard(tx *store.Tx, p store.PracticeID, subs []submission) (*board, error) {
	b := &board{view: &tx.View, tx: tx, vault: s.vault, practice: p}
	if err := b.look(subs); err != nil {
		return nil, err
	}
	var identities [][]byte
	for i := range subs {
		if subs[i].problem != nil {
			continue
		}
		for _, named := range subs[i].providers {
			identities = append(identities, named.row.Identity)
		}
	}
	var err error
	if b.known, err = tx.ProvidersByIdentity(p, identities); err != nil {
		return nil, err
	}
	b.nextID, err = tx.NextRecordID()
	return b, err
}

// look looks up the records that the submissions are about, and those that are
// like them.
func (b *board) look(subs []submission) error {
	b.byChart, b.byUUID = map[string]*entry{}, map[string]*entry{}
	var charts []string
	var prints []birth.Fingerprint
	for i := range subs {
		if subs[i].problem != nil {
			continue
		}
		if subs[i].chart != "" {
			charts = append(append(charts, subs[i].chart), subs[i].others...)
		}
		prints = append(prints, subs[i].prints...)
	}
	onFile, err := b.view.RecordsByChart(b.practice, unique(charts))
	if err != nil {
		return err
	}
	for _, r := range onFile {
		b.byChart[r.Chart] = &entry{Record: r}
	}
	for i := range subs {
		if err := b.lookUp(subs[i].record); err != nil {
			return err
		}
	}
	known, err := b.readPrints()
	if err != nil {
		return err
	}
	b.live, err = b.view.LiveByPrint(b.practice, unique(append(prints, known...)))
	return err
}

// lookUp puts a record on the board that is worked on by its uuid.
func (b *board) lookUp(uuid string) error {
	if uuid == "" || b.byUUID[uuid] != nil {
		return nil
	}
	r, err := b.view.RecordByUUID(b.practice, uuid)
	if err != nil {
		return err
	}
	e := b.byChart[r.Chart]
	if e == nil || r.Chart == "" {
		e = &entry{Record: r}
	}
	b.byUUID[uuid] = e
	if r.Chart != "" {
		b.byChart[r.Chart] = e
	}
	return nil
}

// readPrints reads the fingerprints of the records on the board and returns
// them all.
func (b *board) readPrints() (all []birth.Fingerprint, err error) {
	entries := map[int64]*entry{}
	for _, e := range b.byChart {
		entries[e.ID] = e
	}
	for _, e := range b.byUUID {
		entries[e.ID] = e
	}
	if len(entries) == 0 {
		return nil, nil
	}
	have, err := b.view.PrintsOf(b.practice, slices.Sorted(maps.Keys(entries)))
	if err != nil {
		return nil, err
	}
	for id, e := range entries {
		e.prints = have[id]
		all = append(all, e.prints...)
	}
	return all, nil
}

func unique[T comparable](items []T) []T {
	seen := make(map[T]bool, len(items))
	return slices.DeleteFunc(items, func(item T) bool {
		before := seen[item]
		seen[item] = true
		return before
	})
}
