package app

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	"birthregistry/app/metrics"
	"birthregistry/app/task"
	"birthregistry/app/web"
)

// measure returns the handler that serves the metrics. If Config.Metrics is set, measure also makes
// the server count every request in the metrics.
func (a *App) measure() http.Handler {
	m := metrics.New(a.DB, a.Ingest, a.config.Web.Backups, Version)
	if a.config.Metrics != nil {
		a.config.Web.Measure = m.Request
	}
	return m.Handler()
}

// extraConnections is how many open connections the listener for metrics may have, and how many the
// listener for plain HTTP may have.
const extraConnections = 64

// listen answers requests on an additional listener until ctx ends. One such listener serves
// /metrics, so that monitoring needs no access to the data. Another redirects plain HTTP to HTTPS.
// If listener is nil, listen does nothing.
func (a *App) listen(ctx context.Context, name string, listener net.Listener, handler http.Handler) <-chan error {
	if listener == nil {
		none := make(chan error)
		close(none)
		return none
	}
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      30 * time.Second,
		MaxHeaderBytes:    32 << 10,
		ErrorLog:          slog.NewLogLogger(a.config.Log.Handler(), slog.LevelDebug),
	}
	context.AfterFunc(ctx, func() { _ = server.Close() }) // closing the listener loses nothing
	listener = web.Bounded(listener, extraConnections)
	return task.Go(a.config.Log, name, func() error {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	})
}
