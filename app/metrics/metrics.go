// Package metrics serves Prometheus metrics on a separate listener.
//
// The package counts requests. At each scrape, it also reads the state of the queue, the database,
// the disk and the tasks. No label contains text from a request. A label is a route pattern, a
// known method, a status or the program's version.
package metrics

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"birthregistry/app/ingest"
	"birthregistry/app/task"
	"birthregistry/store"
)

// Metrics counts requests. When it is scraped, it also reads the state of the queue, the
// database, the disk and the tasks.
type Metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
}

// Backups returns the age of the newest scheduled backup. The age is negative if there is no
// backup. problem is "" unless something is wrong with the backups.
type Backups func() (age time.Duration, problem string)

// New returns the metrics of an installation. backups may be nil, if no backups are scheduled.
func New(db *store.DB, in *ingest.Service, backups Backups, version string) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "registry_http_requests_total", Help: "Requests answered.",
		}, []string{"route", "method", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "registry_http_request_seconds", Help: "How long requests took.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10, 60},
		}, []string{"route"}),
	}
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "registry_build_info", Help: "1; the label names the version.", ConstLabels: prometheus.Labels{"version": version},
	})
	build.Set(1)
	m.registry.MustRegister(
		m.requests, m.seconds, build, state{db, in, backups},
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	return m
}

// Request counts an answered request, and records how long the answer took.
func (m *Metrics) Request(route, method string, status int, took time.Duration) {
	if route == "" {
		route = "none"
	}
	m.requests.WithLabelValues(route, method, strconv.Itoa(status)).Inc()
	m.seconds.WithLabelValues(route).Observe(took.Seconds())
}

// Handler answers GET /metrics.
func (m *Metrics) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{}))
	return mux
}

// state collects the metrics that are read at each scrape.
type state struct {
	db *store.DB
	in *ingest.Service

	backups Backups
}

var (
	waiting  = gauge("registry_feed_waiting_practices", "Practices with Bundles that are not processed yet.")
	still    = gauge("registry_feed_still_seconds", "Longest time, in seconds, for which a practice with unprocessed Bundles has made no progress.")
	writable = gauge("registry_database_writable", "1 when the database can be written.")
	size     = gauge("registry_database_bytes", "Size of the database file.")
	log      = gauge("registry_database_log_bytes", "Size of the write-ahead log next to it.")
	free     = gauge("registry_disk_free_bytes", "Free space of the disk.")
	reserve  = gauge("registry_disk_reserve_bytes", "Free space below which nothing is accepted.")
	age      = gauge("registry_backup_age_seconds", "Age of the newest scheduled backup; negative when there is none.")
	backedUp = gauge("registry_backup_ok", "1 unless a scheduled backup failed or is late.")
	tasks    = gauge("registry_tasks", "Tasks that run now.")
	panics   = prometheus.NewDesc("registry_panics_total", "Panics that the program has caught.", nil, nil)
)

func gauge(name, help string) *prometheus.Desc { return prometheus.NewDesc(name, help, nil, nil) }

// Describe sends the descriptions of the metrics that Collect sends.
func (s state) Describe(to chan<- *prometheus.Desc) { prometheus.DescribeByCollect(s, to) }

// Collect reads the metrics and sends them to the channel. It leaves out a metric that can't be
// read.
func (s state) Collect(to chan<- prometheus.Metric) {
	send := func(d *prometheus.Desc, v float64) { to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v) }
	h := s.in.Health(context.Background())
	if h.FeedError == nil {
		send(waiting, float64(h.Waiting))
		send(still, h.StillFor.Seconds())
	}
	send(writable, oneIf(h.WriteError == nil))
	if s.backups != nil {
		old, problem := s.backups()
		send(age, old.Seconds())
		send(backedUp, oneIf(problem == ""))
	}
	if h.DiskError == nil {
		send(free, float64(h.Free))
	}
	send(reserve, float64(h.Reserve))
	file, wal := s.db.Size()
	send(size, float64(file))
	send(log, float64(wal))
	now, panicked := task.Counts()
	send(tasks, float64(now))
	to <- prometheus.MustNewConstMetric(panics, prometheus.CounterValue, float64(panicked))
}

func oneIf(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}
