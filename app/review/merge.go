package review

import (
	"maps"
	"strings"
	"time"

	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/mapping"
	"birthregistry/store"
)

// Merge merges one record (Goes) into another (Stays). The argument take holds the keys of the
// parts that are copied from the record that goes (birth.Parts, and birth.CustomPart with the key
// of a custom field). All other parts remain as they are in the record that stays. Both records get
// a new version, so that both histories show the merge.
//
// Merge returns an *ImpossibleError if the merged values contradict each other. It ignores
// contradictions that one of the records already contains. If the merged record looks like a third
// record, Merge doesn't fail, and these two records wait for another review.
func (s *Service) Merge(who auth.User, of Pair, reason string, take map[string]bool) (review int64, err error) {
	return s.reviewing(who, of, store.MergeOne, func(two *pair, id int64) error {
		stays, err := s.changes.BaseOf(&two.tx.View, two.practice, two.stays.Record, two.stays.Version)
		if err != nil {
			return err
		}
		goes, err := s.changes.BaseOf(&two.tx.View, two.practice, two.goes.Record, two.goes.Version)
		if err != nil {
			return err
		}
		two.goes.MergedInto = two.stays.ID
		if err := two.Leave(two.goes, birth.Merged, two.by(id, reason)); err != nil {
			return err
		}
		merged := birth.Combine(stays.Draft, goes.Draft, take)
		if err := impossible(merged, stays.Draft, goes.Draft); err != nil {
			return err
		}
		custom := combineCustom(stays.Custom, goes.Custom, take)
		change := s.changes.Prepare(two.practice, birth.Manual, mapping.Item{Draft: &merged, Custom: custom}, 0)
		if change.Problem != nil {
			return change.Problem
		}
		if err := two.Amend(two.stays, &change, stays, two.by(id, reason)); err != nil {
			return err
		}
		return two.Write()
	})
}

// impossible returns an *ImpossibleError with the contradictions that a merge would introduce, or
// nil if there are none. before holds the contents of the two records.
func impossible(merged birth.Draft, before ...birth.Draft) error {
	known := map[string]bool{}
	now := time.Now()
	for _, d := range before {
		for _, f := range birth.Check(d, now) {
			known[f.ID()] = true
		}
	}
	var found []birth.CheckFinding
	for _, f := range birth.Check(birth.Mask(merged).Draft(), now) {
		if f.Blocks && !known[f.ID()] {
			found = append(found, f)
		}
	}
	if len(found) > 0 {
		return &ImpossibleError{found}
	}
	return nil
}

// combineCustom is like birth.Combine, but for custom fields. It returns nil if the merge changes
// no custom field.
func combineCustom(stays, goes map[string]string, take map[string]bool) map[string]string {
	custom, changed := maps.Clone(stays), false
	for key, taken := range take {
		name, is := strings.CutPrefix(key, birth.CustomPart)
		if !taken || !is || stays[name] == goes[name] {
			continue
		}
		custom[name], changed = goes[name], true
	}
	if !changed {
		return nil
	}
	return custom
}
