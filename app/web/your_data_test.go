package web_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"filippo.io/age"
	"github.com/pquerna/otp/totp"
	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/archive"
	"birthregistry/app/auth"
)

const (
	dataPath    = "/registry/data"
	archivePath = dataPath + "/archive"
)

// passphraseOf returns the passphrase that the page shows.
func passphraseOf(t *testing.T, page apptest.Page) string {
	t.Helper()
	shown := marked(dom(t, page), "passphrase")
	require.Len(t, shown, 1)
	return words(shown[0])
}

// download is the form of a download.
func download(passphrase string) url.Values {
	return url.Values{"passphrase": {passphrase}, "written": {"yes"}, "password": {password}}
}

// unsealed returns the members of an archive.
func unsealed(t *testing.T, file string, identity age.Identity) map[string]string {
	t.Helper()
	opened, err := age.Decrypt(strings.NewReader(file), identity)
	require.NoError(t, err)
	content, err := io.ReadAll(opened)
	require.NoError(t, err)
	z, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	require.NoError(t, err)
	all := map[string]string{}
	for _, m := range z.File {
		r, err := m.Open()
		require.NoError(t, err)
		text, err := io.ReadAll(r)
		require.NoError(t, err)
		all[m.Name] = string(text)
	}
	return all
}

func withPassphrase(t *testing.T, passphrase string) age.Identity {
	t.Helper()
	identity, err := age.NewScryptIdentity(passphrase)
	require.NoError(t, err)
	return identity
}

// temporary returns the names of the unfinished files next to the database.
func temporary(t *testing.T, i *apptest.Installation) []string {
	t.Helper()
	all, err := os.ReadDir(filepath.Dir(i.App.DB.Path()))
	require.NoError(t, err)
	var found []string
	for _, f := range all {
		if f.Name()[0] == '.' {
			found = append(found, f.Name())
		}
	}
	return found
}

func TestAnAdminDownloadsEverythingWithThePassphraseThatThePageShowed(t *testing.T) {
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "CANARY-1", Mother: "CANARYMOTHER", Weight: 3400}.Bundle())
	i.Push(apptest.Course{Chart: "CANARY-1", Mother: "CANARYMOTHER", Weight: 3410}.Bundle())
	addUser(i, i.Practice, olive, auth.Admin)
	b := signedIn(i, olive)
	page := b.Get(dataPath)
	require.Equal(t, "1", fact(dom(t, page), "Births"))
	require.Contains(t, fact(dom(t, page), "Versions"), "2")
	require.NotContains(t, page.Body, "Earlier downloads")
	passphrase := passphraseOf(t, page)
	require.NotEqual(t, passphrase, passphraseOf(t, b.Get(dataPath)), "each is shown once")

	sent := b.Post(archivePath, download(passphrase))
	require.Equal(t, 200, sent.StatusCode, sent.Body)
	require.Contains(t, sent.Header.Get("Content-Disposition"), ".age")
	require.NotContains(t, sent.Body, "CANARY", "nothing leaves in clear")
	all := unsealed(t, sent.Body, withPassphrase(t, passphrase))
	require.Contains(t, all["versions.ndjson"], "CANARYMOTHER")
	require.Contains(t, all["births.csv"], "CANARY-1")
	require.NotContains(t, all["audit.ndjson"]+all["manifest.json"], "CANARY")

	digest := fmt.Sprintf("%x", sha256.Sum256([]byte(sent.Body)))
	require.Equal(t, 1, noted(t, i, "practice.export", "1 births, SHA-256 "+digest))
	require.Zero(t, strings.Count(strings.Join(entriesOf(t, b.Get("/registry/audit")), " "), "CANARYMOTHER"))
	page = b.Get(dataPath)
	shown := words(marked(dom(t, page), "exports")[0])
	require.Contains(t, shown, digest)
	require.Contains(t, shown, "olive")
	require.NotContains(t, page.Body, passphrase, "the registry doesn't keep it")
	require.Empty(t, temporary(t, i))

	i.Push(apptest.Course{Chart: "CANARY-2", Mother: "CANARYSECOND"}.Bundle())
	require.Regexp(t, `Since the newest download, [12] births? (was|were) recorded or changed`, b.Get(dataPath).Body)
}

