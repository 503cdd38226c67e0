package review

import (
	"errors"
	"fmt"

	"birthregistry/app/auth"
	"birthregistry/store"
)

// A user can merge one provider into another (spec, "Practitioner rules" 6). After the merge, the
// births of the merged provider count as the other provider's births. When the merge is undone, all
// births of the merged provider are its own again, including those that were sent after the merge.
// The logs of both providers show the merge and the undo. A birth that is sent with a merged
// provider changes neither the name nor the role of the other provider.

// The reasons for refusing to merge providers or to undo a merge.
var (
	ErrSameProvider = errors.New("review: the two are one provider already")
	ErrMergedInto   = errors.New("review: one of the two was merged into another provider")
	ErrNotMerged    = errors.New("review: the provider is not merged into another")
)

// MergeProvider merges a provider into another one, together with all providers that were merged
// into it before.
func (s *Service) MergeProvider(who auth.User, provider, into int64) error {
	if err := who.Must(auth.ProviderMerge); err != nil {
		return err
	}
	if provider == into {
		return ErrSameProvider
	}
	return s.auth.Act(who, func(tx *store.Tx) error {
		p := who.Practice.ID
		for _, id := range []int64{provider, into} {
			found, err := tx.Provider(p, id)
			if err != nil {
				return err
			}
			if found.Survivor != 0 {
				return ErrMergedInto
			}
		}
		return errors.Join(
			tx.SetMerged(p, provider, into),
			tx.LogMerge(p, "merge", provider, into, who.ID),
			s.auth.Note(tx, who, "provider.merge", fmt.Sprintf("provider %d into %d", provider, into)),
		)
	})
}

// UnmergeProvider undoes the merge of a provider. The provider is separate again. Providers that
// had been merged into it before the merge stay merged into it.
func (s *Service) UnmergeProvider(who auth.User, provider int64) error {
	return s.auth.ActIf(who, auth.ProviderMerge, func(tx *store.Tx) error {
		p := who.Practice.ID
		found, err := tx.Provider(p, provider)
		if err != nil {
			return err
		}
		if found.MergedInto == 0 {
			return ErrNotMerged
		}
		return errors.Join(
			tx.SetMerged(p, provider, 0),
			tx.LogMerge(p, "unmerge", provider, found.MergedInto, who.ID),
			s.auth.Note(tx, who, "provider.unmerge", fmt.Sprintf("provider %d from %d", provider, found.MergedInto)),
		)
	})
}
