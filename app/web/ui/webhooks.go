package ui

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/labstack/echo/v4"

	"birthregistry/app/web/pages"
	"birthregistry/app/web/session"
	"birthregistry/app/webhooks"
	"birthregistry/store"
	"birthregistry/views"
)

// WebhookPath is the route of the page with an API key's webhook.
const WebhookPath = KeysPath + "/:key/webhook"

func webhookPath(key int64) string { return fmt.Sprintf("%s/%d/webhook", KeysPath, key) }

const deliveriesShown = 50

func (h *Keys) GetWebhook(c echo.Context) error {
	return h.webhookPage(c, http.StatusOK, nil)
}

// webhookPage shows the webhook of the API key in the path. If the form was refused, typed is the
// address that the user typed, and the page shows it. Otherwise typed is nil.
func (h *Keys) webhookPage(c echo.Context, status int, typed *string, mistakes ...views.Mistake) error {
	key, err := h.keyInForce(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	set, err := h.webhooks.Of(ctx, key.Practice, key.ID)
	if err != nil {
		return err
	}
	all, err := h.webhooks.Deliveries(ctx, key.Practice, key.ID, deliveriesShown+1)
	if err != nil {
		return err
	}
	page := views.Webhook{
		Key: key.ID, Label: key.Label, On: set.On, Damaged: set.On && set.Address == "", SetAt: set.SetAt, More: len(all) > deliveriesShown,
		SendsTo: set.Address,
		Address: views.Input{
			Name: "address", Label: "Address of the other system", Hint: "Such as https://ehr.example.org/hooks/birthregistry", Value: set.Address,
		},
	}
	if page.On {
		page.Address.Hint = "A new address comes with a new secret, and the current secret stops working."
	}
	if typed != nil {
		page.Address.Value = *typed
	}
	for _, d := range all[:min(len(all), deliveriesShown)] {
		page.Deliveries = append(page.Deliveries, views.DeliveryRow{
			Ingestion: d.Ingestion, Path: pages.IngestionsPath + "/" + d.Ingestion, Status: string(d.Status), EndedAt: d.EndedAt,
			Waiting: d.State == store.DeliveryWaiting, Delivered: d.State == store.Delivered,
			Attempts: d.Attempts, TriedAt: d.TriedAt, DueAt: d.DueAt, Answer: d.Answer, Problem: webhooks.Problems[d.Problem],
		})
	}
	return h.Render(c, status, "Webhook", views.WebhookPage(page), mistakes...)
}

// webhookSecret returns the session's key for the new secret of a webhook. key is the ID of the
// webhook's API key. The session holds the secret until a page has shown it once.
func webhookSecret(key int64) string { return fmt.Sprint("webhook-secret-", key) }

// PostWebhook sets the address of an API key's webhook. A separate page then shows the webhook's
// secret once.
func (h *Keys) PostWebhook(c echo.Context) error {
	key, err := h.keyInForce(c)
	if err != nil {
		return err
	}
	typed := pages.Posted(c).Get("address")
	status, mistakes, err := confirmAccess(c, h.Pages, h.auth, "password", webhookPath(key.ID))
	if err != nil {
		return err
	}
	if status != 0 {
		return h.webhookPage(c, status, &typed, mistakes...)
	}
	secret, err := h.webhooks.Set(session.User(c), key.ID, typed)
	if errors.Is(err, webhooks.ErrBadAddress) {
		return h.webhookPage(c, http.StatusUnprocessableEntity, &typed, views.Mistake{
			Name: "address", Text: "Enter an address that begins with https:// and has no user name and no #, in at most 500 characters.",
		})
	}
	if err != nil {
		return err
	}
	h.Sessions.Put(c.Request().Context(), webhookSecret(key.ID), secret)
	return c.Redirect(http.StatusSeeOther, webhookPath(key.ID)+"/secret")
}

// GetWebhookSecret shows the new secret of a webhook once: it removes the secret from the session.
func (h *Keys) GetWebhookSecret(c echo.Context) error {
	key, err := h.keyInForce(c)
	if err != nil {
		return err
	}
	secret := h.Sessions.PopString(c.Request().Context(), webhookSecret(key.ID))
	return h.Render(c, http.StatusOK, "New webhook secret", views.WebhookSecret(secret, key.ID, key.Label))
}

func (h *Keys) PostWebhookOff(c echo.Context) error {
	key, err := h.keyInForce(c)
	if err != nil {
		return err
	}
	if err := h.webhooks.End(session.User(c), key.ID); err != nil {
		return err
	}
	return h.Done(c, webhookPath(key.ID), "The webhook is off.")
}

// PostSendAgain makes a webhook send its message about an ingestion again.
func (h *Keys) PostSendAgain(c echo.Context) error {
	key, err := h.keyInForce(c)
	if err != nil {
		return err
	}
	if err := h.webhooks.SendAgain(session.User(c), key.ID, pages.Posted(c).Get("ingestion")); err != nil {
		return err
	}
	return h.Done(c, webhookPath(key.ID), "The message will be sent again in a moment.")
}
