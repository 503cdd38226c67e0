package web

import (
	"errors"
	"net/http"
	"slices"
	"strconv"

	"github.com/labstack/echo/v4"

	"birthregistry/app/auth"
	"birthregistry/store"
	"birthregistry/views"
)

const (
	keysPath   = settingsPath + "/keys"
	mintedPath = keysPath + "/minted"
)

func (h *Keys) getSettings(c echo.Context) error {
	return h.settingsPage(c, http.StatusOK, keyForm{})
}

// keyForm is the form to mint a key as it was typed, with what is wrong.
type keyForm struct {
	label    string
	scopes   []string
	mistakes []views.Mistake
}

// settingsPage shows the practice and, in the beta only, its keys (spec,
// "Authentication" 4: otherwise the section is not shown).
func (h *Keys) settingsPage(c echo.Context, status int, form keyForm) error {
	who := person(c)
	page := views.Settings{
		Practice: who.Practice.Name, Sandbox: who.Practice.Sandbox, TimeZone: who.Practice.TimeZone, Base: h.site.BaseURL,
		Reading: h.intake.Reading().About(),
	}
	if who.Practice.EHRBeta {
		all, err := h.auth.Keys(c.Request().Context(), who.Practice.ID)
		if err != nil {
			return err
		}
		page.Keys = keysSection(who, all, form)
	}
	return h.render(c, status, "Settings", views.SettingsPage(page))
}

func keysSection(who auth.User, all []store.APIKey, form keyForm) *views.Keys {
	k := &views.Keys{
		MayMint: who.May(auth.KeyMint), MayRevoke: who.May(auth.KeyRevoke), Mistakes: form.mistakes,
		Label: views.Input{
			Name: "label", Label: "What is it for?", Hint: "The name of the other system, for example.", Value: form.label,
			Error: views.MistakeOf(form.mistakes, "label"), Width: "m",
		},
		Scopes: views.Input{Name: "scope", Label: "What may it do?", Error: views.MistakeOf(form.mistakes, "scope")},
		Choices: []views.Choice{
			{Value: string(auth.IngestWrite), Label: "Push births", Hint: string(auth.IngestWrite)},
			{Value: string(auth.IngestRead), Label: "Read receipts", Hint: string(auth.IngestRead)},
		},
	}
	for i := range k.Choices {
		k.Choices[i].Chosen = slices.Contains(form.scopes, k.Choices[i].Value)
	}
	inForce := 0
	for _, key := range slices.Backward(all) {
		if key.RevokedAt == nil {
			inForce++
		}
		k.Rows = append(k.Rows, keyRow(key))
	}
	k.Full = inForce >= auth.MaxKeys
	return k
}

func keyRow(k store.APIKey) views.KeyRow {
	return views.KeyRow{
		ID: k.ID, Label: k.Label, Prefix: k.Prefix, Scopes: k.Scopes, MintedBy: k.MintedBy,
		MintedAt: k.CreatedAt, UsedAt: k.LastUsedAt, RevokedAt: k.RevokedAt,
	}
}

// What the session holds of a key between its minting and its one showing. The
// session is sealed where it is kept, and the showing takes it out.
const (
	mintedKey   = "minted"
	mintedLabel = "minted-label"
)

// postKey mints a key and shows it once, on a page of its own, so that neither
// a reload nor the way back mints or shows it again. The password is not asked
// for again: a key reads no record, everybody of the practice sees it in the
// list, and the trail says who made it.
func (h *Keys) postKey(c echo.Context) error {
	form, err := smallForm(c)
	if err != nil {
		return err
	}
	typed := keyForm{label: form.Get("label"), scopes: form["scope"]}
	key, minted, err := h.auth.MintKey(person(c), typed.label, typed.scopes)
	switch {
	case errors.Is(err, auth.ErrBadLabel):
		typed.mistakes = []views.Mistake{{Name: "label", Text: "Say in 1 to 60 characters what the key is for"}}
	case errors.Is(err, auth.ErrNoScope):
		typed.mistakes = []views.Mistake{{Name: "scope", Text: "Choose what the key may do"}}
	case errors.Is(err, auth.ErrNoBeta):
		return noPage // as if the section were not there, which it is not
	case errors.Is(err, auth.ErrTooManyKeys):
		h.sessions.flash(c, "No key was made: the practice has as many as it may.")
		return c.Redirect(http.StatusSeeOther, settingsPath)
	case err != nil:
		return err
	}
	if len(typed.mistakes) > 0 {
		return h.settingsPage(c, http.StatusUnprocessableEntity, typed)
	}
	ctx := c.Request().Context()
	h.sessions.Put(ctx, mintedKey, key)
	h.sessions.Put(ctx, mintedLabel, minted.Label)
	return c.Redirect(http.StatusSeeOther, mintedPath)
}

// getMinted shows the key that was just minted, and forgets it.
func (h *Keys) getMinted(c echo.Context) error {
	ctx := c.Request().Context()
	key, label := h.sessions.PopString(ctx, mintedKey), h.sessions.PopString(ctx, mintedLabel)
	return h.render(c, http.StatusOK, "New API key", views.MintedKey(key, label))
}

// keyInForce finds the key that the path names among those in force.
func (h *Keys) keyInForce(c echo.Context) (store.APIKey, error) {
	id, err := strconv.ParseInt(c.Param("key"), 10, 64)
	if err != nil {
		return store.APIKey{}, noPage
	}
	all, err := h.auth.Keys(c.Request().Context(), person(c).Practice.ID)
	if err != nil {
		return store.APIKey{}, err
	}
	at := slices.IndexFunc(all, func(k store.APIKey) bool { return k.ID == id && k.RevokedAt == nil })
	if at < 0 {
		return store.APIKey{}, noPage
	}
	return all[at], nil
}

func (h *Keys) getRevoke(c echo.Context) error {
	key, err := h.keyInForce(c)
	if err != nil {
		return err
	}
	return h.render(c, http.StatusOK, "Revoke an API key", views.RevokeKey(keyRow(key)))
}

func (h *Keys) postRevoke(c echo.Context) error {
	key, err := h.keyInForce(c)
	if err != nil {
		return err
	}
	if err := h.auth.RevokeKey(person(c), key.ID); errors.Is(err, store.ErrNotFound) {
		return noPage
	} else if err != nil {
		return err
	}
	h.sessions.flash(c, "“"+key.Label+"” is revoked. The next request with it is refused.")
	return c.Redirect(http.StatusSeeOther, settingsPath)
}
