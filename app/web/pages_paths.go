package web

// The addresses of the pages, in the order of the navigation.
const (
	homePath       = "/registry"
	capturePath    = homePath + "/capture"
	prefillPath    = capturePath + "/prefill"
	recordsPath    = homePath + "/records"
	duplicatesPath = homePath + "/duplicates"
	providersPath  = homePath + "/providers"
	statisticsPath = homePath + "/statistics"
	importPath     = homePath + "/import"
	ingestionsPath = homePath + "/ingestions"
	fieldsPath     = homePath + "/fields"
	usersPath      = homePath + "/users"
	auditPath      = homePath + "/audit"
	settingsPath   = homePath + "/settings"
	accountPath    = "/account"
	signInPath     = "/sign-in"
	// smartRoot is where an EHR launches the registry.
	smartRoot = "/smart/"
)
