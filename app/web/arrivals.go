package web

import (
	"errors"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"birthregistry/app/access"
	"birthregistry/app/intake"
	"birthregistry/assets"
	"birthregistry/store"
	"birthregistry/views"
)

const (
	arrivalsPath = "/registry/ingestions"
	refusedPath  = arrivalsPath + "/refused"
)

func (s *Server) arrivalRoutes() []route {
	view := s.signedIn(access.IngestionView)
	return []route{
		{http.MethodGet, arrivalsPath, view, s.getArrivals},
		{http.MethodPost, arrivalsPath + "/find", view, s.postFindArrival},
		{http.MethodPost, arrivalsPath + "/sample", s.signedIn(access.SampleSend), s.postSample},
		{http.MethodGet, refusedPath, view, s.getRefused},
		{http.MethodGet, arrivalsPath + "/:ingestion", view, s.getArrival},
	}
}

// arrivalsPerPage is how many rows a page of the lists has.
const arrivalsPerPage = 50

var arrivalFilters = []struct {
	filter store.ArrivalFilter
	label  string
}{
	{store.AnyArrival, "All"},
	{store.UnderWay, "Under way"},
	{store.FailedOnly, "Failed"},
	{store.WithRejects, "With rejects"},
}

func (s *Server) getArrivals(c echo.Context) error {
	return s.arrivalsPage(c, http.StatusOK, views.Input{}, nil)
}

// arrivalsPage lists the Bundles that arrived. found is the search for an id as
// it was typed.
func (s *Server) arrivalsPage(c echo.Context, status int, found views.Input, mistakes []views.Mistake) error {
	who := person(c)
	filter := store.ArrivalFilter(c.QueryParam("show"))
	all, err := s.intake.Arrivals(c.Request().Context(), who.Practice.ID, filter, pageBefore(c), arrivalsPerPage+1)
	if errors.Is(err, store.ErrNotFound) {
		return noPage
	}
	if err != nil {
		return err
	}
	page := views.Arrivals{Tabs: arrivalTabs(false), Find: found, Mistakes: mistakes, Filtered: filter != store.AnyArrival}
	page.Find.Name, page.Find.Label, page.Find.Hint = "id", "Id", "The last part of the address in Content-Location."
	for _, f := range arrivalFilters {
		item := views.NavItem{Href: arrivalsPath, Label: f.label, Current: f.filter == filter}
		if f.filter != store.AnyArrival {
			item.Href += "?show=" + string(f.filter)
		}
		page.Filters = append(page.Filters, item)
	}
	if len(all) > arrivalsPerPage {
		all = all[:arrivalsPerPage]
		page.Older = olderThan(arrivalsPath, string(filter), all[arrivalsPerPage-1].ID)
	}
	for _, a := range all {
		page.Rows = append(page.Rows, arrivalRow(a))
	}
	if who.Practice.Sandbox && who.May(access.SampleSend) {
		page.Samples = sampleChoices()
	}
	return s.page(c, status, "Ingestions", views.ArrivalsPage(page))
}

// pageBefore reads where a page of a list begins: the id in the address, 0 for
// the newest.
func pageBefore(c echo.Context) int64 {
	before, err := strconv.ParseInt(c.QueryParam("before"), 10, 64)
	if err != nil || before < 0 {
		return 0
	}
	return before
}

// olderThan is the address of the page behind the row with the id.
func olderThan(at, show string, id int64) string {
	query := url.Values{"before": {strconv.FormatInt(id, 10)}}
	if show != "" {
		query.Set("show", show)
	}
	return at + "?" + query.Encode()
}

func arrivalTabs(refused bool) []views.NavItem {
	return []views.NavItem{
		{Href: arrivalsPath, Label: "Received", Current: !refused},
		{Href: refusedPath, Label: "Refused requests", Current: refused},
	}
}

func arrivalRow(a store.Arrival) views.ArrivalRow {
	row := views.ArrivalRow{
		ID: a.PublicID, Path: arrivalsPath + "/" + a.PublicID, At: a.CreatedAt, From: from(a), Took: took(a),
		Size: humanize.IBytes(uint64(max(a.Size, 0))),
	}
	row.Tag, row.Status = statusOf(a)
	if a.Status == store.Completed {
		row.Accepted, row.Rejected = strconv.Itoa(a.Accepted), strconv.Itoa(a.Rejected)
	}
	return row
}

