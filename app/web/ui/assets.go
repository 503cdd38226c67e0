package ui

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"

	"github.com/labstack/echo/v4"

	"birthregistry/app/web/pages"
	"birthregistry/assets"
)

func ToHome(c echo.Context) error { return c.Redirect(http.StatusSeeOther, "/registry") }

// asset is a file that several pages use, such as the stylesheet. It has a gzipped copy, a media
// type (kind) and an entity tag. Pages themselves aren't compressed, because the length of a
// compressed page could reveal its content.
type asset struct {
	content, gzipped []byte
	kind, tag        string
}

var sharedAssets = sync.OnceValue(func() map[string]asset {
	kinds := map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
	all := map[string]asset{}
	files, _ := fs.Glob(assets.Pages, "*") // the pattern is well-formed
	for _, file := range files {
		content, _ := fs.ReadFile(assets.Pages, file) // the file is embedded, so this never fails
		var gzipped bytes.Buffer
		w, _ := gzip.NewWriterLevel(&gzipped, gzip.BestCompression) // the level is valid
		_, _ = w.Write(content)                                     // writing to a buffer never fails
		_ = w.Close()
		all[file] = asset{content, gzipped.Bytes(), kinds[path.Ext(file)], fmt.Sprintf(`"%x"`, sha256.Sum256(content))}
	}
	return all
})

// GetAsset serves the stylesheet, the scripts, the icon, and the chart in the guide. It answers 304
// if the browser already has the file.
func (h *Home) GetAsset(c echo.Context) error {
	file, ok := sharedAssets()[path.Base(c.Param("file"))]
	if !ok {
		return pages.ErrNotFound
	}
	header := c.Response().Header()
	h.Headers(header)
	header.Set("Cache-Control", "no-cache")
	header.Add("Vary", "Accept-Encoding")
	header.Set("ETag", "W/"+file.tag)
	if strings.Contains(c.Request().Header.Get("If-None-Match"), file.tag) {
		return c.NoContent(http.StatusNotModified)
	}
	if strings.Contains(c.Request().Header.Get("Accept-Encoding"), "gzip") {
		header.Set("Content-Encoding", "gzip")
		return c.Blob(http.StatusOK, file.kind, file.gzipped)
	}
	return c.Blob(http.StatusOK, file.kind, file.content)
}
