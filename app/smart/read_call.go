package smart

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"birthregistry/app/fhir"
	"birthregistry/app/task"
)

// The reasons why a read failed. The texts are for the operator's log.
var (
	errSpent        = fmt.Errorf("%w: it no longer accepts the token; launch again from the EHR", ErrUpstream)
	errRefused      = fmt.Errorf("%w: it refused the read", ErrUpstream)
	errFailed       = fmt.Errorf("%w: it failed", ErrUpstream)
	errOverload     = fmt.Errorf("%w: it asks the registry to try again later", ErrBusy)
	errUnreadable   = fmt.Errorf("%w: its answer is not the FHIR that was asked for", ErrUpstream)
	errOtherPatient = fmt.Errorf("%w: its answer is not the patient that was launched", ErrUpstream)
	errLink         = fmt.Errorf("%w: it leads on to a page outside its base, or in a circle", ErrUpstream)
	errTooMuch      = fmt.Errorf("%w: the chart is larger than one launch reads", ErrUpstream)
	errIncomplete   = fmt.Errorf("%w: it did not send everything", ErrUpstream)
)

// inPlainWords returns the reason why something could not be read, in words for a clinician.
func inPlainWords(err error) string {
	switch {
	case errors.Is(err, errRefused):
		return "the EHR refused them"
	case errors.Is(err, ErrBusy):
		return "the EHR was too busy"
	case errors.Is(err, ErrSlow):
		return "the EHR was too slow"
	case errors.Is(err, errTooLarge), errors.Is(err, errTooMuch):
		return "the chart has more than can be read in one launch"
	case errors.Is(err, errLink):
		return "the EHR's further pages could not be followed"
	case errors.Is(err, errIncomplete):
		return "the EHR did not send all of them"
	case errors.Is(err, errUncategorized):
		return "the EHR does not find all of them by category"
	}
	return "the EHR gave no usable answer"
}

// call fetches an address under the FHIR base URL with the access token. If the response has status
// 200, call returns its body as valid JSON (see sound). If the server is busy, call tries once more
// (requirement S6).
func (r *reader) call(ctx context.Context, address string) ([]byte, error) {
	select {
	case r.slots <- struct{}{}:
		defer func() { <-r.slots }()
	case <-ctx.Done():
		return nil, failure(ctx.Err())
	}
	for again := false; ; again = true {
		left := min(maxPage, r.bytes.Load())
		if left <= 0 {
			return nil, errTooMuch
		}
		status, header, body, err := r.out.get(ctx, address, "application/fhir+json", r.token, left)
		if errors.Is(err, errTooLarge) {
			r.bytes.Add(-left)
		}
		switch {
		case err != nil:
			return nil, err
		case r.bytes.Add(-int64(len(body))) < 0:
			return nil, errTooMuch
		case status == http.StatusOK:
			return sound(body)
		case status == http.StatusUnauthorized: // the token has expired or was revoked (S9)
			return nil, errSpent
		case status == http.StatusTooManyRequests, status == http.StatusServiceUnavailable:
			if again || !wait(ctx, header) {
				return nil, errOverload
			}
		case status >= 400 && status < 500:
			return nil, errRefused
		default:
			return nil, errFailed
		}
	}
}

// patience is the longest time that a server may ask for in Retry-After. After a longer one, the
// request isn't repeated.
const patience = 10 * time.Second

// wait waits as long as a busy server asks for in Retry-After, or one second if it doesn't say. It
// returns false without waiting if this is longer than patience or than ctx allows. It also returns
// false if ctx is canceled while it waits.
func wait(ctx context.Context, header http.Header) bool {
	pause := time.Second
	if text := header.Get("Retry-After"); text != "" {
		if seconds, err := strconv.ParseUint(text, 10, 31); err == nil || errors.Is(err, strconv.ErrRange) {
			pause = time.Duration(seconds) * time.Second
		} else if at, err := http.ParseTime(text); err == nil {
			pause = max(0, time.Until(at))
		}
	}
	if by, ok := ctx.Deadline(); pause > patience || ok && time.Until(by) <= pause {
		return false
	}
	return task.Pause(ctx, pause) == nil
}

// spend subtracts a resource and its elements from the numbers that are still allowed. Elements are
// limited as well as bytes, because 5 MB of empty components would take a gigabyte of memory.
func (r *reader) spend(resource []byte) error {
	if r.elements.Add(-int64(fhir.Weight(resource))) < 0 || r.results.Add(-1) < 0 {
		return errTooMuch
	}
	return nil
}
