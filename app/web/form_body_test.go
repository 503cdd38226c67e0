package web_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
)

func TestAFormThatIsTooLargeIsRefusedWhole(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Provider)
	large := url.Values{"q": {strings.Repeat("x", 65<<10)}}
	require.Equal(t, 413, b.Post("/registry/records/search", large).StatusCode)
	form := openForm(t, b, birthOf("Okonkwo"))
	form.Set("mother_given_names", strings.Repeat("x", 257<<10))
	require.Equal(t, 400, b.Post("/registry/capture", form).StatusCode)
	require.Equal(t, 0, i.Count())
}
