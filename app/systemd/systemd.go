// Package systemd talks to the service manager: it reports that the service is ready,
// alive or stopping (sd_notify(3), systemd.service(5) "WatchdogSec="), and finds
// credentials. Without systemd, it does nothing.
package systemd

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// These are the states that Notify reports to the service manager.
const (
	Ready    = "READY=1"
	Alive    = "WATCHDOG=1"
	Stopping = "STOPPING=1"
	// Longer tells systemd that the service needs up to another minute to become ready.
	Longer = "EXTEND_TIMEOUT_USEC=60000000"
)

// Notify reports a state, such as Ready, to the service manager. Without a service manager, it does
// nothing.
func Notify(state string) error {
	address := os.Getenv("NOTIFY_SOCKET")
	if address == "" {
		return nil
	}
	if address[0] == '@' { // an abstract socket
		address = "\x00" + address[1:]
	}
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: address, Net: "unixgram"})
	if err != nil {
		return fmt.Errorf("systemd: the service manager cannot be reached: %w", err)
	}
	defer conn.Close() //nolint:errcheck // nothing is buffered
	if _, err = conn.Write([]byte(state)); err != nil {
		return fmt.Errorf("systemd: the service manager cannot be notified: %w", err)
	}
	return nil
}

// Watchdog returns how often this process must notify the service manager that it is alive. It
// returns 0 if no notices are expected.
func Watchdog() time.Duration {
	if pid := os.Getenv("WATCHDOG_PID"); pid != "" && pid != strconv.Itoa(os.Getpid()) {
		return 0
	}
	usec, err := strconv.ParseInt(os.Getenv("WATCHDOG_USEC"), 10, 64)
	if err != nil || usec <= 0 {
		return 0
	}
	return time.Duration(usec) * time.Microsecond
}

// Credential returns the path of a file that the service manager has passed as a credential
// (systemd.exec(5) "LoadCredential="). It returns "" if there is no such credential.
func Credential(name string) string {
	folder := os.Getenv("CREDENTIALS_DIRECTORY")
	if folder == "" {
		return ""
	}
	path := filepath.Join(folder, name)
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	return path
}
