package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"
)

// plan is the load to run. A number of callers each send a request, wait for its answer and send
// the next one.
type plan struct {
	Address string // host:port
	Method  string
	Path    string
	Headers []string // of every caller
	// Keys are API keys. Each key is used by about the same number of callers.
	Keys []string
	Body string // may contain the mark
	// Status is the status that every answer must have.
	Status  int
	Callers int
	// Warm is the length of the warm-up in seconds. Time is the length of the measurement after it,
	// also in seconds.
	Warm, Time float64
	// Most is the maximum number of requests; 0 means no limit.
	Most uint64
	// Every is the interval, in seconds, between the times at which a caller's requests are due. If
	// a request is due before the previous one is answered, it waits. The wait is included in the
	// request's time, so a stall shows in the times of all requests that it delays. If Every is 0,
	// a caller sends each request as soon as the previous one is answered.
	Every float64
	// While is the address of a receipt, or "". If it is set, the load lasts until that receipt is
	// completed. WhileKey is the API key with which the receipt is read.
	While, WhileKey string
	// From is the number that replaces the marks in the body of the first request. It increases by
	// 1 with each further request.
	From uint64
	// If Complete is set, a caller waits after each request until its ingestion is completed, and
	// the request's time includes the wait. If Drain is set, the load ends with a wait until all
	// ingestions are completed, and the rate includes that wait.
	Complete, Drain bool
}

// did is the result of a plan.
type did struct {
	Figure
	Asked uint64 // the number of requests, including the warm-up
}

// load runs a plan in a separate process and returns the result.
func load(ctx context.Context, p plan) (d did, err error) {
	doc, err := json.Marshal(p)
	if err != nil {
		return d, err
	}
	cmd := exec.CommandContext(ctx, os.Args[0], "load")
	cmd.Stdin, cmd.Stderr = strings.NewReader(string(doc)), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return d, fmt.Errorf("the load: %w", err)
	}
	err = json.Unmarshal(out, &d)
	return d, err
}

// loads returns a way that runs a plan. The requests of each run get numbers that no earlier run
// has used.
func (w *workshop) loads(p plan) way {
	return func() (Figure, error) {
		d, err := load(w.ctx, p)
		p.From += d.Asked
		return d.Figure, err
	}
}

// loadRole is the main function of the process that makes the load. It uses only one thread, so
// that the server has the others.
func loadRole() error {
	runtime.GOMAXPROCS(1)
	doc, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	var p plan
	if err := json.Unmarshal(doc, &p); err != nil {
		return err
	}
	d, err := p.run()
	if err != nil {
		return err
	}
	return json.MarshalWrite(os.Stdout, d)
}

// callers is the state that all callers of a plan share.
type callers struct {
	plan
	counts time.Time // the end of the warm-up
	until  atomic.Pointer[time.Time]
	next   atomic.Uint64
}

func (c *callers) over(t time.Time) bool { return !t.Before(*c.until.Load()) }

// errTooBrief means that no request was answered between the warm-up and the end of the plan.
var errTooBrief = errors.New("nothing was answered in time")

// longestRepeat is the maximum Time, in seconds, when a plan is repeated.
const longestRepeat = 60

// run runs the plan. On a busy machine, a short plan may end before the first answer. In that case,
// run repeats the plan with four times its Time, unless that exceeds longestRepeat.
func (p plan) run() (did, error) {
	d, err := p.once()
	if !errors.Is(err, errTooBrief) || p.Most > 0 || p.While != "" || 4*p.Time > longestRepeat {
		return d, err
	}
	asked := d.Asked
	p.Time, p.From = 4*p.Time, p.From+asked
	d, err = p.run()
	d.Asked += asked
	return d, err
}

