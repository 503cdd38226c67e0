package web

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
	{capturePath, "Record a birth", auth.RecordCreate},
	{recordsPath, "Records", auth.RecordRead},
	{duplicatesPath, "Duplicates", auth.DuplicateView},
	{providersPath, "Providers", auth.ProviderView},
	{statisticsPath, "Statistics", auth.StatsView},
	{importPath, "Import", auth.ImportView},
	{ingestionsPath, "Ingestions", auth.IngestionView},
	{fieldsPath, "Own fields", auth.FieldDefine},
	{usersPath, "Users", auth.UserManage},
	{auditPath, "Audit", auth.AuditView},
	{settingsPath, "Settings", auth.KeyList},
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
