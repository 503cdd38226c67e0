package app_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"filippo.io/age"
	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
)

// opensWith waits for the only downloaded file and reports whether the passphrase opens it.
func opensWith(b *browser, folder, passphrase string) {
	b.Helper()
	var files []string
	require.Eventually(b, func() bool {
		files, _ = filepath.Glob(filepath.Join(folder, "*.age")) // the pattern is valid
		if len(files) != 1 {
			return false
		}
		info, err := os.Stat(files[0])
		return err == nil && info.Size() > 0 // an empty file only reserves the name while the browser downloads
	}, patience, 50*time.Millisecond)
	identity, err := age.NewScryptIdentity(passphrase)
	require.NoError(b, err)
	f, err := os.Open(files[0])
	require.NoError(b, err)
	_, err = age.Decrypt(f, identity)
	require.NoError(b, err)
	require.NoError(b, f.Close())
}

func TestAPracticeManagerDownloadsEverythingWithAndWithoutJavaScript(t *testing.T) {
	t.Parallel()
	for _, scripted := range []bool{true, false} {
		i, p := practice(t)
		key := i.Mint(p, "ingest:write", "ingest:read")
		i.Push(apptest.Course{Chart: "26-1", Mother: "Okonkwo"}.Bundle(), "Authorization", "Bearer "+key)
		b := newBrowser(t, i.URL)
		b.enter()
		b.look("/registry/data")
		if !scripted {
			b.withoutScript()
		}
		b.open("/registry/settings")
		b.press("Your data")
		passphrase := script[string](b, `document.querySelector("[data-testid=passphrase]").textContent`)
		b.fill("password", password)
		b.press("Download everything")
		b.sees("There is a problem", "Write down the passphrase, then check this box")
		require.Equal(t, passphrase, script[string](b, `document.querySelector("[data-testid=passphrase]").textContent`))
		folder := t.TempDir()
		call(b, cdpbrowser.SetDownloadBehavior, cdpbrowser.SetDownloadBehaviorParams{Behavior: cdpbrowser.SetDownloadBehaviorBehaviorAllow, DownloadPath: folder})
		b.click("#written")
		b.fill("password", password)
		b.click(`form[action$="/archive"] button[type=submit]`)
		opensWith(b, folder, passphrase)
		if scripted {
			b.sees("The file is being prepared. The download begins automatically.")
			require.NotContains(t, script[string](b, `document.body.innerText`), "There is a problem", "what was wrong before is gone")
			b.accessible()
		}
		b = newBrowser(t, i.URL)
		b.enter()
		b.look("/registry/data")
		b.sees("Earlier downloads", "recorded or changed", "Robin Lee") // a birth of the last two seconds before it may count
		b.signIn(i.SignIn(p, auth.Provider))
		b.open("/registry/settings")
		require.NotContains(t, script[string](b, `document.body.innerText`), "Your data", "nobody sees a page that their role may not open")
	}
}
