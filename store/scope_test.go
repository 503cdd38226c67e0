package store

import (
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
	"birthregistry/app/stats"
)

// calls returns a call of every method on practice data, made for practice p with the IDs of
// the fixture's rows. found is what the method returned of the practice's data.
func (w *fixture) calls() map[string]func(tx *Tx, p PracticeID) (found any, err error) {
	fresh := Record{ID: 1000, UUID: "fresh", State: birth.Active, Version: 1, Content: 1}
	next := w.record
	next.Version++
	changed := w.provider
	changed.Name = "Changed"
	return map[string]func(tx *Tx, p PracticeID) (any, error){
		"APIKeys":      func(tx *Tx, p PracticeID) (any, error) { return tx.APIKeys(p) },
		"AddAPIKey":    func(tx *Tx, p PracticeID) (any, error) { return kept(tx.AddAPIKey(p, APIKey{}, []byte("new"))) },
		"RevokeAPIKey": func(tx *Tx, p PracticeID) (any, error) { return nil, tx.RevokeAPIKey(p, w.key) },
		"TouchAPIKey":  func(tx *Tx, p PracticeID) (any, error) { return nil, tx.TouchAPIKey(p, w.key, time.Now()) },

		"SetWebhook": func(tx *Tx, p PracticeID) (any, error) { return nil, tx.SetWebhook(p, w.key, []byte("new")) },
		"EndWebhook": func(tx *Tx, p PracticeID) (any, error) { return tx.EndWebhook(p, w.key) },
		"Webhook":    func(tx *Tx, p PracticeID) (any, error) { hook, err := tx.Webhook(p, w.key); return hook.APIKey, err },
		"WebhooksOn": func(tx *Tx, p PracticeID) (any, error) { return tx.WebhooksOn(p) },
		"DueDeliveries": func(tx *Tx, p PracticeID) (any, error) {
			return tx.DueDeliveries(p, w.key, tx.Now.Add(time.Hour), 9)
		},
		"Deliveries": func(tx *Tx, p PracticeID) (any, error) { return tx.Deliveries(p, w.key, 9) },
		"SetDelivery": func(tx *Tx, p PracticeID) (any, error) {
			return nil, tx.SetDelivery(p, Delivery{Row: w.notified, State: Delivered, DueAt: tx.Now})
		},
		"SendAgain": func(tx *Tx, p PracticeID) (any, error) { return nil, tx.SendAgain(p, w.key, w.notice) },

		"Accept": func(tx *Tx, p PracticeID) (any, error) {
			id, replayed, err := tx.Accept(p, NewIngestion{PublicID: "new", Idempotency: []byte("idempotency"), Parts: [][]byte{{1}}})
			if !replayed {
				id = ""
			}
			return id, err
		},
		"Replay":          func(tx *Tx, p PracticeID) (any, error) { return tx.Replay(p, w.key, []byte("idempotency")) },
		"Ingestion":       func(tx *Tx, p PracticeID) (any, error) { return tx.Ingestion(p, w.ingestion.PublicID) },
		"IngestionForKey": func(tx *Tx, p PracticeID) (any, error) { return tx.IngestionForKey(p, w.key, w.ingestion.PublicID) },
		"Unfinished":      func(tx *Tx, p PracticeID) (any, error) { return tx.Unfinished(p, 9) },
		"BufferPart":      func(tx *Tx, p PracticeID) (any, error) { return tx.BufferPart(p, w.ingestion.ID, 0) },
		"Ledger":          func(tx *Tx, p PracticeID) (any, error) { return tx.Ledger(p, w.ingestion.ID) },
		"Start":           func(tx *Tx, p PracticeID) (any, error) { return nil, tx.Start(p, w.ingestion.ID) },
		"GiveBack":        func(tx *Tx, p PracticeID) (any, error) { return nil, tx.GiveBack(p, w.ingestion.ID) },
		"StillQueued": func(tx *Tx, p PracticeID) (any, error) {
			_, err := tx.StillQueued(p, w.ingestion.ID)
			return err == nil, err
		},
		"Progress": func(tx *Tx, p PracticeID) (any, error) {
			return nil, tx.Progress(p, w.ingestion.ID, LedgerEntry{First: 1, Next: 2, Sealed: []byte{1}})
		},
		"Finish": func(tx *Tx, p PracticeID) (any, error) {
			return nil, tx.Finish(p, Ending{Ingestion: w.ingestion.ID, Status: Completed, Outcome: []byte("x")})
		},
		"EndQueue": func(tx *Tx, p PracticeID) (any, error) { // finds remaining work, but only this practice's
			ended, err := tx.EndQueue(p)
			return !ended, err
		},

		"AddImport": func(tx *Tx, p PracticeID) (any, error) {
			return kept(tx.AddImport(p, Import{PublicID: "new", About: []byte{1}}))
		},
		"AddImportPart": func(tx *Tx, p PracticeID) (any, error) { return nil, tx.AddImportPart(p, w.imported.ID, 1, []byte{1}) },
		"SetImport": func(tx *Tx, p PracticeID) (any, error) {
			return nil, tx.SetImport(p, Import{ID: w.imported.ID, Rows: 7, About: []byte{2}})
		},
		"ConfirmImport": func(tx *Tx, p PracticeID) (any, error) { return nil, tx.ConfirmImport(p, w.imported.ID, 0, 7) },
		"DropImport":    func(tx *Tx, p PracticeID) (any, error) { return nil, tx.DropImport(p, w.imported.ID, nil) },
		"Import":        func(tx *Tx, p PracticeID) (any, error) { return importID(tx.Import(p, w.imported.PublicID)) },
		"Imports":       func(tx *Tx, p PracticeID) (any, error) { return tx.Imports(p, 9) },
		"StartUndo":     func(tx *Tx, p PracticeID) (any, error) { return nil, tx.StartUndo(p, w.imported.ID, w.admin) },
		"StepUndo": func(tx *Tx, p PracticeID) (any, error) {
			return nil, tx.StepUndo(p, w.undone.ID, UndoStep{From: 2, Next: 4, Kept: []KeptRecord{{3, w.other.ID, KeptReviewed}}})
		},
		"ImportedRecords":    func(tx *Tx, p PracticeID) (any, error) { return tx.ImportedRecords(p, w.undone.ID, 0, 9) },
		"CountUndo":          func(tx *Tx, p PracticeID) (any, error) { return tx.CountUndo(p, w.undone.ID) },
		"KeptByUndo":         func(tx *Tx, p PracticeID) (any, error) { return tx.KeptByUndo(p, w.undone.ID, 9) },
		"UnconfirmedImports": func(tx *Tx, p PracticeID) (any, error) { return tx.UnconfirmedImports(p) },
		"AddDraft": func(tx *Tx, p PracticeID) (any, error) {
			return nil, tx.AddDraft(p, Draft{Token: "new", Author: w.admin, Sealed: []byte{1}})
		},
		"SetDraft":  func(tx *Tx, p PracticeID) (any, error) { return nil, tx.SetDraft(p, w.draft, 1, []byte{2}) },
		"DropDraft": func(tx *Tx, p PracticeID) (any, error) { return nil, tx.DropDraft(p, w.draft) },
		"Draft": func(tx *Tx, p PracticeID) (any, error) {
			d, err := tx.Draft(p, w.draft)
			return d.Author, err
		},
		"ArchiveRows": func(tx *Tx, p PracticeID) (any, error) {
			found := 0
			for i := range ArchiveTables {
				if ArchiveTables[i].Name == "practice" { // itself
					continue
				}
				err := tx.ArchiveRows(p, &ArchiveTables[i], func([]any) error { found++; return nil })
				if err != nil {
					return nil, err
				}
			}
			return found, nil
		},
		"Busy": func(tx *Tx, p PracticeID) (any, error) { return tx.Busy(p) },
		"CountVersions": func(tx *Tx, p PracticeID) (any, error) {
			records, versions, err := tx.CountVersions(p)
			return records + versions, err
		},
		"EHRsOf":       func(tx *Tx, p PracticeID) (any, error) { return tx.EHRsOf(p) },
		"NotedExports": func(tx *Tx, p PracticeID) (any, error) { return tx.NotedExports(p, 9) },
		"ChangedSince": func(tx *Tx, p PracticeID) (any, error) { return tx.ChangedSince(p, time.Time{}) },
		"Holdings": func(tx *Tx, p PracticeID) (any, error) {
			h, err := tx.Holdings(p)
			return h.Active + h.Versions + h.Drafts, err
		},
		"SetMatches":    func(tx *Tx, p PracticeID) (any, error) { return nil, tx.SetMatches(p, 1, []byte{2}) },
		"ForgetMatches": func(tx *Tx, p PracticeID) (any, error) { return nil, tx.ForgetMatches(p, 1, nil) },
		"Matches":       func(tx *Tx, p PracticeID) (any, error) { return tx.Matches(p) },
		"Drafts":        func(tx *Tx, p PracticeID) (any, error) { return tx.Drafts(p, 0, 9) },
		"DraftTokens":   func(tx *Tx, p PracticeID) (any, error) { return tx.DraftTokens(p) },
		"CountDrafts": func(tx *Tx, p PracticeID) (any, error) {
			all, own, err := tx.CountDrafts(p, w.admin)
			return all + own, err
		},
		"ImportPart": func(tx *Tx, p PracticeID) (any, error) { return tx.ImportPart(p, w.imported.ID, 0) },
		"Ingestions": func(tx *Tx, p PracticeID) (any, error) {
			var all []ListedIngestion
			for filter := range ingestions {
				found, err := tx.Ingestions(p, filter, 0, 9)
				if err != nil {
					return nil, err
				}
				all = append(all, found...)
			}
			return all, nil
		},
		"Shown":           func(tx *Tx, p PracticeID) (any, error) { return tx.Shown(p, w.record.UUID) },
		"ListedIngestion": func(tx *Tx, p PracticeID) (any, error) { return tx.ListedIngestion(p, w.ingestion.PublicID) },
		"NeedsAttention":  func(tx *Tx, p PracticeID) (any, error) { return tx.NeedsAttention(p, time.Time{}) },

		"CustomFields": func(tx *Tx, p PracticeID) (any, error) { return tx.CustomFields(p) },
		"AddCustomField": func(tx *Tx, p PracticeID) (any, error) {
			return kept(tx.AddCustomField(p, birth.CustomField{Key: "new", Label: "New", Kind: birth.CustomBool}))
		},
		"RelabelCustomField": func(tx *Tx, p PracticeID) (any, error) {
			return nil, tx.RelabelCustomField(p, w.field, "Changed")
		},
		"RetireCustomField": func(tx *Tx, p PracticeID) (any, error) { return nil, tx.RetireCustomField(p, w.field, true) },
		"OrderCustomFields": func(tx *Tx, p PracticeID) (any, error) {
			return nil, tx.OrderCustomFields(p, []int64{w.second, w.field})
		},

		"AddRefusal": func(tx *Tx, p PracticeID) (any, error) {
			return nil, tx.AddRefusal(p, Refusal{APIKey: w.key, Status: 403, Code: "forbidden"})
		},
		"Refusals": func(tx *Tx, p PracticeID) (any, error) { return tx.Refusals(p, time.Time{}, 0, 9) },

		"RecordsByChart": func(tx *Tx, p PracticeID) (any, error) { return tx.RecordsByChart(p, []string{w.record.Chart}) },
		"RecordByUUID":   func(tx *Tx, p PracticeID) (any, error) { return tx.RecordByUUID(p, w.record.UUID) },
		"Records":        func(tx *Tx, p PracticeID) (any, error) { return tx.Records(p, 0, 9) },
		"AddRecords":     func(tx *Tx, p PracticeID) (any, error) { return nil, tx.AddRecords(p, []Record{fresh}) },
		"UpdateRecord":   func(tx *Tx, p PracticeID) (any, error) { return nil, tx.UpdateRecord(p, next) },
		"AddVersions": func(tx *Tx, p PracticeID) (any, error) {
			return nil, tx.AddVersions(p, []Version{versionOf(next, "amend")})
		},
		"Audits": func(tx *Tx, p PracticeID) (any, error) {
			var all []Audit
			for _, f := range []AuditFilter{{}, {Area: "record"}, {Object: "object"}} {
				for _, back := range []bool{false, true} {
					found, err := tx.Audits(p, f, 0, back, 9)
					if err != nil {
						return nil, err
					}
					all = append(all, found...)
				}
			}
			return all, nil
		},
		"Downloads": func(tx *Tx, p PracticeID) (any, error) { return tx.Downloads(p, time.Time{}, 0, 9) },
		"List":      func(tx *Tx, p PracticeID) (any, error) { return tx.List(p, Filter{}, From{}, 9) },
		"Count":     func(tx *Tx, p PracticeID) (any, error) { return tx.Count(p, Filter{}) },
		"ListWithin": func(tx *Tx, p PracticeID) (any, error) {
			found, _, err := tx.ListWithin(p, Filter{}, From{}, 9)
			return found, err
		},
		"CountWithin": func(tx *Tx, p PracticeID) (any, error) {
			n, _, err := tx.CountWithin(p, Filter{}, 9)
			return n, err
		},
		"PlaceWithin": func(tx *Tx, p PracticeID) (any, error) {
			_, all, err := tx.PlaceWithin(p, Filter{}, w.record, 9)
			return all, err
		},
		"Counted": func(tx *Tx, p PracticeID) (any, error) {
			return countedIn(tx.Counted(p, 2026*12, stats.Period{First: 2026 * 12, Last: 2026*12 + 11}))
		},
		"Contents": func(tx *Tx, p PracticeID) (any, error) { return tx.Contents(p, []int64{w.record.ID}) },
		"RecordsByID": func(tx *Tx, p PracticeID) (any, error) {
			return tx.RecordsByID(p, []int64{w.record.ID})
		},
		"Survivor": func(tx *Tx, p PracticeID) (any, error) { return tx.Survivor(p, w.merged.ID) },
		"History":  func(tx *Tx, p PracticeID) (any, error) { return tx.History(p, w.record.ID, 0, 9) },
		"ContentsBefore": func(tx *Tx, p PracticeID) (any, error) {
			return tx.ContentsBefore(p, w.record.ID, 9, 9)
		},
		"VersionOf": func(tx *Tx, p PracticeID) (any, error) { return tx.VersionOf(p, w.record.ID, 1) },
		"ActiveByFingerprint": func(tx *Tx, p PracticeID) (any, error) {
			return tx.ActiveByFingerprint(p, []birth.Fingerprint{w.print}, 9)
		},
		"NotDuplicatesUnder": func(tx *Tx, p PracticeID) (any, error) { return tx.NotDuplicatesUnder(p, []birth.Fingerprint{w.print}) },
		"FingerprintsOf":     func(tx *Tx, p PracticeID) (any, error) { return tx.FingerprintsOf(p, []int64{w.record.ID}) },
		"SetNames": func(tx *Tx, p PracticeID) (any, error) {
			return nil, tx.SetNames(p, RecordNames{Record: w.record.ID, All: []birth.NameWord{{9}}})
		},
		"Named": func(tx *Tx, p PracticeID) (any, error) {
			found, _, err := tx.Named(p, [][]byte{{1}, {1, 0}}, 9)
			return found, err
		},
		"OutcomesOf": func(tx *Tx, p PracticeID) (any, error) {
			var found []int64
			err := tx.OutcomesOf(p, "0000-01", "9999-12", func(record int64, _ string) { found = append(found, record) })
			return found, err
		},
		"Reported": func(tx *Tx, p PracticeID) (any, error) {
			var found []Reported
			for _, provider := range []int64{0, w.provider.ID} {
				if err := tx.Reported(p, provider, "0000-01", "9999-12", func(b Reported) { found = append(found, b) }); err != nil {
					return nil, err
				}
			}
			return found, nil
		},
		"NamesOf": func(tx *Tx, p PracticeID) (any, error) { return tx.NamesOf(p, []int64{w.record.ID}) },
		"IndexNames": func(tx *Tx, p PracticeID) (any, error) {
			return nil, tx.IndexNames(p, w.record.ID, 1, []birth.NameWord{{9}})
		},
		"SetFingerprints": func(tx *Tx, p PracticeID) (any, error) {
			return nil, tx.SetFingerprints(p, RecordFingerprints{Record: w.record.ID, All: []birth.Fingerprint{{9}}, Live: true})
		},

		"FindProviders": func(tx *Tx, p PracticeID) (any, error) {
			return tx.FindProviders(p, func(string) bool { return true }, 9)
		},
		"ProviderNames": func(tx *Tx, p PracticeID) (any, error) { return tx.ProviderNames(p, 0, 9) },
		"JoinedBy":      func(tx *Tx, p PracticeID) (any, error) { return tx.JoinedBy(p, ProviderGroup{Name: "joined"}) },
		"IsJoined":      func(tx *Tx, p PracticeID) (any, error) { return tx.IsJoined(p, w.provider.ID) },
		"SetJoined": func(tx *Tx, p PracticeID) (any, error) {
			return nil, tx.SetJoined(p, ProviderGroup{Name: "new"}, w.provider.ID)
		},
		"EndJoined": func(tx *Tx, p PracticeID) (any, error) { return nil, tx.EndJoined(p, w.provider.ID) },
		"MergeAll": func(tx *Tx, p PracticeID) (any, error) {
			return nil, tx.MergeAll(p, []int64{w.doula}, w.provider.ID, 0)
		},
		"SetCustomValues": func(tx *Tx, p PracticeID) (any, error) {
			return nil, tx.SetCustomValues(p, []CustomValues{{w.record.ID, 2, []byte("sealed")}})
		},
		"CustomValuesAt": func(tx *Tx, p PracticeID) (any, error) { return tx.CustomValuesAt(p, w.record.ID, 9) },
		"AddMembership":  func(tx *Tx, p PracticeID) (any, error) { return nil, tx.AddMembership(p, w.stranger, "viewer") },
		"OfferMembership": func(tx *Tx, p PracticeID) (any, error) {
			return nil, tx.OfferMembership(p, w.stranger, "viewer", "Vera")
		},
		"AcceptMembership":  func(tx *Tx, p PracticeID) (any, error) { return nil, tx.AcceptMembership(p, w.invited) },
		"UseMembership":     func(tx *Tx, p PracticeID) (any, error) { return nil, tx.UseMembership(p, w.admin) },
		"VoidInvitations":   func(tx *Tx, p PracticeID) (any, error) { return nil, tx.VoidInvitations(p, w.invited) },
		"SetRole":           func(tx *Tx, p PracticeID) (any, error) { return nil, tx.SetRole(p, w.admin, "viewer") },
		"DisableMembership": func(tx *Tx, p PracticeID) (any, error) { return nil, tx.DisableMembership(p, w.admin) },
		"EnableMembership": func(tx *Tx, p PracticeID) (any, error) {
			err := tx.EnableMembership(p, w.admin)
			return err == nil, err
		},
		"OtherAdmins":   func(tx *Tx, p PracticeID) (any, error) { return tx.OtherAdmins(p, w.stranger) },
		"Members":       func(tx *Tx, p PracticeID) (any, error) { return tx.Members(p, tx.Now) },
		"Member":        func(tx *Tx, p PracticeID) (any, error) { return tx.Member(p, w.admin, tx.Now) },
		"EndSessionsIn": func(tx *Tx, p PracticeID) (any, error) { return tx.EndSessionsIn(p, w.admin) },
		"SessionStands": func(tx *Tx, p PracticeID) (any, error) {
			return tx.SessionStands(p, Standing{User: w.admin, Role: "admin", Token: fmt.Sprint("token ", w.p), Now: tx.Now, SeenAfter: tx.Now.Add(-time.Hour)})
		},

		"ProvidersByIdentity": func(tx *Tx, p PracticeID) (any, error) {
			return tx.ProvidersByIdentity(p, [][]byte{w.provider.Identity})
		},
		"KnownProviders": func(tx *Tx, p PracticeID) (any, error) {
			known, _, err := tx.KnownProviders(p)
			return known, err
		},
		"ProviderChosen": func(tx *Tx, p PracticeID) (any, error) { return tx.ProviderChosen(p, w.provider.ID) },
		"ProvidersNamed": func(tx *Tx, p PracticeID) (any, error) {
			return tx.ProvidersNamed(p, w.provider.Name, 9)
		},
		"AddProvider": func(tx *Tx, p PracticeID) (any, error) {
			return kept(tx.AddProvider(p, Provider{Identity: []byte("new"), Sealed: []byte{1}, Role: birth.RoleDoula}, ""))
		},
		"UpdateProvider": func(tx *Tx, p PracticeID) (any, error) { return nil, tx.UpdateProvider(p, changed, "2026-03") },
		"ProvidersOf":    func(tx *Tx, p PracticeID) (any, error) { return tx.ProvidersOf(p, w.record.ID, 1) },
		"LogProvider":    func(tx *Tx, p PracticeID) (any, error) { return nil, tx.LogProvider(p, changed, "2025-01") },
		"Careers":        func(tx *Tx, p PracticeID) (any, error) { return tx.Careers(p, []int64{w.provider.ID}) },
		"RolesIn":        func(tx *Tx, p PracticeID) (any, error) { return tx.RolesIn(p, []int64{w.record.ID}) },
		"Providers": func(tx *Tx, p PracticeID) (any, error) {
			found, _, err := tx.Providers(p)
			return found, err
		},
		"Identities": func(tx *Tx, p PracticeID) (any, error) { return tx.Identities(p, w.provider.ID) },
		"CountBirths": func(tx *Tx, p PracticeID) (any, error) {
			births, attended, err := tx.CountBirths(p, w.provider.ID)
			return births + attended, err
		},
		"CountAttended": func(tx *Tx, p PracticeID) (any, error) { return tx.CountAttended(p, w.provider.ID) },
		"Career":        func(tx *Tx, p PracticeID) (any, error) { return tx.Career(p, w.provider.ID) },
		"Provider":      func(tx *Tx, p PracticeID) (any, error) { return providerID(tx.Provider(p, w.provider.ID)) },
		"SetMerged":     func(tx *Tx, p PracticeID) (any, error) { return nil, tx.SetMerged(p, w.doula, w.provider.ID) },
		"LogMerge": func(tx *Tx, p PracticeID) (any, error) {
			return nil, tx.LogMerge(p, "merge", w.doula, w.provider.ID, 0)
		},

		"AddReview": func(tx *Tx, p PracticeID) (any, error) {
			return kept(tx.AddReview(p, Review{Decision: VoidOne, Stays: w.record.ID, Goes: w.similar.ID}))
		},
		"UndoReview": func(tx *Tx, p PracticeID) (any, error) { return nil, tx.UndoReview(p, w.review, w.admin) },
		"Refingerprint": func(tx *Tx, p PracticeID) (any, error) {
			return nil, tx.Refingerprint(p, w.similar.ID, 1, []birth.Fingerprint{{9}})
		},
		"KeepFingerprints": func(tx *Tx, p PracticeID) (any, error) { return nil, tx.KeepFingerprints(p, w.similar.ID) },
		"ReplacedRecords":  func(tx *Tx, p PracticeID) (any, error) { return tx.ReplacedRecords(p, 9) },
		"CountReplaced":    func(tx *Tx, p PracticeID) (any, error) { return tx.CountReplaced(p) },
		"LeaveReplaced":    func(tx *Tx, p PracticeID) (any, error) { return nil, tx.LeaveReplaced(p, w.record.ID) },
		"PushedBefore":     func(tx *Tx, p PracticeID) (any, error) { return tx.PushedBefore(p, w.record.ID, 2) },
		"ReopenMerges": func(tx *Tx, p PracticeID) (any, error) {
			return nil, tx.ReopenMerges(p, []int64{w.similar.ID}, []int64{w.record.ID})
		},
		"CloseMerge":         func(tx *Tx, p PracticeID) (any, error) { return nil, tx.CloseMerge(p, w.mergeReview) },
		"Reopened":           func(tx *Tx, p PracticeID) (any, error) { return tx.Reopened(p, 9) },
		"CountReopened":      func(tx *Tx, p PracticeID) (any, error) { return tx.CountReopened(p) },
		"Review":             func(tx *Tx, p PracticeID) (any, error) { w, err := tx.Review(p, w.review); return w.ID, err },
		"Reviews":            func(tx *Tx, p PracticeID) (any, error) { return tx.Reviews(p, 0, 9) },
		"SentAgain":          func(tx *Tx, p PracticeID) (any, error) { return tx.SentAgain(p, 0, 9) },
		"ReviewsOf":          func(tx *Tx, p PracticeID) (any, error) { return tx.ReviewsOf(p, w.record.ID, MergeOne, 9) },
		"PossibleDuplicates": func(tx *Tx, p PracticeID) (any, error) { return tx.PossibleDuplicates(p, []int64{w.record.ID}) },
		"Pairs":              func(tx *Tx, p PracticeID) (any, error) { return tx.Pairs(p, Pair{}, 9) },
		"CountPairs":         func(tx *Tx, p PracticeID) (any, error) { return tx.CountPairs(p) },
		"NotDuplicates":      func(tx *Tx, p PracticeID) (any, error) { return tx.NotDuplicates(p, []int64{w.record.ID}) },
		"MarkNotDuplicates": func(tx *Tx, p PracticeID) (any, error) {
			return nil, tx.MarkNotDuplicates(p, w.record.ID, w.similar.ID, w.review)
		},
		"UnmarkNotDuplicates": func(tx *Tx, p PracticeID) (any, error) { return nil, tx.UnmarkNotDuplicates(p, []int64{w.record.ID}) },
		"UnmarkNotDuplicatePair": func(tx *Tx, p PracticeID) (any, error) {
			return nil, tx.UnmarkNotDuplicatePair(p, w.other.ID, w.record.ID)
		},
		"Suspect": func(tx *Tx, p PracticeID) (any, error) { return nil, tx.Suspect(p, w.record.ID) },
		"Unsuspect": func(tx *Tx, p PracticeID) (any, error) {
			return nil, tx.Unsuspect(p, []int64{w.merged.ID, w.similar.ID})
		},
		"AddAttributions": func(tx *Tx, p PracticeID) (any, error) {
			return nil, tx.AddAttributions(p, []Attribution{{w.record.ID, 1, w.doula, false, ""}})
		},

		"MergedBirth": func(tx *Tx, p PracticeID) (any, error) { return tx.MergedBirth(p, w.record.ID) },
		"EraseRecords": func(tx *Tx, p PracticeID) (any, error) {
			return nil, tx.EraseRecords(p, []int64{w.record.ID, w.merged.ID})
		},
		"IngestionsOf": func(tx *Tx, p PracticeID) (any, error) { return tx.IngestionsOf(p, []int64{w.other.ID}) },
		"Receipts": func(tx *Tx, p PracticeID) (any, error) {
			if err := w.complete(tx, p); err != nil {
				return nil, err
			}
			return tx.Receipts(p, BundleKind, 0, 9)
		},
		"ReceiptsSince": func(tx *Tx, p PracticeID) (any, error) {
			if err := w.complete(tx, p); err != nil {
				return nil, err
			}
			return tx.ReceiptsSince(p, time.Time{})
		},
		"SetReceipt": func(tx *Tx, p PracticeID) (any, error) {
			if err := w.complete(tx, p); err != nil {
				return nil, err
			}
			return nil, tx.SetReceipt(p, w.ingestion.PublicID, []byte("x"), []byte("y"))
		},
		"SetSSOOnly":        func(tx *Tx, p PracticeID) (any, error) { return nil, tx.SetSSOOnly(p, w.identity) },
		"SessionsOfMembers": func(tx *Tx, p PracticeID) (any, error) { return tx.SessionsOfMembers(p) },
		"AddTombstone": func(tx *Tx, p PracticeID) (any, error) {
			return nil, tx.AddTombstone(p, Tombstone{Chart: []byte("new"), Reason: ErasedOnRequest})
		},
		"TombstonesOf": func(tx *Tx, p PracticeID) (any, error) { return tx.TombstonesOf(p, [][]byte{[]byte("erased")}) },
		"Tombstones":   func(tx *Tx, p PracticeID) (any, error) { return tx.Tombstones(p, 9) },
		"AddRejects": func(tx *Tx, p PracticeID) (any, error) {
			return nil, tx.AddRejects(p, Rejects{Ingestion: w.ingestion.ID, Charts: [][]byte{[]byte("another"), {}}})
		},
		"HasRejects":    func(tx *Tx, p PracticeID) (any, error) { return tx.HasRejects(p) },
		"DropRejects":   func(tx *Tx, p PracticeID) (any, error) { return nil, tx.DropRejects(p, [][]byte{[]byte("rejected")}) },
		"CountRefused":  func(tx *Tx, p PracticeID) (any, error) { return nil, tx.CountRefused(p, map[int64]int{w.tombstone: 2}) },
		"KeepTombstone": func(tx *Tx, p PracticeID) (any, error) { return tx.KeepTombstone(p, w.tombstone) },
		"LiftTombstone": func(tx *Tx, p PracticeID) (any, error) { return tx.LiftTombstone(p, w.tombstone) },
	}
}

