package ui

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/records"
	"birthregistry/app/review"
	"birthregistry/app/web/pages"
	"birthregistry/app/web/session"
	"birthregistry/store"
	"birthregistry/views"
)

const providersAPage = 100

// Providers serves the pages that list a practice's providers and merge duplicates.
type Providers struct {
	*pages.Pages
	review  *review.Service
	records *records.Records
}

func (h *Providers) GetProviders(c echo.Context) error {
	all, err := h.records.ProviderGroups(c.Request().Context(), session.User(c).Practice.ID)
	if err != nil {
		return err
	}
	named, unnamed := records.Unnamed(all)
	list := views.ProviderList{Unnamed: unnamedFold(unnamed)}
	at := pages.ProvidersPath + "?"
	if c.QueryParam("unnamed") != "" {
		named, list.Unfolded, at = unnamed, true, unnamedPath+"&"
	}
	from, end := pageAsked(c, len(named))
	if from > 0 {
		list.Newer = fmt.Sprintf("%sfrom=%d", at, max(from-providersAPage, 0))
	}
	if end < len(named) {
		list.Older = fmt.Sprintf("%sfrom=%d", at, end)
	}
	for _, g := range named[from:end] {
		row := providerRow(g.Identity, session.Zone(c))
		row.Members, row.Like = g.Members, g.Like
		list.Rows = append(list.Rows, row)
	}
	return h.Render(c, http.StatusOK, "Providers", views.Providers(list))
}

// pageAsked returns the first index of the requested page in a list of n providers, and the index
// after its last. The query parameter "from" is the first index. Without it, the page begins with
// the first provider.
func pageAsked(c echo.Context, n int) (from, end int) {
	from, _ = strconv.Atoi(c.QueryParam("from"))
	from = min(max(from, 0), n)
	return from, min(from+providersAPage, n)
}

// unnamedPath is the address of the list of providers without a name.
const unnamedPath = pages.ProvidersPath + "?unnamed=1"

// unnamedFold returns one line for all providers without a name. If there are none, it returns nil.
// Some senders name nobody and make a new resource ID for each message, so their unnamed providers
// would otherwise fill the list.
func unnamedFold(unnamed []records.Group) *views.UnnamedProviders {
	if len(unnamed) == 0 {
		return nil
	}
	fold := &views.UnnamedProviders{Href: unnamedPath, Count: len(unnamed)}
	for _, g := range unnamed {
		fold.Attended += g.Attended
		fold.Present += g.Births - g.Attended
	}
	return fold
}

func providerRow(i store.Identity, zone *time.Location) views.ProviderRow {
	return views.ProviderRow{
		Href: providerPath(i.ID), Name: providerName(i.Name), Credentials: i.Credentials, Role: roleLabel(i.Role),
		Attended: i.Attended, Present: i.Births - i.Attended, Seen: i.LastSeen.In(zone).Format("Jan 2, 2006"),
	}
}

func providerPath(id int64) string { return fmt.Sprintf("%s/%d", pages.ProvidersPath, id) }

// mergePath returns the address of the page that merges one provider into another. goes is the
// provider that is merged, and stays is the provider that remains.
func mergePath(goes, stays int64) string {
	return fmt.Sprintf("%s/merge/%d", providerPath(goes), stays)
}

func providerName(name string) string {
	if name == "" {
		return "Name not stated"
	}
	return views.Isolated(name)
}

func roleLabel(role birth.Role) string { return label("attendant_type", string(role)) }

var noProvider = pages.NewError(
	http.StatusNotFound, "Provider not found",
	"The address may be mistyped, or the provider belongs to another practice.", pages.ProvidersPath, "Go to the providers",
)

// providerParam returns the provider whose ID is in the path parameter with this name. If the
// practice has no such provider, it returns noProvider.
func (h *Providers) providerParam(c echo.Context, name string) (records.Profile, error) {
	found, err := h.records.Profile(c.Request().Context(), session.User(c).Practice.ID, idParam(c, name))
	if errors.Is(err, records.ErrNotFound) {
		err = noProvider
	}
	return found, err
}

