package review

import (
	"errors"
	"fmt"

	"birthregistry/app/auth"
	"birthregistry/store"
)

// A person can merge two identities of providers (spec, "Practitioner rules" 6). After a merge, the
// births of the merged identity count as the survivor's. When the merge is undone, all births of
// that identity are its own again, including those sent after the merge. The career logs of both
// providers show the merge and its undo. Births sent with a merged identity change neither the
// survivor's name nor its role.

// Reasons to refuse a merge of providers.
var (
	ErrSameProvider = errors.New("review: the two are one provider already")
	ErrMergedInto   = errors.New("review: one of the two was merged into another provider")
	ErrNotMerged    = errors.New("review: the provider is not merged into another")
)

// MergeProvider merges a provider, with all identities merged into it, into
// another one.
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

// UnmergeProvider undoes a merge: the provider is separate again, with all
// identities that had been merged into it before.
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
