package cli

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"birthregistry/app"
	"birthregistry/app/ops"
	"birthregistry/store"
)

func addUser(t *testing.T, email string, more ...string) ran {
	t.Helper()
	return command(t, "", append([]string{"user", "add", email, "--practice", "1", "--role", "admin"}, more...)...)
}

func passwordFile(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "password")
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

func TestUserAddPrintsOnlyAnInvitation(t *testing.T) {
	path := database(t)
	command(t, "", "practice", "add", "Riverside")
	added := addUser(t, "Olive@Example.org", "--name", "Olive Ånström")
	require.Zero(t, added.code, added.talk)
	require.Regexp(t, `^http://127\.0\.0\.1:8080/invite#[A-Z2-7]{26}\n$`, added.out)
	require.Contains(t, added.talk, "works once")
	require.Contains(t, added.talk, "The address is that of this machine.")
	t.Setenv("REGISTRY_BASE_URL", "https://births.example.org")
	require.NotContains(t, addUser(t, "maren@example.org").talk, "this machine")
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NotContains(t, string(content), strings.TrimSpace(strings.Split(added.out, "#")[1]))

	list := command(t, "", "user", "list").out
	for _, printed := range []string{"olive@example.org", "Olive Ånström", "1:admin", "invited", "never"} {
		require.Contains(t, list, printed)
	}
	again := addUser(t, "olive@example.org")
	require.Equal(t, 1, again.code)
	require.Empty(t, again.out)
	require.Contains(t, again.talk, "belongs to the practice already")
	t.Setenv("REGISTRY_BASE_URL", "https://births.example.org/")
	require.Regexp(t, `^https://births\.example\.org/invite#`, command(t, "", "user", "reset", "olive@example.org").out)
}

func TestUserAddTakesThePasswordFromAFile(t *testing.T) {
	database(t)
	command(t, "", "practice", "add", "Riverside")
	added := addUser(t, "olive@example.org", "--password-file", passwordFile(t, "correct horse battery\r\nmore\n"))
	require.Zero(t, added.code, added.talk)
	require.Empty(t, added.out)
	require.Regexp(t, `^http://127\.0\.0\.1:8080/reset#[A-Z2-7]{26}\n$`, command(t, "", "user", "reset", "olive@example.org").out)
	for content, printed := range map[string]string{
		"too short\n": "15 characters", "\n": "no password", "": "no password",
		strings.Repeat("x", 300): "256 bytes", "vera-the-viewer@example.org": "email address",
	} {
		refused := addUser(t, "vera-the-viewer@example.org", "--password-file", passwordFile(t, content))
		require.Equal(t, 1, refused.code, content)
		require.Contains(t, refused.talk, printed)
		require.NotContains(t, refused.talk, strings.Repeat("x", 20))
	}
	require.Equal(t, 1, addUser(t, "carla@example.org", "--password-file", "/nowhere").code)
}

func TestPW_1_TheCommandSaysWhyItRefusesAPassword(t *testing.T) {
	database(t)
	command(t, "", "practice", "add", "Riverside")
	for bad, printed := range map[string]string{
		"abcabcabcabcabc": "repeats itself", "iloveyou1234567": "many people use this password", "olive@example.org!": "built from the email address",
	} {
		refused := addUser(t, "olive@example.org", "--password-file", passwordFile(t, bad))
		require.Equal(t, 1, refused.code)
		require.Contains(t, refused.talk, printed)
		require.NotContains(t, refused.talk, bad)
	}
}

func TestUserListIsJSONForPrograms(t *testing.T) {
	database(t)
	command(t, "", "practice", "add", "Riverside")
	require.Equal(t, "[]\n", command(t, "", "user", "list", "--json").out)
	addUser(t, "olive@example.org", "--password-file", passwordFile(t, "correct horse battery"))
	out := command(t, "", "user", "list", "--json").out
	require.NotContains(t, out, "argon2")
	var all []map[string]any
	require.NoError(t, json.Unmarshal([]byte(out), &all))
	require.Equal(t, "olive@example.org", all[0]["email"])
	require.Equal(t, false, all[0]["invited"])
	place := all[0]["practices"].([]any)[0].(map[string]any)
	require.NotNil(t, place["accepted_at"])
	delete(place, "accepted_at")
	require.Equal(t, map[string]any{"practice": 1.0, "role": "admin", "disabled_at": nil}, place)
}

func TestUserAddInvitesAUserWhoAlreadyHasAnAccount(t *testing.T) {
	database(t)
	command(t, "", "practice", "add", "Riverside")
	command(t, "", "practice", "add", "Hillside")
	addUser(t, "olive@example.org", "--password-file", passwordFile(t, "correct horse battery"))
	added := command(t, "", "user", "add", "olive@example.org", "--practice", "2", "--role", "viewer")
	require.Regexp(t, `/invite#[A-Z2-7]{26}\n$`, added.out, added.talk)
	require.Contains(t, command(t, "", "user", "list").out, "1:admin, 2:viewer (invited)")
	reset := command(t, "", "user", "reset", "olive@example.org", "--places")
	require.Regexp(t, `/reset#[A-Z2-7]{26}\n$`, reset.out, reset.talk)
	require.Contains(t, command(t, "", "user", "list").out, "1:admin (invited), 2:viewer (invited)")
}

