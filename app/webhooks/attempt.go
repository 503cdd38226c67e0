package webhooks

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"birthregistry/app/dial"
	"birthregistry/store"
)

// callWithin is how long a receiver may take to respond.
const callWithin = 15 * time.Second

// waits lists the pauses between the attempts of a delivery, about a day in all. After the last
// attempt, the service gives up the delivery.
var waits = []time.Duration{
	5 * time.Second, 30 * time.Second, 2 * time.Minute, 5 * time.Minute, 15 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 4 * time.Hour, 6 * time.Hour, 10 * time.Hour,
}

// message is the body of a delivery.
type message struct {
	Type      string    `json:"type"`
	Timestamp string    `json:"timestamp"`
	Data      ingestion `json:"data"`
}

type ingestion struct {
	ID     string       `json:"id"`
	Status store.Status `json:"status"`
}

// timeFormat is the format that receipts use for completedAt.
const timeFormat = "2006-01-02T15:04:05.000-07:00"

// bodyOf returns the body of a delivery. It is the same in every attempt.
func bodyOf(d store.Delivery) ([]byte, error) {
	return json.Marshal(message{
		Type: "ingestion." + string(d.Status), Timestamp: d.EndedAt.UTC().Format(timeFormat), Data: ingestion{d.Ingestion, d.Status},
	})
}

// The problems of an attempt. They quote nothing that the receiver has sent.
const (
	ProblemOff         = "off"
	ProblemUnreadable  = "unreadable"
	ProblemAddress     = "address"
	ProblemForbidden   = "private-address"
	ProblemName        = "unknown-name"
	ProblemCertificate = "certificate"
	ProblemConnection  = "connection"
	ProblemSlow        = "slow"
	ProblemAnswer      = "answer"
	ProblemInternal    = "internal"
)

// Problems maps each problem to a sentence for the practice.
var Problems = map[string]string{
	ProblemOff:         "The webhook was turned off.",
	ProblemUnreadable:  "The webhook cannot be read. Set it again.",
	ProblemAddress:     "The address is not allowed. Set another one.",
	ProblemForbidden:   "The address leads to a private network.",
	ProblemName:        "The name of the receiver cannot be resolved.",
	ProblemCertificate: "The receiver's certificate cannot be verified.",
	ProblemConnection:  "The connection failed.",
	ProblemSlow:        "The receiver did not answer in time.",
	ProblemAnswer:      "The receiver did not answer with a 2xx status.",
	ProblemInternal:    "The registry failed. Its log says where.",
}

var problemOf = map[error]string{
	dial.ErrForbidden: ProblemForbidden, dial.ErrSlow: ProblemSlow, dial.ErrUnknownName: ProblemName,
	dial.ErrCertificate: ProblemCertificate, dial.ErrConnection: ProblemConnection,
}

// attempt makes one attempt at a delivery. The result answer is the HTTP status of the receiver's
// response, or 0 if there was none. The result problem is "" if the message was delivered. The
// error is context.Canceled if ctx ends before the response, and nil otherwise.
func (s *Service) attempt(ctx context.Context, p store.PracticeID, d store.Delivery) (answer int, problem string, err error) {
	if d.Sealed == nil {
		return 0, ProblemOff, nil
	}
	to, err := s.open(p, d.APIKey, d.Sealed)
	if err != nil {
		return 0, ProblemUnreadable, nil //nolint:nilerr // it is the problem of this delivery
	}
	if !s.permitted(to.Address) {
		return 0, ProblemAddress, nil
	}
	req, err := request(ctx, to, d, time.Now())
	if err != nil {
		return 0, ProblemUnreadable, nil //nolint:nilerr // as above
	}
	resp, err := s.client.Do(req)
	if err != nil {
		reason := dial.Reason(err)
		if errors.Is(reason, context.Canceled) || ctx.Err() != nil {
			return 0, "", context.Canceled
		}
		return 0, problemOf[reason], nil
	}
	_ = resp.Body.Close() // it isn't read
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return resp.StatusCode, ProblemAnswer, nil
	}
	return resp.StatusCode, "", nil
}

// request returns the signed request for an attempt. The ID of the message is made from the ID of
// the ingestion, because an ingestion ends only once.
func request(ctx context.Context, to target, d store.Delivery, now time.Time) (*http.Request, error) {
	body, err := bodyOf(d)
	if err != nil {
		return nil, err
	}
	signer, err := standardwebhooks.NewWebhook(to.Secret)
	if err != nil {
		return nil, err
	}
	id := "msg_" + d.Ingestion
	signature, err := signer.Sign(id, now, body)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to.Address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "birthregistry")
	req.Header.Set(standardwebhooks.HeaderWebhookID, id)
	req.Header.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(now.Unix(), 10))
	req.Header.Set(standardwebhooks.HeaderWebhookSignature, signature)
	return req, nil
}

// after returns a delivery with the result of an attempt that was made at the given time. The
// delivery is then delivered, given up, or due again after the next pause in waits.
func after(d store.Delivery, answer int, problem string, now time.Time) store.Delivery {
	d.Answer, d.Problem, d.DueAt = answer, problem, now
	switch {
	case problem == "":
		d.State = store.Delivered
	case problem == ProblemOff || d.Attempts >= len(waits):
		d.State = store.GivenUp
	default:
		d.State, d.DueAt = store.DeliveryWaiting, now.Add(waits[d.Attempts])
	}
	return d
}
