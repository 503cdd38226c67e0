package records

import (
	"context"

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

// Statistics counts a practice's births of a period and of the years that lead
// up to it, from one snapshot of the database.
func (r *Records) Statistics(ctx context.Context, p store.Practice, period figures.Period) (Figures, error) {
	return r.count(ctx, p, period, period.Trend().First, !p.Sandbox)
}

// Headlines counts a practice's births of a period alone.
func (r *Records) Headlines(ctx context.Context, p store.Practice, period figures.Period) (Figures, error) {
	return r.count(ctx, p, period, period.First, false)
}

func (r *Records) count(ctx context.Context, p store.Practice, period figures.Period, since figures.Month, peers bool) (f Figures, err error) {
	f.Report = figures.NewReport(period)
	first, last := period.First.String(), period.Last.String()
	err = r.db.View(ctx, func(v *store.View) error {
		if f.Counted, err = v.Counted(p.ID, since.String(), first, last); err != nil || !peers {
			return err
		}
		f.Peers = figures.NewPeers(period)
		return v.Peers(p.ID, first, last, func(other store.PracticeID, b store.Births) {
			for outcome := range b.Outcomes() {
				f.Peers.Add(int64(other), b.Month, outcome)
			}
		})
	})
	for _, b := range f.Births {
		for outcome := range b.Outcomes() {
			f.Add(b.Month, b.Attendant, outcome)
		}
	}
	return f, err
}
