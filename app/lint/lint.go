// Package lint reports, without a server, what the registry would do with a Bundle: what it would
// keep and where the Bundle contains it, what it would drop and why, and the receipt that it would
// return. It reads with the same mapper as the server, and writes nothing.
//
// Some results depend on records that the registry already has: whether a chart number is known,
// whether an update is stale, and whether two births look like the same one. A Linter knows only
// the Bundles that it has read before, in the order in which it read them.
//
// A report holds no submitted value unless Settings.Reveal is set. It states positions with FHIR's
// own element names and numbers, and only codes that are known to the registry or to LOINC.
package lint

import (
	"bytes"
	"errors"
	"io"
	"time"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
	"birthregistry/app/mapping/bundle"
)

// Settings holds the service's settings that a Linter applies. Reveal isn't a setting of the
// service: it affects only the reports.
type Settings struct {
	Reading    birth.Reading
	Attendants []string
	MaxBody    int64
	// Reveal is set if reports may show the values that are kept, and the IDs of patients.
	Reveal bool
}

// Linter reads one Bundle after another and reports what the registry would do with each.
type Linter struct {
	settings Settings
	mapper   bundle.Reader
	records  *records
}

// New returns a Linter. To the Linter, timestamps later than now are in the future.
func New(s Settings, now time.Time) *Linter {
	return &Linter{
		settings: s,
		mapper:   bundle.Reader{Reading: s.Reading, Attendants: s.Attendants, Traced: true},
		records:  newRecords(now),
	}
}

// These are the states of a Bundle. Completed and Failed are states of a receipt. Refused means
// that there is no receipt.
const (
	Completed = "completed"
	Failed    = "failed"  // the mapper panicked: a defect of this program
	Refused   = "refused" // the POST answers with an error
)

// Bundle is the report on one Bundle.
type Bundle struct {
	Status string `json:"status"`
	// HTTP is the status code that the POST would return.
	HTTP int `json:"http"`
	// Problem is the body that a refused POST would return.
	Problem  *fhir.OperationOutcome `json:"problem,omitzero"`
	Accepted int                    `json:"accepted"`
	Rejected int                    `json:"rejected"`
	Outcome  Outcome                `json:"outcome"`
	// Courses lists the courses of care and the retractions, in the order of the Bundle.
	Courses []Course `json:"courses"`
	// Outside lists the elements of a batch that don't belong to any of its courses.
	Outside []Dropped `json:"beside,omitempty"`
}

// Outcome lists the accepted and the rejected entries of the receipt.
type Outcome struct {
	Accepted []Accepted `json:"accepted"`
	Rejected []Rejected `json:"rejected"`
}

// Accepted is an entry that the receipt lists as accepted, without the record's UUID.
type Accepted struct {
	Reference string `json:"reference"`
	Suspected bool   `json:"suspected_duplicate,omitzero"`
	Amended   bool   `json:"amended,omitzero"`
	Retracted bool   `json:"retracted,omitzero"`
	Version   int    `json:"version,omitzero"`
}

// Rejected is an entry that the receipt lists as rejected.
type Rejected struct {
	Reference string                `json:"reference"`
	Outcome   fhir.OperationOutcome `json:"outcome"`
}

// Read reads one Bundle and reports on it. If the Bundle has a problem, the report states it. Read
// returns an error only if it can't read from the given reader.
func (l *Linter) Read(from io.Reader) (*Bundle, error) {
	body, err := io.ReadAll(io.LimitReader(from, l.settings.MaxBody+1))
	if err != nil {
		return nil, err
	}
	if int64(len(body)) > l.settings.MaxBody {
		return refused(fhir.TooLarge), nil
	}
	body = bytes.TrimPrefix(body, []byte("\ufeff"))
	if problem := (*fhir.Problem)(nil); errors.As(fhir.Scan(bytes.NewReader(body)), &problem) {
		return refused(problem), nil
	}
	elsewhere, err := l.keptAsBFDR(body)
	if err != nil {
		return nil, err
	}
	b := newBundle(Completed, 202)
	err = l.mapper.ReadWhole(body, func(item mapping.Item) error {
		if item.Panic != "" {
			return errPanicked
		}
		l.add(b, item, elsewhere)
		return nil
	})
	if errors.Is(err, errPanicked) {
		return newBundle(Failed, 202), nil
	}
	b.Accepted, b.Rejected = len(b.Outcome.Accepted), len(b.Outcome.Rejected)
	return b, err
}

var errPanicked = errors.New("lint: the mapper failed on the Bundle")

func newBundle(status string, answer int) *Bundle {
	return &Bundle{
		Status: status, HTTP: answer, Outcome: Outcome{[]Accepted{}, []Rejected{}}, Courses: []Course{},
	}
}

func refused(problem *fhir.Problem) *Bundle {
	b := newBundle(Refused, problem.Status)
	outcome := problem.Outcome()
	b.Problem = &outcome
	return b
}

// keptAsBFDR returns the places of the elements that would be kept with birth.BFDRReading. If the
// Linter already reads with birth.BFDRReading, keptAsBFDR returns an empty map.
func (l *Linter) keptAsBFDR(body []byte) (places map[string]bool, err error) {
	places = map[string]bool{}
	if l.mapper.Reading == birth.BFDRReading {
		return places, nil
	}
	wider := l.mapper
	wider.Reading = birth.BFDRReading
	err = wider.ReadWhole(body, func(item mapping.Item) error {
		if item.Trace == nil {
			return nil
		}
		kept, _ := item.Trace.Report(item.Draft)
		for _, k := range kept {
			for _, e := range k.From {
				places[e.At] = true
			}
		}
		return nil
	})
	return places, err
}
