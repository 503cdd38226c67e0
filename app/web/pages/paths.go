package pages

import "birthregistry/app/web/request"

// These are the paths of the pages.
const (
	homePath       = "/registry"
	FormPath       = homePath + "/capture"
	DraftsPath     = homePath + "/drafts"
	PrefillPath    = FormPath + "/prefill"
	FindPath       = homePath + "/find"
	RecordsPath    = homePath + "/records"
	ErasedPath     = homePath + "/erased"
	DuplicatesPath = homePath + "/duplicates"
	ProvidersPath  = homePath + "/providers"
	StatisticsPath = homePath + "/statistics"
	ReportPath     = homePath + "/report"
	ImportPath     = request.ImportPath
	ExportPath     = request.ExportPath
	IngestionsPath = homePath + "/ingestions"
	FieldsPath     = homePath + "/fields"
	usersPath      = homePath + "/users"
	StepUpPath     = "/account/confirm"
	AuditPath      = homePath + "/audit"
	SettingsPath   = homePath + "/settings"
	DataPath       = homePath + "/data"
	ArchivePath    = request.ArchivePath
	// LaunchRoot is the path below which an EHR launches the registry.
	LaunchRoot = "/smart/"
)
