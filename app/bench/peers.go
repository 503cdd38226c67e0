package main

import (
	"os"
	"path/filepath"
	"time"

	"birthregistry/app/apptest"
)

// fsync returns the reference for durability, which repeatedly appends bytes to a file and syncs
// the file.
func (w *workshop) fsync(bytes []byte) (way, error) {
	folder, err := w.tempFolder()
	if err != nil {
		return nil, err
	}
	return func() (f Figure, err error) {
		file, err := os.OpenFile(filepath.Join(folder, "bytes"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
		if err != nil {
			return f, err
		}
		defer file.Close() //nolint:errcheck // it is synchronized
		return timed(w.scale.round, func() error {
			if _, err := file.Write(bytes); err != nil {
				return err
			}
			return file.Sync()
		}, float64(len(bytes)))
	}, nil
}

// echo returns the reference for HTTP: an Echo server that answers immediately.
func (w *workshop) echo(answer string, p plan) (way, error) {
	server, err := w.start(answer, os.Args[0], "echo")
	if err != nil {
		return nil, err
	}
	p.Address = server.address
	return w.loads(p), nil
}

// pocketbase returns the reference for a backend that a user might choose instead of the service.
// It creates a PocketBase record that contains the same JSON.
func (w *workshop) pocketbase(body string, callers int, long time.Duration) (way, error) {
	folder, err := w.tempFolder()
	if err != nil {
		return nil, err
	}
	server, err := w.startPocketBase(folder)
	if err != nil {
		return nil, err
	}
	p := plan{
		Address: server.address, Method: "POST", Path: "/api/collections/bundles/records",
		Headers: []string{"Content-Type: application/json"}, Body: `{"data":` + body + `}`,
		Status: 200, Callers: callers, Warm: long.Seconds() / 4, Time: long.Seconds(),
	}
	return func() (Figure, error) {
		before := onDisk(folder)
		d, err := load(w.ctx, p)
		p.From += d.Asked
		d.Bytes = (onDisk(folder) - before) / float64(max(d.Asked, 1))
		return d.Figure, err
	}, nil
}

func (w *workshop) startPocketBase(folder string) (*process, error) {
	program, err := w.program("pocketbase", "app/bench/pocketbase")
	if err != nil {
		return nil, err
	}
	address, err := apptest.UnusedAddress()
	if err != nil {
		return nil, err
	}
	return w.start("", program, "serve", "--http", address, "--dir", folder)
}
