package pages

import (
	"strings"

	"birthregistry/app/auth"
	"birthregistry/views"
)

// sections are the entries of the navigation with what a person needs to see
// them.
var sections = []struct {
	href, label string
	needs       auth.Permission
}{
	{homePath, "Home", auth.SignedIn},
	{FormPath, "Record a birth", auth.RecordCreate},
	{RecordsPath, "Records", auth.RecordRead},
	{DuplicatesPath, "Duplicates", auth.DuplicateView},
	{ProvidersPath, "Providers", auth.ProviderView},
	{StatisticsPath, "Statistics", auth.StatsView},
	{ImportPath, "Import", auth.ImportView},
	{IngestionsPath, "Ingestions", auth.IngestionView},
	{FieldsPath, "Custom fields", auth.FieldDefine},
	{usersPath, "Users", auth.UserManage},
	{AuditPath, "Audit", auth.AuditView},
	{SettingsPath, "Settings", auth.KeyList},
}

func navigation(who auth.User, path string) (nav []views.NavItem) {
	for _, section := range sections {
		if !who.May(section.needs) {
			continue
		}
		current := path == section.href || section.href != homePath &&
			(strings.HasPrefix(path, section.href+"/") || strings.HasPrefix(path, section.href+"s/"))
		nav = append(nav, views.NavItem{Href: section.href, Label: section.label, Current: current})
	}
	return nav
}
