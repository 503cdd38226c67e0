package ui

import (
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"birthregistry/app/birth"
	"birthregistry/store"
	"birthregistry/views"
)

// recordFilter holds what the user has selected for the list of records, in the boxes above the
// list or by following a link. Selections aren't patient data, so an address may contain them. The
// embedded Filter may also have a search, which query doesn't put into the address.
type recordFilter struct {
	store.Filter
	year, month string
	wrongYear   bool
	submission  string // the ID of the ingestion that wrote the records
	search      string // the search text, or ""
	figure      *figureFilter
	report      *reportFilter
}

var (
	fourDigits = regexp.MustCompile(`^\d{4}$`)
	twoDigits  = regexp.MustCompile(`^(0[1-9]|1[0-2])$`)
)

// filterOf reads the filter from the address. It ignores values that aren't choices of the page.
func filterOf(c echo.Context) (f recordFilter) {
	pick := func(name string, choices []views.Choice) string {
		wanted := c.QueryParam(name)
		if labelOfChoice(choices, wanted) == "" {
			return ""
		}
		return wanted
	}
	f.State = birth.State(pick("state", stateChoices))
	f.Source = birth.Source(pick("source", sourceChoices))
	f.Attendant = pick("attendant", attendantChoices())
	f.Suspected, f.Incomplete = c.QueryParam("duplicate") == "yes", c.QueryParam("incomplete") == "yes"
	f.Missing, f.figure, f.report = pick("missing", missingChoices()), figureOf(c), reportPartOf(c)
	if id := c.QueryParam("submission"); uuid.Validate(id) == nil {
		f.submission = id
	}
	order, up := strings.CutSuffix(pick("sort", sortChoices), ascending)
	f.Order, f.Ascending = store.Order(strings.TrimPrefix(order, created)), up
	f.year = strings.TrimSpace(c.QueryParam("year"))
	if month := c.QueryParam("month"); twoDigits.MatchString(month) {
		f.month = month
	}
	switch {
	case fourDigits.MatchString(f.year) && f.month != "":
		f.Born = f.year + "-" + f.month
	case fourDigits.MatchString(f.year):
		f.Born = f.year
	case f.year != "" || f.month != "":
		f.wrongYear = true
	}
	return f
}

// query returns the filter as query parameters.
func (f recordFilter) query() url.Values {
	query := url.Values{}
	set := func(name, value string) {
		if value != "" {
			query.Set(name, value)
		}
	}
	set("state", string(f.State))
	set("source", string(f.Source))
	set("attendant", f.Attendant)
	if !f.wrongYear {
		set("year", f.year)
		set("month", f.month)
	}
	if f.Suspected {
		set("duplicate", "yes")
	}
	if f.Incomplete {
		set("incomplete", "yes")
	}
	set("missing", f.Missing)
	set("submission", f.submission)
	set("sort", f.sort())
	if f.search != "" {
		query.Set(foundBy, bySearch)
	}
	if f.figure != nil {
		maps.Copy(query, f.figure.query())
	}
	if f.report != nil {
		maps.Copy(query, f.report.query())
	}
	return query
}

// These are parts of the query parameter "sort" in the list's address. created stands for
// store.ByCreation. The suffix ascending means that the oldest records come first.
const (
	created   = "created"
	ascending = "-up"
)

// sort returns the order of the list as a query parameter. It returns "" for the default order.
func (f recordFilter) sort() string {
	switch {
	case !f.Ascending:
		return string(f.Order)
	case f.Order == store.ByCreation:
		return created + ascending
	}
	return string(f.Order) + ascending
}

var sortChoices = []views.Choice{
	{Value: "", Label: "Creation, newest first"},
	{Value: created + ascending, Label: "Creation, oldest first"},
	{Value: string(store.ByBirth), Label: "Month of birth, newest first"},
	{Value: string(store.ByBirth) + ascending, Label: "Month of birth, oldest first"},
	{Value: string(store.ByChange), Label: "Last change, newest first"},
	{Value: string(store.ByChange) + ascending, Label: "Last change, oldest first"},
}

// sortWords describes how the list is sorted. For a search by chart number, whose results are
// sorted by chart number, it returns "".
func (f recordFilter) sortWords() string {
	if f.Chart != "" {
		return ""
	}
	return strings.ToLower(labelOfChoice(sortChoices, f.sort()))
}

func missingChoices() []views.Choice {
	choices := []views.Choice{{Value: "", Label: "Any record"}}
	for _, field := range birth.KeyFields {
		choices = append(choices, views.Choice{Value: field, Label: birth.Must(field).Label})
	}
	return choices
}

