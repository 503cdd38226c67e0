package web

import (
	"net/http"

	"birthregistry/app/auth"
	"birthregistry/app/erase"
	"birthregistry/app/web/pages"
	"birthregistry/app/web/ui"
)

func (s *Server) formRoutes() []route {
	return []route{
		{http.MethodGet, pages.FormPath, s.signedIn(auth.RecordCreate), s.ui.Form.GetNew},
		{http.MethodPost, pages.FormPath, s.keepsTyped(auth.RecordCreate), s.ui.Form.PostNew},
		{http.MethodGet, pages.PrefillPath, s.signedIn(auth.RecordCreate), s.ui.Form.GetPrefill},
		{http.MethodGet, pages.DraftsPath, s.signedIn(auth.RecordCreate), s.ui.Form.GetDrafts},
		{http.MethodGet, pages.DraftsPath + "/:draft", s.signedIn(auth.RecordCreate), s.ui.Form.GetDraft},
		{http.MethodPost, pages.DraftsPath + "/:draft", s.keepsTyped(auth.RecordCreate), s.ui.Form.PostDraft},
		{http.MethodGet, pages.DraftsPath + "/:draft/discard", s.signedIn(auth.RecordCreate), s.ui.Form.GetDiscard},
		{http.MethodPost, pages.DraftsPath + "/:draft/discard", s.signedIn(auth.RecordCreate), s.ui.Form.PostDiscard},
		{http.MethodGet, ui.SavedPath, s.signedIn(auth.RecordCreate), s.ui.Form.GetSaved},
		{http.MethodGet, ui.AmendPath, s.signedIn(auth.RecordAmend), s.ui.Form.GetAmendment},
		{http.MethodPost, ui.AmendPath, s.keepsTyped(auth.RecordAmend), s.ui.Form.PostAmendment},
	}
}

func (s *Server) importRoutes() []route {
	return []route{
		{http.MethodGet, pages.ImportPath, s.signedIn(auth.ImportView), s.ui.Imports.GetImports},
		{http.MethodPost, pages.ImportPath, s.signedIn(auth.ImportRun), s.ui.Imports.PostImport},
		{http.MethodGet, "/registry/import/template.csv", s.file(auth.ImportRun), s.ui.Imports.GetTemplate},
		{http.MethodGet, "/registry/import/sample.csv", s.file(auth.ImportRun), s.ui.Imports.GetSample},
		{http.MethodGet, "/registry/import/dictionary.csv", s.file(auth.ImportRun), s.ui.Imports.GetDictionary},
		{http.MethodGet, "/registry/import/remembered", s.signedIn(auth.ImportForget), s.ui.Imports.GetRemembered},
		{http.MethodPost, "/registry/import/remembered", s.signedIn(auth.ImportForget), s.ui.Imports.PostForget},
		{http.MethodGet, "/registry/imports/:import", s.signedIn(auth.ImportView), s.ui.Imports.GetImport},
		{http.MethodGet, "/registry/imports/:import/progress", s.file(auth.ImportView), s.ui.Imports.GetImportProgress},
		{http.MethodGet, "/registry/imports/:import/errors.csv", s.file(auth.ImportRun), s.ui.Imports.GetImportErrors},
		{http.MethodGet, "/registry/imports/:import/columns", s.signedIn(auth.ImportRun), s.ui.Imports.GetImportColumns},
		{http.MethodPost, "/registry/imports/:import/columns", s.signedIn(auth.ImportRun), s.ui.Imports.PostImportColumns},
		{http.MethodGet, "/registry/imports/:import/values", s.signedIn(auth.ImportRun), s.ui.Imports.GetImportValues},
		{http.MethodPost, "/registry/imports/:import/values", s.signedIn(auth.ImportRun), s.ui.Imports.PostImportValues},
		{http.MethodPost, "/registry/imports/:import/fix", s.signedIn(auth.ImportRun), s.ui.Imports.PostImportFix},
		{http.MethodPost, "/registry/imports/:import/rematch", s.signedIn(auth.ImportRun), s.ui.Imports.PostImportRematch},
		{http.MethodPost, "/registry/imports/:import/confirm", s.signedIn(auth.ImportRun), s.ui.Imports.PostImportConfirm},
		{http.MethodPost, "/registry/imports/:import/drop", s.signedIn(auth.ImportRun), s.ui.Imports.PostImportDrop},
		{http.MethodGet, "/registry/imports/:import/undo", s.signedIn(auth.ImportRun), s.ui.Imports.GetImportUndo},
		{http.MethodPost, "/registry/imports/:import/undo", s.signedIn(auth.ImportRun), s.ui.Imports.PostImportUndo},
	}
}

