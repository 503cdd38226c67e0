package app_test

import (
	"bytes"
	"context"
	"errors"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"birthregistry/app"
	"birthregistry/app/apptest"
	"birthregistry/app/auth"
	"birthregistry/app/ops"
	"birthregistry/app/seal"
	"birthregistry/store"
)

// doctor runs the doctor and returns its findings by the check's name, and the exit code.
func (s *installation) doctor(flags ...string) (map[string]ops.Diagnosis, int) {
	s.t.Helper()
	cmd := exec.Command(s.binary, append([]string{"doctor", "--json", "--db", s.db}, flags...)...)
	var talk bytes.Buffer
	cmd.Stderr = &talk
	out, err := cmd.Output()
	code := 0
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else {
		require.NoError(s.t, err)
	}
	var output struct {
		Healthy bool            `json:"healthy"`
		Checks  []ops.Diagnosis `json:"checks"`
	}
	require.NoError(s.t, json.Unmarshal(out, &output), "%s%s", out, talk.String())
	require.Equal(s.t, output.Healthy, code == 0)
	found := map[string]ops.Diagnosis{}
	for _, d := range output.Checks {
		require.NotContains(s.t, found, d.Check)
		found[d.Check] = d
		if d.State == ops.Problem {
			require.NotEmpty(s.t, d.Fix, "%s has no fix", d.Check)
		}
	}
	return found, code
}

// problems returns the names of the checks that found a problem.
func problems(found map[string]ops.Diagnosis) (names []string) {
	for name, d := range found {
		if d.State == ops.Problem {
			names = append(names, name)
		}
	}
	return names
}

func keyOf(db string) string { return strings.TrimSuffix(db, ".db") + ".key" }

func TestTheDoctorFindsNothingWrongWithAHealthyService(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	s.start()
	defer s.kill()
	found, code := s.doctor("--base-url", "http://"+s.address)
	require.Zero(t, code, "%v", found)
	require.Equal(t, ops.OK, found["process"].State)
	require.Equal(t, ops.OK, found["address"].State)
	require.Equal(t, "spec: Procedure, Condition, Coverage and Location are not read", found["reading"].Found)
	require.Len(t, found, 17)
}

