package app_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/longtest"
	"birthregistry/store"
)

// These tests inject faults into the built program. Each logs what it injected and what was
// lost; the load is that of the tests that kill the process (load_test.go).

// mounted mounts a file system of this size, which needs root.
func mounted(t *testing.T, mib int, kind string) (folder string) {
	t.Helper()
	longtest.Only(t, "disks that run full and break")
	folder = t.TempDir()
	args := []string{"-t", "tmpfs", "-o", fmt.Sprintf("size=%dm,mode=700", mib), "none", folder}
	if kind == "ext4" {
		image := filepath.Join(t.TempDir(), "disk")
		require.NoError(t, os.WriteFile(image, nil, 0o600))
		require.NoError(t, os.Truncate(image, int64(mib)<<20))
		if out, err := exec.Command("mkfs.ext4", "-q", image).CombinedOutput(); err != nil {
			unmountable(t, "%v: %s", err, out)
		}
		args = []string{"-o", "loop", image, folder}
	}
	if out, err := exec.Command("mount", args...).CombinedOutput(); err != nil {
		unmountable(t, "%v: %s", err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", "-l", folder).CombinedOutput(); err != nil {
			t.Logf("%v: %s", err, out)
		}
	})
	require.NoError(t, os.Chmod(folder, 0o700))
	return folder
}

func unmountable(t *testing.T, format string, args ...any) {
	t.Helper()
	longtest.Needs(t, "disks", fmt.Errorf(format, args...))
}

// ballast fills a disk until only this many bytes are free.
func ballast(t *testing.T, folder string, leave int64) (free func()) {
	t.Helper()
	path := filepath.Join(folder, "ballast")
	f, err := os.Create(path)
	require.NoError(t, err)
	block := make([]byte, 64<<10)
	for err == nil {
		_, err = f.Write(block)
	}
	info, err := f.Stat()
	require.NoError(t, err)
	require.NoError(t, f.Truncate(max(info.Size()-leave, 0)))
	require.NoError(t, f.Close())
	return func() { require.NoError(t, os.Remove(path)) }
}

// status sends a request with the installation's key and returns the status and the answer.
func (s *installation) status(method, path, body string) (code int, answer string, header http.Header) {
	s.t.Helper()
	request, err := http.NewRequest(method, "http://"+s.address+path, strings.NewReader(body))
	require.NoError(s.t, err)
	request.Header.Set("Authorization", "Bearer "+s.key)
	response, err := http.DefaultClient.Do(request)
	require.NoError(s.t, err)
	content, err := io.ReadAll(response.Body)
	require.NoError(s.t, err)
	require.NoError(s.t, response.Body.Close())
	return response.StatusCode, string(content), response.Header
}

// reads requires that every read still succeeds.
func (s *installation) reads(acknowledged []sent) {
	s.t.Helper()
	for _, p := range acknowledged[max(len(acknowledged)-5, 0):] {
		code, body, _ := s.status("GET", p.location[strings.Index(p.location, "/api/"):], "")
		require.Equal(s.t, 200, code, body)
	}
	for _, path := range []string{"/openapi.json", "/docs", "/sign-in"} {
		code, _, _ := s.status("GET", path, "")
		require.Equal(s.t, 200, code, path)
	}
}

