package main

import (
	"encoding/hex"

	"github.com/google/uuid"

	"birthregistry/app"
	"birthregistry/app/birth"
	"birthregistry/app/ingest"
	"birthregistry/app/records"
	"birthregistry/app/seal"
	"birthregistry/store"
)

// filler writes new courses with nothing but the store. The plain worker writes with
// it, and fill.
type filler struct {
	a        *app.App
	practice store.PracticeID

	fingerprintKey, providerKey, nameKey []byte // keys of the hashes
}

func newFiller(a *app.App, p store.PracticeID) *filler {
	return &filler{a, p, a.Vault.Key("fingerprint"), a.Vault.Key("provider"), a.Vault.Key(birth.NameKeyPurpose)}
}

// filed is a course that is ready to write.
type filed struct {
	course       birth.Course
	chart        string
	uuid         string
	fingerprints []birth.Fingerprint
	names        []birth.NameWord
	patient      []byte // sealed
}

// ready hashes and seals a course outside any transaction. chart is "" for its own.
func (f *filler) ready(c birth.Course, chart string) (filed, error) {
	if chart == "" {
		chart = c.Chart()
	}
	id, err := uuid.NewV7()
	if err != nil {
		return filed{}, err
	}
	r := filed{
		course: c, chart: chart, uuid: id.String(),
		fingerprints: c.Fingerprints(f.fingerprintKey, int64(f.practice)), names: c.NameWords(f.nameKey, int64(f.practice)),
	}
	r.patient, err = f.a.Vault.Seal(records.PatientPlace(f.practice, r.uuid, 1), c.Patient())
	return r, err
}

// write looks up what may be on file already, and writes the courses as new records
// with their providers. They are the items of an ingestion from first on.
func (f *filler) write(tx *store.Tx, all []filed, ingestion int64, first int) ([]ingest.Accepted, error) {
	charts, fingerprints := make([]string, len(all)), []birth.Fingerprint{}
	for n, r := range all {
		charts[n] = r.chart
		fingerprints = append(fingerprints, r.fingerprints...)
	}
	if _, err := tx.RecordsByChart(f.practice, charts); err != nil {
		return nil, err
	}
	live, err := tx.ActiveByFingerprint(f.practice, fingerprints, 0)
	if err != nil {
		return nil, err
	}
	id, err := tx.NextRecordID()
	if err != nil {
		return nil, err
	}
	heads, versions := make([]store.Record, len(all)), make([]store.Version, len(all))
	fingerprintsOf, namesOf := make([]store.RecordFingerprints, len(all)), make([]store.RecordNames, len(all))
	earlier := map[birth.Fingerprint]bool{} // of the same call
	var providers []store.Attribution
	out := make([]ingest.Accepted, len(all))
	for n := range all {
		r := &all[n]
		head := store.Record{
			ID: id + int64(n), UUID: r.uuid, Chart: r.chart, State: birth.Active, Version: 1, Content: 1,
			Source: birth.FHIRPush, Facts: r.course.Facts(),
		}
		for _, print := range r.fingerprints {
			head.Suspected = head.Suspected || len(live[print]) > 0 || earlier[print]
			earlier[print] = true
		}
		heads[n] = head
		versions[n] = store.Version{
			Record: head.ID, Version: 1, Content: 1, Change: "create", Source: birth.FHIRPush, Ingestion: ingestion, Item: first + n,
			Course: &r.course, Patient: r.patient,
		}
		fingerprintsOf[n] = store.RecordFingerprints{Record: head.ID, All: r.fingerprints, Live: true, Fresh: true}
		namesOf[n] = store.RecordNames{Record: head.ID, All: r.names, Fresh: true}
		part, err := f.attribute(tx, head.ID, r.course.Draft().Providers)
		if err != nil {
			return nil, err
		}
		providers = append(providers, part...)
		out[n] = ingest.Accepted{Reference: "Patient/m", Submission: r.uuid, Suspected: head.Suspected}
	}
	if err := tx.AddRecords(f.practice, heads); err != nil {
		return nil, err
	}
	if err := tx.AddVersions(f.practice, versions); err != nil {
		return nil, err
	}
	if err := tx.SetFingerprints(f.practice, fingerprintsOf...); err != nil {
		return nil, err
	}
	if err := tx.SetNames(f.practice, namesOf...); err != nil {
		return nil, err
	}
	return out, tx.AddAttributions(f.practice, providers)
}

// attribute finds the providers of a course, or adds them.
func (f *filler) attribute(tx *store.Tx, record int64, named []birth.Provider) (all []store.Attribution, err error) {
	for _, p := range named {
		identity := seal.Hash(f.providerKey, int64(f.practice), p.Key)
		known, err := tx.ProvidersByIdentity(f.practice, [][]byte{identity})
		if err != nil {
			return nil, err
		}
		r, found := known[string(identity)]
		if !found {
			r = store.Provider{Identity: identity, Name: p.Name, Credentials: p.Credentials, Role: p.Role}
			at := seal.Place{Practice: int64(f.practice), Table: "providers", Row: hex.EncodeToString(identity)}
			if r.Sealed, err = f.a.Vault.Seal(at, []byte(p.Key)); err != nil {
				return nil, err
			}
			if r.ID, err = tx.AddProvider(f.practice, r, ""); err != nil {
				return nil, err
			}
		}
		all = append(all, store.Attribution{Record: record, Version: 1, Provider: r.ID, Attending: p.Attending, Role: p.Role})
	}
	return all, nil
}