func (h *Providers) GetProvider(c echo.Context) error {
	found, err := h.providerParam(c, "provider")
	if err != nil {
		return err
	}
	page := views.ProviderPage{
		Name: providerName(found.Name), Credentials: found.Credentials, Role: roleLabel(found.Role),
		Other: found.Role == birth.RoleOther, Attended: found.Attended, Present: found.Births - found.Attended,
		MayMerge: session.User(c).May(auth.ProviderMerge), Career: careerLines(found, session.Zone(c)),
	}
	if found.Survivor.ID != 0 {
		page.Survivor = &views.Link{Href: providerPath(found.Survivor.ID), Text: providerName(found.Survivor.Name)}
	}
	from, end := pageAsked(c, len(found.Identities))
	identities, err := h.records.Named(session.User(c).Practice.ID, found.Identities[from:end])
	if err != nil {
		return err
	}
	for _, i := range identities {
		page.Identities = append(page.Identities, identityRow(i, session.Zone(c)))
	}
	if end < len(found.Identities) {
		page.MoreIdentities = fmt.Sprintf("%s?from=%d", providerPath(found.ID), end)
	}
	page.Similar, page.Joined, page.Group = found.Similar, found.Joined, providerPath(found.ID)+"/group"
	like, others := mostBirths(found.Like), mostBirths(found.Others)
	page.Fewer = len(like) < len(found.Like) || len(others) < len(found.Others)
	for _, o := range like {
		page.Like = append(page.Like, providerChoice(found.Identity, o.Identity))
	}
	for _, o := range others {
		page.Others = append(page.Others, providerChoice(found.Identity, o.Identity))
	}
	return h.Render(c, http.StatusOK, page.Name, views.Provider(page))
}

// mostBirths returns the providers with the most births, as many as the user can choose from, in
// the order of all.
func mostBirths(all []records.Group) []records.Group {
	if len(all) <= mostProviders {
		return all
	}
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(a, b records.Group) int { return b.Births - a.Births })
	most := map[int64]bool{}
	for _, g := range sorted[:mostProviders] {
		most[g.ID] = true
	}
	return slices.DeleteFunc(slices.Clone(all), func(g records.Group) bool { return !most[g.ID] })
}

func identityRow(i records.Named, zone *time.Location) views.ProviderIdentity {
	row := views.ProviderIdentity{
		Name: providerName(i.Name), Credentials: i.Credentials, Role: roleLabel(i.Role), ID: cmp.Or(i.Key, "typed"), NPI: cmp.Or(i.NPI, "none"),
		Attended: i.Attended, Present: i.Births - i.Attended, Seen: i.FirstSeen.In(zone).Format("Jan 2, 2006"),
	}
	if i.MergedInto != 0 {
		row.Unmerge = providerPath(i.ID) + "/unmerge"
	}
	return row
}

// providerChoice returns a link to the page that merges two providers. The provider with fewer
// births is merged into the other one, unless the user swaps them.
func providerChoice(one, other store.Identity) views.ProviderChoice {
	goes, stays := other, one
	if other.Births > one.Births {
		goes, stays = one, other
	}
	return views.ProviderChoice{
		Href: mergePath(goes.ID, stays.ID), Why: records.Likeness(one, other),
		Text: fmt.Sprintf("%s, %s", providerName(other.Name), lowerFirst(roleLabel(other.Role))),
	}
}

// careerLines describes the log of a provider's career. The log holds the provider's names,
// credentials, roles and merges over time. Each line states what one entry has added.
func careerLines(found records.Profile, zone *time.Location) (lines []views.CareerLine) {
	before := map[int64]store.CareerEntry{}
	for _, e := range found.Career {
		line := views.CareerLine{At: e.At.In(zone).Format("Jan 2, 2006")}
		was, known := before[e.Provider]
		line.What = careerWords(e, was, known)
		if e.Kind == "said" {
			if e.Since != "" && (!known || was.Role != e.Role) {
				line.Since = "since " + birth.When(e.Since)
			}
			before[e.Provider] = e
		} else if e.Provider != found.ID { // this provider's log already has the merge
			continue
		}
		lines = append(lines, line)
	}
	return shortCareer(lines)
}

// careerShown is how many of the first and how many of the last entries of a career are shown.
const careerShown = 100

// shortCareer replaces the middle of a very long career with one line.
func shortCareer(lines []views.CareerLine) []views.CareerLine {
	left := len(lines) - 2*careerShown
	if left < 2 {
		return lines
	}
	last := len(lines) - careerShown
	between := views.CareerLine{At: lines[careerShown].At + " to " + lines[last-1].At, What: views.Number(left) + " more entries"}
	return slices.Concat(lines[:careerShown], []views.CareerLine{between}, lines[last:])
}

func careerWords(e, was store.CareerEntry, known bool) string {
	titled := func(e store.CareerEntry) string {
		text := providerName(e.Name)
		if e.Credentials != "" {
			text += ", " + e.Credentials
		}
		return text + ", " + lowerFirst(roleLabel(e.Role))
	}
	by := ""
	if e.By != "" {
		by = " by " + e.By
	}
	switch {
	case e.Kind == "merge":
		return "Merged with " + providerName(e.OtherName) + by
	case e.Kind == "unmerge":
		return "Merge with " + providerName(e.OtherName) + " undone" + by
	case !known:
		return "First seen as " + titled(e)
	case was.Role != e.Role:
		return "Role changed from " + lowerFirst(roleLabel(was.Role)) + " to " + lowerFirst(roleLabel(e.Role)) + ": " + titled(e)
	case was.Name != e.Name:
		return "Name changed from " + providerName(was.Name) + " to " + providerName(e.Name)
	}
	return "Credentials changed to " + titled(e)
}
