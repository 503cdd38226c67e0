package changes

import (
	"iter"

	"birthregistry/store"
)

// Batch is the changes of one ingestion; Ingestion is 0 for what a person does.
type Batch struct {
	Ingestion int64
	Changes   []Change
}

// Apply is the one place where records are written, from every source. It decides the
// changes in their order, reads for all of them at once and writes for all of them at
// once, and returns what became of each by batch.
func (w *Writer) Apply(tx *store.Tx, p store.PracticeID, batches ...Batch) ([][]Result, error) {
	results := make([][]Result, len(batches))
	set, err := w.read(tx, p, batches)
	if err != nil {
		return nil, err
	}
	for n, batch := range batches {
		if results[n], err = set.decideAll(batch); err != nil {
			return nil, err
		}
		if n == len(batches)-1 || !set.mayLiftSuspicion() {
			continue
		}
		if err := set.Write(); err != nil {
			return nil, err
		}
		if set, err = w.read(tx, p, batches[n+1:]); err != nil {
			return nil, err
		}
	}
	return results, set.Write()
}

// each goes through the changes of batches that nothing has rejected yet.
func each(batches []Batch) iter.Seq[*Change] {
	return func(yield func(*Change) bool) {
		for _, batch := range batches {
			for i := range batch.Changes {
				if c := &batch.Changes[i]; c.Problem == nil && !yield(c) {
					return
				}
			}
		}
	}
}
