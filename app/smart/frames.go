package smart

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"birthregistry/store"
)

// FrameOrigins returns the origins that may show the page of an embedded launch in a frame. These
// are the origins that the operator named for the listed EHRs. If Launch would admit the query, the
// origin of the query's issuer is one of them, too.
//
// The issuer's origin may show only the page of its own launch. The operator need not name that
// origin (ehr add --frame-origin), because the operator already trusts the issuer, which names the
// patient and sends the chart. The origins that the operator named may show the page of every
// launch. No other site can show the page.
//
// The page has one link, which opens a new window of the registry. If somebody tricks a clinician
// into clicking that link, the click does what the EHR's launch button does, and writes nothing.
// All other pages refuse to be framed, and browsers don't send their cookies (SameSite=Lax) in
// frames.
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

// originOf returns the origin (scheme and host) of an EHR's issuer. The issuer must be in its
// normal form.
func originOf(e store.EHR) string {
	scheme, _, _ := strings.Cut(e.Issuer, "://")
	return scheme + "://" + issuerHost(e.Issuer)
}
