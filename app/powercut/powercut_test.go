package powercut

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// read makes a recording from lines in strace's format.
func read(t *testing.T, lines ...string) *Recording {
	t.Helper()
	r := NewRecording("/data")
	require.NoError(t, r.Read(strings.NewReader(strings.Join(lines, "\n")+"\n")))
	return r
}

// at returns the disk at the end of a recording.
func at(r *Recording) *Disk {
	d := r.Play()
	d.Advance(r.Len())
	return d
}

func TestOnlySyncedWritesSurviveForCertain(t *testing.T) {
	r := read(t,
		`7 openat(AT_FDCWD, "/data/a", O_RDWR|O_CREAT|O_CLOEXEC, 0600) = 5`,
		`7 open("/data", O_RDONLY|O_CLOEXEC) = 6`,
		`7 fsync(6)     = 0`,
		`7 pwrite64(5, "old\0\n\"x\\", 8, 0) = 8`,
		`7 fsync(5)     = 0`,
		`7 pwrite64(5, "new", 3, 0) = 3`,
		`7 ftruncate(5, 4) = 0`,
		`7 rename("/data/a", "/data/b") = 0`,
	)
	d := at(r)
	require.Equal(t, 3, d.Unsynced())
	require.Equal(t, map[string][]byte{"a": []byte("old\x00\n\"x\\")}, d.Strictest())
	require.Equal(t, map[string][]byte{"b": []byte("new\x00")}, d.Luckiest())
	random, left := rand.New(rand.NewPCG(1, 1)), map[string]bool{}
	for range 200 {
		left[fmt.Sprint(d.Cut(random))] = true
	}
	require.Len(t, left, 8, "each of three changes is there or not")
}

func TestASyncCoversEarlierWrites(t *testing.T) {
	r := read(t,
		`7 openat(AT_FDCWD, "/data/a", O_RDWR|O_CREAT, 0600) = 5`,
		`7 open("/data", O_RDONLY) = 6`,
		`7 fsync(6)     = 0`,
		`7 fsync(5 <unfinished ...>`,
		`8 pwrite64(5, "late", 4, 0) = 4`,
		`7 <... fsync resumed>)     = 0`,
		`8 write(9, "HTTP/1.1 202 Accepted\r\n\r\n", 25 <unfinished ...>`,
		`7 fsync(5)     = 0`,
		`8 <... write resumed>)     = 25`,
	)
	d := r.Play()
	d.Advance(r.Len() - 1)
	require.Empty(t, d.Strictest()["a"])
	d.Advance(r.Len())
	require.Equal(t, map[string][]byte{"a": []byte("late")}, d.Strictest())
	require.Contains(t, string(r.Answer(r.Len()-2)), "202", "an answer may be there as soon as it begins")
}

func TestAWriteIsTornAtSectors(t *testing.T) {
	r := read(t,
		`7 openat(AT_FDCWD, "/data/a", O_RDWR|O_CREAT, 0600) = 5`,
		`7 open("/data", O_RDONLY) = 6`,
		`7 fsync(6)     = 0`,
		`7 pwrite64(5, "`+strings.Repeat("x", 1000)+`", 1000, 500) = 1000`,
	)
	random, d, left := rand.New(rand.NewPCG(1, 1)), at(r), map[string]bool{}
	for range 500 {
		content := append(d.Cut(random)["a"], make([]byte, 1500)...)[:1500]
		left[fmt.Sprint(content[500] == 'x', content[511] == 'x', content[512] == 'x', content[1023] == 'x', content[1024] == 'x')] = true
	}
	for key := range left {
		p := strings.Fields(key)
		require.True(t, p[0] == p[1] && p[2] == p[3], key)
	}
	require.Len(t, left, 8)
}

func TestAnUnplayableRecordingIsAnError(t *testing.T) {
	made := `7 openat(AT_FDCWD, "/data/a", O_RDWR|O_CREAT, 0600) = 5` + "\n"
	for _, line := range []string{
		`7 pwrite64(5, "abc"..., 5000, 0) = 5000`,
		`7 pwrite64(5, "abc", 3, 0) = 2`,
		`7 fallocate(5, 0, 0, 100) = 0`,
		`7 mmap(NULL, 4096, PROT_READ|PROT_WRITE, MAP_SHARED, 5, 0) = 0x7f0000000000`,
		`7 rename("/tmp/b", "/data/b") = 0`,
		`7 rename("/data/a", "/tmp/b") = 0`,
		`7 copy_file_range(9, NULL, 5, NULL, 100, 0) = 100`,
	} {
		require.Error(t, NewRecording("/data").Read(strings.NewReader(made+line+"\n")), line)
	}
}
