package ui

import (
	"cmp"
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

	"birthregistry/app/auth"
	"birthregistry/app/ingest"
	"birthregistry/app/web/pages"
	"birthregistry/app/web/session"
	"birthregistry/assets"
	"birthregistry/store"
	"birthregistry/views"
)

const RefusedPath = pages.IngestionsPath + "/refused"

const ingestionsPerPage = 50

var ingestionFilters = []struct {
	filter store.IngestionFilter
	label  string
}{
	{store.AnyIngestion, "All"},
	{store.UnderWay, "In progress"},
	{store.FailedOnly, "Failed"},
	{store.WithRejects, "With rejects"},
}

// Ingestions serves the pages that list the Bundles that EHRs and other systems have sent to the
// practice, and the pages with their receipts.
type Ingestions struct {
	*pages.Pages
	auth   *auth.Service
	ingest *ingest.Service
}

func (h *Ingestions) GetIngestions(c echo.Context) error {
	return h.ingestionsPage(c, http.StatusOK, "")
}

// ingestionsPage lists the received Bundles. sought is the ID that the user searched for, as they
// typed it.
func (h *Ingestions) ingestionsPage(c echo.Context, status int, sought string, mistakes ...views.Mistake) error {
	who := session.User(c)
	filter := store.IngestionFilter(c.QueryParam("show"))
	all, err := h.ingest.Ingestions(c.Request().Context(), who.Practice.ID, filter, max(rowParam(c, "before"), 0), ingestionsPerPage+1)
	if err != nil {
		return err
	}
	page := views.Ingestions{
		Tabs: ingestionTabs(false), Filtered: filter != store.AnyIngestion,
		Find: views.Input{Name: "id", Label: "Id", Hint: "The last part of the address in Content-Location.", Value: sought},
	}
	for _, f := range ingestionFilters {
		item := views.NavItem{Href: pages.IngestionsPath, Label: f.label, Current: f.filter == filter}
		if f.filter != store.AnyIngestion {
			item.Href += "?show=" + string(f.filter)
		}
		page.Filters = append(page.Filters, item)
	}
	if len(all) > ingestionsPerPage {
		all = all[:ingestionsPerPage]
		query := url.Values{}
		if filter != store.AnyIngestion {
			query.Set("show", string(filter))
		}
		page.Older = neighbor(pages.IngestionsPath, query, "before", strconv.FormatInt(all[ingestionsPerPage-1].ID, 10))
	}
	for _, a := range all {
		page.Rows = append(page.Rows, ingestionRow(a))
	}
	if who.Practice.Sandbox && who.May(auth.SampleSend) {
		page.Samples = sampleChoices()
	}
	return h.Render(c, status, "Ingestions", views.IngestionsPage(page), mistakes...)
}

func ingestionTabs(refused bool) []views.NavItem {
	return []views.NavItem{
		{Href: pages.IngestionsPath, Label: "Received", Current: !refused},
		{Href: RefusedPath, Label: "Refused requests", Current: refused},
	}
}

func ingestionRow(a store.ListedIngestion) views.IngestionRow {
	row := views.IngestionRow{
		ID: a.PublicID, Path: pages.IngestionsPath + "/" + a.PublicID, At: a.CreatedAt, From: cmp.Or(a.Key, "Sample"), Took: took(a),
		Size: humanize.IBytes(uint64(max(a.Size, 0))),
	}
	row.Tag, row.Status = statusOf(a)
	row.Open = a.Open
	if a.Status == store.Completed {
		row.Accepted, row.Rejected = views.Number(a.Accepted), views.Number(a.Rejected)
	}
	return row
}

func took(a store.ListedIngestion) string {
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

func statusOf(a store.ListedIngestion) (tag, words string) {
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

// PostFindIngestion redirects to the ingestion with a given ID. People often paste the ingestion's
// whole address, which ends with the ID, so PostFindIngestion accepts an address, too.
func (h *Ingestions) PostFindIngestion(c echo.Context) error {
	typed := strings.TrimSpace(pages.Posted(c).Get("id"))
	id := typed[strings.LastIndexByte(typed, '/')+1:]
	err := store.ErrNotFound
	if uuid.Validate(id) == nil {
		_, err = h.ingest.ListedIngestion(c.Request().Context(), session.User(c).Practice.ID, id)
	}
	if errors.Is(err, store.ErrNotFound) {
		return h.ingestionsPage(c, http.StatusUnprocessableEntity, typed, views.Mistake{Name: "id", Text: "No ingestion of this practice has this id. Copy the whole id or address."})
	}
	if err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, pages.IngestionsPath+"/"+id)
}

func (h *Ingestions) GetRefused(c echo.Context) error {
	all, err := h.auth.Refusals(c.Request().Context(), session.User(c).Practice.ID, max(rowParam(c, "before"), 0), ingestionsPerPage+1)
	if err != nil {
		return err
	}
	page := views.Ingestions{Tabs: ingestionTabs(true)}
	if len(all) > ingestionsPerPage {
		all = all[:ingestionsPerPage]
		page.Older = neighbor(RefusedPath, url.Values{}, "before", strconv.FormatInt(all[ingestionsPerPage-1].ID, 10))
	}
	for _, r := range all {
		page.Refused = append(page.Refused, views.RefusedRow{
			At: r.At, Status: strconv.Itoa(r.Status), Code: r.Code, Key: r.Key, Request: r.RequestID,
			Bytes: humanize.IBytes(uint64(max(r.Bytes, 0))),
		})
	}
	return h.Render(c, http.StatusOK, "Refused requests", views.RefusedPage(page))
}

// sampleChoices returns the sample Bundles that a sandbox offers. The value of a choice is a file
// name without its extension, such as "02-twins".
func sampleChoices() (all []views.Choice) {
	files, _ := fs.Glob(assets.Samples, "samples/*.json") // the pattern is well-formed
	for _, file := range files {
		name := strings.TrimSuffix(path.Base(file), ".json")
		_, words, _ := strings.Cut(name, "-")
		all = append(all, views.Choice{Value: name, Label: views.UpperFirst(strings.ReplaceAll(words, "-", " "))})
	}
	return all
}

// PostSample adds a sample Bundle to the practice's queue, as if a system had sent it. In a
// practice that isn't a sandbox, PostSample answers 404.
func (h *Ingestions) PostSample(c echo.Context) error {
	body, err := assets.Samples.ReadFile("samples/" + path.Base(pages.Posted(c).Get("sample")) + ".json")
	if err != nil {
		return pages.ErrNotFound
	}
	id, err := h.ingest.SendSample(session.User(c), body)
	if errors.Is(err, ingest.ErrNoSandbox) {
		return pages.ErrNotFound
	}
	if err != nil {
		return err
	}
	return h.Done(c, pages.IngestionsPath+"/"+id, "The sample is queued.")
}