// complete ends the ingestion of the world with a receipt.
func (w *fixture) complete(tx *Tx, p PracticeID) error {
	return tx.Finish(p, Ending{Ingestion: w.ingestion.ID, Status: Completed, Outcome: []byte("x")})
}

func providerID(i Identity, err error) (any, error) { return i.ID, err }

// countedIn returns the number of births, dated and undated.
func countedIn(c Counted, err error) (any, error) {
	r := stats.NewReport(stats.Period{First: 2026 * 12, Last: 2026*12 + 11})
	c.AddTo(r)
	return r.Total.Births + r.Undated, err
}

// kept drops the ID of a row, because the row was added to the calling practice.
func kept(_ int64, err error) (any, error) { return nil, err }

// unscoped lists the methods that concern no practice, or the practice itself, with the
// reason.
var unscoped = map[string]string{
	"Practice": "the practice itself", "SetEHRBeta": "the practice itself", "SetTimeZone": "the practice itself", "RequireSecondFactor": "the practice itself", "AddPractice": "makes one",
	"Practices": "for the operator",
	"AddAudit":  "the trail is the installation's", "Trail": "its verification", "TrailFrom": "its verification",
	"Noted": "the upgrade", "Verify": "the check",
	"TrailHead": "its verification", "SomebodySignedIn": "its verification",
	"PracticeOfKey": "for the operator",
	"KeyByHash":     "the key tells which practice it is",
	"NextRecordID":  "numbers all records",
	"Unnamed":       "the upgrade", "CountUnnamed": "the upgrade",
	"Unfingerprinted": "the upgrade", "CountUnfingerprinted": "the upgrade",
	"Peers":           "figures across practices",
	"AgedOut":         "the sweep",
	"SweepDeliveries": "the sweep", "OverlongDeliveries": "the sender, of all practices", "ResumeDeliveries": "the sender, of all practices", "KeysToNotify": "tells which API key has work",
	"SpentImports":    "the sweep",
	"UnfinishedUndos": "tells which practice has work",
	"SealedVersions":  "the check", "LastWritten": "the check of the clock", "SweepReceipts": "the sweep", "SweepRefusals": "the sweep", "Feed": "the health check",
	"IsEmpty": "the installation's", "AddUser": "a person", "User": "a person", "UserByEmail": "a person", "Users": "for the operator",
	"SetPassword": "a person's own", "NoteSignIn": "a person's own", "NoteConduct": "for the operator", "DisableUser": "for the operator", "EnableUser": "for the operator",
	"BeginIncoming": "makes a practice", "AddIncomingRows": "an incoming practice", "SetIncomingContent": "an incoming practice", "SetIncomingReferences": "an incoming practice",
	"NameIncomingProvider": "an incoming practice", "IncomingProblem": "an incoming practice", "IsElsewhere": "an incoming practice", "FinishIncoming": "an incoming practice", "TallyIncoming": "an incoming practice",
	"WriteNothing": "changes nothing", "AddExport": "notes an archive of that practice",
	"SetTOTP": "a person's own", "TakeTOTPStep": "a person's own", "SetRecoveryCodes": "a person's own",
	"TakeRecoveryCode": "a person's own", "RecoveryCodes": "a person's own", "MembershipsOf": "a person's own",
	"AddPasskey": "a person's own", "UsePasskey": "a person's own", "DropPasskey": "a person's own", "DropPasskeys": "a person's own",
	"PasskeysOf": "a person's own", "Passkeys": "the installation's: doctor counts those of another address", "UserOfPasskey": "the credential tells whose it is",
	"AddLink": "a person's own", "LinkByHash": "the code tells whose it is", "UseLink": "a person's own",
	"VoidLinks": "a person's own", "VoidResets": "a person's own", "SetName": "a person's own", "ReopenMemberships": "a person's own", "SweepLinks": "the sweep",
	"PutSession": "a person's own", "Session": "the token tells whose it is", "SessionsOf": "a person's own",
	"ResealSession": "the token tells whose it is", "TouchSession": "the token tells whose it is", "DropSession": "the token tells whose it is",
	"DropSessionOf": "a person's own", "BoundSessionsOf": "a person's own", "EndSessions": "a person's own", "SweepSessions": "the sweep", "BoundAnonymousSessions": "the sweep", "EndAllSessions": "for the operator",
	"PutEHR": "for the operator", "RemoveEHR": "for the operator", "EHR": "for the operator", "EHRs": "for the operator",
	"PutSSOProvider": "for the operator", "RemoveSSOProvider": "for the operator", "SSOProviders": "the installation's", "SSOAccounts": "for the operator",
	"AddSSOLink": "a person's own", "SSOUser": "the subject tells whose it is", "SSOLinked": "a person's own", "SSONames": "a person's own", "SSOLinksOf": "a person's own", "DropSSOLink": "a person's own", "OpenInvitation": "a person's own", "DropSSOLinks": "for the operator",
	"AddClientKey": "the installation's", "DropClientKey": "the installation's", "ClientKeys": "the installation's",
	"AddLaunch": "nobody has signed in", "TakeLaunch": "the state tells which", "SweepLaunches": "the sweep",
	"AddPrefill": "nobody has signed in", "Prefill": "the handle tells whose it is", "OwnPrefill": "a person's own",
	"DropPrefill": "the handle tells whose it is", "UsePrefill": "the handle tells whose it is", "SweepPrefills": "the sweep", "SweepDrafts": "the sweep", "SweepMatches": "the sweep",
	"DiskSpace": "the disk is the installation's", "ReceiveQueue": "tells which practice has work", "Opened": "tells what this transaction has done", "ReceiveOpened": "receives what this transaction has opened", "Try": "runs what it is given", "Advance": "a queue is a practice's",
	"HoldQueue": "a queue is a practice's", "ReleaseQueue": "a queue is a practice's",
	"ReleaseQueues": "the sweep", "RepairQueues": "the sweep",
	"RevokedKeyByHash": "the hash tells whose it is",
	"Forgotten":        "for the operator", "Forgetting": "for the operator", "Forget": "for the operator", "ForgetRows": "for the operator",
	"ForgetPractice": "for the operator", "EndForgetting": "for the operator", "ExportState": "for the operator",
	"PutCertificate": "the service's own", "Certificate": "the service's own", "DropCertificate": "the service's own",
}