// Each case causes one problem in a healthy installation; the doctor must name that problem
// and no other.
func TestTheDoctorNamesEachProblemWithItsFix(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	s.start()
	_, err := (&load{installation: s}).post(sent{key: "one", body: apptest.Course{Chart: "one"}.Bundle()})
	require.NoError(t, err)
	s.kill()
	s.command("check")
	whole, err := os.ReadFile(s.db)
	require.NoError(t, err)
	key, err := os.ReadFile(keyOf(s.db))
	require.NoError(t, err)
	cases := []struct {
		name    string
		inject  func(t *testing.T, s *installation)
		flags   []string
		problem string // the check that finds it
		fix     string
	}{
		{"the database is gone", func(t *testing.T, s *installation) { require.NoError(t, os.Remove(s.db)) }, nil, "database", "restore"},
		{"others read the key", func(t *testing.T, s *installation) { require.NoError(t, os.Chmod(keyOf(s.db), 0o644)) }, nil, "permissions", "chmod 600"},
		{"others write the folder", func(t *testing.T, s *installation) { require.NoError(t, os.Chmod(filepath.Dir(s.db), 0o777)) }, nil, "permissions", "chmod 700"},
		{"the key is gone", func(t *testing.T, s *installation) { require.NoError(t, os.Remove(keyOf(s.db))) }, nil, "key", "recovery key"},
		{"the key is another's", func(t *testing.T, s *installation) {
			other := newInstallation(t)
			content, err := os.ReadFile(keyOf(other.db))
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(keyOf(s.db), content, 0o600))
		}, nil, "key", "--key-file"},
		{"the key file was emptied", func(t *testing.T, s *installation) { require.NoError(t, os.Truncate(keyOf(s.db), 0)) }, nil, "key", "move it away"},
		{"a folder was named for the key", func(*testing.T, *installation) {}, []string{"--key-file", os.TempDir()}, "key", "name the file"},
		{"a page is damaged", func(t *testing.T, s *installation) { damage(t, s.db) }, nil, "pages", "restore"},
		{"the file is cut short", func(t *testing.T, s *installation) {
			require.NoError(t, os.Truncate(s.db, int64(len(whole)/8192*4096)))
		}, nil, "pages", "restore"},
		{"the file is another", func(t *testing.T, s *installation) {
			require.NoError(t, os.WriteFile(s.db, bytes.Repeat([]byte("no database "), 1000), 0o600))
		}, nil, "pages", "--db"},
		{"the disk is nearly full", func(*testing.T, *installation) {}, []string{"--disk-reserve", "900TiB"}, "disk", "free some space"},
		{"backups are on a disk that is not mounted", func(*testing.T, *installation) {}, []string{"--backup-dir", "/nowhere"}, "backups", "mount"},
		{"a folder has no backup", func(t *testing.T, s *installation) {}, []string{"--backup-dir", t.TempDir()}, "backups", "log"},
		{"nothing answers", func(*testing.T, *installation) {}, []string{"--base-url", "http://127.0.0.1:1"}, "address", "firewall"},
		{"the clock was set back", func(t *testing.T, s *installation) {
			inside(t, s, func(a *app.App) error {
				return a.DB.Update(func(tx *store.Tx) error {
					tx.Now = tx.Now.Add(48 * time.Hour)
					return a.Auth.Note(tx, auth.Operator(store.Practice{}), "test", "")
				})
			})
		}, nil, "clock", "timedatectl"},
		{"an EHR has no client id", func(t *testing.T, s *installation) {
			inside(t, s, func(a *app.App) error {
				return a.DB.Update(func(tx *store.Tx) error {
					_, _, err := tx.PutEHR(store.EHR{Issuer: "https://ehr.example.org/r4", Auth: store.AuthPublic})
					return err
				})
			})
		}, nil, "EHRs", "--client-id"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			folder := t.TempDir()
			require.NoError(t, os.Chmod(folder, 0o700))
			hurt := &installation{t: t, binary: s.binary, db: filepath.Join(folder, "registry.db")}
			require.NoError(t, os.WriteFile(hurt.db, whole, 0o600))
			require.NoError(t, os.WriteFile(keyOf(hurt.db), key, 0o600))
			c.inject(t, hurt)
			before, _ := os.ReadFile(hurt.db) // in one case the file is gone
			found, code := hurt.doctor(c.flags...)
			require.Equal(t, 1, code)
			require.Contains(t, problems(found), c.problem, "%v", found)
			require.Contains(t, found[c.problem].Fix, c.fix)
			after, _ := os.ReadFile(hurt.db)
			require.Equal(t, len(before), len(after), "the doctor changes nothing")
			t.Logf("injected: %s; %s: %s → %s", c.name, c.problem, found[c.problem].Found, found[c.problem].Fix)
		})
	}
}

func TestTheDoctorCountsThePasskeysOfAnotherAddress(t *testing.T) {
	t.Parallel()
	const before = "https://births.example.org"
	i := apptest.Start(t, func(c *app.Config) { c.Web.BaseURL = before })
	_, _, err := i.App.Auth.AddUser(i.Practice, "olive@example.org", "Olive", auth.Admin, secret)
	require.NoError(t, err)
	b := i.Stranger()
	b.Post("/sign-in", url.Values{"email": {"olive@example.org"}, "password": {secret}})
	require.Equal(t, 303, addPasskey(t, b, before, "My phone", secret).StatusCode)
	i.Stop()
	s := &installation{t: t, binary: apptest.Binary(t), db: i.Config.DB}
	found, _ := s.doctor("--base-url", before)
	require.Equal(t, ops.OK, found["passkeys"].State, "%v", found)
	found, _ = s.doctor("--base-url", "https://registry.example.org")
	require.Equal(t, ops.Note, found["passkeys"].State, "%v", found)
	require.Contains(t, found["passkeys"].Found, "1 were added at another address")
	require.Contains(t, found["passkeys"].Fix, "birthregistry user reset EMAIL --second-factor")
	found, _ = s.doctor()
	require.Equal(t, ops.Skipped, found["passkeys"].State, "%v", found)
}

