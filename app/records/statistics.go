package records

import (
	"birthregistry/app/figures"
	"birthregistry/store"
)

// Figures are the figures of a practice, with what was left out of them.
type Figures struct {
	*figures.Report
	// Peers pools the other practices of the installation; nil for a sandbox,
	// which sees no figure of a live practice.
	Peers *figures.Peers
	store.Counted
}

// Statistics counts a practice's births of a period, from one snapshot of the
// database. Peers are pooled on demand: they are of other practices.
func (r *Records) Statistics(p store.Practice, period figures.Period, peers bool) (f Figures, err error) {
	f.Report = figures.NewReport(period)
	trend := period.Trend()
	err = r.db.View(func(v *store.View) error {
		if f.Counted, err = v.Counted(p.ID, trend.First.String(), period.First.String(), period.Last.String()); err != nil {
			return err
		}
		if !peers || p.Sandbox {
			return nil
		}
		f.Peers = figures.NewPeers(period)
		return v.Peers(p.ID, period.First.String(), period.Last.String(), func(other store.PracticeID, a store.Alike) {
			f.Peers.Add(int64(other), a.Month, a.Outcome, a.Records)
		})
	})
	for _, a := range f.Alike {
		f.Add(a.Month, a.Attendant, a.Outcome, a.Records)
	}
	return f, err
}
