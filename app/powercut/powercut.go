// Package powercut determines, for tests, in which states a power cut may leave a folder.
//
// A Recording is what strace saw a program do to the files of the folder: every write with its
// data, every truncation, change of a name and sync. It also has every HTTP 202 that the program
// answered. All of these are in the order in which they happened. A Disk replays the recording. At
// any step, it returns a state in which a power cut at that moment may leave the folder. Synced
// data is always there. If data isn't synced, each sector of 512 bytes may be there or not,
// whatever was written before or after it.
//
// The package assumes no more of a file system than POSIX guarantees. A sync of a file makes its
// content and size durable, and a sync of a folder makes the names in the folder durable. Real file
// systems keep more. The package also assumes that a disk writes 512 bytes completely or not at
// all, and has really stored what it reports as synced.
package powercut

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
)

// Calls lists the system calls that a Recording needs to see, in the form of strace -e trace=. The
// calls in its last row aren't modeled. If one of them concerns a file of the folder, Read returns
// an error. The exception is an mmap that can't write to the file.
const Calls = "open,openat,creat,close,lseek,read,write,pwrite64,copy_file_range,ftruncate,fsync,fdatasync," +
	"link,linkat,rename,renameat,renameat2,unlink,unlinkat," +
	"writev,pwritev,pwritev2,fallocate,sendfile,splice,mmap,dup,dup2,dup3"

// kind is the kind of a step, such as a write or a rename.
type kind int

const (
	write kind = iota
	resize
	syncFile
	rename // or create, or delete
	syncFolder
	answer
)

// step is the effect of one system call.
type step struct {
	kind kind
	file *file
	at   int64  // the offset of a write, or the size after a resize
	data []byte // the data of a write or an answer
	// from is the name that a rename removes, and to is the name that it adds, both relative to the
	// folder. Each is "" if there is none. If the step is a syncFolder, from is the folder.
	from, to string
	// before is used only by a sync. It is the number of steps that had begun before the sync. The
	// sync makes these steps durable.
	before int
	// open is true until the system call has returned. The call may never return if the process is
	// killed.
	open bool
}

// file is a file in the folder. It may have several names, or none.
type file struct {
	first []byte // at the beginning
	live  []byte // the content that processes see
}

// Recording holds the steps of one or more processes, one after the other.
type Recording struct {
	folder string
	steps  []step
	names  map[string]*file // the names that processes see
	first  map[string]*file // the durable names at the beginning
}

// NewRecording returns a recording of a folder that is empty at first.
func NewRecording(folder string) *Recording {
	return &Recording{folder: folder, names: map[string]*file{}, first: map[string]*file{}}
}

// Keep adds a file that is already in the folder, and durable, when the recording begins. It
// returns an error if the file can't be read.
func (r *Recording) Keep(name string) error {
	content, err := os.ReadFile(filepath.Join(r.folder, name))
	f := &file{first: content, live: bytes.Clone(content)}
	r.names[name], r.first[name] = f, f
	return err
}

// Len returns the number of steps.
func (r *Recording) Len() int { return len(r.steps) }

// IsSync reports whether step n is a sync.
func (r *Recording) IsSync(n int) bool {
	return r.steps[n].kind == syncFile || r.steps[n].kind == syncFolder
}

// Answer returns the first bytes of the HTTP answer that the program sent at step n. It returns nil
// if step n isn't an answer. Only answers that begin "HTTP/1.1 202" are recorded.
func (r *Recording) Answer(n int) []byte {
	if r.steps[n].kind != answer {
		return nil
	}
	return r.steps[n].data
}

// Finish completes a recording. All recorded processes must have ended. If a process was killed
// during a system call, Finish determines from the folder what the call has done. It returns an
// error if the folder differs from the recording, because then the recording is incomplete.
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

// finishStep completes the step of a call that never returned. It determines from the folder what
// the call has done.
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
