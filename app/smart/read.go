package smart

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"birthregistry/app/fhir"
	"birthregistry/app/mapping/uscore"
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
	launch  uscore.Launch
	base    string // of the issuer, without a slash at its end
	patient string
	token   string

	slots                  chan struct{}
	pages, bytes, elements atomic.Int64 // still to spend
}

// charted is what a read gave.
type charted struct {
	chart   fhir.Chart
	unread  []string  // what is not there in the end, as sentences for a clinician (S5)
	conduct []Conduct // what the EHR did otherwise than it was asked
}

// take adds what a search gave of a type; what is missing of it leaves the chart
// partial.
func (c *charted) take(resource string, f found) {
	c.chart.Observations = append(c.chart.Observations, f.chart.Observations...)
	c.chart.Conditions = append(c.chart.Conditions, f.chart.Conditions...)
	c.chart.Encounters = append(c.chart.Encounters, f.chart.Encounters...)
	c.unread = append(c.unread, f.unread...)
	if !f.whole() && c.chart.Whole(resource) {
		c.chart.Partial = append(c.chart.Partial, resource)
	}
}

// readChart reads the chart of the patient launched: Patient, Observation,
// Condition and Encounter, about this patient only. launch.Base is the issuer's
// FHIR base; scopes are what the EHR granted, none stands for all that was asked
// for.
//
// Without the Patient, and when the EHR takes the token back on the way, there is
// no chart: ErrUpstream, ErrSlow or ErrBusy.
func (s *Service) readChart(ctx context.Context, o *outbound, launch uscore.Launch, patient, token string, scopes []string) (c charted, err error) {
	r := &reader{
		service: s, out: o, launch: launch, base: strings.TrimSuffix(launch.Base, "/"), patient: patient, token: token,
		slots: make(chan struct{}, atOnce),
	}
	r.pages.Store(maxPages)
	r.bytes.Store(maxChart)
	r.elements.Store(maxElements)
	reading, cancel := leaveTime(ctx)
	defer cancel()

	if c.chart.Patient, err = r.readPatient(reading); err == nil {
		err = r.readKinds(reading, scopes, &c)
	}
	if err == nil && errors.Is(ctx.Err(), context.Canceled) {
		err = errLeft
	}
	if err != nil {
		return charted{}, err
	}
	return c, nil
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
type kind struct{ resource, name string }

var kinds = []kind{{"Condition", "Diagnoses"}, {"Encounter", "Visits"}, {"Observation", "Measurements"}}

// readKinds searches all kinds that were granted, at the same time: a slow
// one does not take the others' time. The first error ends them all. What is
// measured in series is read at the end: which of it is of use depends on the rest.
func (r *reader) readKinds(ctx context.Context, scopes []string, c *charted) error {
	all, o := make([]found, len(kinds)), &observations{reader: r}
	first, cancel := firstPart(ctx)
	defer cancel()
	err := r.together(first, len(kinds), func(ctx context.Context, i int) (err error) {
		switch k := kinds[i]; {
		case !grants(scopes, k.resource):
			all[i] = found{withheld: true, unread: []string{k.name + " were not read: the EHR did not allow it."}}
		case k.resource == "Observation":
			err = o.begin(ctx)
		case k.resource == "Encounter":
			all[i], err = r.readVisits(ctx, k)
		default:
			all[i], err = r.readPlain(ctx, k, r.query(k.resource))
		}
		return err
	})
	if err != nil {
		return err
	}
	for i, k := range kinds {
		c.take(k.resource, all[i])
	}
	if grants(scopes, "Observation") {
		var f found
		f, err = o.finish(ctx, c.chart)
		c.take("Observation", f)
		c.conduct = o.conduct
	}
	return err
}

// firstPart ends what a read begins with while there is time for the rest.
func firstPart(ctx context.Context) (context.Context, context.CancelFunc) {
	by, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, by.Add(-time.Until(by)/4))
}

// readPlain reads what one search gives.
func (r *reader) readPlain(ctx context.Context, k kind, address string) (found, error) {
	f, err := r.search(ctx, ask{resource: k.resource, address: address})
	f.noteMissing(k.name)
	return f, err
}

// readVisits asks for those of recent years: no older one changes what is filled
// in, unless it is the one launched from. An EHR that finds none so is asked for
// all of them.
func (r *reader) readVisits(ctx context.Context, k kind) (found, error) {
	f, err := r.search(ctx, ask{resource: k.resource, address: r.query(k.resource, "date", "ge"+r.recently(), "_sort", "-date")})
	launched := slices.ContainsFunc(f.chart.Encounters, func(e fhir.ChartEncounter) bool { return e.ID == r.launch.Encounter })
	if err != nil || f.failed == nil && len(f.chart.Encounters) > 0 && (launched || r.launch.Encounter == "") {
		f.noteMissing(k.name)
		return f, err
	}
	return r.readPlain(ctx, k, r.query(k.resource))
}

// recently is a FHIR date: a pregnancy that the record can be about has begun
// since (mapping.SeriesOf).
func (r *reader) recently() string { return r.launch.At.AddDate(-2, 0, 0).UTC().Format(time.DateOnly) }

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