func TestTheDoctorDoesNotContinueAnUpgrade(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	s.start()
	s.pushBirths(3)
	s.stop()
	for _, left := range []struct{ name, statement, count, check string }{ // signing at the end signs what the statements changed
		{"outcomes", "update records set outcome = null", "select count(*) from records where outcome is null", "schema"},
		{"tallies", "update practices set tallied = 0", "select count(*) from practices where tallied = 0", "schema"},
		{"fingerprints", "update records set fingerprinted = null", "select count(*) from records where fingerprinted is null", "schema"},
		{"names", "insert into names_due select id from records", "select count(*) from names_due", "schema"},
		{"signatures", "", "select count(*) from records where mac is null", "key"},
	} {
		if left.statement == "" {
			s.unsign()
		} else {
			behind(t, s.db, left.statement)
		}
		before := s.counted(left.count)
		require.Positive(t, before, left.name)
		found, code := s.doctor()
		require.Zero(t, code, "%s: %v", left.name, found)
		require.Equal(t, ops.Note, found[left.check].State, "%s: %v", left.name, found)
		require.Contains(t, found[left.check].Found, "not finished", left.name)
		require.Equal(t, ops.Skipped, found["integrity"].State, left.name)
		require.Equal(t, before, s.counted(left.count), left.name)
		s.command("practice", "list") // any other command continues it
		require.Zero(t, s.counted(left.count), left.name)
	}
	found, code := s.doctor()
	require.Zero(t, code, "%v", found)
	require.Equal(t, ops.OK, found["schema"].State, "%v", found)
}

func TestTheDoctorCreatesNoKeyForADatabaseWithoutOne(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	s := &installation{t: t, binary: apptest.Binary(t), db: filepath.Join(folder, "registry.db")}
	db, err := store.Open(t.Context(), s.db)
	require.NoError(t, err)
	require.NoError(t, db.Close())
	found, _ := s.doctor()
	require.Equal(t, ops.Note, found["key"].State, "%v", found)
	require.NoFileExists(t, keyOf(s.db))
}

func TestTheDoctorSaysThatARecoveryKeyIsInThePlaceOfTheKeyFile(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	v.Stop()
	s := &installation{t: t, binary: apptest.Binary(t), db: v.Config.DB}
	found, _ := s.doctor("--key-file", v.recovery)
	require.Equal(t, ops.Problem, found["key"].State, "%v", found)
	require.Contains(t, found["key"].Fix, "restore")
	v.Config.KeyFile = v.recovery
	_, err := app.Open(t.Context(), v.Config)
	require.ErrorIs(t, err, seal.ErrRecoveryKey)
}

// If root created files in the service's folder, the doctor advises giving them to the
// service, not giving the folder to root.
func TestTheDoctorAdvisesToGiveFilesToTheOwnerOfTheFolder(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root gives files away")
	}
	s := newInstallation(t)
	folder := filepath.Dir(s.db)
	require.NoError(t, os.Chown(folder, 65534, 65534))
	require.NoError(t, os.Chown(s.db+".lock", 65534, 65534))
	found, code := s.doctor()
	require.Equal(t, 1, code)
	require.Equal(t, "chown --reference="+folder+" "+s.db, found["permissions"].Fix, "%v", found)
	require.NoError(t, exec.Command("sh", "-c", found["permissions"].Fix).Run())
	found, _ = s.doctor()
	require.Equal(t, ops.OK, found["permissions"].State, "%v", found)
}

