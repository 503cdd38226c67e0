package changes

import (
	"maps"

	"birthregistry/app/birth"
	"birthregistry/store"
)

// resent returns ErrSavedAlready unless a form that was sent again states what its
// record states: nothing that was typed is taken for saved when it is not.
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

// repeats reports whether a new record made of the change would state what the
// one on file does.
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

// sameProviders compares those whom a form names with those on file, where each
// stands once and with what else is known of them.
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
