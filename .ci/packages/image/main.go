// Image writes the container image of the registry as a tar file. The commands docker load, podman
// load and skopeo can read it: it is an OCI image layout, and it also has the file manifest.json
// that older versions of Docker read. The image holds only the program, the certificates of the
// authorities that Mozilla trusts, and the name of the program's user. It has no shell and no user
// root.
package main

import (
	"encoding/pem"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// user is the number of the image's user and group.
const user = 65532

type settings struct {
	program, version, arch, commit, to string
	made                               time.Time
}

func main() {
	var s settings
	flag.StringVar(&s.program, "program", "", "the program to put into the image")
	flag.StringVar(&s.version, "version", "", "its version")
	flag.StringVar(&s.arch, "arch", "", "its architecture, as Go names it")
	flag.StringVar(&s.commit, "commit", "", "the commit that it was built from")
	flag.StringVar(&s.to, "to", "", "the file to write")
	seconds := flag.Int64("date", 0, "the date of everything in the image, in seconds since 1970")
	flag.Parse()
	s.made = time.Unix(*seconds, 0).UTC()
	if err := write(s); err != nil {
		log.Fatal(err)
	}
}

func write(s settings) error {
	image, err := build(s)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "birthregistry-image-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder) //nolint:errcheck // it is in the folder for temporary files
	index, err := layout.Write(folder, empty.Index)
	if err != nil {
		return err
	}
	name := "birthregistry:" + s.version
	if err := index.AppendImage(image, layout.WithPlatform(v1.Platform{OS: "linux", Architecture: s.arch}), layout.WithAnnotations(map[string]string{
		"org.opencontainers.image.ref.name": s.version,
		"io.containerd.image.name":          "docker.io/library/" + name,
	})); err != nil {
		return err
	}
	if err := listForDocker(image, name, filepath.Join(folder, "manifest.json")); err != nil {
		return err
	}
	return pack(folder, s.to, s.made)
}

// listForDocker writes the list of images that Docker before version 25 needs to load the file.
func listForDocker(image v1.Image, name, to string) error {
	config, err := image.ConfigName()
	if err != nil {
		return err
	}
	manifest, err := image.Manifest()
	if err != nil {
		return err
	}
	list := fmt.Appendf(nil, `[{"Config": "blobs/sha256/%s", "RepoTags": [%q], "Layers": ["blobs/sha256/%s"]}]`,
		config.Hex, name, manifest.Layers[0].Digest.Hex)
	return os.WriteFile(to, list, 0o600)
}

func build(s settings) (v1.Image, error) {
	program, err := os.ReadFile(s.program)
	if err != nil {
		return nil, err
	}
	layer, err := layerOf(s.made, []entry{
		{path: "etc/", mode: 0o755},
		{path: "etc/birthregistry/", mode: 0o700, owner: user},
		{path: "etc/group", mode: 0o644, content: fmt.Appendf(nil, "birthregistry:x:%d:\n", user)},
		{path: "etc/passwd", mode: 0o644, content: fmt.Appendf(nil, "birthregistry:x:%d:%d::/var/lib/birthregistry:/sbin/nologin\n", user, user)},
		{path: "etc/ssl/", mode: 0o755},
		{path: "etc/ssl/certs/", mode: 0o755},
		{path: "etc/ssl/certs/ca-certificates.crt", mode: 0o644, content: authorities()},
		{path: "usr/", mode: 0o755},
		{path: "usr/bin/", mode: 0o755},
		{path: "usr/bin/birthregistry", mode: 0o755, content: program},
		{path: "var/", mode: 0o755},
		{path: "var/lib/", mode: 0o755},
		{path: "var/lib/birthregistry/", mode: 0o700, owner: user},
	})
	if err != nil {
		return nil, err
	}
	image, err := mutate.AppendLayers(mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON), layer)
	if err != nil {
		return nil, err
	}
	file, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	file = file.DeepCopy()
	file.OS, file.Architecture, file.Created = "linux", s.arch, v1.Time{Time: s.made}
	file.History = []v1.History{{Created: file.Created, CreatedBy: ".ci/release"}}
	file.Config = config(s)
	return mutate.ConfigFile(image, file)
}

// config returns how the image is run. The health check in it is an extension of Docker, because
// the OCI specification has none. Engines that are compatible with Docker use it, too. Podman and
// Kubernetes need a health check of their own.
func config(s settings) v1.Config {
	return v1.Config{
		User:       fmt.Sprintf("%d:%d", user, user),
		WorkingDir: "/var/lib/birthregistry",
		Entrypoint: []string{"/usr/bin/birthregistry"},
		Cmd:        []string{"serve"},
		Env: []string{
			"PATH=/usr/bin",
			"REGISTRY_DB=/var/lib/birthregistry/registry.db",
			"REGISTRY_KEY_FILE=/etc/birthregistry/registry.key",
			"REGISTRY_LISTEN=:8080",
		},
		ExposedPorts: map[string]struct{}{"8080/tcp": {}},
		Volumes:      map[string]struct{}{"/var/lib/birthregistry": {}, "/etc/birthregistry": {}},
		StopSignal:   "SIGTERM",
		Healthcheck: &v1.HealthConfig{
			Test:     []string{"CMD", "/usr/bin/birthregistry", "health"},
			Interval: 30 * time.Second, Timeout: 15 * time.Second, StartPeriod: time.Minute, Retries: 3,
		},
		Labels: map[string]string{
			"org.opencontainers.image.title":    "birthregistry",
			"org.opencontainers.image.version":  s.version,
			"org.opencontainers.image.revision": s.commit,
		},
	}
}

// authorities returns the certificates that Mozilla trusts for servers unconditionally.
func authorities() (all []byte) {
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			all = append(all, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate})...)
		}
	}
	return all
}
