package smart

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"birthregistry/store"
)

// FrameOrigins returns the origins that may show the page of an embedded launch in a frame:
// those that the operator named for the listed EHRs and, if the query is a launch that
// Launch would admit, the origin of its issuer.
//
// The issuer's origin needs no flag because the operator already trusts that host with
// more: it names the patient and states the chart. It may show only the page of its own
// launch, so no listed EHR can show a page that another EHR's launch leads to, and no
// other site can show any. That page has one link, which opens a window of the registry's
// own. A click that somebody tricked a clinician into does what the launch button in the
// EHR does, and writes nothing. All other pages refuse every frame, and a browser sends
// their cookies (SameSite=Lax) into none.
func (s *Service) FrameOrigins(ctx context.Context, query url.Values) (origins []string, err error) {
	all, err := s.Listed(ctx)
	if err != nil {
		return nil, err
	}
	for _, e := range all {
		origins = append(origins, e.Frames...)
	}
	if ehr, _, _, err := s.admit(ctx, query); err == nil {
		origins = append(origins, originOf(ehr))
	}
	slices.Sort(origins)
	return slices.Compact(origins), nil
}

// originOf returns the origin of an EHR's issuer, which is in its normal form.
func originOf(e store.EHR) string {
	scheme, _, _ := strings.Cut(e.Issuer, "://")
	return scheme + "://" + issuerHost(e.Issuer)
}
