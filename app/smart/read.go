package smart

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"sync/atomic"
	"time"

	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
	"birthregistry/app/task"
)

// The caps of one chart read (smart-requirements M10). The first page of each
// of our own searches does not count as a page: there are a dozen at most.
const (
	maxPage     = 5 << 20  // bytes of one answer, after decompression
	maxChart    = 20 << 20 // bytes in all
	maxPages    = 50       // further pages in all
	maxElements = 100_000  // objects and lists kept in all; a chart of 1,000 findings has some 15,000
	atOnce      = 4        // calls under way: slow EHRs search for seconds
	// readWithin is the time of a read; within a callback that has a deadline, it
	// ends keepWithin before it, so that what was read can be kept.
	readWithin = 40 * time.Second
	keepWithin = 3 * time.Second
)

// reader reads the chart of one patient with the token of one launch.
type reader struct {
	service *Service
	out     *outbound
	base    string // of the issuer, without a slash at its end
	patient string
	token   string

	slots                  chan struct{}
	pages, bytes, elements atomic.Int64 // still to spend
}

// readChart reads the chart of the patient launched: Patient, Observation,
// Condition and Encounter, about this patient only. base is the issuer's FHIR
// base, scopes what the EHR granted; none stands for all that was asked for.
//
// What is not there in the end is named in unread, as sentences for a clinician
// (S5). Without the Patient, and when the EHR takes the token back on the way,
// there is no chart: ErrUpstream, ErrSlow or ErrBusy.
func (s *Service) readChart(ctx context.Context, o *outbound, base, patient, token string, scopes []string) (
	chart fhir.Chart, unread []string, err error,
) {
	r := &reader{
		service: s, out: o, base: strings.TrimSuffix(base, "/"), patient: patient, token: token,
		slots: make(chan struct{}, atOnce),
	}
	r.pages.Store(maxPages)
	r.bytes.Store(maxChart)
	r.elements.Store(maxElements)
	reading, cancel := leaveTime(ctx)
	defer cancel()

	if chart.Patient, err = r.readPatient(reading); err != nil {
		return fhir.Chart{}, nil, err
	}
	found, err := r.readKinds(reading, scopes)
	if err == nil && errors.Is(ctx.Err(), context.Canceled) {
		err = errLeft
	}
	if err != nil {
		return fhir.Chart{}, nil, err
	}
	for _, f := range found {
		chart.Observations = append(chart.Observations, f.chart.Observations...)
		chart.Conditions = append(chart.Conditions, f.chart.Conditions...)
		chart.Encounters = append(chart.Encounters, f.chart.Encounters...)
		unread = append(unread, f.unread...)
	}
	return chart, unread, nil
}

// leaveTime ends a read before the callback ends.
func leaveTime(ctx context.Context) (context.Context, context.CancelFunc) {
	if by, ok := ctx.Deadline(); ok {
		return context.WithDeadline(ctx, by.Add(-keepWithin))
	}
	return context.WithTimeout(ctx, readWithin)
}

// resourceID is the syntax of FHIR ids (R4, id), which go into addresses.
var resourceID = regexp.MustCompile(`^[A-Za-z0-9\-.]{1,64}$`)

// isResourceID reports whether id may go into an address. The syntax of FHIR
// allows dots alone, which mean another place in an address.
func isResourceID(id string) bool {
	return resourceID.MatchString(id) && strings.Trim(id, ".") != ""
}

// readPatient reads the patient launched. Any other answer than that patient,
// by type and id, is ErrUpstream (M22).
func (r *reader) readPatient(ctx context.Context) (fhir.ChartPatient, error) {
	if !isResourceID(r.patient) {
		return fhir.ChartPatient{}, errOtherPatient
	}
	body, err := r.call(ctx, r.base+"/Patient/"+r.patient)
	if err != nil {
		return fhir.ChartPatient{}, err
	}
	who, err := readHead(body)
	if err != nil {
		return fhir.ChartPatient{}, err
	}
	if who.Type != "Patient" || who.ID != r.patient {
		return fhir.ChartPatient{}, errOtherPatient
	}
	var chart fhir.Chart
	if r.spend(body) != nil || chart.Add(body) != nil {
		return fhir.ChartPatient{}, errUnreadable
	}
	return chart.Patient, nil
}

// A kind is one type of resource that is searched.
type kind struct {
	resource, name string
	read           func(*reader, context.Context, kind) (found, error)
}

var kinds = []kind{
	{"Condition", "Diagnoses", (*reader).readPlain},
	{"Encounter", "Visits", (*reader).readPlain},
	{"Observation", "Measurements", (*reader).readObservations},
}

// readKinds searches all kinds that were granted, at the same time: a slow
// one does not take the others' time. The first error ends them all.
func (r *reader) readKinds(ctx context.Context, scopes []string) ([]found, error) {
	all := make([]found, len(kinds))
	err := r.together(ctx, len(kinds), func(ctx context.Context, i int) (err error) {
		k := kinds[i]
		if !grants(scopes, k.resource) {
			all[i].unread = []string{k.name + " were not read: the EHR did not allow it."}
			return nil
		}
		all[i], err = k.read(r, ctx, k)
		return err
	})
	return all, err
}

// readPlain reads what one search gives.
func (r *reader) readPlain(ctx context.Context, k kind) (found, error) {
	f, err := r.search(ctx, k.resource, r.query(k.resource, "", ""))
	f.tell(k.name)
	return f, err
}

// together runs n tasks at the same time and waits for all. The first error is
// returned and ends the others.
func (r *reader) together(ctx context.Context, n int, do func(context.Context, int) error) (err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	ends := make([]<-chan error, n)
	for i := range n {
		ends[i] = task.Go(r.service.log, "chart read", func() error {
			err := do(ctx, i)
			if err != nil {
				stop()
			}
			return err
		})
	}
	for _, end := range ends {
		// What was ended because of an error is not the error.
		if e := <-end; e != nil && (err == nil || errors.Is(err, context.Canceled)) {
			err = e
		}
	}
	return err
}

// chartCodes are what Observations are asked for by.
var chartCodes = mapping.ChartCodes()
