// Package powercut works out what a power cut may leave of a folder, for tests.
//
// A Recording is what strace saw a program do to the files of the folder: every
// write with its data, every truncation, new name and sync, and every answer
// that it gave to a caller, in the order in which they happened. A Disk plays
// it, and at any step returns a folder as a cut at that moment may leave it:
// what was synced is there; of what was not, any 512 bytes may be there or not,
// whatever was written before or after them.
//
// It assumes no more of a file system than POSIX promises: a sync of a file
// makes its content and size durable, and a sync of a folder the names in it.
// Real file systems keep more. It assumes that 512 bytes are written whole or
// not at all, and that a disk has what it says it has synced.
package powercut

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
)

// Calls are the system calls that a Recording needs to see, as strace -e trace=
// takes them. What the last row does to a file of the folder isn't modeled: Read
// fails then.
const Calls = "open,openat,creat,close,lseek,read,write,pwrite64,copy_file_range,ftruncate,fsync,fdatasync," +
	"link,linkat,rename,renameat,renameat2,unlink,unlinkat," +
	"writev,pwritev,pwritev2,fallocate,sendfile,splice,mmap,dup,dup2,dup3"

// kind is what a step does.
type kind int

const (
	write kind = iota
	resize
	syncFile
	rename // or create, or delete
	syncFolder
	answer
)

// step is what one system call did.
type step struct {
	kind kind
	file *file
	at   int64  // where a write begins; the size after a resize
	data []byte // of a write or an answer
	// from and to are the names that a rename removes and adds, relative to
	// the folder; "" for none. Of a syncFolder, from is the folder.
	from, to string
	// before is the number of steps that had begun when a sync began. The sync makes them
	// durable.
	before int
	// open is true until the call has returned, which a killed process's may not.
	open bool
}

// file is one file, whatever its names.
type file struct {
	first []byte // at the beginning
	live  []byte // as processes see it
}

// Recording is the steps of one or more processes, one after the other.
type Recording struct {
	folder string
	steps  []step
	names  map[string]*file // as processes see them
	first  map[string]*file // those that were there, durable, at the beginning
}

// NewRecording begins a recording of an empty folder.
func NewRecording(folder string) *Recording {
	return &Recording{folder: folder, names: map[string]*file{}, first: map[string]*file{}}
}

// Keep adds a durable file of the folder to the beginning of a recording. It fails when
// the file cannot be read.
func (r *Recording) Keep(name string) error {
	content, err := os.ReadFile(filepath.Join(r.folder, name))
	f := &file{first: content, live: bytes.Clone(content)}
	r.names[name], r.first[name] = f, f
	return err
}

// Len returns the number of steps.
func (r *Recording) Len() int { return len(r.steps) }

// IsSync reports whether a step is a sync.
func (r *Recording) IsSync(n int) bool {
	return r.steps[n].kind == syncFile || r.steps[n].kind == syncFolder
}

// Answer returns what the program began to answer with at a step, nil when it
// did something else. Only answers that begin "HTTP/1.1 202" are recorded.
func (r *Recording) Answer(n int) []byte {
	if r.steps[n].kind != answer {
		return nil
	}
	return r.steps[n].data
}

// Finish ends a recording once the processes that were read have ended. It takes the
// effect of calls that a kill cut off from the folder as it is now, and fails when the
// folder differs from the recording, because then the recording has missed something.
func (r *Recording) Finish() error {
	for n := range r.steps {
		if err := r.finishStep(&r.steps[n]); err != nil {
			return err
		}
	}
	seen := 0
	err := filepath.WalkDir(r.folder, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !recorded(path) {
			return err
		}
		seen++
		name, _ := filepath.Rel(r.folder, path)
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if f := r.names[name]; f == nil || !bytes.Equal(f.live, content) {
			return fmt.Errorf("powercut: %s isn't what was recorded", name)
		}
		return nil
	})
	if err == nil && seen != len(r.names) {
		err = fmt.Errorf("powercut: %d files were recorded and %d are there", len(r.names), seen)
	}
	return err
}

// finishStep reads from the folder what became of a call that never returned.
func (r *Recording) finishStep(s *step) error {
	if !s.open {
		return nil
	}
	s.open = false
	for name, f := range r.names {
		if f != s.file {
			continue
		}
		content, err := os.ReadFile(filepath.Join(r.folder, name))
		if err != nil {
			return err
		}
		switch {
		case s.kind == resize && int64(len(content)) != s.at:
			s.at = int64(len(content))
		case s.kind == write:
			end := min(s.at+int64(len(s.data)), int64(len(content)))
			s.data = content[min(s.at, end):end]
		}
		f.live = bytes.Clone(content)
	}
	return nil
}
