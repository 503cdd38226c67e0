package review

import (
	"errors"
	"fmt"
	"slices"

	"birthregistry/app/auth"
	"birthregistry/store"
)

// MergeGroup merges all other providers of a provider's group into it. From then on, new providers
// of the group are merged into it, too. Providers belong to the same group if they have the same
// name, and the same NPI or none. Without MergeGroup, a sender that makes a new ID for each message
// would fill the directory with copies of one person.
func (s *Service) MergeGroup(who auth.User, provider int64) error {
	return s.auth.ActIf(who, auth.ProviderMerge, func(tx *store.Tx) error {
		p := who.Practice.ID
		providers, err := tx.ProviderNames(p)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(providers, func(i store.Provider) bool { return i.ID == provider })
		if at < 0 {
			return ErrMergedInto
		}
		group := providers[at].Group()
		if group == (store.ProviderGroup{}) {
			return ErrSameProvider
		}
		var others []int64
		for n, i := range providers {
			if n != at && i.Group() == group {
				others = append(others, i.ID)
			}
		}
		return errors.Join(
			tx.MergeAll(p, others, provider, who.ID),
			tx.SetJoined(p, group, provider),
			s.auth.Note(tx, who, "provider.group", fmt.Sprintf("%d providers into %d, and new ones later", len(others), provider)),
		)
	})
}

// EndGroup ends what MergeGroup has begun: new providers are no longer merged into the provider. It
// returns ErrNotMerged if MergeGroup wasn't called for the provider.
func (s *Service) EndGroup(who auth.User, provider int64) error {
	return s.auth.ActIf(who, auth.ProviderMerge, func(tx *store.Tx) error {
		err := store.Translate(tx.EndJoined(who.Practice.ID, provider), store.ErrNotFound, ErrNotMerged)
		return errors.Join(err, s.auth.Note(tx, who, "provider.ungroup", fmt.Sprintf("provider %d", provider)))
	})
}
