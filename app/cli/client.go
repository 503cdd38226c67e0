package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
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

// client calls the push endpoints as an integrator's program should. It submits with an
// Idempotency-Key, so that a retry never ingests a Bundle twice. It waits as long as Retry-After
// states, and polls until the ingestion has ended.
type client struct {
	base string
	key  string
	http *http.Client
	// wait is called before each wait, with the length of the wait and the reason for it.
	wait func(time.Duration, string)
}

// refused is the error for an answer with an error status. It is never a 429, after which the
// client always tries again, and it is a 500 or higher only after maxTries attempts.
type refused struct {
	status  int
	outcome fhir.OperationOutcome
}

// unfit is the error for an address at which no registry answers.
type unfit struct{ text string }

func (u unfit) Error() string { return u.text }

// concernsAll reports whether an error is not about the Bundle, but would occur with any other, too:
// the address or the API key is wrong, or the service can't answer.
func concernsAll(err error) bool {
	r := (*refused)(nil)
	if !errors.As(err, &r) {
		return errors.As(err, new(unfit))
	}
	switch r.status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	case http.StatusRequestEntityTooLarge:
		return false
	}
	return len(r.outcome.Issue) == 0
}

func (r *refused) Error() string {
	text := http.StatusText(r.status) + " (a proxy answers this, or another service; check --url)"
	for _, issue := range r.outcome.Issue {
		text = issue.Diagnostics
		if issue.Details != nil {
			text += " " + issue.Details.Text
		}
	}
	return fmt.Sprintf("%d: %s", r.status, text)
}

// pushRoot is the path below which the push endpoints are.
const pushRoot = "/api/registry/fhir"

func newClient(base, key string) (*client, error) {
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.Contains(u.Path, pushRoot) {
		return nil, errors.New("--url takes the address of the service, such as https://registry.example.org, without the path of an endpoint")
	}
	return &client{
		base: strings.TrimSuffix(base, "/"), key: key,
		http: &http.Client{
			Timeout: 2 * time.Minute,
			// A redirect would turn the POST into a GET, and could lead the key elsewhere.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		wait: func(time.Duration, string) {},
	}, nil
}

// push submits a body and returns its receipt once the ingestion has ended. Its errors state whether
// the service has the Bundle, and where the receipt is.
func (c *client) push(ctx context.Context, body []byte) (ingest.Receipt, error) {
	location, err := c.submit(ctx, body)
	if errors.Is(err, context.Canceled) {
		// Another push has another Idempotency-Key, so it would add a birth without a chart number twice.
		err = errors.New("interrupted before the service answered; it may have the Bundle, so look at the Ingestions page before you push it again")
	}
	if err != nil {
		return ingest.Receipt{}, err
	}
	receipt, err := c.poll(ctx, location)
	if errors.Is(err, context.Canceled) {
		err = errors.New("interrupted")
	}
	if err != nil {
		err = fmt.Errorf("%w (the service has accepted the Bundle; its receipt is at %s)", err, location)
	}
	return receipt, err
}

func (c *client) submit(ctx context.Context, body []byte) (location string, err error) {
	header := http.Header{"Content-Type": {"application/fhir+json"}, "Idempotency-Key": {uuid.NewString()}}
	response, _, err := c.ask(ctx, http.MethodPost, c.base+pushRoot+"/Bundle", header, body)
	if err != nil {
		return "", err
	}
	// The key is sent only to the service that the user named, not to an address that the answer
	// points to. So only the ingestion's id is taken from it.
	u, err := url.Parse(response.Header.Get("Content-Location"))
	if response.StatusCode != http.StatusAccepted || err != nil || u.Path == "" {
		return "", unfit{fmt.Sprintf("what answers at %s is not a birth registry; check --url", c.base)}
	}
	return c.base + pushRoot + "/ingestions/" + path.Base(u.Path), nil
}

// poll asks for the receipt until the ingestion has ended. It waits longer each time, up to two
// seconds. It also waits before the first time, because each request counts toward the rate limit.
func (c *client) poll(ctx context.Context, location string) (ingest.Receipt, error) {
	for pause := 100 * time.Millisecond; ; pause = min(pause*2, 2*time.Second) {
		if err := task.Pause(ctx, pause); err != nil {
			return ingest.Receipt{}, err
		}
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
	}
}

// maxTries is how many times a request is sent while the service is unreachable or can't answer.
const maxTries = 8

// ask sends a request until it is answered, and returns the answer. It repeats the request while the
// service can't be reached or asks to wait, or a proxy doesn't reach it.
func (c *client) ask(ctx context.Context, method, address string, header http.Header, body []byte) (*http.Response, []byte, error) {
	for try := 1; ; try++ {
		response, answer, err := c.once(ctx, method, address, header, body)
		if err != nil && ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		if err == nil && !passing(response.StatusCode) {
			return response, answer, c.refusal(response, answer)
		}
		pause, why := time.Duration(try)*500*time.Millisecond, "the service cannot be reached"
		switch {
		case err != nil && try >= maxTries:
			return nil, nil, unfit{fmt.Sprintf("%s cannot be reached (%s); check --url, and that the service runs", c.base, transportError(err))}
		case err == nil && try >= maxTries && response.StatusCode != http.StatusTooManyRequests:
			return nil, nil, c.refusal(response, answer)
		case err == nil:
			why = "the service asks to wait"
			if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil && seconds > 0 {
				pause = time.Duration(seconds) * time.Second
			}
		}
		c.wait(pause, why)
		if err := task.Pause(ctx, pause); err != nil {
			return nil, nil, err
		}
	}
}

// passing reports whether an answer says that the same request may succeed soon. Some come from a
// proxy, for example while the service restarts.
func passing(status int) bool {
	return status == http.StatusTooManyRequests || status >= http.StatusInternalServerError
}

// transportError returns why a request got no answer, without the request's address.
func transportError(err error) error {
	if u := (*url.Error)(nil); errors.As(err, &u) {
		return u.Err
	}
	return err
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

// refusal returns the error for an answer that is a redirect or has an error status, and nil for any
// other answer.
func (c *client) refusal(response *http.Response, answer []byte) error {
	if response.StatusCode < 300 {
		return nil
	}
	if to, err := response.Location(); err == nil && response.StatusCode < 400 {
		return unfit{fmt.Sprintf("%s redirects to %s://%s; use that address as --url", c.base, to.Scheme, to.Host)}
	}
	r := &refused{status: response.StatusCode}
	if err := json.Unmarshal(answer, &r.outcome); err != nil {
		r.outcome = fhir.OperationOutcome{} // not the service's own answer, but perhaps a proxy's
	}
	return r
}
