package review

import (
	"errors"
	"fmt"

	"birthregistry/app/auth"
	"birthregistry/store"
)

// mergedAtOnce is how many providers one transaction of MergeGroup reads, and at most merges. A sender
// can make many thousands of one person, and other practices wait while a transaction writes.
const mergedAtOnce = 500

// MergeGroup merges all other providers of a provider's group into it. From then on, new providers
// of the group are merged into it, too. Providers belong to the same group if they have the same
// name, and the same NPI or none. Without MergeGroup, a sender that makes a new ID for each message
// would fill the directory with copies of one person. If MergeGroup is interrupted, another call does
// the rest.
func (s *Service) MergeGroup(who auth.User, provider int64) error {
	after, more := int64(0), true
	for begins := true; more; begins = false {
		var seen []store.Provider
		err := s.auth.ActIf(who, auth.ProviderMerge, func(tx *store.Tx) error {
			group, err := groupOf(tx, who.Practice.ID, provider)
			if err == nil && begins {
				err = tx.SetJoined(who.Practice.ID, group, provider)
			}
			if err != nil {
				return err
			}
			if seen, err = tx.ProviderNames(who.Practice.ID, after, mergedAtOnce); err != nil {
				return err
			}
			var others []int64
			for _, i := range seen {
				if i.ID != provider && i.Group() == group {
					others = append(others, i.ID)
				}
			}
			if len(others) == 0 && !begins {
				return nil
			}
			return errors.Join(
				tx.MergeAll(who.Practice.ID, others, provider, who.ID),
				s.auth.Note(tx, who, "provider.group", fmt.Sprintf("%d providers into %d, and new ones later", len(others), provider)),
			)
		})
		if err != nil {
			return err
		}
		if more = len(seen) == mergedAtOnce; more {
			after = seen[len(seen)-1].ID
		}
	}
	return nil
}

// groupOf returns the group of a provider. It returns ErrMergedInto if the provider is merged into
// another one, and ErrSameProvider if the provider belongs to no group.
func groupOf(tx *store.Tx, p store.PracticeID, provider int64) (store.ProviderGroup, error) {
	found, err := tx.ProviderNames(p, provider-1, 1)
	switch {
	case err != nil:
		return store.ProviderGroup{}, err
	case len(found) == 0 || found[0].ID != provider:
		return store.ProviderGroup{}, ErrMergedInto
	case found[0].Group() == store.ProviderGroup{}:
		return store.ProviderGroup{}, ErrSameProvider
	}
	return found[0].Group(), nil
}

// EndGroup ends what MergeGroup has begun: new providers are no longer merged into the provider. It
// returns ErrNotMerged if MergeGroup wasn't called for the provider.
func (s *Service) EndGroup(who auth.User, provider int64) error {
	return s.auth.ActIf(who, auth.ProviderMerge, func(tx *store.Tx) error {
		err := store.Translate(tx.EndJoined(who.Practice.ID, provider), store.ErrNotFound, ErrNotMerged)
		return errors.Join(err, s.auth.Note(tx, who, "provider.ungroup", fmt.Sprintf("provider %d", provider)))
	})
}