var stateChoices = []views.Choice{
	{Value: "", Label: "All"},
	{Value: string(birth.Active), Label: "Active"},
	{Value: string(birth.Voided), Label: "Voided"},
	{Value: string(birth.Merged), Label: "Merged"},
}

var sourceChoices = []views.Choice{
	{Value: "", Label: "Any source"},
	{Value: string(birth.Manual), Label: birth.Manual.Label()},
	{Value: string(birth.CSV), Label: birth.CSV.Label()},
	{Value: string(birth.FHIRPush), Label: birth.FHIRPush.Label()},
	{Value: string(birth.EHRPull), Label: birth.EHRPull.Label()},
}

func attendantChoices() []views.Choice {
	choices := []views.Choice{{Value: "", Label: "Any role"}}
	for _, o := range birth.Must("attendant_type").Options {
		choices = append(choices, views.Choice{Value: o.Code, Label: o.Label})
	}
	return append(choices, views.Choice{Value: store.Unstated, Label: "Not stated"})
}

func monthChoices() []views.Choice {
	choices := []views.Choice{{Value: "", Label: "All year"}}
	for month := time.January; month <= time.December; month++ {
		choices = append(choices, views.Choice{Value: fmt.Sprintf("%02d", int(month)), Label: month.String()})
	}
	return choices
}

// chosen returns a copy of the choices in which the choice with the given value is selected.
func chosen(choices []views.Choice, value string) []views.Choice {
	marked := make([]views.Choice, len(choices))
	for i, choice := range choices {
		choice.Chosen = choice.Value == value
		marked[i] = choice
	}
	return marked
}

// labelOfChoice returns the label of the choice with the given value. It returns "" if there is no
// such choice.
func labelOfChoice(choices []views.Choice, value string) string {
	for _, choice := range choices {
		if choice.Value == value {
			return choice.Label
		}
	}
	return ""
}

func (f recordFilter) boxes() views.RecordFilters {
	boxes := views.RecordFilters{
		State: chosen(stateChoices, string(f.State)), Source: chosen(sourceChoices, string(f.Source)),
		Attendant: chosen(attendantChoices(), f.Attendant), Month: chosen(monthChoices(), f.month),
		Year:      views.Input{Name: "year", Label: "Year of birth", Value: f.year, InputMode: "numeric", Width: "s"},
		Suspected: f.Suspected, Incomplete: f.Incomplete,
		Missing: chosen(missingChoices(), f.Missing), Sort: chosen(sortChoices, f.sort()),
	}
	query := f.query()
	for _, name := range []string{foundBy, "submission", "measure", "report", "by", "part", "from", "to", "split", "group"} { // set by links, not by boxes
		if value := query.Get(name); value != "" {
			boxes.Hidden = append(boxes.Hidden, views.Choice{Label: name, Value: value})
		}
	}
	return boxes
}

// words returns a sentence about the records that the list shows, or "" if it shows all.
func (f recordFilter) words() string {
	parts := strings.Join(f.parts(), "; ")
	switch {
	case f.search != "" && parts != "":
		return "Only those that the search finds and that match the filter: " + parts + "."
	case f.search != "":
		return "Only those that the search finds."
	case parts != "":
		return "Only those that match the filter: " + parts + "."
	}
	return ""
}

// parts names each condition of the filter, without the search.
func (f recordFilter) parts() []string {
	var parts []string
	add := func(name, text string) { parts = append(parts, name+": "+text) }
	for _, box := range []struct {
		name, value string
		choices     []views.Choice
	}{
		{"state", string(f.State), stateChoices},
		{"source", string(f.Source), sourceChoices},
		{"attendant", f.Attendant, attendantChoices()},
		{"missing", f.Missing, missingChoices()},
	} {
		if box.value != "" {
			add(box.name, lowerFirst(labelOfChoice(box.choices, box.value)))
		}
	}
	if f.year != "" && !f.wrongYear {
		add("born", birth.When(strings.TrimSuffix(f.year+"-"+f.month, "-")))
	}
	if f.Suspected {
		parts = append(parts, "only possible duplicates")
	}
	if f.Incomplete {
		parts = append(parts, "only incomplete ones")
	}
	if f.submission != "" {
		parts = append(parts, "from one ingestion")
	}
	if f.figure != nil {
		parts = append(parts, f.figure.words())
	}
	if f.report != nil {
		parts = append(parts, f.report.words())
	}
	return parts
}
