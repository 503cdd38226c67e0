package powercut

import (
	"errors"
	"path/filepath"
	"strconv"
	"strings"
)

// opened records the descriptor that a call such as openat has returned. If the call created a file
// or emptied one, opened adds a step.
func (t *tracer) opened(c call) error {
	path := c.paths[0]
	if c.name == "openat" {
		path = t.under(c.args[0], path)
	}
	name, own := t.name(path)
	if !own {
		return nil
	}
	flags, fd := strings.Join(c.args[1:], " "), strconv.FormatInt(c.result, 10)
	f := t.names[name]
	if f == nil && !strings.Contains(flags, "O_CREAT") {
		t.open[fd] = &handle{folder: name}
		return nil
	}
	if f == nil {
		f = &file{}
		t.names[name] = f
		t.steps = append(t.steps, step{kind: rename, to: name, file: f})
	}
	if strings.Contains(flags, "O_TRUNC") && len(f.live) > 0 {
		t.steps = append(t.steps, step{kind: resize, file: f})
		f.live = nil
	}
	t.open[fd] = &handle{file: f, append: strings.Contains(flags, "O_APPEND")}
	return nil
}

// named adds a step for a call that links, renames or unlinks a file. Folders need no steps,
// because a folder exists if a file is in it. named returns an error if the call moves a file into
// the recorded folder or out of it.
func (t *tracer) named(c call) error {
	var names []string
	for n, path := range c.paths {
		if strings.HasSuffix(c.name, "at") || c.name == "renameat2" {
			path = t.under(c.args[2*n], path)
		}
		name, _ := t.name(path)
		names = append(names, name)
	}
	s := step{kind: rename, from: names[0], file: t.names[names[0]]}
	if s.file == nil {
		if len(names) > 1 && names[1] != "" {
			return errors.New("a file was moved into the folder, which is not modeled")
		}
		return nil
	}
	if len(names) > 1 {
		if s.to = names[1]; s.to == "" {
			return errors.New("a file was moved out of the folder, which is not modeled")
		}
		t.names[s.to] = s.file
	}
	if strings.HasPrefix(c.name, "link") {
		s.from = ""
	}
	delete(t.names, s.from)
	t.steps = append(t.steps, s)
	return nil
}

// under joins a relative path to the folder that the process has open with the descriptor fd. If
// the path is absolute, or fd isn't a folder, it returns the path unchanged.
func (t *tracer) under(fd, path string) string {
	if h := t.open[fd]; h != nil && !filepath.IsAbs(path) {
		return filepath.Join(t.folder, h.folder, path)
	}
	return path
}

// name returns a path in relation to the recorded folder. It returns false if the path is outside
// the folder or isn't recorded.
func (t *tracer) name(path string) (string, bool) {
	name, err := filepath.Rel(t.folder, path)
	if err != nil || strings.HasPrefix(name, "..") || !recorded(path) {
		return "", false
	}
	return name, true
}

// recorded reports whether a file is recorded. The only file that isn't is SQLite's index of the
// write-ahead log (-shm). It is only shared memory with a name, and SQLite makes it again when the
// first process opens the database.
func recorded(path string) bool { return !strings.HasSuffix(path, "-shm") }
