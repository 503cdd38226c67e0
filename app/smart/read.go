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

// The limits of one chart read (smart-requirements M10). maxPages doesn't count the first page of
// each search. The number of searches is limited anyway, because there are only so many codes and
// categories.
const (
	maxPage     = 5 << 20  // bytes of one response, after decompression
	maxChart    = 20 << 20 // bytes in all
	maxPages    = 50       // further pages in all
	maxElements = 100_000  // objects and lists in all; a chart with 1,000 results has about 15,000
	maxResults  = 8_000    // resources in all, because package uscore compares them with each other
	atOnce      = 4        // concurrent calls, because slow EHRs take seconds to search
	// readWithin is the time limit of a read if the callback has no deadline. Otherwise, the read
	// must end keepWithin before the callback's deadline, so that there is time to store the
	// result.
	readWithin = 40 * time.Second
	keepWithin = 3 * time.Second
)

// reader reads the chart of one patient with the token of one launch.
type reader struct {
	service *Service
	out     *outbound
	launch  uscore.Launch
	base    string // the issuer's FHIR base, without a slash at its end
	patient string
	token   string

	slots                           chan struct{}
	pages, bytes, elements, results atomic.Int64 // how many more are allowed
}

// charted is the result of reading a chart.
type charted struct {
	chart fhir.Chart
	// clinician holds the names of the clinician who launched the registry. It is nil if they
	// aren't known.
	clinician []fhir.HumanName
	unread    []string  // what could not be read, as sentences for a clinician (S5)
	conduct   []Conduct // how the EHR's responses differed from the requests
}

// take adds the result of a search to the chart. The argument resource is the type of resource that
// was searched for. If the result is incomplete, take adds the type to the chart's Partial.
func (c *charted) take(resource string, f found) {
	c.chart.Observations = append(c.chart.Observations, f.chart.Observations...)
	c.chart.Conditions = append(c.chart.Conditions, f.chart.Conditions...)
	c.chart.Encounters = append(c.chart.Encounters, f.chart.Encounters...)
	c.unread = append(c.unread, f.unread...)
	if !f.whole() && c.chart.Whole(resource) {
		c.chart.Partial = append(c.chart.Partial, resource)
	}
}

// readChart reads the chart of the launched patient: the Patient, and the patient's Observations,
// Conditions and Encounters. The field launch.Base is the issuer's FHIR base. The argument scopes
// lists what the EHR granted. An empty list means everything that was requested.
//
// It returns ErrUpstream, ErrSlow or ErrBusy if it can't read the Patient. It returns ErrUpstream
// if the EHR revokes the token during the read, or if ctx is canceled.
func (s *Service) readChart(ctx context.Context, o *outbound, launch uscore.Launch, patient, token string, scopes []string) (c charted, err error) {
	r := &reader{
		service: s, out: o, launch: launch, base: strings.TrimSuffix(launch.Base, "/"), patient: patient, token: token,
		slots: make(chan struct{}, atOnce),
	}
	r.pages.Store(maxPages)
	r.bytes.Store(maxChart)
	r.elements.Store(maxElements)
	r.results.Store(maxResults)
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

// leaveTime returns a context for a read. It ends keepWithin before ctx's deadline, or after
// readWithin if ctx has no deadline.
func leaveTime(ctx context.Context) (context.Context, context.CancelFunc) {
	if by, ok := ctx.Deadline(); ok {
		return context.WithDeadline(ctx, by.Add(-keepWithin))
	}
	return context.WithTimeout(ctx, readWithin)
}

// resourceID matches the syntax of FHIR ids (R4, id). The service puts such ids into addresses.
var resourceID = regexp.MustCompile(`^[A-Za-z0-9\-.]{1,64}$`)

// isResourceID reports whether id is a FHIR id that can safely be put into an address. An id that
// consists only of dots is refused, because it would change the address's path.
func isResourceID(id string) bool {
	return resourceID.MatchString(id) && strings.Trim(id, ".") != ""
}

// readPatient reads the launched patient. It fails unless the response is the Patient with the id
// that was launched (M22).
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

// kind is a resource type to search for, with the name that clinicians see.
type kind struct{ resource, name string }

var kinds = []kind{{"Condition", "Diagnoses"}, {"Encounter", "Visits"}, {"Observation", "Measurements"}}

// readKinds searches for all granted resource types at the same time, so that a slow search doesn't
// use up the time for the others. The first error ends all searches. Series of measurements are
// read last, because the rest of the chart decides which of them are needed.
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
		if k.resource == "Observation" && grants(scopes, k.resource) {
			all[i], err = o.finish(ctx, c.chart)
			c.conduct = o.conduct
		}
		if limits(scopes, k.resource) {
			all[i].withheld = true
			all[i].unread = append(all[i].unread, k.name+" were read only in part: the EHR allowed only some of them.")
		}
		c.take(k.resource, all[i])
	}
	return err
}

// firstPart returns a context for the first part of a read. It allows three quarters of the time
// that is left, so that some remains for the second part. If ctx has no deadline, neither has the
// result.
func firstPart(ctx context.Context) (context.Context, context.CancelFunc) {
	by, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, by.Add(-time.Until(by)/4))
}

// readPlain reads the results of one search. If any are missing, it adds sentences about that for
// the clinician.
func (r *reader) readPlain(ctx context.Context, k kind, address string) (found, error) {
	f, err := r.search(ctx, ask{resource: k.resource, address: address})
	f.noteMissing(k.name)
	return f, err
}

// readVisits searches for the visits of recent years. An older visit affects the form only if the
// launch came from it, or if it was for a birth. readVisits searches for all visits if the first
// search fails or finds nothing, or if it doesn't find the visit from which the launch came.
//
// Older visits for a birth are searched for by type. US Core doesn't require this search, so it
// doesn't matter if the EHR refuses it, or returns other visits as well.
func (r *reader) readVisits(ctx context.Context, k kind) (found, error) {
	births := "http://snomed.info/sct|" + strings.Join(birthTypes, ",http://snomed.info/sct|")
	all, err := r.searches(ctx, []ask{
		{resource: k.resource, address: r.query(k.resource, "date", "ge"+r.recently(), "_sort", "-date")},
		{resource: k.resource, address: r.query(k.resource, "type", births), fits: labels.forBirth},
	})
	if err != nil {
		return found{}, err
	}
	f, older := all[0], all[1]
	launched := slices.ContainsFunc(f.chart.Encounters, func(e fhir.ChartEncounter) bool { return e.ID == r.launch.Encounter })
	if f.failed == nil && len(f.chart.Encounters) > 0 && (launched || r.launch.Encounter == "") {
		if older.pages == 0 || older.strays > 0 {
			older.failed = nil
		}
		f = joined([]found{f, {chart: older.chart, pages: older.pages, failed: older.failed}})
		f.noteMissing(k.name)
		return f, nil
	}
	return r.readPlain(ctx, k, r.query(k.resource))
}

// birthTypes lists the types of visits for a birth (SNOMED CT).
var birthTypes = uscore.DeliveryTypes()

// recently returns the date two years before the launch, in FHIR's format. The pregnancy for which
// the form is used can't have begun earlier.
func (r *reader) recently() string { return r.launch.At.AddDate(-2, 0, 0).UTC().Format(time.DateOnly) }

// together runs n tasks at the same time and waits for all of them. If a task fails, together
// cancels the others and returns the error of the task that failed.
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
		// If a task was canceled because another one failed, its error isn't the cause.
		if e := <-end; e != nil && (err == nil || errors.Is(err, context.Canceled)) {
			err = e
		}
	}
	return err
}
