package ui

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strconv"

	"github.com/labstack/echo/v4"

	"birthregistry/app/mapping/form"
	"birthregistry/app/records"
	"birthregistry/app/stats"
	"birthregistry/app/web/pages"
	"birthregistry/app/web/session"
	"birthregistry/store"
	"birthregistry/views"
)

// figureFilter selects the births that one part of a figure counts, such as its numerator. split
// and group limit the births to one group. Both are "" for all births.
type figureFilter struct {
	measure      *stats.Measure
	part         stats.Part
	period       stats.Period
	split, group string
}

// query returns the filter as query parameters for the address of the list.
func (f figureFilter) query() url.Values {
	query := url.Values{
		"measure": {f.measure.ID}, "part": {string(f.part)}, "from": {f.period.First.String()}, "to": {f.period.Last.String()},
	}
	switch f.split {
	case "":
	case stats.ByAttendant: // the list of records has a filter of its own for this
		query.Set("attendant", f.group)
	default:
		query.Set("split", f.split)
		query.Set("group", f.group)
	}
	return query
}

// counts reports whether the filter selects a birth. outcome is the birth's birth.Outcome in its
// text form.
func (f figureFilter) counts(outcome string) bool {
	return f.measure.Counts(f.part, outcome) && (f.split == "" || stats.InGroup(f.split, f.group, outcome))
}

// figureOf reads from the address which part of which figure the list shows. If the address has no
// figure, or an unknown figure or part, figureOf returns nil.
func figureOf(c echo.Context) *figureFilter {
	first, ok := stats.ParseMonth(c.QueryParam("from"))
	last, ok2 := stats.ParseMonth(c.QueryParam("to"))
	f := figureFilter{
		measure: stats.Lookup(c.QueryParam("measure")), part: stats.Part(c.QueryParam("part")), period: stats.Period{First: first, Last: last},
	}
	if split, group := c.QueryParam("split"), c.QueryParam("group"); stats.GroupLabel(split, group) != "" {
		f.split, f.group = split, group
	}
	if !ok || !ok2 || f.measure == nil || stats.Parts[f.part] == "" || first > last || f.period.Months() > stats.MaxMonths {
		return nil
	}
	return &f
}

// reportFilter selects the births in one part of a yearly report.
type reportFilter struct {
	records.ReportScope
	part records.ReportPart
}

// query returns the filter as query parameters for the address of the list.
func (f reportFilter) query() url.Values {
	query := url.Values{"report": {strconv.Itoa(f.Year)}, "part": {string(f.part)}}
	if f.Provider != 0 {
		query.Set("by", strconv.FormatInt(f.Provider, 10))
	}
	return query
}

// reportPartOf reads from the address which part of a report the list shows. If the address has no
// report, or an unknown part, reportPartOf returns nil.
func reportPartOf(c echo.Context) *reportFilter {
	year, part := c.QueryParam("report"), records.ReportPart(c.QueryParam("part"))
	if !fourDigits.MatchString(year) || records.ReportParts[part] == "" {
		return nil
	}
	f := reportFilter{part: part}
	f.Year, _ = strconv.Atoi(year)
	f.Provider, _ = strconv.ParseInt(c.QueryParam("by"), 10, 64) // anything but a number means the whole practice
	return &f
}

func (f reportFilter) words() string {
	return fmt.Sprintf("report of %d, %s", f.Year, records.ReportParts[f.part])
}

func (f figureFilter) words() string {
	text := fmt.Sprintf("%s, %s, %s", f.measure.Name, stats.Parts[f.part], f.period.Label())
	if f.split != "" {
		text += ", " + lowerFirst(stats.GroupLabel(f.split, f.group))
	}
	if f.measure.Unit == stats.Newborns {
		text += "; the figure counts newborns, so twins are only one record here"
	}
	return text
}

// from returns a link to the figure or report whose births the list shows. If there is none, it
// returns an empty item.
func (f recordFilter) from() views.NavItem {
	switch {
	case f.figure != nil:
		return views.NavItem{Label: f.figure.measure.Name, Href: pages.StatisticsPath + "/" + f.figure.measure.ID + monthsQuery(f.figure.period)}
	case f.report != nil:
		asked := reportAsked{year: strconv.Itoa(f.report.Year)}
		if f.report.Provider != 0 {
			asked.provider = strconv.FormatInt(f.report.Provider, 10)
		}
		return views.NavItem{Label: "the report of " + asked.year, Href: pages.ReportPath + asked.query()}
	}
	return views.NavItem{}
}

// The parameter that limits a list to the results of the search, and its value. The address can't
// hold the search text, so the session holds it. Without the parameter, the text doesn't apply: a
// link to other records, such as those that a figure counts, must show all of them.
const (
	foundBy  = "found"
	bySearch = "search"
)

// asked reads the user's selections from the address, and the search text from the session if the
// address asks for it.
func (h *Records) asked(c echo.Context) recordFilter {
	f := filterOf(c)
	if c.QueryParam(foundBy) == bySearch {
		f.search = h.Sessions.GetString(c.Request().Context(), searchKey(session.User(c)))
	}
	return f
}

// selected reads the user's selections. The Filter in its result is the store's filter for the
// selections and the search text.
func (h *Records) selected(c echo.Context) (f recordFilter, err error) {
	ctx, p := c.Request().Context(), session.User(c).Practice.ID
	f = h.asked(c)
	if f.figure != nil {
		f.Filter, err = h.records.CountedIn(ctx, p, f.Filter, f.figure.period, f.figure.counts)
		if err != nil {
			return f, err
		}
	}
	if f.report != nil {
		f.Filter, err = h.records.ReportedIn(ctx, p, f.Filter, f.report.ReportScope, f.report.part)
		if err != nil {
			return f, err
		}
	}
	if f.submission != "" {
		f.Filter, err = h.records.OfIngestion(ctx, p, f.Filter, f.submission)
		if errors.Is(err, store.ErrNotFound) {
			f.Restricted, f.Only, err = true, nil, nil
		}
		if err != nil {
			return f, err
		}
	}
	f.Filter, err = h.records.Search(ctx, p, f.Filter, f.search, dayTyped(f.search))
	return f, err
}

// namedMonth matches a month that is written with its name, such as "Mar 2026". Texts such as
// "MAR-2026" and "2026 MAR" may be chart numbers.
var namedMonth = regexp.MustCompile(`^\pL+\.?,? +\d{4}$`)

// dayTyped returns the search text as a date or a month, or "" if it is neither. A month must be
// named, as in "Mar 2026", because 2026-03 may be the beginning of a chart number.
func dayTyped(text string) string {
	day, ok := form.ReadDate(text)
	switch {
	case ok && len(day) == len("2006-01-02"):
		return day
	case ok && len(day) == len("2006-01") && namedMonth.MatchString(text):
		return day
	}
	return ""
}
