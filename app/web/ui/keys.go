package ui

import (
	"errors"
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"birthregistry/app/auth"
	"birthregistry/app/ingest"
	"birthregistry/app/web/pages"
	"birthregistry/app/web/session"
	"birthregistry/app/webhooks"
	"birthregistry/store"
	"birthregistry/views"
)

const (
	KeysPath   = pages.SettingsPath + "/keys"
	MintedPath = KeysPath + "/minted"
)

type Keys struct {
	*pages.Pages
	auth     *auth.Service
	ingest   *ingest.Service
	webhooks *webhooks.Service
}

func (h *Keys) GetSettings(c echo.Context) error {
	return h.settingsPage(c, http.StatusOK, keyForm{})
}

// keyForm is the form that creates an API key, as the user filled it in.
type keyForm struct {
	label  string
	scopes []string
}

// settingsPage shows the practice's settings. It includes the API keys if the practice is in the
// beta for partner EHRs (spec, "Authentication" 4), and as long as a key is in force that was created
// before the operator ended the beta: the practice must be able to revoke it.
func (h *Keys) settingsPage(c echo.Context, status int, form keyForm, mistakes ...views.Mistake) error {
	who := session.User(c)
	page := views.PracticeSettings{
		Practice: who.Practice.Name, Sandbox: who.Practice.Sandbox, TimeZone: who.Practice.TimeZone, Base: h.Environment.BaseURL,
		SecondFactor: who.Practice.SecondFactor, MayRequire: who.May(auth.UserManage), Reading: h.ingest.Reading().About(), MayAsk: who.May(auth.KeyMint) && !who.Practice.EHRBeta,
	}
	all, err := h.auth.Keys(c.Request().Context(), who.Practice.ID)
	if err != nil {
		return err
	}
	if who.Practice.EHRBeta || keysInForce(all) > 0 {
		hooks, err := h.webhooks.On(c.Request().Context(), who.Practice.ID)
		if err != nil {
			return err
		}
		page.Keys = keysSection(who, all, hooks, form)
	}
	return h.Render(c, status, "Settings", views.SettingsPage(page), mistakes...)
}

// keysSection makes the section of the API keys. hooks are the keys whose webhook is on.
func keysSection(who auth.User, all []store.APIKey, hooks []int64, form keyForm) *views.Keys {
	k := &views.Keys{
		MayMint: who.May(auth.KeyMint) && who.Practice.EHRBeta, MayHook: who.May(auth.KeyMint), MayRevoke: who.May(auth.KeyRevoke),
		Full:   keysInForce(all) >= auth.MaxKeys,
		Label:  views.Input{Name: "label", Label: "What is it for?", Hint: "The name of the other system, for example.", Value: form.label, Width: "m"},
		Scopes: views.Input{Name: "scope", Label: "What may it do?"},
		Choices: []views.Choice{
			{Value: string(auth.IngestWrite), Label: "Push births", Hint: string(auth.IngestWrite)},
			{Value: string(auth.IngestRead), Label: "Read receipts", Hint: string(auth.IngestRead)},
		},
	}
	for i := range k.Choices {
		k.Choices[i].Chosen = slices.Contains(form.scopes, k.Choices[i].Value)
	}
	for _, key := range slices.Backward(all) {
		row := keyRow(key)
		row.Webhook = slices.Contains(hooks, key.ID)
		k.Rows = append(k.Rows, row)
	}
	return k
}

func keysInForce(all []store.APIKey) (n int) {
	for _, key := range all {
		if key.RevokedAt == nil {
			n++
		}
	}
	return n
}

func keyRow(k store.APIKey) views.KeyRow {
	return views.KeyRow{
		ID: k.ID, Label: k.Label, Prefix: k.Prefix, Scopes: k.Scopes, MintedBy: k.MintedBy,
		MintedAt: k.CreatedAt, UsedAt: k.LastUsedAt, RevokedAt: k.RevokedAt,
	}
}

// These are the session's keys for a new API key and its label. The session is stored sealed. When
// a page has shown the API key once, both are removed from the session.
const (
	mintedKey   = "minted"
	mintedLabel = "minted-label"
)

// PostKey creates an API key. A separate page shows the key once, so neither reloading nor going
// back creates or shows the key again.
func (h *Keys) PostKey(c echo.Context) error {
	form := pages.Posted(c)
	typed := keyForm{label: form.Get("label"), scopes: form["scope"]}
	status, mistakes, err := confirmAccess(c, h.Pages, h.auth, "password", pages.SettingsPath)
	if err != nil {
		return err
	}
	if status != 0 {
		return h.settingsPage(c, status, typed, mistakes...)
	}
	key, minted, err := h.auth.MintKey(session.User(c), typed.label, typed.scopes)
	if mistakes = keyMistakes(err); len(mistakes) > 0 {
		return h.settingsPage(c, http.StatusUnprocessableEntity, typed, mistakes...)
	}
	switch {
	case errors.Is(err, auth.ErrNoBeta):
		return pages.ErrNotFound // outside the beta, this page doesn't exist
	case errors.Is(err, auth.ErrTooManyKeys):
		return h.Done(c, pages.SettingsPath, "No key was created: the practice has reached its limit of API keys. Revoke one first.")
	case err != nil:
		return err
	}
	ctx := c.Request().Context()
	h.Sessions.Put(ctx, mintedKey, key)
	h.Sessions.Put(ctx, mintedLabel, minted.Label)
	return c.Redirect(http.StatusSeeOther, MintedPath)
}

// keyMistakes returns a message for each thing that is wrong with a new key, in the order of the
// form.
func keyMistakes(err error) (all []views.Mistake) {
	if errors.Is(err, auth.ErrBadLabel) {
		all = append(all, views.Mistake{Name: "label", Text: "Say in 1 to 60 characters what the key is for."})
	}
	if errors.Is(err, auth.ErrNoScope) {
		all = append(all, views.Mistake{Name: "scope", Text: "Choose what the key may do."})
	}
	return all
}

// GetMinted shows the new key and removes it from the session.
func (h *Keys) GetMinted(c echo.Context) error {
	ctx := c.Request().Context()
	key, label := h.Sessions.PopString(ctx, mintedKey), h.Sessions.PopString(ctx, mintedLabel)
	return h.Render(c, http.StatusOK, "New API key", views.MintedKey(key, label))
}

// keyInForce returns the API key whose ID is in the path. If the key is revoked or doesn't exist,
// keyInForce returns pages.ErrNotFound.
func (h *Keys) keyInForce(c echo.Context) (store.APIKey, error) {
	all, err := h.auth.Keys(c.Request().Context(), session.User(c).Practice.ID)
	if err != nil {
		return store.APIKey{}, err
	}
	at := slices.IndexFunc(all, func(k store.APIKey) bool { return k.ID == idParam(c, "key") && k.RevokedAt == nil })
	if at < 0 {
		return store.APIKey{}, pages.ErrNotFound
	}
	return all[at], nil
}

func (h *Keys) GetRevoke(c echo.Context) error {
	key, err := h.keyInForce(c)
	if err != nil {
		return err
	}
	return h.Render(c, http.StatusOK, "Revoke an API key", views.RevokeKey(keyRow(key)))
}

func (h *Keys) PostRevoke(c echo.Context) error {
	key, err := h.keyInForce(c)
	if err != nil {
		return err
	}
	if err := h.auth.RevokeKey(session.User(c), key.ID); err != nil {
		return err
	}
	return h.Done(c, pages.SettingsPath, "“"+key.Label+"” is revoked. The next request with it is refused.")
}
