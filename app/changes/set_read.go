package changes

import (
	"maps"
	"slices"
	"time"

	"birthregistry/app/birth"
	"birthregistry/app/seal"
	"birthregistry/store"
)

// Set is the change set: the records that a set of changes concerns, first as they are on
// file, then as the changes make them. It reads what is on file once for all changes, decides
// each change in order, and then writes the differences. Changes of one set see each other.
type Set struct {
	view     *store.View // the view from which the set reads
	tx       *store.Tx   // the transaction in which it writes; nil in a preview
	vault    *seal.Vault
	practice store.PracticeID

	byChart map[string]*Target // records by chart number, sent or typed
	byGiven map[string]*Target // records by chart number that the registry assigned
	byUUID  map[string]*Target // records that people work on, by uuid

	live          map[birth.Fingerprint]candidates // active records by fingerprint
	most          int                              // how many records to read for each fingerprint; 0 means all
	notDuplicates map[int64]map[int64]bool         // for each record, the records that a person marked as not its duplicates

	known   map[string]store.Provider      // known providers by hashed identity
	careers map[int64]birth.Career         // the careers of the known providers
	roles   map[int64]map[int64]birth.Role // roles that the records state, by provider
	zone    *time.Location                 // the practice's time zone, once a stamp needs it

	erasedKey   []byte
	erased      map[string]int64 // tombstones of the chart numbers that the changes name, by hash
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
	alone        []int64             // records that may no longer look like another one
	crowded      []birth.Fingerprint // fingerprints of several records, some of which may no longer look like another one
	lapsed       []int64             // records whose fingerprints have changed, which removes their marks as not duplicates
	refused      map[int64]int       // how often a tombstone rejected a change
	rejects
}

// Target is the record that a change concerns: one on file, or a new one.
type Target struct {
	store.Record
	was          birth.State // the record's state on file
	filed        []birth.Fingerprint
	fingerprints []birth.Fingerprint
	fresh        bool // set if the record isn't on file yet
	touched      bool
	// names are the codes of the mother's name. renamed is set if a change has set these codes, so
	// they must be written.
	names   []birth.NameWord
	renamed bool
}

// read makes a Set and reads everything that the changes may concern: records and those that look
// like them, tombstones, and providers.
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

// readRecords reads the records that the changes concern, and the records that
// look like them.
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

// readTarget reads a record that a person works on, by its uuid.
func (s *Set) readTarget(uuid string) error {
	if uuid == "" || s.byUUID[uuid] != nil {
		return nil
	}
	r, err := s.view.Shown(s.practice, uuid) // checks the signature, because a merge may copy its content into another record
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

// charted returns the map in which a record is found by its chart number: byGiven if the registry
// assigned the number, or else byChart.
func (s *Set) charted(r store.Record) map[string]*Target {
	if r.Given {
		return s.byGiven
	}
	return s.byChart
}

// targets returns the records of the set that are on file, by id.
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

// readFingerprints reads the fingerprints of the targets and returns them all.
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

// readLive reads the active records that have one of the fingerprints. It leaves out fingerprints
// for which the set has read them already.
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

// readNotDuplicates reads which records a person marked as not duplicates of the targets. It
// reads them only for targets that share a fingerprint with an active record, or with another
// target, which may become active.
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
	if len(ids) == 0 { // nearly always the case
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

// readPast raises the number of records that are read for each fingerprint, and reads again the
// fingerprints that may have further records. Otherwise, all records that were read could be marked
// as not duplicates, and a possible duplicate among the others would be missed.
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

// readProviders reads the providers that the changes name, their careers, and
// the roles that the targets state for them.
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
