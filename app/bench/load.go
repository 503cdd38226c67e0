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

// plan is what the load is to do: callers who ask, wait for the answer and ask
// again.
type plan struct {
	Address string // host:port
	Method  string
	Path    string
	Headers []string // those of all callers
	// Keys are API keys, dealt out to the callers in turn.
	Keys []string
	Body string // may bear the mark
	// Status is what every answer must have.
	Status  int
	Callers int
	// Warm is for how many seconds is asked before it counts, Time for how many
	// it does.
	Warm, Time float64
	// Most is how many requests there are at most, 0 for no such limit.
	Most uint64
	// Every, if any, is how many seconds lie between the requests of a caller,
	// whether the last one is answered or not. One that comes too late counts
	// from when it was due: what waits behind a stall is part of it.
	Every float64
	// While, if any, is the address of a receipt, read with WhileKey: as long as
	// it is not completed the load goes on, and no longer.
	While, WhileKey string
	// From is the first number that the marks get.
	From uint64
	// Complete has every caller wait until what it posted is completed, and
	// counts that time in; Drain waits for it at the end, in the rate only.
	Complete, Drain bool
}

// did is what came of a plan.
type did struct {
	Figure
	Asked uint64 // how many, those before it counted included
}

// load runs a plan in a process of its own.
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

// loadRole is the process of the load. One thread is enough for it, and leaves
// the others to the server.
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

// callers is the state that those of a plan share.
type callers struct {
	plan
	counts time.Time // when it begins to count
	until  atomic.Pointer[time.Time]
	next   atomic.Uint64
}

func (c *callers) over(t time.Time) bool { return !t.Before(*c.until.Load()) }

func (p plan) run() (did, error) {
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
		return did{}, errors.New("nothing was answered in time")
	}
	d := did{Asked: c.next.Load() - p.From}
	if p.Most > 0 {
		d.Asked = min(d.Asked, p.Most)
	}
	d.among(all)
	d.Rate = float64(len(all)) / c.until.Load().Sub(c.counts).Seconds()
	if p.Drain { // everything since the first request, until the last is done
		d.Rate = float64(d.Asked) / time.Since(began).Seconds()
	}
	return d, nil
}

// call is one caller. It returns how long each request took that counts.
func (c *callers) call(n int) (took []time.Duration, err error) {
	w, err := dial(c.Address)
	if err != nil {
		return nil, err
	}
	defer w.conn.Close() //nolint:errcheck // nothing was written that is not answered
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
		if c.Every > 0 { // what was due in time counts, though it be answered later
			counted = began
		}
		if counted.After(c.counts) && !c.over(counted) {
			took = append(took, ended.Sub(began))
		}
	}
	if c.Drain && last != "" { // a practice's are completed in order, so all are when the last is
		return took, c.await(w, last, headers, 20*time.Millisecond)
	}
	return took, nil
}

// while ends the load when the receipt is completed.
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

// await asks for a receipt every so often until it is completed.
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

// patience is how long behind its time the load waits for what it posted.
const patience = 2 * time.Minute

func duration(seconds float64) time.Duration { return time.Duration(seconds * float64(time.Second)) }
