package changes

import (
	"maps"
	"slices"
	"time"

	"birthregistry/app/birth"
	"birthregistry/app/seal"
	"birthregistry/store"
)

// Set is a change set: it holds the records that a group of changes concerns, first in their state
// on file, and then in the state that results from the changes. It reads what is on file once for
// all changes, decides each change in order, and then writes the differences. Each change sees the
// effects of the changes before it.
type Set struct {
	view     *store.View // the view from which the set reads
	tx       *store.Tx   // the transaction in which the set writes; nil in a preview
	vault    *seal.Vault
	practice store.PracticeID

	byChart map[string]*Target // records by a chart number that was sent or typed
	byGiven map[string]*Target // records by a chart number that the registry assigned
	byUUID  map[string]*Target // records on which people act, keyed by UUID

	live          map[birth.Fingerprint]candidates // active records by fingerprint
	most          int                              // how many records to read for each fingerprint; 0 means all of them
	notDuplicates map[int64]map[int64]bool         // for each record, the other records that a person marked as not its duplicates

	known   map[string]store.Provider      // providers on file, by hashed key
	careers map[int64]birth.Career         // the roles that the known providers have had, by provider ID
	roles   map[int64]map[int64]birth.Role // for each record, the roles that it states, by provider ID
	zone    *time.Location                 // the practice's time zone, or nil until a stamp needs it

	erasedKey   []byte
	erased      map[string]int64 // the tombstones of the changes' chart numbers, by hash
	rejectedKey []byte

	nextID int64
	pending
}

// pending holds what a set still has to write.
type pending struct {
	touched      []*Target
	versions     []store.Version
	attributions []store.Attribution
	customs      []store.CustomValues
	alone        []int64             // records that may no longer look like another record
	crowded      []birth.Fingerprint // fingerprints that several records share, some of which may no longer look like another record
	lapsed       []int64             // records whose fingerprints have changed, so that their marks as not duplicates must be removed
	refused      map[int64]int       // how often each tombstone rejected a change
	rejects
}

// Target is the record that a change concerns, either one on file or a new one.
type Target struct {
	store.Record
	was          birth.State // the record's state on file
	filed        []birth.Fingerprint
	fingerprints []birth.Fingerprint
	fresh        bool // whether the record isn't on file yet
	touched      bool
	// names holds the codes of the mother's name. renamed is set if a change has set these codes,
	// so that they must be written.
	names   []birth.NameWord
	renamed bool
}

// read makes a Set, and reads everything that the changes may concern: records and records similar
// to them, tombstones, and providers.
func (w *Writer) read(tx *store.Tx, p store.PracticeID, batches []Batch) (*Set, error) {
	s := &Set{view: &tx.View, tx: tx, vault: w.vault, practice: p, erasedKey: w.erasedKey, rejectedKey: w.rejectedKey}
	if err := s.readRecords(batches); err != nil {
		return nil, err
	}
	var identities [][]byte
	for c := range each(batches) {
		for _, named := range c.providers {
			identities = append(identities, named.row.Identity)
		}
	}
	if err := s.readProviders(identities); err != nil {
		return nil, err
	}
	var err error
	s.nextID, err = tx.NextRecordID()
	return s, err
}

// readRecords reads the records that the changes concern, and the active records that have the same
// fingerprints.
func (s *Set) readRecords(batches []Batch) error {
	s.byChart, s.byGiven, s.byUUID = map[string]*Target{}, map[string]*Target{}, map[string]*Target{}
	var charts []string
	var fingerprints []birth.Fingerprint
	for c := range each(batches) {
		if c.chart != "" {
			charts = append(append(charts, c.chart), c.others...)
		}
		fingerprints = append(fingerprints, c.fingerprints...)
	}
	onFile, err := s.view.RecordsByChart(s.practice, unique(charts))
	if err != nil {
		return err
	}
	for _, r := range onFile {
		s.charted(r)[r.Chart] = &Target{Record: r, was: r.State}
	}
	for c := range each(batches) {
		if err := s.readTarget(c.record); err != nil {
			return err
		}
	}
	if err := s.readTombstones(batches); err != nil {
		return err
	}
	known, err := s.readFingerprints()
	if err != nil {
		return err
	}
	if s.live == nil {
		s.live, s.most = map[birth.Fingerprint]candidates{}, len(s.targets())+witnesses
	}
	if err := s.readLive(append(fingerprints, known...)); err != nil {
		return err
	}
	return s.readNotDuplicates()
}

// readTarget reads a record on which a person acts.
func (s *Set) readTarget(uuid string) error {
	if uuid == "" || s.byUUID[uuid] != nil {
		return nil
	}
	r, err := s.view.Shown(s.practice, uuid) // checks the signature, because a merge may copy this content into another record
	if err != nil {
		return err
	}
	t := s.charted(r)[r.Chart]
	if t == nil || r.Chart == "" {
		t = &Target{Record: r, was: r.State}
	}
	s.byUUID[uuid] = t
	if r.Chart != "" {
		s.charted(r)[r.Chart] = t
	}
	return nil
}

