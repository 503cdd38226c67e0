package pages

import (
	"strings"

	"birthregistry/app/auth"
	"birthregistry/views"
)

// place is an area of the registry with its pages. Users see the places that have pages which their
// role may open. The link to a place leads to the first of these pages.
type place struct {
	label string
	pages []section
}

// section is a page of a place, with the permission that it requires. The navigation highlights the
// section's link on the page itself, on the paths in also, and on all pages below these.
type section struct {
	href, label string
	needs       auth.Permission
	also        []string
}

var places = []place{
	{"Home", []section{{href: homePath, label: "Home", needs: auth.SignedIn}}},
	{"Births", []section{
		{href: RecordsPath, label: "Records", needs: auth.RecordRead, also: []string{ErasedPath}},
		{href: FormPath, label: "Record a birth", needs: auth.RecordCreate},
		{href: DraftsPath, label: "Drafts", needs: auth.RecordCreate},
		{href: ImportPath, label: "Import", needs: auth.ImportView, also: []string{ImportPath + "s"}},
	}},
	{"Review", []section{
		{href: DuplicatesPath, label: "Duplicates", needs: auth.DuplicateView},
		{href: IngestionsPath, label: "Ingestions", needs: auth.IngestionView},
		{href: ProvidersPath, label: "Providers", needs: auth.ProviderView},
	}},
	{"Statistics", []section{
		{href: StatisticsPath, label: "Statistics", needs: auth.StatsView},
		{href: ReportPath, label: "Report", needs: auth.ReportMake},
	}},
	{"Practice", []section{
		{href: SettingsPath, label: "Settings", needs: auth.KeyList},
		{href: usersPath, label: "Users", needs: auth.UserManage},
		{href: FieldsPath, label: "Custom fields", needs: auth.FieldDefine},
		{href: AuditPath, label: "Audit", needs: auth.AuditView},
		{href: DataPath, label: "Your data", needs: auth.PracticeExport},
	}},
}

// contains reports whether a path belongs to the section: it is one of the section's paths, or
// below one.
func (s section) contains(path string) bool {
	if s.href == homePath {
		return path == homePath
	}
	for _, root := range append(s.also, s.href) {
		if path == root || strings.HasPrefix(path, root+"/") {
			return true
		}
	}
	return false
}

// navigate fills in the navigation of a page: the places that the user may see, and the pages of
// the current place. It also decides whether the header has the search box. The page of search
// results has its own box, so its header has none.
func navigate(page *views.Page, who auth.User, path string) {
	page.Find = who.May(auth.RecordRead) && path != FindPath
	for _, at := range places {
		var within []views.NavItem
		here := false
		for _, s := range at.pages {
			if who.May(s.needs) {
				in := s.contains(path)
				within = append(within, views.NavItem{Href: s.href, Label: s.label, Current: path == s.href, Contains: in})
				here = here || in
			}
		}
		if len(within) == 0 {
			continue
		}
		first := within[0]
		page.Places = append(page.Places, views.NavItem{
			Href: first.Href, Label: at.label, Current: first.Current && len(within) == 1, Contains: here,
		})
		if here {
			page.Place, page.Within = at.label, within
		}
	}
}
