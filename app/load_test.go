package app_test

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
)

// sent is a submission and its acknowledgment.
type sent struct {
	key, body string
	charts    []string
	location  string
}

// load keeps posting until the service is gone. Like a careful integrator, it posts each body
// again under the same key until it is acknowledged.
type load struct {
	installation *installation
	next         atomic.Int64
	// batch is the number of courses in a batch (700 if 0); singles turns batches off. pace is
	// how long a caller pauses after each acknowledgment. Once the number of submissions
	// reaches limit, if one is set, all callers wait.
	batch   int
	singles bool
	pace    time.Duration
	limit   atomic.Int64

	mu           sync.Mutex
	acknowledged []sent
	pending      []sent
}

func (l *load) submission() sent {
	n := l.next.Add(1)
	s := sent{key: fmt.Sprintf("key-%d", n)}
	switch kind := n % 10; {
	case kind == 0 && !l.singles: // a batch of several parts, which is written in several chunks
		for i := range cmp.Or(l.batch, 700) {
			s.charts = append(s.charts, fmt.Sprintf("batch-%d-%d", n, i))
		}
	case kind >= 1 && kind <= 3: // the same few charts over and over
		s.charts = []string{fmt.Sprintf("often-%d", n%3)}
	default:
		s.charts = []string{fmt.Sprintf("once-%d", n)}
	}
	s.body = bodyOf(s.charts)
	return s
}

// bodyOf returns the Bundle for these charts, a batch if there are several.
func bodyOf(charts []string) string {
	if len(charts) == 1 {
		return apptest.Course{Chart: charts[0], Mother: charts[0]}.Bundle()
	}
	courses := make([]string, len(charts))
	for i, chart := range charts {
		courses[i] = apptest.Course{Chart: chart, Mother: chart}.Bundle() + strings.Repeat(" ", 1000)
	}
	return apptest.Batch(courses...)
}

func (l *load) take() sent {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := len(l.pending); n > 0 {
		s := l.pending[n-1]
		l.pending = l.pending[:n-1]
		return s
	}
	return l.submission()
}

func (l *load) run(stop <-chan struct{}) {
	for {
		for limit := l.limit.Load(); limit > 0 && l.next.Load() >= limit; limit = l.limit.Load() {
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
			}
		}
		s := l.take()
		location, err := l.post(s)
		l.mu.Lock()
		if err == nil {
			s.location, s.body = location, ""
			l.acknowledged = append(l.acknowledged, s)
		} else {
			l.pending = append(l.pending, s)
		}
		l.mu.Unlock()
		select {
		case <-stop:
			return
		default:
			if err != nil {
				time.Sleep(time.Millisecond)
			} else {
				time.Sleep(l.pace)
			}
		}
	}
}

// acknowledges waits until this many submissions are acknowledged.
func (l *load) acknowledges(n int) {
	l.installation.t.Helper()
	require.Eventually(l.installation.t, func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		return len(l.acknowledged) >= n
	}, patience, time.Millisecond, "%d acknowledgements do not come", n)
}

// resend sends the unanswered submissions again, since they may have been accepted.
func (l *load) resend() {
	for _, s := range l.pending {
		location, err := l.post(s)
		require.NoError(l.installation.t, err)
		s.location = location
		l.acknowledged = append(l.acknowledged, s)
	}
	l.pending = nil
}

// submit posts a submission once and records its acknowledgment.
func (l *load) submit(s sent) error {
	location, err := l.post(s)
	if err != nil {
		return err
	}
	s.location, s.body = location, ""
	l.mu.Lock()
	defer l.mu.Unlock()
	l.acknowledged = append(l.acknowledged, s)
	return nil
}

func (l *load) post(s sent) (string, error) {
	request, err := http.NewRequest(http.MethodPost, "http://"+l.installation.address+apptest.BundlePath, strings.NewReader(s.body))
	if err != nil {
		return "", err
	}
	request.Header.Set("Authorization", "Bearer "+l.installation.key)
	request.Header.Set("Idempotency-Key", s.key)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	if answer.StatusCode != http.StatusAccepted {
		return "", errors.Join(fmt.Errorf("status %d", answer.StatusCode), answer.Body.Close())
	}
	return answer.Header.Get("Content-Location"), answer.Body.Close()
}

// pushBirths pushes a batch of births and waits until all are on file.
func (s *installation) pushBirths(births int) {
	s.t.Helper()
	l := &load{installation: s}
	var charts []string
	for n := range births {
		charts = append(charts, fmt.Sprintf("De La Cruz %d", n))
	}
	location, err := l.post(sent{key: "all", charts: charts, body: bodyOf(charts)})
	require.NoError(s.t, err)
	require.Equal(s.t, births, *s.receipt(location).Accepted)
}
