package smart

import (
	"slices"

	"birthregistry/store"
)

// FrameOrigins returns the origins of the EHRs that may show the page of an
// embedded launch inside one of theirs, each once.
func (s *Service) FrameOrigins() (origins []string, err error) {
	err = s.db.View(func(v *store.View) error {
		ehrs, err := v.EHRs()
		for _, e := range ehrs {
			origins = append(origins, e.Frames...)
		}
		return err
	})
	return slices.Compact(slices.Sorted(slices.Values(origins))), err
}
