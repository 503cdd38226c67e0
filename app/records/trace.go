package records

import (
	"context"
	"slices"

	"birthregistry/app/birth"
	"birthregistry/store"
)

// stepsBack is the maximum number of earlier versions of a record's content that Trace reads, and
// stride is how many it reads at a time. A value that is the same in all of these versions was set
// in the oldest of them, or even earlier.
const (
	stepsBack = 400
	stride    = 50
)

// Trace finds the version that set each present value of a record, and stores it in SetIn,
// ConsentSet and ProvidersSet. It reads the record's earlier contents, beginning with the latest.
func (r *Records) Trace(ctx context.Context, p store.PracticeID, rec *Record) error {
	return r.db.View(ctx, func(v *store.View) error {
		open := rec.values()
		for _, value := range open {
			value.SetIn = inVersion(rec.content)
		}
		rec.ConsentSet, rec.ProvidersSet = inVersion(rec.content), inVersion(rec.content)
		consent, providers := true, true // set while the search for the version isn't finished
		before := rec.content
		for seen := 0; (len(open) > 0 || consent || providers) && seen < stepsBack; seen += stride {
			contents, err := v.ContentsBefore(p, rec.head.ID, before, stride)
			if err != nil {
				return err
			}
			for _, c := range contents {
				d, err := r.open(p, rec.ID, c)
				if err != nil {
					return err
				}
				open = sameIn(open, d, c.Version)
				if consent = consent && d.Consent == rec.Consent; consent {
					rec.ConsentSet = inVersion(c.Version)
				}
				if providers {
					named, err := v.ProvidersOf(p, rec.head.ID, c.Version)
					if err != nil {
						return err
					}
					if providers = slices.Equal(providersOf(named), rec.Providers); providers {
						rec.ProvidersSet = inVersion(c.Version)
					}
				}
				before = c.Version
				if len(open) == 0 && !consent && !providers {
					break
				}
			}
			if len(contents) < stride {
				break
			}
		}
		if err := r.traceOwn(v, p, rec); err != nil {
			return err
		}
		return r.nameEvents(v, p, rec)
	})
}

func inVersion(version int) *Event { return &Event{Event: store.Event{Version: version}} }

// traceOwn is like Trace, but for the practice's custom fields, which are stored separately.
func (r *Records) traceOwn(v *store.View, p store.PracticeID, rec *Record) error {
	open := make([]*CustomField, len(rec.CustomFields))
	for i := range rec.CustomFields {
		open[i] = &rec.CustomFields[i]
		open[i].SetIn = inVersion(rec.Version)
	}
	version := rec.Version
	for step := 0; len(open) > 0 && step < stepsBack; step++ {
		stated, since, err := r.custom(v, p, rec.head, version)
		if err != nil {
			return err
		}
		open = slices.DeleteFunc(open, func(own *CustomField) bool { return stated[own.Field.Key] != own.Text })
		for _, own := range open {
			own.SetIn = inVersion(since)
		}
		version = since - 1
	}
	return nil
}

// sameIn returns the values that an earlier version d states with the same source. It sets SetIn of
// these values to the earlier version.
func sameIn(open []*Value, d birth.Draft, version int) (still []*Value) {
	for _, value := range open {
		before, stated := birth.Value{}, false
		switch of := value.of; {
		case of == ofMother:
			before, stated = d.Mother.Get(value.Field.Name)
		case of == ofCare:
			before, stated = d.Care.Get(value.Field.Name)
		case of < len(d.Children):
			before, stated = d.Children[of].Get(value.Field.Name)
		}
		if stated && before.Equal(value.Value) && before.Source == value.Value.Source {
			value.SetIn = inVersion(version)
			still = append(still, value)
		}
	}
	return still
}

// nameEvents completes the events that Trace has found with who made each version, and when. It
// reads each version only once.
func (r *Records) nameEvents(v *store.View, p store.PracticeID, rec *Record) error {
	known := map[int]*Event{}
	set := []**Event{&rec.ConsentSet, &rec.ProvidersSet}
	for _, value := range rec.values() {
		set = append(set, &value.SetIn)
	}
	for i := range rec.CustomFields {
		set = append(set, &rec.CustomFields[i].SetIn)
	}
	for _, at := range set {
		version := (*at).Version
		if known[version] == nil {
			e, err := r.event(v, p, rec.head, version)
			if err != nil {
				return err
			}
			known[version] = &e
		}
		*at = known[version]
	}
	return nil
}
