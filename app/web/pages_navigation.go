package web

import (
	"strings"

	"birthregistry/app/access"
	"birthregistry/views"
)

// sections are the entries of the navigation with what a person needs to see
// them.
var sections = []struct {
	href, label string
	needs       access.Permission
}{
	{homePath, "Home", access.SignedIn},
	{capturePath, "Record a birth", access.RecordCreate},
	{recordsPath, "Records", access.RecordRead},
	{duplicatesPath, "Duplicates", access.DuplicateView},
	{providersPath, "Providers", access.ProviderView},
	{statisticsPath, "Statistics", access.StatsView},
	{importPath, "Import", access.ImportView},
	{ingestionsPath, "Ingestions", access.IngestionView},
	{fieldsPath, "Own fields", access.FieldDefine},
	{usersPath, "Users", access.UserManage},
	{auditPath, "Audit", access.AuditView},
	{settingsPath, "Settings", access.KeyList},
}

func navigation(who access.Person, path string) (nav []views.NavItem) {
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
