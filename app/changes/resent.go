package changes

import (
	"maps"

	"birthregistry/app/birth"
	"birthregistry/store"
)

// resent handles a form that was sent a second time. It returns nil if the record that was created
// the first time is active and has the form's content. Otherwise it returns ErrSavedAlready,
// because a page must not say "saved" about input that wasn't saved.
func (w *Writer) resent(tx *store.Tx, p store.PracticeID, r store.Record, c *Change) error {
	on, err := w.BaseOf(&tx.View, p, r, r.Version)
	if err != nil {
		return err
	}
	if r.State != birth.Active || !c.repeats(on) {
		return ErrSavedAlready
	}
	return nil
}

// repeats reports whether the change would create a record with the same content as an existing
// record (on).
func (c *Change) repeats(on BaseVersion) bool {
	if c.chart != on.Record.Chart && (c.chart != "" || !on.Record.Given) {
		return false
	}
	now, before := c.course, birth.Mask(on.Draft)
	return string(now.Clinical()) == string(before.Clinical()) && string(now.Patient()) == string(before.Patient()) &&
		maps.Equal(stated(c.custom), stated(on.Custom)) &&
		sameProviders(now.Draft().Providers, before.Draft().Providers)
}

func stated(custom map[string]string) map[string]string {
	custom = maps.Clone(custom)
	maps.DeleteFunc(custom, func(_, text string) bool { return text == "" })
	return custom
}

// sameProviders reports whether a form lists the same providers as the record on file. The form may
// list a provider several times, and may leave out names and credentials that are on file.
func sameProviders(typed, onFile []birth.Provider) bool {
	known := map[string]birth.Provider{}
	for _, p := range onFile {
		known[p.Key] = p
	}
	attending := map[string]bool{}
	for _, p := range typed {
		on, ok := known[p.Key]
		if !ok || p.Name != "" && p.Name != on.Name || p.Credentials != "" && p.Credentials != on.Credentials {
			return false
		}
		attending[p.Key] = attending[p.Key] || p.Attending
	}
	for key, p := range known {
		if was, ok := attending[key]; !ok || was != p.Attending {
			return false
		}
	}
	return true
}
