package app_test

import (
	"fmt"
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
)

func TestForgettingAPracticeContinuesAfterKillsAndErasesEveryRowOnce(t *testing.T) {
	t.Parallel()
	longtest.Only(t, "kills of a practice that is forgotten")
	const rows = 20_000
	s := newInstallation(t)
	s.command("import", fileOf(t, rows), "--practice", "1")
	s.practice("Hillside")
	s.command("import", fileOf(t, 50), "--practice", "2")
	left := func() int { return s.counted("select count(*) from records where practice = 1") }
	whole := s.counted("select sum(id) from versions where record in (select id from records where practice = 2)")

	kills, before := 0, rows
	less := func() bool { n := left(); return n >= 0 && n < before }
	for ; before > 0 && kills < 50; kills++ {
		if kills%2 == 0 { // the command by itself, and the service
			command := exec.Command(s.binary, "practice", "forget", "1", "--without-export", "--yes", "--db", s.db)
			require.NoError(t, command.Start())
			s.stoppedIn(command.Process, "the middle of forgetting", less)
			require.NoError(t, command.Process.Kill())
			_ = command.Wait() // it was killed
		} else {
			s.killedIn("the middle of forgetting", less)
		}
		require.Eventually(t, func() bool { before = left(); return before >= 0 }, patience, time.Millisecond)
	}
	require.Greater(t, kills, 20)
	certificate := s.command("practice", "forget", "1", "--without-export", "--yes")
	require.Contains(t, certificate, fmt.Sprintf("%s  births\n", "20,000"), "each counts once")
	require.Contains(t, s.command("check"), "ok")
	require.Contains(t, s.command("audit", "verify"), "erased with their practice")
	require.Equal(t, 50, s.filed())
	require.Equal(t, whole, s.counted("select sum(id) from versions"))
	t.Logf("injected: %d kills while a practice of %d births was forgotten", kills, rows)
}

func TestAPracticeIsForgottenWhileItAndAnotherPush(t *testing.T) {
	t.Parallel()
	i := apptest.Start(t)
	other := i.AddPractice("Hillside")
	key := i.Mint(other, "ingest:write", "ingest:read")
	var pushing sync.WaitGroup
	var mu sync.Mutex
	accepted := 0
	for n := range 4 {
		pushing.Go(func() {
			for k := 0; ; k++ {
				answer := i.Post(apptest.Course{Chart: fmt.Sprintf("own-%d-%d", n, k)}.Bundle())
				if answer.StatusCode == http.StatusUnauthorized {
					return
				}
				if answer.StatusCode == http.StatusTooManyRequests {
					continue
				}
				if answer.StatusCode != http.StatusAccepted {
					t.Errorf("%s", answer.Status)
					return
				}
			}
		})
		pushing.Go(func() {
			for k := range 20 {
				answer := i.Post(apptest.Course{Chart: fmt.Sprintf("other-%d-%d", n, k)}.Bundle(), "Authorization", "Bearer "+key)
				if answer.StatusCode == http.StatusAccepted {
					mu.Lock()
					accepted++
					mu.Unlock()
				}
			}
		})
	}
	require.Eventually(t, func() bool { return i.Count() > 3 }, patience, time.Millisecond)
	require.NoError(t, i.App.Forget.Begin(1, nil))
	require.Eventually(t, func() bool {
		at, err := i.App.Forget.Progress(t.Context(), 1)
		require.NoError(t, err)
		return at.Done
	}, patience, time.Millisecond)
	pushing.Wait()
	certificate, err := i.App.Forget.Certificate(t.Context(), 1)
	require.NoError(t, err)
	require.NotEmpty(t, certificate.Erased)
	require.Positive(t, accepted)
	i.Clean()
	require.NotContains(t, strings.ToLower(i.Log.String()), `"level":"error"`)
}

func TestForgettingAPracticeEndsItsImportAndItsExportWithAMessage(t *testing.T) {
	t.Parallel()
	longtest.Only(t, "a practice that is forgotten during its import and its export")
	s := newInstallation(t)
	s.practice("Hillside")
	s.practice("Lakeside")
	s.command("import", fileOf(t, 20_000), "--practice", "2")
	s.command("import", fileOf(t, 50), "--practice", "3")
	recipient := filepath.Join(t.TempDir(), "recipient.txt")
	require.NoError(t, os.WriteFile(recipient, []byte(s.command("secrets", "recovery", "make", filepath.Join(t.TempDir(), "secret.txt"))), 0o600))
	archives := t.TempDir()
	s.start()
	defer s.kill()
	for practice, long := range map[string][]string{
		"1": {"import", fileOf(t, 50_000), "--practice", "1"},
		"2": {"practice", "export", "2", filepath.Join(archives, "hillside.age"), "--recipient", recipient},
	} {
		running := exec.Command(s.binary, append(long, "--db", s.db)...)
		var talk strings.Builder
		running.Stderr = &talk
		require.NoError(t, running.Start())
		require.Eventually(t, func() bool {
			left, err := os.ReadDir(archives)
			return err == nil && len(left) > 0 || practice == "1" && s.counted("select count(*) from records where practice = 1") > 0
		}, patience, time.Millisecond, "it has begun")
		s.command("practice", "forget", practice, "--without-export", "--yes")
		require.Error(t, running.Wait(), long[0])
		require.Contains(t, talk.String(), fmt.Sprintf(
			"birthregistry: practice %[1]s was forgotten meanwhile; once that is done, see: birthregistry practice certificate %[1]s\n", practice))
		for _, table := range []string{"records", "ingestions", "imports", "names", "fingerprints", "exports"} {
			require.Zero(t, s.counted("select count(*) from "+table+" where practice = "+practice), table)
		}
	}
	left, err := os.ReadDir(archives)
	require.NoError(t, err)
	require.Empty(t, left)
	require.Equal(t, 50, s.filed())
	require.Zero(t, s.counted("select count(*) from import_parts"))
	require.NotContains(t, s.command("check"), "PROBLEM")
	require.NotContains(t, s.log.String(), `"level":"ERROR"`)
}
