package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"birthregistry/app/fhir"
	"birthregistry/app/ingest"
	"birthregistry/app/task"
	"birthregistry/store"
)

// client calls the push endpoints as an integrator would: it submits with an Idempotency-Key,
// so that a retry never ingests twice, waits as Retry-After asks, and polls until the ingestion
// has ended.
type client struct {
	base string
	key  string
	http *http.Client
	// wait is called before each wait, with its length and reason.
	wait func(time.Duration, string)
}

// refused is the error for an answer with an error status. Its status is never 429, because the
// client always tries again after a 429. After a 503, the client tries maxTries times before it
// returns refused.
type refused struct {
	status  int
	outcome fhir.OperationOutcome
}

func (r *refused) Error() string {
	text := http.StatusText(r.status)
	for _, issue := range r.outcome.Issue {
		text = issue.Diagnostics
		if issue.Details != nil {
			text += " " + issue.Details.Text
		}
	}
	return fmt.Sprintf("%d: %s", r.status, text)
}

func newClient(base, key string) (*client, error) {
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, errors.New("--url takes the address of the service, such as https://registry.example.org")
	}
	return &client{
		base: strings.TrimSuffix(base, "/"), key: key,
		http: &http.Client{Timeout: 2 * time.Minute},
		wait: func(time.Duration, string) {},
	}, nil
}

// push submits a body and returns its receipt once the ingestion has ended.
func (c *client) push(ctx context.Context, body []byte) (ingest.Receipt, error) {
	location, err := c.submit(ctx, body)
	if err != nil {
		return ingest.Receipt{}, err
	}
	return c.poll(ctx, location)
}

func (c *client) submit(ctx context.Context, body []byte) (location string, err error) {
	header := http.Header{"Content-Type": {"application/fhir+json"}, "Idempotency-Key": {uuid.NewString()}}
	response, _, err := c.ask(ctx, http.MethodPost, c.base+"/api/registry/fhir/Bundle", header, body)
	if err != nil {
		return "", err
	}
	location = response.Header.Get("Content-Location")
	if location == "" {
		return "", errors.New("the service accepted the Bundle without saying where its receipt is")
	}
	// The key is sent only to the service that the user named, not to an
	// address that the answer points to.
	u, err := url.Parse(location)
	if err != nil {
		return "", errors.New("the service named no address for the receipt")
	}
	return c.base + u.Path, nil
}

// poll asks for the receipt until the ingestion has ended. It waits longer each time, up to two
// seconds.
func (c *client) poll(ctx context.Context, location string) (ingest.Receipt, error) {
	pause := 50 * time.Millisecond
	for {
		_, body, err := c.ask(ctx, http.MethodGet, location, http.Header{}, nil)
		if err != nil {
			return ingest.Receipt{}, err
		}
		var r ingest.Receipt
		if err := json.Unmarshal(body, &r); err != nil {
			return r, errors.New("the receipt is not readable")
		}
		if r.Status == store.Completed || r.Status == store.Failed {
			return r, nil
		}
		if err := task.Pause(ctx, pause); err != nil {
			return r, err
		}
		pause = min(pause*2, 2*time.Second)
	}
}

// maxTries limits how often a request is repeated while the service is
// unreachable or cannot answer.
const maxTries = 8

func (c *client) ask(ctx context.Context, method, address string, header http.Header, body []byte) (*http.Response, []byte, error) {
	for try := 1; ; try++ {
		response, answer, err := c.once(ctx, method, address, header, body)
		pause := time.Duration(try) * 500 * time.Millisecond
		switch {
		case err != nil:
			if try == maxTries || ctx.Err() != nil {
				return nil, nil, fmt.Errorf("%s cannot be reached; check --url, and that the service runs: %w", c.base, err)
			}
			c.wait(pause, "the service cannot be reached")
		case response.StatusCode == http.StatusTooManyRequests || response.StatusCode == http.StatusServiceUnavailable:
			if try >= maxTries && response.StatusCode == http.StatusServiceUnavailable {
				return nil, nil, refusal(response, answer)
			}
			if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil && seconds > 0 {
				pause = time.Duration(seconds) * time.Second
			}
			c.wait(pause, "the service asks to wait")
		case response.StatusCode >= 400:
			return nil, nil, refusal(response, answer)
		default:
			return response, answer, nil
		}
		if err := task.Pause(ctx, pause); err != nil {
			return nil, nil, err
		}
	}
}

func (c *client) once(ctx context.Context, method, address string, header http.Header, body []byte) (*http.Response, []byte, error) {
	request, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	request.Header = header
	request.Header.Set("Authorization", "Bearer "+c.key)
	response, err := c.http.Do(request)
	if err != nil {
		return nil, nil, err
	}
	answer, err := io.ReadAll(response.Body)
	return response, answer, errors.Join(err, response.Body.Close())
}

func refusal(response *http.Response, answer []byte) error {
	r := &refused{status: response.StatusCode}
	if err := json.Unmarshal(answer, &r.outcome); err != nil {
		r.outcome = fhir.OperationOutcome{} // not the service's own answer, but perhaps a proxy's
	}
	return r
}