// charted returns the map that holds the record by its chart number: byGiven if the registry
// assigned the number, and byChart otherwise.
func (s *Set) charted(r store.Record) map[string]*Target {
	if r.Given {
		return s.byGiven
	}
	return s.byChart
}

// targets returns the records of the set that are on file, keyed by ID.
func (s *Set) targets() map[int64]*Target {
	all := map[int64]*Target{}
	for _, t := range s.byChart {
		all[t.ID] = t
	}
	for _, t := range s.byGiven {
		all[t.ID] = t
	}
	for _, t := range s.byUUID {
		all[t.ID] = t
	}
	return all
}

// readFingerprints reads the fingerprints of all targets, and returns these fingerprints.
func (s *Set) readFingerprints() (all []birth.Fingerprint, err error) {
	targets := s.targets()
	if len(targets) == 0 {
		return nil, nil
	}
	have, err := s.view.FingerprintsOf(s.practice, slices.Sorted(maps.Keys(targets)))
	if err != nil {
		return nil, err
	}
	for id, t := range targets {
		t.filed, t.fingerprints = have[id], have[id]
		all = append(all, t.fingerprints...)
	}
	return all, nil
}

// readLive reads the active records that have one of the fingerprints. It skips fingerprints for
// which the set has already read the records.
func (s *Set) readLive(fingerprints []birth.Fingerprint) error {
	unknown := slices.DeleteFunc(slices.Clone(fingerprints), func(f birth.Fingerprint) bool {
		_, known := s.live[f]
		return known
	})
	return s.readLiveAnew(unique(unknown))
}

func (s *Set) readLiveAnew(fingerprints []birth.Fingerprint) error {
	if len(fingerprints) == 0 {
		return nil
	}
	live, err := s.view.ActiveByFingerprint(s.practice, fingerprints, s.most)
	for _, f := range fingerprints {
		found := candidates{more: s.most > 0 && len(live[f]) == s.most}
		for _, id := range live[f] {
			found.add(id)
		}
		s.live[f] = found
	}
	return err
}

// readNotDuplicates reads which records a person marked as not duplicates of the targets. It does
// this only for targets that share a fingerprint with an active record, or with another target that
// may become active.
func (s *Set) readNotDuplicates() error {
	targets, sharing := s.targets(), map[birth.Fingerprint]int{}
	for _, t := range targets {
		for _, f := range t.fingerprints {
			sharing[f]++
		}
	}
	var ids []int64
	for id, t := range targets {
		shared := func(f birth.Fingerprint) bool {
			live := s.live[f]
			return sharing[f] > 1 || live.any(func(other int64) bool { return other != id })
		}
		if slices.ContainsFunc(t.fingerprints, shared) {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 { // nearly always so
		return nil
	}
	marked, err := s.view.NotDuplicates(s.practice, ids)
	if err != nil || len(marked) == 0 {
		return err
	}
	s.notDuplicates = map[int64]map[int64]bool{}
	most := 0
	for id, others := range marked {
		s.notDuplicates[id] = make(map[int64]bool, len(others))
		for _, other := range others {
			s.notDuplicates[id][other] = true
		}
		most = max(most, len(others))
	}
	return s.readPast(most)
}

// readPast increases the number of records that are read for each fingerprint. The argument more is
// the increase. readPast then reads again the fingerprints for which there may be further records.
// Otherwise a person might have marked all of the records that were read as not duplicates, and a
// duplicate among the unread ones would be missed.
func (s *Set) readPast(more int) error {
	if s.most == 0 {
		return nil
	}
	s.most += more
	var again []birth.Fingerprint
	for f, live := range s.live {
		if live.more {
			again = append(again, f)
		}
	}
	return s.readLiveAnew(again)
}

// readProviders reads the providers whom the changes name, the roles that they have had, and the
// roles that the targets state for them.
func (s *Set) readProviders(identities [][]byte) (err error) {
	s.known, s.careers, s.roles = map[string]store.Provider{}, map[int64]birth.Career{}, map[int64]map[int64]birth.Role{}
	if len(identities) == 0 {
		return nil
	}
	if s.known, err = s.view.ProvidersByIdentity(s.practice, identities); err != nil || len(s.known) == 0 {
		return err
	}
	var ids []int64
	for _, known := range s.known {
		ids = append(ids, known.ID)
	}
	if s.careers, err = s.view.Careers(s.practice, ids); err != nil {
		return err
	}
	if targets := s.targets(); len(targets) > 0 {
		s.roles, err = s.view.RolesIn(s.practice, slices.Sorted(maps.Keys(targets)))
	}
	return err
}

func unique[T comparable](items []T) []T {
	seen := make(map[T]bool, len(items))
	return slices.DeleteFunc(items, func(item T) bool {
		before := seen[item]
		seen[item] = true
		return before
	})
}
