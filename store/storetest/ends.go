package storetest

import "context"

// EndsWhen is a context that ends when Ended returns true.
type EndsWhen struct {
	context.Context
	Ended func() bool
}

func (c EndsWhen) Err() error {
	if c.Ended() {
		return context.Canceled
	}
	return c.Context.Err()
}
