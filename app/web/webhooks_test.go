package web_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app"
	"birthregistry/app/apptest"
	"birthregistry/app/auth"
	"birthregistry/store/storetest"
)

func TestAPracticeSetsAWebhookSeesItsDeliveriesAndSendsOneAgain(t *testing.T) {
	t.Parallel()
	var received atomic.Int32
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { received.Add(1) }))
	defer receiver.Close()
	i := apptest.Start(t, func(c *app.Config) { c.Webhooks.Loopback = true })
	b := i.SignIn(i.Practice, auth.Provider)
	at := fmt.Sprintf("/registry/settings/keys/%d/webhook", keysOf(t, i, i.Practice)[0].ID)
	listed := b.Get("/registry/settings").Body
	require.Contains(t, listed, at)
	require.Contains(t, listed, "Webhook: off")
	require.Contains(t, b.Get(at).Body, "It is off.")

	refused := b.Post(at, url.Values{"address": {"http://ehr.example.org/<x>"}})
	require.Equal(t, 422, refused.StatusCode)
	require.Contains(t, refused.Body, "Enter an address that begins with https://")
	require.Contains(t, refused.Body, "http://ehr.example.org/&lt;x&gt;")

	set := b.Post(at, url.Values{"address": {receiver.URL}})
	require.Equal(t, 303, set.StatusCode)
	require.Equal(t, at+"/secret", set.Header.Get("Location"))
	secret := regexp.MustCompile(`whsec_[^"<]+`)
	require.Regexp(t, secret, b.Get(at+"/secret").Body)
	require.NotRegexp(t, secret, b.Get(at+"/secret").Body, "it is shown once")
	require.Contains(t, b.Get("/registry/settings").Body, "Webhook: on")
	require.Contains(t, i.SignIn(i.Practice, auth.Viewer).Get("/registry/settings").Body, "Webhook: on")
	page := b.Get(at).Body
	require.Contains(t, page, "it sends to <code>"+receiver.URL+"</code>", "the whole address, however long")
	require.Contains(t, page, "Nothing has been sent in the last 7 days.")
	require.NotRegexp(t, secret, page)

	id := i.Receipt(i.Post(apptest.Course{}.Bundle())).ID
	delivered := func(n int32) {
		require.Eventually(t, func() bool {
			return received.Load() == n && strings.Contains(b.Get(at).Body, "Delivered")
		}, time.Minute, 20*time.Millisecond)
	}
	delivered(1)
	require.Contains(t, b.Get(at).Body, "/registry/ingestions/"+id)
	require.Equal(t, 303, b.Post(at+"/again", url.Values{"ingestion": {id}}).StatusCode)
	require.NotContains(t, b.Get(at).Body, "0 attempts", "it begins anew")
	delivered(2)
	require.Equal(t, 404, b.Post(at+"/again", url.Values{"ingestion": {"another"}}).StatusCode)

	require.Equal(t, 303, b.Post(at+"/off", nil).StatusCode)
	require.Equal(t, 404, b.Post(at+"/off", nil).StatusCode)
	page = b.Get(at).Body
	require.Contains(t, page, "It is off.")
	require.NotContains(t, page, receiver.URL)
	require.NotContains(t, page, "Send again")
	i.Receipt(i.Post(apptest.Course{Chart: "2"}.Bundle()))
	require.Equal(t, 1, strings.Count(b.Get(at).Body, "/registry/ingestions/"), "nothing more is reported")
}

func TestAWebhookThatCannotBeReadIsSetAgainOnItsPage(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Admin)
	at := fmt.Sprintf("/registry/settings/keys/%d/webhook", keysOf(t, i, i.Practice)[0].ID)
	address := url.Values{"address": {"https://ehr.example.org/hooks"}}
	require.Equal(t, 303, b.Post(at, address).StatusCode)
	storetest.Exec(t, i.Config.DB, `update webhooks set sealed = x'00'`)
	page := b.Get(at)
	require.Equal(t, 200, page.StatusCode)
	require.Contains(t, page.Body, "cannot be read, so nothing is sent. Set it again.")
	require.Equal(t, 303, b.Post(at, address).StatusCode)
	require.Contains(t, b.Get(at).Body, "https://ehr.example.org/hooks")
	i.Logs("a webhook is damaged")
}
