package smart

import (
	"context"

	"birthregistry/app/fhir"
)

func (s *Service) readChart(ctx context.Context, o *outbound, base, patient, token string, scopes []string) (chart fhir.Chart, unread []string, err error) {
	return fhir.Chart{}, nil, nil
}
