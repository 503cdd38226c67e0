package app_test

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// lag is how far the copy may be behind: what was acknowledged earlier is in it.
const lag = 5 * time.Second

// The disk is lost with everything on it but the key. What Litestream copied
// meanwhile has every Bundle that was acknowledged up to the lag.
func TestNothingAcknowledgedBeforeTheLagIsLostWithTheDisk(t *testing.T) {
	program := os.Getenv("REGISTRY_LITESTREAM")
	if program == "" {
		t.Skip("set REGISTRY_LITESTREAM to the program; .ci/run does")
	}
	s, away := newSite(t), t.TempDir()
	config := filepath.Join(away, "litestream.yml")
	text := s.command("unit", "litestream.yml", "--replica", filepath.Join(away, "copy"))
	require.NoError(t, os.WriteFile(config, []byte(text), 0o600))
	copying := exec.Command(program, "replicate", "-config", config)
	var said strings.Builder
	copying.Stdout, copying.Stderr = &said, &said
	require.NoError(t, copying.Start())

	s.start()
	l := &load{site: s}
	var callers sync.WaitGroup
	stop := make(chan struct{})
	for range 2 {
		callers.Go(func() { l.run(stop) })
	}
	time.Sleep(10 * time.Second)
	l.mu.Lock()
	safe := len(l.promised)
	l.mu.Unlock()
	time.Sleep(lag)
	s.kill()
	require.NoError(t, copying.Process.Kill())
	_ = copying.Wait() // it was killed
	close(stop)
	callers.Wait()

	key, err := os.ReadFile(strings.TrimSuffix(s.db, ".db") + ".key")
	require.NoError(t, err)
	require.NoError(t, os.RemoveAll(filepath.Dir(s.db)))
	require.NoError(t, os.Mkdir(filepath.Dir(s.db), 0o700))
	require.NoError(t, os.WriteFile(strings.TrimSuffix(s.db, ".db")+".key", key, 0o600))
	out, err := exec.Command(program, "restore", "-config", config, s.db).CombinedOutput()
	require.NoError(t, err, "%s\n%s", out, &said)
	s.start()
	defer s.kill()

	require.Greater(t, safe, 20)
	for _, p := range l.promised[:safe] {
		s.receipt(p.location)
	}
	lost := 0
	for _, p := range l.promised[safe:] {
		request, err := http.NewRequest(http.MethodGet, p.location, nil)
		require.NoError(t, err)
		request.Header.Set("Authorization", "Bearer "+s.key)
		answer, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		if answer.StatusCode != http.StatusOK {
			lost++
		}
	}
	t.Logf("killed the service and its disk: %d Bundles acknowledged, %d of them in the last %v; lost %d of these, none of the others",
		len(l.promised), len(l.promised)-safe, lag, lost)
	require.Contains(t, s.command("check"), "ok")
}