func TestEveryMethodOnPracticeDataIsInTheTableAndTakesThePracticeFirst(t *testing.T) {
	calls := (&fixture{}).calls()
	practice := reflect.TypeFor[PracticeID]()
	tx := reflect.TypeFor[*Tx]()
	for m := range tx.Methods() {
		if calls[m.Name] == nil {
			require.Contains(t, unscoped, m.Name, "a method on practice data that no test knows")
			continue
		}
		require.Equal(t, practice, m.Type.In(1), m.Name)
	}
	for name := range calls {
		_, there := tx.MethodByName(name)
		require.True(t, there, name)
	}
}

var errUndo = errors.New("undo")

func TestNothingIsFoundOrChangedOutsideAPractice(t *testing.T) {
	t.Parallel()
	db := opened(t)
	empty := []PracticeID{addPractice(t, db)}
	w := newFixture(t, db)
	empty = append(empty, addPractice(t, db))
	for name, call := range w.calls() {
		try := func(p PracticeID) (found any, before, after string, err error) {
			undone := db.Update(func(tx *Tx) error {
				before = w.rows(t, tx)
				found, err = call(tx, p)
				after = w.rows(t, tx)
				return errUndo
			})
			require.ErrorIs(t, undone, errUndo)
			return found, before, after, err
		}
		for _, p := range empty {
			found, before, after, err := try(p)
			if err != nil {
				require.ErrorIs(t, err, ErrNotFound, name)
			}
			require.True(t, nothing(found), "%s finds %v", name, found)
			require.Equal(t, before, after, "%s changes rows", name)
		}
		found, before, after, err := try(w.p)
		require.NoError(t, err, name)
		require.True(t, !nothing(found) || before != after, "%s does nothing in its own practice either", name)
	}
}

