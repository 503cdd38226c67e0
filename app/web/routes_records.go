package web

import (
	"net/http"

	"birthregistry/app/auth"
)

func (s *Server) captureRoutes() []route {
	return []route{
		{http.MethodGet, capturePath, s.signedIn(auth.RecordCreate), s.ui.Form.getCapture},
		{http.MethodPost, capturePath, s.keepsTyped(auth.RecordCreate), s.ui.Form.postCapture},
		{http.MethodGet, prefillPath, s.signedIn(auth.RecordCreate), s.ui.Form.getPrefill},
		{http.MethodGet, savedPath, s.signedIn(auth.RecordCreate), s.ui.Form.getSaved},
		{http.MethodGet, amendPath, s.signedIn(auth.RecordAmend), s.ui.Form.getAmend},
		{http.MethodPost, amendPath, s.keepsTyped(auth.RecordAmend), s.ui.Form.postAmend},
	}
}

func (s *Server) importRoutes() []route {
	return []route{
		{http.MethodGet, importPath, s.signedIn(auth.ImportView), s.ui.Imports.getImports},
		{http.MethodPost, importPath, s.signedIn(auth.ImportRun), s.ui.Imports.postImport},
		{http.MethodGet, "/registry/import/template.csv", s.signedIn(auth.ImportRun), s.ui.Imports.getTemplate},
		{http.MethodGet, "/registry/import/dictionary.csv", s.signedIn(auth.ImportRun), s.ui.Imports.getDictionary},
		{http.MethodGet, "/registry/imports/:import", s.signedIn(auth.ImportView), s.ui.Imports.getImport},
		{http.MethodGet, "/registry/imports/:import/progress", s.signedIn(auth.ImportView), s.ui.Imports.getImportProgress},
		{http.MethodGet, "/registry/imports/:import/errors.csv", s.signedIn(auth.ImportRun), s.ui.Imports.getImportErrors},
		{http.MethodPost, "/registry/imports/:import/confirm", s.signedIn(auth.ImportRun), s.ui.Imports.postImportConfirm},
		{http.MethodPost, "/registry/imports/:import/drop", s.signedIn(auth.ImportRun), s.ui.Imports.postImportDrop},
	}
}

func (s *Server) recordRoutes() []route {
	read, void, export := s.signedIn(auth.RecordRead), s.signedIn(auth.RecordVoid), s.signedIn(auth.RecordExport)
	amend := s.signedIn(auth.RecordAmend)
	return []route{
		{http.MethodGet, recordsPath, read, s.ui.Records.getRecords},
		{http.MethodPost, recordsPath + "/search", read, s.ui.Records.postRecordSearch},
		{http.MethodGet, recordsPath + "/export", export, s.ui.Records.getRecordExport},
		{http.MethodPost, recordsPath + "/export", export, s.ui.Records.postRecordExport},
		{http.MethodGet, recordsPath + "/:record", read, s.ui.Records.getRecord},
		{http.MethodGet, recordsPath + "/:record/versions", read, s.ui.Records.getVersions},
		{http.MethodGet, recordsPath + "/:record/versions/:version", read, s.ui.Records.getVersion},
		{http.MethodGet, recordsPath + "/:record/compare", read, s.ui.Records.getCompared},
		{http.MethodGet, recordsPath + "/:record/void", void, s.ui.Records.getDecision("void")},
		{http.MethodPost, recordsPath + "/:record/void", void, s.ui.Records.postDecision("void")},
		{http.MethodGet, recordsPath + "/:record/restore", void, s.ui.Records.getDecision("restore")},
		{http.MethodPost, recordsPath + "/:record/restore", void, s.ui.Records.postDecision("restore")},
		{http.MethodPost, recordsPath + "/:record/replaced/restore", amend, s.ui.Records.postReplaced(true)},
		{http.MethodPost, recordsPath + "/:record/replaced/leave", amend, s.ui.Records.postReplaced(false)},
	}
}

// In the address of a pair the first record is the one that goes, the second
// the one that stays; where nobody goes, they come in any order.
func (s *Server) duplicateRoutes() []route {
	view, resolve := s.signedIn(auth.DuplicateView), s.signedIn(auth.DuplicateResolve)
	const pair, review = duplicatesPath + "/:record/:other", duplicatesPath + "/reviews/:review"
	return []route{
		{http.MethodGet, duplicatesPath, view, s.ui.Duplicates.getDuplicates},
		{http.MethodGet, pair, view, s.ui.Duplicates.getBeside},
		{http.MethodPost, pair + "/keep", resolve, s.ui.Duplicates.postKeep},
		{http.MethodGet, pair + "/void", resolve, s.ui.Duplicates.getVoidOne},
		{http.MethodPost, pair + "/void", resolve, s.ui.Duplicates.postVoidOne},
		{http.MethodGet, pair + "/merge", resolve, s.ui.Duplicates.getMerge},
		{http.MethodPost, pair + "/merge", resolve, s.ui.Duplicates.postMerge},
		{http.MethodGet, review + "/undo", resolve, s.ui.Duplicates.getUndo},
		{http.MethodPost, review + "/undo", resolve, s.ui.Duplicates.postUndo},
		{http.MethodPost, review + "/leave", resolve, s.ui.Duplicates.postLeaveMerged},
	}
}

func (s *Server) providerRoutes() []route {
	view, merge := s.signedIn(auth.ProviderView), s.signedIn(auth.ProviderMerge)
	const one = providersPath + "/:provider"
	return []route{
		{http.MethodGet, providersPath, view, s.ui.Providers.getProviders},
		{http.MethodGet, one, view, s.ui.Providers.getProvider},
		{http.MethodGet, one + "/merge/:into", merge, s.ui.Providers.getProviderMerge},
		{http.MethodPost, one + "/merge/:into", merge, s.ui.Providers.postProviderMerge},
		{http.MethodGet, one + "/group", merge, s.ui.Providers.getProviderGroup},
		{http.MethodPost, one + "/group", merge, s.ui.Providers.postProviderGroup},
		{http.MethodPost, one + "/group/end", merge, s.ui.Providers.postProviderGroupEnd},
		{http.MethodGet, one + "/unmerge", merge, s.ui.Providers.getUnmerge},
		{http.MethodPost, one + "/unmerge", merge, s.ui.Providers.postUnmerge},
	}
}

func (s *Server) statisticsRoutes() []route {
	view := s.signedIn(auth.StatsView)
	return []route{
		{http.MethodGet, statisticsPath, view, s.ui.Statistics.getStatistics},
		{http.MethodGet, statisticsPath + "/export", s.signedIn(auth.StatsExport), s.ui.Statistics.getStatisticsExport},
		{http.MethodGet, statisticsPath + "/:measure", view, s.ui.Statistics.getMeasure},
	}
}

func (s *Server) ingestionRoutes() []route {
	view := s.signedIn(auth.IngestionView)
	return []route{
		{http.MethodGet, ingestionsPath, view, s.ui.Ingestions.getIngestions},
		{http.MethodPost, ingestionsPath + "/find", view, s.ui.Ingestions.postFindIngestion},
		{http.MethodPost, ingestionsPath + "/sample", s.signedIn(auth.SampleSend), s.ui.Ingestions.postSample},
		{http.MethodGet, refusedPath, view, s.ui.Ingestions.getRefused},
		{http.MethodGet, ingestionsPath + "/:ingestion", view, s.ui.Ingestions.getIngestionPage},
	}
}
