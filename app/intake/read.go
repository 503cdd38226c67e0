package intake

import (
	"context"

	"birthregistry/app/birth"
	"birthregistry/app/mapping"
	"birthregistry/store"
)

// readAll reads and prepares every item of a small ingestion. A panic on any
// item fails the ingestion as a whole: nothing of it is written yet.
func (s *Service) readAll(p store.PracticeID, i store.Ingestion) ([]submission, error) {
	var subs []submission
	err := s.mapper.Read(s.bufferOf(p, i), func(item mapping.Item) error {
		sub := s.prepare(p, birth.FHIRPush, item, len(subs))
		if sub.panicked {
			return errPanicked
		}
		subs = append(subs, sub)
		return nil
	})
	return subs, err
}

// A chunk of a large ingestion ends after this many items or this much of the
// body, whichever comes first: 250 is where larger chunks gain nothing more
// and a single Bundle still slips in between. The first chunk after an attempt
// that did not advance is small: whatever stops the process then, more of the
// batch gets through, and the item that may have done it is met alone sooner.
const (
	chunkItems = 250
	chunkParts = 2
	wary       = 10 // by which the first chunk is smaller, for each such attempt
)

// bodyOf returns what an ingestion holds, and what reads it item by item: the
// Bundle in its buffer, or the CSV file that was uploaded.
func (s *Service) bodyOf(p store.PracticeID, i store.Ingestion) (*partReader, func(func(mapping.Item) error) error, error) {
	if i.Kind == store.CSVKind {
		return s.fileOf(p, i.PublicID)
	}
	body := s.bufferOf(p, i)
	return body, func(yield func(mapping.Item) error) error { return s.mapper.Read(body, yield) }, nil
}

func sourceOf(i store.Ingestion) birth.Source {
	if i.Kind == store.CSVKind {
		return birth.CSV
	}
	return birth.FHIRPush
}

// readChunks reads a large ingestion and sends its items in chunks, those
// before the cursor left out. Decoding takes turns with other practices; the
// next chunk is decoded while the last is being written.
func (s *Service) readChunks(ctx context.Context, p store.PracticeID, i store.Ingestion, chunks chan<- []submission) error {
	defer close(chunks)
	body, read, err := s.bodyOf(p, i)
	if err != nil {
		return err
	}
	index, from := 0, 0
	var chunk []submission
	size := chunkItems
	for range i.Attempts {
		size = max(size/wary, 1)
	}
	done, err := s.takeTurn(ctx)
	if err != nil {
		return err
	}
	defer func() { done() }()
	send := func() error {
		done()
		done = func() {}
		select {
		case chunks <- chunk:
		case <-ctx.Done():
			return ctx.Err()
		}
		chunk, size = nil, chunkItems
		next, err := s.takeTurn(ctx)
		if err == nil {
			done = next
		}
		return err
	}
	err = read(func(item mapping.Item) error {
		index++
		if index <= i.Items { // done before a crash
			return ctx.Err()
		}
		sub := s.prepare(p, sourceOf(i), item, index-1)
		sub.user = i.User
		if sub.panicked && index == len(chunk)+1 { // nothing of it is written yet
			return errPanicked
		}
		if chunk == nil {
			from = body.opened
		}
		chunk = append(chunk, sub)
		if len(chunk) == size || body.opened-from >= chunkParts {
			return send()
		}
		return nil
	})
	if err == nil && len(chunk) > 0 {
		err = send()
	}
	return err
}
