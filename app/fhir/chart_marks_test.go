package fhir_test

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"birthregistry/app/fhir"
)

func TestAModifierIsNoticedHoweverItsNameIsWritten(t *testing.T) {
	for resource, want := range map[string]bool{
		`{"modifierExtension":[{"url":"x"}]}`:                     true,
		`{"modifierExtension" : [{"url":"x"}]}`:                   true,
		`{"mod\u0069fierExtension":[{"url":"x"}]}`:                true,
		`{"modifier\u0045xtension":[{"url":"x"}]}`:                true,
		`{"\u0069mplicitRules":"x"}`:                              true,
		`{"implicit\u0052ules":"x"}`:                              true,
		`{"code":{"modifierExtension":[{"url":"x"}]}}`:            true,
		`{"text":{"div":"\u003cp\u003emodifierExtension\u00a0"}}`: false,
		`{"note":"modifierExtension\""}`:                          false,
		`{"modifierExtension":[],"implicitRules":null}`:           false,
	} {
		require.Equal(t, want, (&fhir.Entry{Resource: jsontext.Value(resource)}).Marked(), resource)
	}
}
