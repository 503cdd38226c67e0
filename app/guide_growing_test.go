package app_test

import (
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/assets"
)

// takenOver takes the database's disk away and follows the page by which another machine takes
// over. Stand-ins replace the cluster's own programs, because the test is about what the
// service does with the disk.
func (d *guideRun) takenOver() {
	d.t.Helper()
	d.dies()
	require.NoError(d.t, os.Rename(d.path("var/lib/birthregistry"), d.path("volume")))
	d.program("drbdadm", `[ "$*" = "primary registry" ]`)
	d.program("mount", `[ "$1" = /dev/drbd0 ] && mv `+d.path("volume")+` "$2"`)
	output := d.follow("Another machine takes over")
	require.Contains(d.t, output, "pass")
	require.NotContains(d.t, output, "PROBLEM")
}

// Pacemaker's own program is a stand-in that records its calls.
func TestThePageOnGrowingHandsTheServiceToPacemaker(t *testing.T) {
	t.Parallel()
	d := newGuideRun(t, "grow").installed()
	d.program("pcs", `echo "$*"`)
	output := d.follow("Two machines: DRBD and Pacemaker")
	require.Contains(t, output, "stonith-enabled=true")
	require.Contains(t, output, "resource create service systemd:birthregistry ")
	dropIn, err := os.ReadFile(d.path("etc/systemd/system/birthregistry.service.d/cluster.conf"))
	require.NoError(t, err)
	require.Equal(t, "[Service]\nRestart=no\n", string(dropIn))
}

// container is a container in the page's manifest.
type container struct {
	args []string
	env  []string
}

// The test runs the containers of the page's manifest on this machine, one after the other.
// Only their folders and port differ. As in the image, its environment applies as well, and
// nothing that is not in a volume is left of a container.
func TestTheManifestOfThePageOnGrowingServesWithTheKeyOfItsSecret(t *testing.T) {
	t.Parallel()
	d := newGuideRun(t, "grow").installed()
	page, err := assets.Guides.ReadFile("guides/grow.md")
	require.NoError(t, err)
	_, manifest, found := strings.Cut(string(page), "```yaml\n")
	require.True(t, found)
	manifest, _, _ = strings.Cut(manifest, "```")
	for _, needed := range []string{"replicas: 1 ", "accessModes: [ReadWriteOncePod]", "path: /health/ready,", "path: /health/live,"} {
		require.Equal(t, 1, strings.Count(manifest, needed), needed)
	}
	require.Equal(t, 2, strings.Count(manifest, "secretName: registry-key,"))
	require.Contains(t, string(page), "create secret generic registry-key --from-file=registry.key")

	d.follow("Kubernetes: one replica, one disk")
	for _, folder := range []string{"data", "credentials"} {
		require.NoError(t, os.Mkdir(d.path(folder), 0o700))
	}
	key, err := os.ReadFile(d.path("home/registry.key"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(d.path("credentials/registry.key"), key, 0o440))
	require.NoError(t, os.Chmod(d.path("credentials/registry.key"), 0o440))

	all := containers(manifest)
	require.Len(t, all, 2)
	made, serving := all[0], all[1]
	s := &installation{t: t, binary: apptest.Binary(t), db: d.path("data/registry.db"), address: d.address}
	s.env = d.environment(serving)
	s.refuses("there is no database at ") // before the job has run
	require.Contains(t, d.run(made).log.String(), "1")
	server := d.run(serving)
	defer server.end()
	for _, path := range []string{"/health/ready", "/health/live"} {
		require.Eventually(t, func() bool {
			answer, err := http.Get("http://" + d.address + path)
			return err == nil && answer.Body.Close() == nil && answer.StatusCode == http.StatusOK
		}, patience, 10*time.Millisecond, &server.log)
	}
}

// containers reads a manifest's containers.
func containers(manifest string) (all []container) {
	for _, part := range strings.Split(manifest, "image: ")[1:] {
		var c container
		args := regexp.MustCompile(`args: \[(.*)\]`).FindStringSubmatch(part)
		c.args = strings.Split(args[1], ", ")
		for _, m := range regexp.MustCompile(`\{name: (\w+), value: (\S+)\}`).FindAllStringSubmatch(part, -1) {
			c.env = append(c.env, m[1]+"="+m[2])
		}
		all = append(all, c)
	}
	return all
}

// environment returns the environment of a container: the image's, and over it the manifest's.
// The volumes are folders of the machine.
func (d *guideRun) environment(c container) (all []string) {
	d.t.Helper()
	image, err := os.ReadFile("../.ci/packages/image/main.go")
	require.NoError(d.t, err)
	settings := regexp.MustCompile(`(?m)^\t+"((?:PATH|REGISTRY_\w+)=.*)",$`).FindAllStringSubmatch(string(image), -1)
	require.Len(d.t, settings, 4)
	alone := d.t.TempDir()
	for _, m := range settings {
		all = append(all, strings.Replace(m[1], "=/", "="+alone+"/", 1))
	}
	for _, setting := range c.env {
		setting = strings.Replace(setting, "=/", "="+d.folder+"/", 1)
		all = append(all, strings.Replace(setting, "0.0.0.0:8080", d.address, 1))
	}
	return all
}

// running is a container that is running.
type running struct {
	*exec.Cmd
	log apptest.Log
}

func (r *running) end() {
	_ = r.Process.Kill() // it may have exited already
	_ = r.Wait()
}

// run starts a container. If the container doesn't serve, run waits until it exits.
func (d *guideRun) run(c container) *running {
	d.t.Helper()
	r := &running{Cmd: exec.Command(d.path("usr/local/bin/birthregistry"), c.args...)}
	r.Env = d.environment(c)
	r.Stdout, r.Stderr = &r.log, &r.log
	require.NoError(d.t, r.Start())
	if c.args[0] != "serve" {
		require.NoError(d.t, r.Wait(), "%s", &r.log)
	}
	return r
}
