package intake

import (
	"maps"

	"birthregistry/app/birth"
	"birthregistry/store"
)

// resent returns ErrSavedAlready unless a form that was sent again says what
// its record says: nothing that was typed is taken for saved when it is not.
func (s *Service) resent(tx *store.Tx, p store.PracticeID, r store.Record, sub *submission) error {
	on, err := s.baseVersion(&tx.View, p, r, r.Version)
	if err != nil {
		return err
	}
	if r.State != birth.Active || !sub.repeats(on) {
		return ErrSavedAlready
	}
	return nil
}

// repeats reports whether a new record made of the submission would say what
// the one on file does.
func (sub *submission) repeats(on BaseVersion) bool {
	if sub.chart != on.Record.Chart && (sub.chart != "" || !on.Record.Given) {
		return false
	}
	now, before := sub.course, birth.Mask(on.Draft)
	return string(now.Clinical()) == string(before.Clinical()) && string(now.Patient()) == string(before.Patient()) &&
		maps.Equal(stated(sub.custom), stated(on.Custom)) &&
		samePeople(now.Draft().Providers, before.Draft().Providers)
}

func stated(custom map[string]string) map[string]string {
	custom = maps.Clone(custom)
	maps.DeleteFunc(custom, func(_, text string) bool { return text == "" })
	return custom
}

// samePeople compares those whom a form names with those on file, where each
// stands once and with what else is known of them.
func samePeople(typed, onFile []birth.Provider) bool {
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