func (s *Server) recordRoutes() []route {
	read, void, export := s.signedIn(auth.RecordRead), s.signedIn(auth.RecordVoid), s.signedIn(auth.RecordExport)
	amend, erases, accounts := s.signedIn(auth.RecordAmend), s.signedIn(auth.RecordErase), s.signedIn(auth.RecordAccount)
	return []route{
		{http.MethodGet, pages.FindPath, read, s.ui.Find.GetFind},
		{http.MethodPost, pages.FindPath, read, s.ui.Find.PostFind},
		{http.MethodGet, pages.RecordsPath, read, s.ui.Records.GetRecords},
		{http.MethodPost, pages.RecordsPath + "/search", read, s.ui.Records.PostRecordSearch},
		{http.MethodPost, pages.RecordsPath + "/columns", read, s.ui.Records.PostRecordColumns},
		{http.MethodGet, pages.ExportPath, export, s.ui.Records.GetRecordExport},
		{http.MethodPost, pages.ExportPath, export, s.ui.Records.PostRecordExport},
		{http.MethodGet, pages.RecordsPath + "/:record", read, s.ui.Records.GetRecord},
		{http.MethodGet, pages.RecordsPath + "/:record/versions", read, s.ui.Records.GetVersions},
		{http.MethodGet, pages.RecordsPath + "/:record/versions/:version", read, s.ui.Records.GetVersion},
		{http.MethodGet, pages.RecordsPath + "/:record/compare", read, s.ui.Records.GetCompared},
		{http.MethodGet, pages.RecordsPath + "/:record/void", void, s.ui.Records.GetDecision("void")},
		{http.MethodPost, pages.RecordsPath + "/:record/void", void, s.ui.Records.PostDecision("void")},
		{http.MethodGet, pages.RecordsPath + "/:record/restore", void, s.ui.Records.GetDecision("restore")},
		{http.MethodPost, pages.RecordsPath + "/:record/restore", void, s.ui.Records.PostDecision("restore")},
		{http.MethodGet, pages.RecordsPath + "/:record/everything", accounts, s.ui.Everything.GetEverything},
		{http.MethodPost, pages.RecordsPath + "/:record/everything", accounts, s.ui.Everything.PostEverything},
		{http.MethodGet, pages.RecordsPath + "/:record/erase", erases, s.ui.Erase.GetErase},
		{http.MethodPost, pages.RecordsPath + "/:record/erase", erases, s.ui.Erase.PostErase},
		{http.MethodGet, pages.ErasedPath, amend, s.ui.Erase.GetErased},
		{http.MethodPost, pages.ErasedPath + "/:tombstone/keep", erases, s.ui.Erase.PostErased((*erase.Service).Keep, "It stays erased.")},
		{http.MethodPost, pages.ErasedPath + "/:tombstone/lift", erases, s.ui.Erase.PostErased((*erase.Service).Lift, "The birth can be recorded again.")},
		{http.MethodPost, pages.RecordsPath + "/:record/replaced/restore", amend, s.ui.Records.PostReplaced(true)},
		{http.MethodPost, pages.RecordsPath + "/:record/replaced/leave", amend, s.ui.Records.PostReplaced(false)},
	}
}

// duplicateRoutes returns the routes for possible duplicates. The path of a pair has two records.
// The first is the one that is merged or voided, and the second is the one that stays. If both
// stay, their order doesn't matter.
func (s *Server) duplicateRoutes() []route {
	view, resolve := s.signedIn(auth.DuplicateView), s.signedIn(auth.DuplicateResolve)
	const pair, review = pages.DuplicatesPath + "/:record/:other", pages.DuplicatesPath + "/reviews/:review"
	return []route{
		{http.MethodGet, pages.DuplicatesPath, view, s.ui.Duplicates.GetDuplicates},
		{http.MethodGet, pair, view, s.ui.Duplicates.GetPair},
		{http.MethodPost, pair + "/keep", resolve, s.ui.Duplicates.PostKeep},
		{http.MethodGet, pair + "/void", resolve, s.ui.Duplicates.GetVoidOne},
		{http.MethodPost, pair + "/void", resolve, s.ui.Duplicates.PostVoidOne},
		{http.MethodGet, pair + "/merge", resolve, s.ui.Duplicates.GetMerge},
		{http.MethodPost, pair + "/merge", resolve, s.ui.Duplicates.PostMerge},
		{http.MethodGet, review + "/undo", resolve, s.ui.Duplicates.GetUndo},
		{http.MethodPost, review + "/undo", resolve, s.ui.Duplicates.PostUndo},
		{http.MethodPost, review + "/leave", resolve, s.ui.Duplicates.PostLeaveMerged},
	}
}

