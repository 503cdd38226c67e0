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
	if err := b.lookAtPeople(identities); err != nil {
		return nil, err
	}
	var err error
	b.nextID, err = tx.NextRecordID()
	return b, err
}

// lookAtPeople looks up the providers that the submissions name, their careers,
// and what the records on the board say of them.
func (b *board) lookAtPeople(identities [][]byte) (err error) {
	b.known, b.careers, b.roles = map[string]store.Provider{}, map[int64]birth.Career{}, map[int64]map[int64]birth.Role{}
	if len(identities) == 0 {
		return nil
	}
	if b.known, err = b.view.ProvidersByIdentity(b.practice, identities); err != nil || len(b.known) == 0 {
		return err
	}
	var ids []int64
	for _, known := range b.known {
		ids = append(ids, known.ID)
	}
	if b.careers, err = b.view.Careers(b.practice, ids); err != nil {
		return err
	}
	if entries := b.entries(); len(entries) > 0 {
		b.roles, err = b.view.RolesIn(b.practice, slices.Sorted(maps.Keys(entries)))
	}
	return err
}

// look looks up the records that the submissions are about, and those that are
// like them.
func (b *board) look(subs []submission) error {
	b.byChart, b.byGiven, b.byUUID = map[string]*entry{}, map[string]*entry{}, map[string]*entry{}
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
		b.charted(r)[r.Chart] = &entry{Record: r, was: r.State}
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
	if b.live == nil {
		b.live, b.most = map[birth.Fingerprint]crowd{}, len(b.entries())+witnesses
	}
	if err := b.lookAlike(append(prints, known...)); err != nil {
		return err
	}
	return b.readKept()
}

// readKept reads which of the records on the board a person kept beside others:
// those that are live, and those that are on the board too and may come to be.
func (b *board) readKept() error {
	entries, sharing := b.entries(), map[birth.Fingerprint]int{}
	for _, e := range entries {
		for _, print := range e.prints {
			sharing[print]++
		}
	}
	var ids []int64
	for id, e := range entries {
		alike := func(print birth.Fingerprint) bool {
			live := b.live[print]
			return sharing[print] > 1 || live.any(func(other int64) bool { return other != id })
		}
		if slices.ContainsFunc(e.prints, alike) {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 { // nearly always
		return nil
	}
	kept, err := b.view.Kept(b.practice, ids)
	if err != nil || len(kept) == 0 {
		return err
	}
	return b.keepBeside(kept)
}

// keepBeside notes on the board which records a person marked as no duplicates. It looks
// up as many more records under each fingerprint that may have more.
func (b *board) keepBeside(kept map[int64][]int64) error {
	b.kept = map[int64]map[int64]bool{}
	most := 0
	for id, others := range kept {
		b.kept[id] = make(map[int64]bool, len(others))
		for _, other := range others {
			b.kept[id][other] = true
		}
		most = max(most, len(others))
	}
	if b.most == 0 {
		return nil
	}
	b.most += most
	var again []birth.Fingerprint
	for print, live := range b.live {
		if live.more {
			again = append(again, print)
		}
	}
	return b.lookAgain(again)
}

// entries are the records on the board that are on file, by id.
func (b *board) entries() map[int64]*entry {
	all := map[int64]*entry{}
	for _, e := range b.byChart {
		all[e.ID] = e
	}
	for _, e := range b.byGiven {
		all[e.ID] = e
	}
	for _, e := range b.byUUID {
		all[e.ID] = e
	}
	return all
}

// lookUp puts a record on the board that is worked on by its uuid.
func (b *board) lookUp(uuid string) error {
	if uuid == "" || b.byUUID[uuid] != nil {
		return nil
	}
	r, err := b.view.Shown(b.practice, uuid) // what it says may go into the other
	if err != nil {
		return err
	}
	e := b.charted(r)[r.Chart]
	if e == nil || r.Chart == "" {
		e = &entry{Record: r, was: r.State}
	}
	b.byUUID[uuid] = e
	if r.Chart != "" {
		b.charted(r)[r.Chart] = e
	}
	return nil
}

// charted returns the map that has a record by its chart number.
func (b *board) charted(r store.Record) map[string]*entry {
	if r.Given {
		return b.byGiven
	}
	return b.byChart
}

// readPrints reads the fingerprints of the records on the board and returns
// them all.
func (b *board) readPrints() (all []birth.Fingerprint, err error) {
	entries := b.entries()
	if len(entries) == 0 {
		return nil, nil
	}
	have, err := b.view.PrintsOf(b.practice, slices.Sorted(maps.Keys(entries)))
	if err != nil {
		return nil, err
	}
	for id, e := range entries {
		e.filed, e.prints = have[id], have[id]
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