func TestOnAFullDiskBundlesAreRefusedReadsContinueAndServiceResumesAutomatically(t *testing.T) {
	t.Parallel()
	folder := mounted(t, 64, "tmpfs")
	s := newInstallationIn(t, folder)
	s.start("--disk-reserve", "16MiB", "--workers", "0")
	l := &load{installation: s}
	post := func() error {
		p := l.submission()
		location, err := l.post(p)
		if err == nil {
			p.location, p.body = location, ""
			l.acknowledged = append(l.acknowledged, p)
		}
		return err
	}
	for range 30 {
		require.NoError(t, post())
	}
	// With only the reserve left, the service acknowledges nothing more, but reads everything.
	lighten := ballast(t, folder, 15<<20)
	code, body, header := s.status("POST", apptest.BundlePath, apptest.Course{Chart: "refused"}.Bundle())
	require.Equal(t, 503, code, body)
	require.Contains(t, body, `"transient"`)
	require.NotEmpty(t, header.Get("Retry-After"))
	s.reads(l.acknowledged)
	code, body, _ = s.status("GET", "/health/json", "")
	require.Equal(t, 503, code)
	require.Contains(t, body, "below its reserve")
	lighten()
	require.NoError(t, post(), "it resumes by itself")
	// Started with no space left and work in the queue, the service reads, and uses up no
	// attempts.
	s.kill()
	lighten = ballast(t, folder, 0)
	s.start("--disk-reserve", "16MiB")
	s.reads(l.acknowledged)
	time.Sleep(5 * time.Second)
	require.Error(t, post())
	s.reads(l.acknowledged)
	found, code := s.doctor("--disk-reserve", "16MiB")
	require.Equal(t, 1, code)
	require.Contains(t, problems(found), "disk")
	lighten()
	require.NoError(t, post(), "it resumes by itself")
	reconcile(t, s, l.acknowledged)
	for _, p := range l.acknowledged {
		require.Equal(t, "completed", string(s.receipt(p.location).Status), "an attempt was burnt")
	}
	s.kill()
	require.Contains(t, s.command("check"), "ok")
	t.Logf("injected: a disk at its reserve, and a disk without a byte at the start; %d Bundles acknowledged, lost none", len(l.acknowledged))
}

// The disk becomes full and empty again at any moment: while the service receives, processes,
// or checkpoints the WAL.
func TestADiskThatRunsFullAgainAndAgainLosesNothing(t *testing.T) {
	t.Parallel()
	folder := mounted(t, 500, "tmpfs")
	s := newInstallationIn(t, folder)
	s.start("--disk-reserve", "4MiB")
	l := &load{installation: s}
	stop := make(chan struct{})
	var callers sync.WaitGroup
	for range 4 {
		callers.Go(func() { l.run(stop) })
	}
	full := 0
	for round := range 12 {
		time.Sleep(300 * time.Millisecond)
		lighten := ballast(t, folder, int64(round%4)*200<<10)
		full++
		if round%4 == 1 {
			copied := filepath.Join(folder, "copy.db")
			out, err := exec.Command(s.binary, "backup", copied, "--db", s.db).CombinedOutput()
			for range 20 { // the service may have emptied its WAL meanwhile
				if err != nil {
					break
				}
				require.NoError(t, os.Remove(copied))
				lighten()
				lighten = ballast(t, folder, int64(round%4)*200<<10)
				out, err = exec.Command(s.binary, "backup", copied, "--db", s.db).CombinedOutput()
			}
			require.Error(t, err)
			require.Contains(t, string(out), "the disk is full")
		}
		time.Sleep(300 * time.Millisecond)
		lighten()
	}
	close(stop)
	callers.Wait()
	l.resend()
	reconcile(t, s, l.acknowledged)
	s.kill()
	require.Contains(t, s.command("check"), "ok")
	left, err := filepath.Glob(filepath.Join(folder, ".birthregistry-copy-*"))
	require.NoError(t, err)
	require.Empty(t, left, "a backup left something")
	t.Logf("injected: a full disk %d times under load, 3 of them at a backup; %d Bundles acknowledged, lost none", full, len(l.acknowledged))
}

func TestAFileSystemThatBecomesReadOnlyEndsTheServiceAndLosesNothing(t *testing.T) {
	t.Parallel()
	folder := mounted(t, 300, "ext4")
	s := newInstallationIn(t, folder)
	s.start()
	l := &load{installation: s}
	stop := make(chan struct{})
	var callers sync.WaitGroup
	for range 2 {
		callers.Go(func() { l.run(stop) })
	}
	l.acknowledges(20)
	out, err := exec.Command("mount", "-o", "remount,abort", folder).CombinedOutput() // as the kernel does when a disk fails
	if err != nil {
		unmountable(t, "%v: %s", err, out)
	}
	require.Eventually(t, s.ended, patience, time.Millisecond)
	require.Error(t, s.server.Wait())
	require.Contains(t, s.log.String(), "the volume of the database is lost")
	close(stop)
	callers.Wait()
	found, code := s.doctor()
	require.Equal(t, 1, code)
	require.Contains(t, found["disk"].Found, "read-only", "%v", found)
	t.Logf("the doctor: %s → %s", found["disk"].Found, found["disk"].Fix)
	ctx := exec.Command(s.binary, "serve", "--db", s.db, "--listen", s.address)
	output, err := ctx.CombinedOutput()
	require.Error(t, err, "it does not start on a disk that it cannot write")
	require.Contains(t, string(output), "read-only file system")
	repaired(t, folder)
	s.start()
	defer s.kill()
	l.resend()
	reconcile(t, s, l.acknowledged)
	require.Contains(t, s.command("check"), "ok")
	t.Logf("injected: a file system that turned read-only under load; %d Bundles acknowledged, lost none", len(l.acknowledged))
}