func (s *Server) providerRoutes() []route {
	view, merge := s.signedIn(auth.ProviderView), s.signedIn(auth.ProviderMerge)
	const one = pages.ProvidersPath + "/:provider"
	return []route{
		{http.MethodGet, pages.ProvidersPath, view, s.ui.Providers.GetProviders},
		{http.MethodGet, one, view, s.ui.Providers.GetProvider},
		{http.MethodGet, one + "/merge/:into", merge, s.ui.Providers.GetProviderMerge},
		{http.MethodPost, one + "/merge/:into", merge, s.ui.Providers.PostProviderMerge},
		{http.MethodGet, one + "/group", merge, s.ui.Providers.GetProviderGroup},
		{http.MethodPost, one + "/group", merge, s.ui.Providers.PostProviderGroup},
		{http.MethodPost, one + "/group/end", merge, s.ui.Providers.PostProviderGroupEnd},
		{http.MethodGet, one + "/unmerge", merge, s.ui.Providers.GetUnmerge},
		{http.MethodPost, one + "/unmerge", merge, s.ui.Providers.PostUnmerge},
	}
}

func (s *Server) statisticsRoutes() []route {
	view, export := s.signedIn(auth.StatsView), s.file(auth.StatsExport)
	return []route{
		{http.MethodGet, pages.StatisticsPath, view, s.ui.Statistics.GetStatistics},
		{http.MethodGet, pages.StatisticsPath + "/export", export, s.ui.Statistics.GetStatisticsExport},
		{http.MethodGet, pages.StatisticsPath + "/:measure", view, s.ui.Statistics.GetMeasure},
		{http.MethodGet, pages.StatisticsPath + "/:measure/chart.svg", export, s.ui.Statistics.GetChart},
		{http.MethodGet, pages.StatisticsPath + "/:measure/chart.csv", export, s.ui.Statistics.GetChart},
		{http.MethodGet, pages.StatisticsPath + "/:measure/funnel.svg", export, s.ui.Statistics.GetFunnel},
		{http.MethodGet, pages.StatisticsPath + "/:measure/funnel.csv", export, s.ui.Statistics.GetFunnel},
	}
}

func (s *Server) reportRoutes() []route {
	prepare := s.signedIn(auth.ReportMake)
	return []route{
		{http.MethodGet, pages.ReportPath, prepare, s.ui.Report.GetReport},
		{http.MethodGet, pages.ReportPath + "/columns", s.file(auth.ReportMake), s.ui.Report.GetReportColumns},
		{http.MethodGet, pages.ReportPath + "/file", prepare, s.ui.Report.GetReportFile},
		{http.MethodPost, pages.ReportPath + "/file", prepare, s.ui.Report.PostReportFile},
		{http.MethodPost, pages.ReportPath + "/limited", s.signedIn(auth.ReportLimited), s.ui.Report.PostReportLimited},
	}
}

func (s *Server) ingestionRoutes() []route {
	view := s.signedIn(auth.IngestionView)
	return []route{
		{http.MethodGet, pages.IngestionsPath, view, s.ui.Ingestions.GetIngestions},
		{http.MethodPost, pages.IngestionsPath + "/find", view, s.ui.Ingestions.PostFindIngestion},
		{http.MethodPost, pages.IngestionsPath + "/sample", s.signedIn(auth.SampleSend), s.ui.Ingestions.PostSample},
		{http.MethodGet, ui.RefusedPath, view, s.ui.Ingestions.GetRefused},
		{http.MethodGet, pages.IngestionsPath + "/:ingestion", view, s.ui.Ingestions.GetIngestionPage},
	}
}
