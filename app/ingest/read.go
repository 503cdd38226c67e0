package ingest

import (
	"context"
	"errors"

	"birthregistry/app/birth"
	"birthregistry/app/changes"
	"birthregistry/app/mapping"
	"birthregistry/app/task"
	"birthregistry/store"
)

// readAll reads and prepares every item of a small ingestion. If that panics, only this ingestion
// fails, and as a whole, because nothing of it has been written yet.
func (s *Service) readAll(p store.PracticeID, i store.Ingestion) ([]changes.Change, error) {
	var items []changes.Change
	err := task.Do(s.log, "read a Bundle", func() error {
		body, err := s.bufferOf(context.Background(), p, i).whole()
		if err != nil {
			return err
		}
		return s.mapper.ReadWhole(body, func(item mapping.Item) error {
			c := s.changes.Prepare(p, birth.FHIRPush, item, len(items))
			if c.Panicked {
				return errPanicked
			}
			items = append(items, c)
			return nil
		})
	})
	if errors.Is(err, task.ErrPanic) {
		err = errPanicked
	}
	return items, err
}

// A chunk of a large ingestion ends after chunkItems items, after a full chunk of rows
// (store.FullChunk), or after about chunkParts parts of the body, whichever comes first. Larger
// chunks would be no faster. They would also make other senders wait longer, because their Bundles
// are processed between two chunks.
//
// After each attempt without progress, the first chunk is smaller. More of the batch is then
// written before the item that may have stopped the process, and this item is soon processed alone.
const (
	chunkItems = 250
	chunkParts = 2
	wary       = 10 // the factor by which the first chunk shrinks after each attempt without progress
)

// Files reads ingestions that are confirmed spreadsheets.
type Files struct {
	// Read returns a reader of a file's content, and a function that reads the file's items.
	Read func(ctx context.Context, p store.PracticeID, i store.Ingestion) (*PartReader, func(func(mapping.Item) error) error, error)
	// Permissions returns what the file may currently do to existing records.
	Permissions func(p store.PracticeID, i store.Ingestion) (changes.Permissions, error)
}

// bodyOf returns a reader of an ingestion's content, which is a Bundle or an uploaded file. It also
// returns a function that reads the items in it.
func (s *Service) bodyOf(ctx context.Context, p store.PracticeID, i store.Ingestion) (*PartReader, func(func(mapping.Item) error) error, error) {
	if i.Kind == store.CSVKind {
		return s.Files.Read(ctx, p, i)
	}
	body := s.bufferOf(ctx, p, i)
	return body, func(yield func(mapping.Item) error) error { return s.mapper.Read(body, yield) }, nil
}

// permissions returns what a file may do to existing records. For a Bundle, it returns the zero
// value. Permissions concern only changes that amend part of a record, and a Bundle has no such
// changes.
func (s *Service) permissions(p store.PracticeID, i store.Ingestion) (changes.Permissions, error) {
	if i.Kind == store.CSVKind {
		return s.Files.Permissions(p, i)
	}
	return changes.Permissions{}, nil
}

func sourceOf(i store.Ingestion) birth.Source {
	if i.Kind == store.CSVKind {
		return birth.CSV
	}
	return birth.FHIRPush
}

// chunk is a group of changes that are written in one transaction.
type chunk struct {
	changes []changes.Change
	last    bool // set for the last chunk of the ingestion
}

// readChunks reads a large ingestion and sends its items in chunks. It skips items that are already
// written. It decodes the next chunk while one is being written. While it decodes, it uses one of
// the slots that all practices share (TakeSlot).
func (s *Service) readChunks(ctx context.Context, p store.PracticeID, i store.Ingestion, chunks chan<- chunk, mode *runMode) error {
	defer close(chunks)
	body, read, err := s.bodyOf(context.WithoutCancel(ctx), p, i) // if the context ended while the reader reads, the Bundle would seem unreadable
	if err != nil {
		return err
	}
	index, from, rows := 0, 0, 0
	var next []changes.Change
	size := chunkItems
	for range i.Attempts {
		size = max(size/wary, 1)
	}
	out := chunkSender{service: s, chunks: chunks}
	if out.release, err = mode.slot(ctx); err != nil {
		return err
	}
	defer func() { out.release() }()
	err = read(func(item mapping.Item) error {
		index++
		if index <= i.Items { // the item was written before a crash
			return ctx.Err()
		}
		c := s.changes.Prepare(p, sourceOf(i), item, index-1)
		if c.User = i.User; i.Kind == store.CSVKind {
			c.Saved = i.CreatedAt // the time when a person confirmed the file, so that later changes of records are newer
		}
		if c.Panicked && index == len(out.held)+len(next)+1 { // nothing of the ingestion is written yet
			return errPanicked
		}
		if next == nil {
			from, rows = body.opened, 0
		}
		next = append(next, c)
		rows += c.Rows()
		if len(next) < size && rows < store.FullChunk && body.opened-from < chunkParts {
			return nil
		}
		full := next
		next, size = nil, chunkItems
		return out.add(ctx, full)
	})
	if err == nil && next != nil {
		err = out.add(ctx, next)
	}
	if err == nil {
		err = out.end(ctx)
	}
	return err
}

// chunkSender sends chunks to the writer. It delays each chunk until there is a next one, so that
// it can mark the last chunk.
type chunkSender struct {
	service *Service
	chunks  chan<- chunk
	held    []changes.Change
	release func() // returns the slot for decoding
}

// add sends the chunk that was delayed, and keeps the next one instead.
func (out *chunkSender) add(ctx context.Context, next []changes.Change) error {
	if out.held != nil {
		if err := out.send(ctx, false); err != nil {
			return err
		}
	}
	out.held = next
	return nil
}

// end sends the delayed chunk, if there is one, and marks it as the last chunk.
func (out *chunkSender) end(ctx context.Context) error {
	if out.held == nil {
		return nil
	}
	return out.send(ctx, true)
}

// send sends the delayed chunk. While it waits, it leaves its slot to other practices.
func (out *chunkSender) send(ctx context.Context, last bool) error {
	out.release()
	out.release = func() {}
	select {
	case out.chunks <- chunk{out.held, last}:
	case <-ctx.Done():
		return ctx.Err()
	}
	again, err := out.service.TakeSlot(ctx)
	if err == nil {
		out.release = again
	}
	return err
}
