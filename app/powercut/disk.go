package powercut

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
)

// Disk is the state of a recorded folder at some step of the recording. It consists of the durable
// data, and of the later changes, which a power cut may undo.
type Disk struct {
	recording *Recording
	at        int
	files     map[*file]*inode
	names     map[string]*file // the durable names
	renames   []int            // steps that are not durable
}

// inode is the state of one file on the disk: the durable content, and the later changes.
type inode struct {
	durable []byte
	changes []int // steps that are not durable
}

// Play returns the disk as it is before the first step.
func (r *Recording) Play() *Disk {
	return &Disk{recording: r, files: map[*file]*inode{}, names: maps.Clone(r.first)}
}

// Advance replays the steps up to step n, without step n itself. It never goes back.
func (d *Disk) Advance(n int) {
	for ; d.at < n; d.at++ {
		switch s := &d.recording.steps[d.at]; s.kind {
		case write, resize:
			i := d.inode(s.file)
			i.changes = append(i.changes, d.at)
		case syncFile:
			i := d.inode(s.file)
			for len(i.changes) > 0 && i.changes[0] < s.before {
				i.durable = d.recording.steps[i.changes[0]].on(i.durable)
				i.changes = i.changes[1:]
			}
		case rename:
			d.renames = append(d.renames, d.at)
		case syncFolder:
			d.renames = slices.DeleteFunc(d.renames, func(at int) bool {
				r := &d.recording.steps[at]
				durable := at < s.before && r.in(s.from)
				if durable {
					r.name(d.names)
				}
				return durable
			})
		}
	}
}

func (d *Disk) inode(f *file) *inode {
	if d.files[f] == nil {
		d.files[f] = &inode{durable: bytes.Clone(f.first)}
	}
	return d.files[f]
}

// Unsynced returns the number of steps whose effects a power cut may undo.
func (d *Disk) Unsynced() int {
	n := len(d.renames)
	for _, i := range d.files {
		n += len(i.changes)
	}
	return n
}

// Strictest returns the content of each file, keyed by name, after a power cut that loses
// everything that wasn't synced.
func (d *Disk) Strictest() map[string][]byte {
	return d.state(func(int) choice { return none }, nil)
}

// Luckiest returns the content of each file, keyed by name, after a power cut that loses nothing.
func (d *Disk) Luckiest() map[string][]byte {
	return d.state(func(int) choice { return all }, nil)
}

// Cut returns the content of each file, keyed by name, after one of the possible power cuts. random
// decides what the cut loses.
func (d *Disk) Cut(random *rand.Rand) map[string][]byte {
	return d.state(func(n int) choice { return choose(random, n) }, random)
}

// state returns the content of each file, keyed by name, after a power cut. of decides what is
// lost. It gets a number of changes that aren't durable, and returns a choice of the changes that
// are on the disk. state calls of once for the names and once for each file.
func (d *Disk) state(of func(changes int) choice, random *rand.Rand) map[string][]byte {
	names := maps.Clone(d.names)
	chosen := of(len(d.renames))
	for n, at := range d.renames {
		if chosen(n, 0) {
			d.recording.steps[at].name(names)
		}
	}
	contents := map[string][]byte{}
	for _, name := range slices.Sorted(maps.Keys(names)) { // sorted, so that the same random source cuts the same way
		i := d.inode(names[name])
		contents[name] = i.cut(d.recording.steps, of(len(i.changes)), random)
	}
	return contents
}

// cut returns the content of the file with only the chosen changes. The new size of a file may be
// durable before its new bytes. These bytes may then have any value.
func (i *inode) cut(steps []step, chosen choice, random *rand.Rand) []byte {
	content, size := slices.Clone(i.durable), int64(0)
	for n, at := range i.changes {
		s := &steps[at]
		size = max(size, s.at+int64(len(s.data)))
		if s.kind == resize {
			if chosen(n, 0) {
				content = s.on(content)
			}
			continue
		}
		for begin := int64(0); begin < int64(len(s.data)); {
			end := min((s.at+begin)/sector*sector+sector-s.at, int64(len(s.data)))
			if chosen(n, (s.at+begin)/sector) {
				content = put(content, s.at+begin, s.data[begin:end])
			}
			begin = end
		}
	}
	if random != nil && int64(len(content)) < size && random.IntN(3) == 0 {
		rest := make([]byte, size-int64(len(content)))
		if random.IntN(2) == 0 {
			for n := range rest {
				rest[n] = byte(random.Uint32())
			}
		}
		content = append(content, rest...)
	}
	return content
}

// sector is the number of bytes that a disk writes either completely or not at all.
const sector = 512

// on applies the step, a write or a resize, to the content of a file and returns the new content.
func (s *step) on(content []byte) []byte {
	if s.kind == write {
		return put(content, s.at, s.data)
	}
	if s.at <= int64(len(content)) {
		return content[:s.at]
	}
	return append(content, make([]byte, s.at-int64(len(content)))...)
}

// put writes data at an offset of content, and returns the new content. It extends the content if
// necessary.
func put(content []byte, at int64, data []byte) []byte {
	if end := at + int64(len(data)); end > int64(len(content)) {
		content = append(content, make([]byte, end-int64(len(content)))...)
	}
	copy(content[at:], data)
	return content
}

// in reports whether the step adds or removes a name in the given folder.
func (s *step) in(folder string) bool {
	return s.to != "" && filepath.Dir(s.to) == folder || s.from != "" && filepath.Dir(s.from) == folder
}

// name applies a rename to names: it removes the old name and adds the new one.
func (s *step) name(names map[string]*file) {
	delete(names, s.from)
	if s.to != "" {
		names[s.to] = s.file
	}
}

// choice reports whether a sector of a change is on the disk after the power cut.
type choice func(change int, sector int64) bool

func none(int, int64) bool { return false }

func all(int, int64) bool { return true }

// choose returns a random choice of which of n changes are on the disk. The choice is one of the
// ways in which disks fail: they lose the last changes, keep only the last, tear a write, lose one
// in the middle, or write in any order.
func choose(random *rand.Rand, n int) choice {
	k, p := random.IntN(n+1), random.Float64()
	torn := func() bool { return random.Float64() < p }
	switch random.IntN(7) {
	case 0:
		return none
	case 1:
		return all
	case 2:
		return func(change int, _ int64) bool { return change < k || change == k && torn() }
	case 3:
		return func(change int, _ int64) bool { return change > k || change == k && torn() }
	case 4:
		return func(change int, _ int64) bool { return change != k || torn() }
	case 5:
		return func(change int, _ int64) bool { return change == k && torn() }
	}
	return func(int, int64) bool { return torn() }
}