// nothing reports whether a result is empty.
func nothing(found any) bool {
	v := reflect.ValueOf(found)
	switch v.Kind() {
	case reflect.Invalid:
		return true
	case reflect.Slice, reflect.Map, reflect.String:
		return v.Len() == 0
	default:
		return v.IsZero()
	}
}

func TestAnotherPracticesProviderTakesNoPartInABirth(t *testing.T) {
	db := opened(t)
	w, other := newFixture(t, db), newFixture(t, db)
	require.ErrorIs(t, db.Update(func(tx *Tx) error {
		return tx.AddAttributions(w.p, []Attribution{{w.record.ID, 1, other.provider.ID, true, ""}})
	}), ErrNotFound)
}

func TestRolledBackRowsAreForgottenByTheirTransaction(t *testing.T) {
	db := opened(t)
	p, other := addPractice(t, db), addPractice(t, db)
	r := Record{ID: 1, UUID: "one", State: birth.Active, Version: 1, Content: 1}
	add := func(p PracticeID, end error) func(*Tx) error {
		return func(tx *Tx) error { return errors.Join(tx.AddRecords(p, []Record{r}), end) }
	}
	version := func(tx *Tx) error { return tx.AddVersions(p, []Version{versionOf(r, "create")}) }
	errs := together(t, db, add(p, errRefused), add(other, nil), version)
	require.ErrorIs(t, errs[0], errRefused)
	require.NoError(t, errs[1])
	require.ErrorIs(t, errs[2], ErrNotFound, "the record is another practice's by now")
}
