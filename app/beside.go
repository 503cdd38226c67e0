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

// measure makes the metrics, when they are asked for, and has every request
// told to them.
func (a *App) measure() http.Handler {
	m := metrics.New(a.DB, a.Intake, a.config.Web.Backups, Version)
	if a.config.Metrics != nil {
		a.config.Web.Measure = m.Request
	}
	return m.Handler()
}

// besideConnections is how many connections a further listener has at a time.
const besideConnections = 64

// beside answers on a further listener until ctx ends: /metrics, so that who
// watches the service needs no way to the data, and plain HTTP, which sends
// people on to https. Without a listener it does nothing.
func (a *App) beside(ctx context.Context, name string, listener net.Listener, handler http.Handler) <-chan error {
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
	context.AfterFunc(ctx, func() { _ = server.Close() }) // nothing is lost by it
	listener = web.Bounded(listener, besideConnections)
	return task.Go(a.config.Log, name, func() error {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	})
}