func (p plan) once() (did, error) {
	began := time.Now()
	c := &callers{plan: p, counts: began.Add(duration(p.Warm))}
	c.end(c.counts.Add(duration(p.Time)))
	c.next.Store(p.From)
	var all []time.Duration
	var failed error
	var mu sync.Mutex
	var wg sync.WaitGroup
	if p.While != "" {
		wg.Go(func() {
			if err := c.while(); err != nil {
				mu.Lock()
				defer mu.Unlock()
				failed = errors.Join(failed, err)
			}
		})
	}
	for n := range p.Callers {
		wg.Go(func() {
			took, err := c.call(n)
			mu.Lock()
			defer mu.Unlock()
			all, failed = append(all, took...), errors.Join(failed, err)
		})
	}
	wg.Wait()
	if failed != nil {
		return did{}, failed
	}
	if len(all) == 0 {
		return did{Asked: c.next.Load() - p.From}, errTooBrief
	}
	d := did{Figure: among(all), Asked: c.next.Load() - p.From}
	if p.Most > 0 {
		d.Asked = min(d.Asked, p.Most)
	}
	d.Rate = float64(len(all)) / c.until.Load().Sub(c.counts).Seconds()
	if p.Drain { // everything since the first request, until the last is done
		d.Rate = float64(d.Asked) / time.Since(began).Seconds()
	}
	return d, nil
}

// call sends the requests of caller number n. It returns how long each request took, except the
// requests of the warm-up.
func (c *callers) call(n int) (took []time.Duration, err error) {
	w, err := dial(c.Address)
	if err != nil {
		return nil, err
	}
	defer w.conn.Close() //nolint:errcheck // every request was answered
	headers := slices.Clone(c.Headers)
	if len(c.Keys) > 0 {
		headers = append(headers, "Authorization: Bearer "+c.Keys[n%len(c.Keys)])
	}
	r := request(c.Method, c.Address, c.Path, headers, c.Body)
	at := marks(r)
	last, due := "", time.Now().Add(duration(c.Every*float64(n)/float64(c.Callers)))
	for {
		began := time.Now()
		if c.Every > 0 {
			time.Sleep(due.Sub(began))
			began, due = due, due.Add(duration(c.Every))
		}
		if c.over(began) {
			break
		}
		mine := c.next.Add(1) - 1
		if c.Most > 0 && mine >= c.From+c.Most {
			break
		}
		number(r, at, mine)
		status, err := w.ask(r)
		if err != nil {
			return nil, err
		}
		if status != c.Status {
			return nil, fmt.Errorf("answered %d: %s", status, w.body)
		}
		last = w.location
		if c.Complete {
			if err := c.await(w, last, headers, 200*time.Microsecond); err != nil {
				return nil, err
			}
		}
		ended := time.Now()
		counted := ended
		if c.Every > 0 { // a request that was due in time counts, even if answered later
			counted = began
		}
		if counted.After(c.counts) && !c.over(counted) {
			took = append(took, ended.Sub(began))
		}
	}
	if c.Drain && last != "" { // a practice's ingestions are completed in order, the last one after all others
		return took, c.await(w, last, headers, 20*time.Millisecond)
	}
	return took, nil
}

// while ends the load as soon as the receipt at the address plan.While is completed.
func (c *callers) while() error {
	w, err := dial(c.Address)
	if err != nil {
		return err
	}
	defer w.conn.Close() //nolint:errcheck // nothing was written
	err = c.await(w, c.While, append(slices.Clone(c.Headers), "Authorization: Bearer "+c.WhileKey), 5*time.Millisecond)
	c.end(time.Now())
	return err
}

func (c *callers) end(at time.Time) { c.until.Store(&at) }

// await polls a receipt until its ingestion is completed. It returns an error if the ingestion
// fails.
func (c *callers) await(w *wire, location string, headers []string, every time.Duration) error {
	_, path, _ := strings.Cut(strings.TrimPrefix(location, "http://"), "/")
	r := request("GET", c.Address, "/"+path, headers, "")
	for {
		status, err := w.ask(r)
		if err != nil {
			return err
		}
		body := string(w.body)
		switch {
		case status != 200 || strings.Contains(body, `"failed"`):
			return fmt.Errorf("the receipt: %d %s", status, body)
		case strings.Contains(body, `"completed"`):
			return nil
		}
		if time.Since(*c.until.Load()) > patience {
			return errors.New("what was posted is not completed")
		}
		time.Sleep(every)
	}
}

// patience is how long callers wait, after the end of the load, for their ingestions to be
// completed.
const patience = 2 * time.Minute

func duration(seconds float64) time.Duration { return time.Duration(seconds * float64(time.Second)) }