func TestAUserIsDisabledEnabledAndSignedOut(t *testing.T) {
	database(t)
	command(t, "", "practice", "add", "Riverside")
	addUser(t, "olive@example.org", "--password-file", passwordFile(t, "correct horse battery"))
	disabled := command(t, "", "user", "disable", "OLIVE@example.org")
	require.Zero(t, disabled.code, disabled.talk)
	require.Contains(t, disabled.talk, "Practice 1 has no admin now")
	require.Contains(t, command(t, "", "user", "list").out, "disabled")
	refused := command(t, "", "user", "reset", "olive@example.org")
	require.Equal(t, 1, refused.code)
	require.Contains(t, refused.talk, "enable it first")
	require.Zero(t, command(t, "", "user", "enable", "olive@example.org").code)
	require.Contains(t, command(t, "", "user", "list").out, "active")
	require.Contains(t, command(t, "", "user", "end-sessions", "olive@example.org").talk, "0 sessions ended")
	for _, act := range []string{"reset", "disable", "enable", "end-sessions"} {
		nobody := command(t, "", "user", act, "nobody@example.org")
		require.Equal(t, 1, nobody.code, act)
		require.Contains(t, nobody.talk, "no such user")
		require.Equal(t, 2, command(t, "", "user", act, "no address").code, act)
		require.Equal(t, 2, command(t, "", "user", act).code, act)
	}
}

func TestUserAddCalledWronglySaysSo(t *testing.T) {
	database(t)
	command(t, "", "practice", "add", "Riverside")
	require.Equal(t, 2, command(t, "", "user", "add", "olive@example.org", "--practice", "1").code)
	require.Equal(t, 2, command(t, "", "user", "add", "olive@example.org", "--practice", "1", "--role", "queen").code)
	require.Equal(t, 2, command(t, "", "user", "add", "olive@example.org", "--practice", "1", "--role", "operator").code)
	require.Equal(t, 2, addUser(t, "Olive <olive@example.org>").code)
	require.Equal(t, 2, addUser(t, "olive@example.org", "--base-url", "births").code)
	nowhere := command(t, "", "user", "add", "olive@example.org", "--practice", "7", "--role", "admin")
	require.Equal(t, 1, nowhere.code)
	require.Contains(t, nowhere.talk, "no such practice")
	require.NotContains(t, command(t, "", "user", "list").out, "olive", "nothing is left of what failed")
}

func TestAnInvitationBeginsWithTheAddressNamedOnceForEveryCommand(t *testing.T) {
	database(t)
	t.Setenv("REGISTRY_BASE_URL", "https://births.example.org")
	command(t, "", "practice", "add", "Riverside")
	made := command(t, "", "user", "add", "olive@example.org", "--practice", "1", "--role", "admin")
	require.Equal(t, 0, made.code, made.talk)
	require.Regexp(t, "^https://births.example.org/invite#", made.out)
}

func TestUserListNamesEachSecondFactorAndProvider(t *testing.T) {
	path := database(t)
	command(t, "", "practice", "add", "Riverside")
	addUser(t, "olive@example.org", "--password-file", passwordFile(t, "correct horse battery"))
	require.Contains(t, command(t, "", "user", "reset", "olive@example.org").out, "/reset#")
	withPasskeys(t, path, "olive@example.org", 2)
	list := command(t, "", "user", "list").out
	require.Contains(t, list, "SINGLE SIGN-ON")
	require.Regexp(t, `olive@example\.org.* 2 passkeys +Clinic ID +never`, list)
	var all []map[string]any
	require.NoError(t, json.Unmarshal([]byte(command(t, "", "user", "list", "--json").out), &all))
	require.Equal(t, true, all[0]["second_factor"])
	require.Equal(t, false, all[0]["authenticator_app"])
	require.Equal(t, 2.0, all[0]["passkeys"])
	require.Equal(t, []any{"Clinic ID"}, all[0]["single_sign_on"])

	reset := command(t, "", "user", "reset", "olive@example.org")
	require.Contains(t, reset.talk, "The account keeps 2 passkeys, which still sign in. To remove them, use: user reset EMAIL --second-factor")
	reset = command(t, "", "user", "reset", "olive@example.org", "--second-factor")
	require.NotContains(t, reset.talk, "passkey")
	require.Contains(t, command(t, "", "user", "list").out, " no ")
}

// withPasskeys gives a user passkeys and links the account to an identity provider.
func withPasskeys(t *testing.T, path, email string, n int) {
	t.Helper()
	a, err := app.Open(t.Context(), app.Config{Config: ops.Config{DB: path, Existing: true, Log: slog.New(slog.DiscardHandler)}})
	require.NoError(t, err)
	defer func() { require.NoError(t, a.Close()) }()
	require.NoError(t, a.DB.Update(func(tx *store.Tx) error {
		u, err := tx.UserByEmail(email)
		require.NoError(t, err)
		provider, _, err := tx.PutSSOProvider(store.SSOProvider{Name: "Clinic ID", Slug: "clinic", Issuer: "https://id.example.org", ClientID: "registry"})
		require.NoError(t, err)
		for k := range n {
			require.NoError(t, tx.AddPasskey(store.Passkey{User: u.ID, Credential: []byte{byte(k)}, PublicKey: []byte("k"), Name: []byte("n")}))
		}
		return tx.AddSSOLink(provider, []byte("subject"), u.ID)
	}))
}

func TestPracticeSetRequiresASecondFactor(t *testing.T) {
	database(t)
	command(t, "", "practice", "add", "Riverside")
	require.Contains(t, command(t, "", "practice", "list").out, "optional")
	require.Zero(t, command(t, "", "practice", "set", "1", "--second-factor=true").code)
	require.Contains(t, command(t, "", "practice", "list").out, "required")
	require.Contains(t, command(t, "", "practice", "list", "--json").out, `"second_factor_required": true`)
	require.Contains(t, command(t, "", "audit", "export", "--practice", "1").out, "user.second-factor-required")
	require.Zero(t, command(t, "", "practice", "set", "1", "--second-factor=false").code)
	require.Contains(t, command(t, "", "practice", "list").out, "optional")
	require.Equal(t, 1, command(t, "", "practice", "set", "7", "--second-factor=true").code)
}
