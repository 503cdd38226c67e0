package apptest

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/stretchr/testify/require"
)

// Download sends a form whose answer is a file, and reads the file. It returns the error
// that ended the reading, nil when the whole file arrived.
func (b *Browser) Download(path string, form url.Values) error {
	b.t.Helper()
	request, err := http.NewRequest(http.MethodPost, b.base+path, strings.NewReader(form.Encode()))
	require.NoError(b.t, err)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Sec-Fetch-Site", "same-origin")
	answer, err := b.client.Do(request)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, answer.Body)
	return errors.Join(err, answer.Body.Close())
}
