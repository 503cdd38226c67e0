package cost_test

import (
	"bytes"
	"context"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/longtest"
)

// mostAfterwards is how many statements may still run after the caller has left: the
// transaction in progress ends, and two audit entries that were already requested are written.
const mostAfterwards = 24

// cutAt sends a request, cancels it after this many statements, and returns how many more ran.
// A file that is being sent is cut off.
func cutAt(statements int64, ask func(context.Context)) (after int64) {
	ctx, leave := context.WithCancel(context.Background())
	defer leave()
	at := counted.statements.Load() + statements
	counted.cut.Store(&cut{at, leave})
	defer counted.cut.Store(nil)
	func() {
		defer func() {
			if why := recover(); why != nil && why != http.ErrAbortHandler { //nolint:errorlint // net/http panics with this very value
				panic(why)
			}
		}()
		ask(ctx)
	}()
	return counted.statements.Load() - at
}

// cuts returns places in the middle of this many statements; in a plain run, only some of
// them.
func cuts(all int64) (at []int64) {
	step := int64(1)
	if !longtest.On() {
		step = max(1, all/4)
	}
	for k := int64(1); k < all; k += step {
		at = append(at, k)
	}
	return at
}

func TestAPageStopsItsWorkWhenNobodyWaitsForItAnymore(t *testing.T) {
	for _, m := range onPages {
		t.Run(m.of, func(t *testing.T) {
			s := newInstallation(t)
			m.fill(s, 2*m.n)
			for _, page := range append(m.pages, m.paged...) {
				s.open(page)
				before := counted.statements.Load()
				s.open(page)
				all := counted.statements.Load() - before
				for _, k := range cuts(all) {
					after := cutAt(k, func(ctx context.Context) { s.ask(ctx, page) })
					if after > mostAfterwards {
						t.Errorf("%s: cut off after %d of its %d statements, it runs %d more", page, k, all, after)
					}
				}
			}
			require.NoError(t, s.Close())
		})
	}
}

// In an earlier version, a query that was cut off looked like one without results. The user
// then seemed to be no member of the practice, and the page signed them out.
func TestLeavingInTheMiddleOfAPageKeepsTheUserSignedIn(t *testing.T) {
	s := newInstallation(t)
	s.open("/registry")
	before := counted.statements.Load()
	s.open("/registry")
	for k := range counted.statements.Load() - before {
		cutAt(k+1, func(ctx context.Context) { s.ask(ctx, "/registry") })
		s.open("/registry")
	}
}

// The preview of a file is a POST, so leaving it rolls back everything it wrote.
func TestThePreviewOfASpreadsheetStopsWhenNobodyWaitsForItAnymore(t *testing.T) {
	for _, row := range []func(int) string{fine, wrong, func(i int) string { return fmt.Sprintf("C%d,Okonkwo,Amara,%s,3000,cesarean\n", i, local(0)) }} {
		s := newInstallation(t)
		var form bytes.Buffer
		w := multipart.NewWriter(&form)
		file, err := w.CreateFormFile("file", "births.csv")
		require.NoError(t, err)
		_, err = file.Write([]byte(heading + fine(0) + strings.Join(each(1500, row)[1:], "")))
		require.NoError(t, err)
		require.NoError(t, w.Close())
		ask := func(ctx context.Context) *httptest.ResponseRecorder {
			r := httptest.NewRequestWithContext(ctx, http.MethodPost, base+"/registry/import", bytes.NewReader(form.Bytes()))
			r.Header.Set("Origin", base)
			r.Header.Set("Content-Type", w.FormDataContentType())
			r.AddCookie(s.cookie)
			return s.do(r)
		}
		before := counted.statements.Load()
		require.Equal(t, http.StatusSeeOther, ask(t.Context()).Code)
		all := counted.statements.Load() - before
		for _, k := range cuts(all) {
			after := cutAt(k, func(ctx context.Context) { ask(ctx) })
			if after > mostAfterwards {
				t.Errorf("cut off after %d of its %d statements, it runs %d more", k, all, after)
			}
		}
		require.NoError(t, s.Close())
	}
}