// The journal of the file system is aborted while commits extend the WAL. From then on ext4
// answers some fsyncs with success although it has lost what they should have kept.
func TestNoCommitIsAcknowledgedThatAFileSystemLosesAsItGivesUp(t *testing.T) {
	t.Parallel()
	const rounds = 30
	for round := range rounds {
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			folder := mounted(t, 64, "ext4")
			path := filepath.Join(folder, "registry.db")
			acknowledged := addsPracticesUntilAborted(t, folder, path)
			repaired(t, folder)
			db, err := store.Open(t.Context(), path)
			require.NoError(t, err)
			defer db.Close() //nolint:errcheck // only read
			require.NoError(t, db.View(t.Context(), func(v *store.View) error {
				onFile, err := v.Practices()
				require.GreaterOrEqual(t, len(onFile), acknowledged, "an acknowledged commit is lost")
				return err
			}))
		})
	}
	t.Logf("injected: a journal aborted %d times under load; acknowledged commits lost: none", rounds)
}

// addsPracticesUntilAborted returns how many practices were acknowledged.
func addsPracticesUntilAborted(t *testing.T, folder, path string) (acknowledged int) {
	t.Helper()
	db, err := store.Open(t.Context(), path)
	require.NoError(t, err)
	aborted := make(chan error, 1)
	go func() {
		time.Sleep(100 * time.Millisecond)
		aborted <- exec.Command("mount", "-o", "remount,abort", folder).Run()
	}()
	add := func(tx *store.Tx) error {
		_, err := tx.AddPractice(fmt.Sprint("practice ", acknowledged+1), false, false)
		return err
	}
	for err = db.Update(add); err == nil; err = db.Update(add) {
		acknowledged++
	}
	require.ErrorIs(t, err, store.ErrReadOnly)
	seen := 0 // by a caller that repeats its request, from whom a commit that was lost must be hidden
	if err := db.View(t.Context(), func(v *store.View) error {
		onFile, err := v.Practices()
		seen = len(onFile)
		return err
	}); err == nil {
		acknowledged = seen
	} else {
		require.ErrorIs(t, err, store.ErrReadOnly)
	}
	begun := false
	require.ErrorIs(t, db.Update(func(*store.Tx) error { begun = true; return nil }), store.ErrReadOnly)
	require.False(t, begun, "a write could overwrite the only copy of what was acknowledged, in the WAL")
	if err := <-aborted; err != nil {
		unmountable(t, "%v", err)
	}
	_ = db.Close() // it cannot write any more
	return acknowledged
}

// repaired mounts a folder again after a check of its file system, as a reboot does.
func repaired(t *testing.T, folder string) {
	t.Helper()
	image := loopOf(t, folder)
	require.NoError(t, exec.Command("umount", folder).Run())
	_ = exec.Command("fsck.ext4", "-y", image).Run() // exit code 1 means that it repaired something
	require.NoError(t, exec.Command("mount", "-o", "loop", image, folder).Run())
}

// loopOf returns the file behind a mounted folder.
func loopOf(t *testing.T, folder string) string {
	t.Helper()
	device, err := exec.Command("findmnt", "-n", "-o", "SOURCE", folder).Output()
	require.NoError(t, err)
	image, err := exec.Command("losetup", "-n", "-O", "BACK-FILE", strings.TrimSpace(string(device))).Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(image))
}
