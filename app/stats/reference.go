package stats

import (
	"cmp"
	"fmt"

	"github.com/dustin/go-humanize"
	"github.com/go-json-experiment/json"
)

// Reference is a published figure with its source. assets/references.json lists the references in
// the order in which pages show them. The overview compares a measure with its first reference.
type Reference struct {
	Measure string `json:"measure"`
	Label   string `json:"label"`
	// Value is a percentage. If Per is set, Value is instead a number of cases per Per births, such
	// as 3 per 1000.
	Value float64 `json:"value"`
	Per   int     `json:"per,omitzero"`
	// Kind is "target" for a goal, or "" for an observed figure.
	Kind string `json:"kind,omitzero"`
	// Parity is "nulliparous" or "parous" if the figure covers only such mothers.
	Parity string `json:"parity,omitzero"`
	// Place is "home" or "birth_center" if the figure covers only births that were planned there.
	Place        string `json:"place,omitzero"`
	Population   string `json:"population"`
	Years        string `json:"years"`
	CountingUnit string `json:"counting_unit"` // births or newborns
	Source       string `json:"source"`
	URL          string `json:"url"`
	// Comparable tells how similar the population and the definition are: "full", "partial", or
	// "context" for a figure that is shown but not compared.
	Comparable string `json:"comparable"`
	// SeenIn names the document in which the figure was found. It is "" if nobody could find the
	// figure in its source. Pages then mark the figure as not confirmed.
	SeenIn string `json:"seen_in"`
	Note   string `json:"note,omitzero"`
}

// Share returns the reference as a share, 0 to 1.
func (r Reference) Share() float64 { return r.Value / float64(r.per()) }

func (r Reference) per() int { return cmp.Or(r.Per, 100) }

// Text returns the figure as pages show it, such as "32.3%" or "5.53 per 1,000".
func (r Reference) Text() string {
	if r.per() == 100 {
		return Percent(r.Value, -1)
	}
	return fmt.Sprintf("%v per %s", r.Value, humanize.Comma(int64(r.Per)))
}

// References parses doc, the JSON of published figures, and returns the figures of each measure.
// The keys are IDs of measures. References returns an error if doc can't be read, if a figure's
// measure is unknown, or if another member of a figure is missing or invalid.
func References(doc []byte) (map[string][]Reference, error) {
	var all []Reference
	if err := json.Unmarshal(doc, &all, json.RejectUnknownMembers(true)); err != nil {
		return nil, fmt.Errorf("stats: the references are not readable: %w", err)
	}
	of := map[string][]Reference{}
	for i, r := range all {
		m := Lookup(r.Measure)
		switch {
		case m == nil:
			return nil, fmt.Errorf("stats: reference %d: there is no measure %q", i, r.Measure)
		case r.Label == "" || r.Years == "" || r.Source == "" || r.URL == "" || r.Population == "":
			return nil, fmt.Errorf("stats: reference %d (%s): label, years, population, source and url are needed", i, r.Measure)
		case r.Share() <= 0 || r.Share() >= 1:
			return nil, fmt.Errorf("stats: reference %d (%s): the share must be between 0 and 100%%", i, r.Measure)
		case r.Comparable != "full" && r.Comparable != "partial" && r.Comparable != "context":
			return nil, fmt.Errorf("stats: reference %d (%s): comparable is full, partial or context", i, r.Measure)
		}
		of[r.Measure] = append(of[r.Measure], r)
	}
	return of, nil
}
