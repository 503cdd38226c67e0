package main

import (
	"archive/tar"
	"bytes"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// entry is a file of a tar file, or a folder if its path ends in a slash.
type entry struct {
	path    string
	mode    int64
	owner   int
	content []byte
}

// writeTar writes entries in their order, all with the same date.
func writeTar(w io.Writer, made time.Time, entries []entry) error {
	t := tar.NewWriter(w)
	for _, e := range entries {
		kind := byte(tar.TypeReg)
		if strings.HasSuffix(e.path, "/") {
			kind = tar.TypeDir
		}
		if err := t.WriteHeader(&tar.Header{
			Typeflag: kind, Name: e.path, Mode: e.mode, Uid: e.owner, Gid: e.owner, Size: int64(len(e.content)), ModTime: made,
		}); err != nil {
			return err
		}
		if _, err := t.Write(e.content); err != nil {
			return err
		}
	}
	return t.Close()
}

func layerOf(made time.Time, entries []entry) (v1.Layer, error) {
	var packed bytes.Buffer
	if err := writeTar(&packed, made, entries); err != nil {
		return nil, err
	}
	return tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(packed.Bytes())), nil
	}, tarball.WithMediaType(types.OCILayer))
}

// pack writes a folder's files as a tar file, in the order of their names.
func pack(folder, to string, made time.Time) error {
	var entries []entry
	from := os.DirFS(folder)
	if err := fs.WalkDir(from, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == "." {
			return err
		}
		if d.IsDir() {
			entries = append(entries, entry{path: name + "/", mode: 0o755})
			return nil
		}
		content, err := fs.ReadFile(from, name)
		entries = append(entries, entry{path: name, mode: 0o644, content: content})
		return err
	}); err != nil {
		return err
	}
	file, err := os.Create(to)
	if err != nil {
		return err
	}
	if err := writeTar(file, made, entries); err != nil {
		return err
	}
	return file.Close()
}