func TestOnADiskWithoutAByteLeftEveryCommandNamesTheDisk(t *testing.T) {
	t.Parallel()
	folder := mounted(t, 24, "tmpfs")
	s := newInstallationIn(t, folder)
	free := ballast(t, folder, 0)
	out, err := exec.Command(s.binary, "practice", "list", "--db", s.db).CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "the disk is full")
	found, _ := s.doctor()
	require.Equal(t, []string{"disk"}, problems(found), "%v", found)
	free()
	s.command("practice", "list")
}

func TestOnADiskThatIsReadOnlyTheDoctorNamesTheDiskAlone(t *testing.T) {
	t.Parallel()
	folder := mounted(t, 24, "tmpfs")
	s := newInstallationIn(t, folder)
	for _, how := range []string{"ro", "rw"} {
		out, err := exec.Command("mount", "-o", "remount,"+how, folder).CombinedOutput()
		require.NoError(t, err, "%s", out)
		found, _ := s.doctor("--disk-reserve", "1MiB")
		if how == "ro" {
			require.Equal(t, []string{"disk"}, problems(found), "%v", found)
			require.Contains(t, found["disk"].Fix, "remount,rw")
		} else {
			require.Empty(t, problems(found), "%v", found)
		}
	}
}

func TestTheDoctorNamesAProxyThatTheServiceDoesNotTrust(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	proxy := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(&url.URL{Scheme: "http", Host: s.address})
		r.SetXForwarded()
	}})
	defer proxy.Close()
	for trusted, state := range map[string]string{"192.0.2.0/24": ops.Note, "127.0.0.1/32": ops.OK} {
		s.start("--trusted-proxies", trusted)
		found, code := s.doctor("--base-url", proxy.URL, "--trusted-proxies", trusted)
		s.kill()
		require.Zero(t, code)
		require.Equal(t, state, found["address"].State, "%s: %v", trusted, found["address"])
		require.Equal(t, state == ops.Note, strings.Contains(found["address"].Fix, "--trusted-proxies"))
	}
}

func TestTheDoctorNamesAFeedThatDoesNotAdvance(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	s.launch("--workers", "0")
	defer s.kill()
	require.Eventually(t, s.healthy, patience, time.Millisecond)
	_, err := (&load{installation: s}).post(sent{key: "one", body: apptest.Course{Chart: "one"}.Bundle()})
	require.NoError(t, err)
	time.Sleep(1100 * time.Millisecond)
	found, code := s.doctor("--stale-after", "1s")
	require.Equal(t, 1, code)
	require.Equal(t, []string{"feed"}, problems(found))
}

// inside opens an installation in this process.
func inside(t *testing.T, s *installation, do func(*app.App) error) {
	t.Helper()
	a, err := app.Open(context.Background(), app.Defaults(s.db))
	require.NoError(t, err)
	require.NoError(t, errors.Join(do(a), a.Close()))
}

// damage overwrites a page in the middle of a database.
func damage(t *testing.T, path string) {
	t.Helper()
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	const page = 4096
	for at := len(content) / page / 2 * page; at < len(content); at += page {
		for n := range 8 {
			content[at+n] ^= 0xff
		}
	}
	require.NoError(t, os.WriteFile(path, content, 0o600))
}

func TestHealthAndTheDoctorAskAServiceWithItsOwnCertificateOverTLS(t *testing.T) {
	s := newInstallation(t)
	a, _ := s.startSecure(t)
	defer s.kill()
	trusted := filepath.Join(t.TempDir(), "authority.pem")
	require.NoError(t, os.WriteFile(trusted, a.trust(), 0o600))
	t.Setenv("SSL_CERT_FILE", trusted)
	t.Setenv("REGISTRY_TLS_CERT", "the certificate of serve")
	t.Setenv("REGISTRY_LISTEN", s.address)
	require.Equal(t, "pass", s.command("health"))
	found, _ := s.doctor()
	require.Equal(t, ops.Diagnosis{Check: "service", State: ops.OK, Found: "https://" + s.address + " answers"}, found["service"])
}