func TestADownloadOfEverythingNeedsThePasswordAndTheWrittenPassphrase(t *testing.T) {
	i := apptest.Start(t)
	addUser(i, i.Practice, olive, auth.Admin)
	b := signedIn(i, olive)
	passphrase := passphraseOf(t, b.Get(dataPath))
	for name, wrong := range map[string]struct{ field, value, says string }{
		"without the tick":               {"written", "", "Write down the passphrase, then check this box."},
		"with no password":               {"password", "", "Enter your password."},
		"with a wrong password":          {"password", "not the password", "The password is wrong."},
		"with a passphrase of one's own": {"passphrase", "password", "Write down the passphrase, then check this box."},
		"with a secret key":              {"recipient", "AGE-SECRET-KEY-1QQ", "This is the secret half of a key"},
		"with a whole key file":          {"recipient", "# created: 2026\nAGE-SECRET-KEY-1QQ", "This is the secret half of a key"},
		"with anything for a key":        {"recipient", "age1nothing", "This is not the public half of an age key"},
	} {
		form := download(passphrase)
		form.Set(wrong.field, wrong.value)
		refused := b.Post(archivePath, form)
		require.Equal(t, 422, refused.StatusCode, name)
		require.Contains(t, refused.Body, wrong.says, name)
		require.NotContains(t, refused.Body, "AGE-SECRET-KEY", "a secret is not repeated")
		if wrong.field != "passphrase" {
			require.Equal(t, passphrase, passphraseOf(t, refused), "%s: it may be written down by now", name)
		}
	}
	require.Zero(t, noted(t, i, "practice.export", ""))
	for _, role := range []auth.Role{auth.Provider, auth.Scribe, auth.Viewer} {
		other := i.SignIn(i.Practice, role)
		require.Equal(t, 403, other.Get(dataPath).StatusCode)
		require.Equal(t, 403, other.Post(archivePath, download(passphrase)).StatusCode)
	}
}

func TestADownloadOfEverythingAsksForTheSecondFactorOfWhoeverHasOne(t *testing.T) {
	i := apptest.Start(t)
	user := addUser(i, i.Practice, olive, auth.Admin)
	b := signedIn(i, olive)
	who, _, err := i.App.Auth.UserIn(t.Context(), user, i.Practice)
	require.NoError(t, err)
	secret := auth.NewSecondFactor()
	code, err := totp.GenerateCode(secret, time.Now())
	require.NoError(t, err)
	require.NotContains(t, b.Get(dataPath).Body, "Code of your second factor")
	recovery, err := i.App.Auth.EnableSecondFactor(who, secret, code, handleOf(i, who))
	require.NoError(t, err)
	b = i.Stranger()
	b.Post("/sign-in", credentials(olive, password))
	leadsTo(t, "/registry", b.Post("/sign-in/verify", url.Values{"recovery": {recovery[0]}}))

	page := b.Get(dataPath)
	require.Contains(t, page.Body, "Code of your second factor")
	form := download(passphraseOf(t, page))
	refused := b.Post(archivePath, form)
	require.Equal(t, 422, refused.StatusCode)
	require.Contains(t, refused.Body, `href="#code"`)
	form.Set("code", recovery[1])
	require.Equal(t, 200, b.Post(archivePath, form).StatusCode)
	require.Equal(t, 422, b.Post(archivePath, form).StatusCode, "a code works once")
}

func TestAnAgeKeyOpensADownloadInsteadOfThePassphrase(t *testing.T) {
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "26-1", Mother: "Okonkwo"}.Bundle())
	addUser(i, i.Practice, olive, auth.Admin)
	b := signedIn(i, olive)
	classic, err := age.GenerateX25519Identity()
	require.NoError(t, err)
	hybrid, err := age.GenerateHybridIdentity()
	require.NoError(t, err)
	for recipient, identity := range map[string]age.Identity{classic.Recipient().String(): classic, hybrid.Recipient().String(): hybrid} {
		sent := b.Post(archivePath, url.Values{"recipient": {recipient}, "password": {password}})
		require.Equal(t, 200, sent.StatusCode, sent.Body)
		require.Contains(t, unsealed(t, sent.Body, identity)["births.csv"], "Okonkwo")
	}
}

func TestADownloadOfEverythingSaysWhyItMustWait(t *testing.T) {
	i := apptest.Start(t)
	user := addUser(i, i.Practice, olive, auth.Admin)
	b := signedIn(i, olive)
	passphrase := passphraseOf(t, b.Get(dataPath))
	who, _, err := i.App.Auth.UserIn(t.Context(), user, i.Practice)
	require.NoError(t, err)
	sealing := archive.Sealing{Passphrase: passphrase}
	require.NoError(t, i.App.Archive.Send(t.Context(), who, sealing, func(archive.Made, io.Reader) error {
		refused := b.Post(archivePath, download(passphrase))
		require.Equal(t, http.StatusConflict, refused.StatusCode)
		require.Contains(t, refused.Body, "A download is under way")
		return nil
	}))
	require.Equal(t, 200, b.Post(archivePath, download(passphrase)).StatusCode, "the other one has ended")
}

// A browser that goes away in the middle of the file leaves neither a file nor a practice that
// can't be downloaded.
func TestABrowserThatGoesAwayLeavesNothingOfADownload(t *testing.T) {
	i := apptest.Start(t)
	user := addUser(i, i.Practice, olive, auth.Admin)
	who, _, err := i.App.Auth.UserIn(t.Context(), user, i.Practice)
	require.NoError(t, err)
	sealing := archive.Sealing{Passphrase: "for this test alone"}
	broken := errors.New("the peer is gone")
	require.ErrorIs(t, i.App.Archive.Send(t.Context(), who, sealing, func(archive.Made, io.Reader) error {
		require.NotEmpty(t, temporary(t, i))
		return broken
	}), broken)
	require.Empty(t, temporary(t, i))
	require.NoError(t, i.App.Archive.Send(t.Context(), who, sealing, func(archive.Made, io.Reader) error { return nil }))
}
