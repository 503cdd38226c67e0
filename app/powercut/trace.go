package powercut

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// handle is an open file descriptor of a file or a folder.
type handle struct {
	file   *file
	folder string // the folder's relative path, if it is a folder's descriptor
	at     int64
	append bool
}

// tracer reads the trace of one process.
type tracer struct {
	*Recording
	open    map[string]*handle // handles by descriptor
	pending map[string]begun   // unfinished calls by thread
}

// begun is a system call that has begun but hasn't returned.
type begun struct {
	text string
	step int // the step that it has made, or -1
	at   int // the number of steps when it began
}

// Read adds the steps of one process, which must have ended. trace is the output of strace -f. The
// option -s of strace must be large enough that it cuts off no written data.
func (r *Recording) Read(trace io.Reader) error {
	t := &tracer{r, map[string]*handle{}, map[string]begun{}}
	lines := bufio.NewReaderSize(trace, 1<<20)
	for {
		line, err := lines.ReadString('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := t.line(strings.TrimSuffix(line, "\n")); err != nil {
			return fmt.Errorf("powercut: %w in %.200q", err, line)
		}
	}
}

func (t *tracer) line(line string) error {
	thread, text, _ := strings.Cut(line, " ")
	text = strings.TrimLeft(text, " ")
	if strings.HasPrefix(text, "---") || strings.HasPrefix(text, "+++") {
		return nil
	}
	if head, cut := strings.CutSuffix(text, " <unfinished ...>"); cut {
		return t.begin(thread, head)
	}
	tail := ""
	if strings.HasPrefix(text, "<... ") {
		_, tail, _ = strings.Cut(text, " resumed>")
	} else if err := t.begin(thread, text); err != nil {
		return err
	}
	b := t.pending[thread]
	delete(t.pending, thread)
	c, err := parse(b.text + tail)
	if err != nil || c.cutOff {
		return err
	}
	if b.step >= 0 {
		return t.returned(c, &t.steps[b.step], b.text)
	}
	return t.apply(c, b.at)
}

// begin records that a thread has begun a call. If it is a write, a truncation or an answer, begin
// also adds the step, because such a call may have an effect before it returns.
func (t *tracer) begin(thread, text string) error {
	b := begun{text, -1, len(t.steps)}
	defer func() { t.pending[thread] = b }()
	name, _, _ := strings.Cut(text, "(")
	if name == "close" { // another thread may get the descriptor before the close returns
		delete(t.open, strings.TrimSuffix(strings.TrimPrefix(strings.Fields(text)[0], "close("), ")"))
	}
	if name != "write" && name != "pwrite64" && name != "ftruncate" {
		return nil
	}
	c, err := parse(text)
	if err != nil {
		return err
	}
	h := t.open[c.args[0]]
	if h == nil || h.file == nil {
		if name == "write" && bytes.HasPrefix(c.data, []byte("HTTP/1.1 202")) {
			t.steps = append(t.steps, step{kind: answer, data: c.data})
		}
		return nil
	}
	s := step{kind: write, file: h.file, data: c.data, open: true}
	switch name {
	case "write":
		if h.append {
			h.at = int64(len(h.file.live))
		}
		s.at = h.at
		h.at += int64(len(c.data))
	case "pwrite64":
		s.at = c.number(3)
	case "ftruncate":
		s.kind, s.at = resize, c.number(1)
	}
	b.step = len(t.steps)
	t.steps = append(t.steps, s)
	h.file.live = s.on(h.file.live)
	return nil
}

// returned checks that a write or a truncation has succeeded completely, because failed calls
// aren't modeled. text is the beginning of the call. The error quotes it.
func (t *tracer) returned(c call, s *step, text string) error {
	s.open = false
	if want := int64(len(s.data)); c.result != want {
		return fmt.Errorf("the call %.200q returned %d instead of %d", text, c.result, want)
	}
	return nil
}

// apply records the effect of a call that has succeeded. For writes and truncations, begin has
// already added the steps.
func (t *tracer) apply(c call, began int) error {
	if c.result < 0 {
		return nil
	}
	switch c.name {
	case "open", "openat", "creat":
		return t.opened(c)
	case "lseek":
		if h := t.open[c.args[0]]; h != nil {
			h.at = c.result
		}
	case "read":
		if h := t.open[c.args[0]]; h != nil {
			h.at += c.result
		}
	case "fsync", "fdatasync":
		if h := t.open[c.args[0]]; h != nil && h.file != nil {
			t.steps = append(t.steps, step{kind: syncFile, file: h.file, before: began})
		} else if h != nil {
			t.steps = append(t.steps, step{kind: syncFolder, from: h.folder, before: began})
		}
	case "close", "write", "pwrite64", "ftruncate": // begin has recorded what matters of these
	case "copy_file_range":
		return t.copied(c)
	case "link", "linkat", "rename", "renameat", "renameat2", "unlink", "unlinkat":
		return t.named(c)
	default:
		return t.refuse(c)
	}
	return nil
}

// refuse returns an error if a call concerns a file of the folder, because the call isn't modeled.
func (t *tracer) refuse(c call) error {
	if c.name == "mmap" && (strings.Contains(c.args[3], "MAP_PRIVATE") || !strings.Contains(c.args[2], "PROT_WRITE")) {
		return nil
	}
	for _, arg := range c.args {
		if h := t.open[arg]; h != nil && h.file != nil {
			return errors.New("this call isn't modeled")
		}
	}
	return nil
}

// copied records that part of one file was copied to another file.
func (t *tracer) copied(c call) error {
	from, to := t.open[c.args[0]], t.open[c.args[2]]
	switch {
	case to == nil:
		return nil
	case from == nil || c.args[1] != "NULL" || c.args[3] != "NULL":
		return errors.New("a file that isn't recorded was copied")
	}
	data := slices.Clone(from.file.live[from.at : from.at+c.result])
	s := step{kind: write, file: to.file, at: to.at, data: data}
	t.steps = append(t.steps, s)
	to.file.live = s.on(to.file.live)
	from.at, to.at = from.at+c.result, to.at+c.result
	return nil
}