// from names who sent it: a key by its label, or a person of the sandbox.
func from(a store.Arrival) string {
	if a.Key == "" {
		return "Sample"
	}
	return a.Key
}

func took(a store.Arrival) string {
	if a.CompletedAt.IsZero() {
		return ""
	}
	d := a.CompletedAt.Sub(a.CreatedAt)
	if d < time.Second {
		return "under 1 s"
	}
	if d < time.Minute {
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
	}
	return d.Round(time.Second).String()
}

func statusOf(a store.Arrival) (tag, words string) {
	switch {
	case a.Status == store.Failed:
		return "bad", "Failed"
	case a.Status == store.Completed && a.Rejected > 0:
		return "warn", "Completed with rejects"
	case a.Status == store.Completed:
		return "good", "Completed"
	case a.Status == store.Processing:
		return "plain", "Processing"
	}
	return "plain", "Queued"
}

// postFindArrival looks an ingestion up by its id, which people paste with the
// rest of its address as often as not.
func (s *Server) postFindArrival(c echo.Context) error {
	form, err := smallForm(c)
	if err != nil {
		return err
	}
	typed := strings.TrimSpace(form.Get("id"))
	wanted := typed[strings.LastIndexByte(typed, '/')+1:]
	err = store.ErrNotFound
	if uuid.Validate(wanted) == nil {
		_, err = s.intake.Arrival(c.Request().Context(), person(c).Practice.ID, wanted)
	}
	if errors.Is(err, store.ErrNotFound) {
		mistake := views.Mistake{Name: "id", Text: "No ingestion of this practice has this id"}
		return s.arrivalsPage(c, http.StatusUnprocessableEntity, views.Input{Value: typed, Error: mistake.Text}, []views.Mistake{mistake})
	}
	if err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, arrivalsPath+"/"+wanted)
}

func (s *Server) getRefused(c echo.Context) error {
	all, err := s.access.Refusals(c.Request().Context(), person(c).Practice.ID, pageBefore(c), arrivalsPerPage+1)
	if err != nil {
		return err
	}
	page := views.Arrivals{Tabs: arrivalTabs(true)}
	if len(all) > arrivalsPerPage {
		all = all[:arrivalsPerPage]
		page.Older = olderThan(refusedPath, "", all[arrivalsPerPage-1].ID)
	}
	for _, r := range all {
		page.Refused = append(page.Refused, views.RefusedRow{
			At: r.At, Status: strconv.Itoa(r.Status), Code: r.Code, Key: r.Key, Request: r.RequestID,
			Bytes: humanize.IBytes(uint64(max(r.Bytes, 0))),
		})
	}
	return s.page(c, http.StatusOK, "Refused requests", views.RefusedPage(page))
}

// sampleNames are the sample Bundles that a sandbox offers.
func sampleNames() []string {
	names, _ := fs.Glob(assets.Samples, "samples/*.json") // the pattern is well-formed
	for i := range names {
		names[i] = strings.TrimSuffix(path.Base(names[i]), ".json")
	}
	return names
}

func sampleChoices() (all []views.Choice) {
	for _, name := range sampleNames() {
		_, words, _ := strings.Cut(name, "-")
		words = strings.ReplaceAll(words, "-", " ")
		all = append(all, views.Choice{Value: name, Label: strings.ToUpper(words[:1]) + words[1:]})
	}
	return all
}

// postSample sends a sample Bundle through the real queue, in a sandbox only.
func (s *Server) postSample(c echo.Context) error {
	form, err := smallForm(c)
	if err != nil {
		return err
	}
	body, err := assets.Samples.ReadFile("samples/" + path.Base(form.Get("sample")) + ".json")
	if err != nil {
		return noPage
	}
	id, err := s.intake.SendSample(person(c), body)
	if errors.Is(err, intake.ErrNoSandbox) {
		return noPage
	}
	if err != nil {
		return err
	}
	s.flash(c, "The sample is queued.")
	return c.Redirect(http.StatusSeeOther, arrivalsPath+"/"+id)
}
