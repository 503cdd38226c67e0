package web

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// headerTimeout is the time limit for a handshake or for headers. idleTimeout is the time limit for
// the next request on a connection. stopTimeout is the time limit for requests in progress when the
// service stops. It is less than the ten seconds after which container engines kill a process.
const (
	headerTimeout = 10 * time.Second
	idleTimeout   = 2 * time.Minute
	stopTimeout   = 8 * time.Second
)

// These are the limits on concurrent work. A practice and its EHRs need about ten connections. A
// proxy in front of the service needs about a hundred.
const (
	mostConnections = 1000
	mostRequests    = 1000
	mostShare       = 128       // connections, or requests, of one network
	keptFiles       = 100       // descriptors for the database, its backups and connections to EHRs
	maxStreams      = 32        // streams of one HTTP/2 connection
	maxUnread       = 256 << 10 // bytes of unread bodies on one HTTP/2 connection, or on one stream
)

// maxConnections returns the maximum number of connections. That is mostConnections, or less if the
// system doesn't allow the process enough file descriptors.
func maxConnections() int { return min(mostConnections, max(descriptors()-keptFiles, 8)) }

// shareOf returns how much of a limit a single network may use.
func shareOf(most int) int { return min(mostShare, max(most/4, 1)) }

// Serve answers requests on the listener until ctx ends. Then it lets the requests in progress
// finish. If secure isn't nil, connections use TLS.
func (s *Server) Serve(ctx context.Context, listener net.Listener, secure *tls.Config) error {
	listener = &gate{listener, s.conns, s.trusts}
	if secure != nil {
		listener = tls.NewListener(listener, secure)
	}
	server := &http.Server{
		Handler:           s.echo,
		ReadHeaderTimeout: headerTimeout, // the pace of bodies is limited instead
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    32 << 10,
		ConnContext:       inConn,
		HTTP2: &http.HTTP2Config{
			MaxConcurrentStreams:          maxStreams,
			MaxReceiveBufferPerConnection: maxUnread, MaxReceiveBufferPerStream: maxUnread,
		},
		// Without this, the server itself would answer OPTIONS *, without a request ID.
		DisableGeneralOptionsHandler: true,
		ErrorLog:                     slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	stopped := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() { stopped <- s.shutdown(context.WithoutCancel(ctx), server) })
	err := server.Serve(listener)
	if stop() { // nobody asked it to stop: the listener failed
		return err
	}
	if !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-stopped
}

// warnOfCrowd logs that connections are being dropped, at most once a minute. It doesn't log
// addresses, because the operating system can list them.
func (s *Server) warnOfCrowd() {
	if s.warned.Due() {
		s.log.Warn("too many connections, from one network or in total: an idle one is closed for each new one, or the new one is refused. To see the addresses, run: ss -tn",
			"share", s.conns.share, "most", s.conns.most)
	}
}

// shutdown waits for the requests in progress, but no longer than stopTimeout. A peer whose request
// is cut off gets no acknowledgment, so it will try again. After stopTimeout, shutdown resets the
// remaining connections below TLS. Closing a connection through TLS would send a message to the
// peer, and wait if the peer doesn't read.
func (s *Server) shutdown(ctx context.Context, server *http.Server) error {
	grace, cancel := context.WithTimeout(ctx, stopTimeout)
	defer cancel()
	defer context.AfterFunc(grace, s.conns.dropAll)()
	err := server.Shutdown(grace)
	if errors.Is(err, context.DeadlineExceeded) {
		err = server.Close()
	}
	return err
}
