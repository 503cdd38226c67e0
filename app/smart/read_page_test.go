package smart

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestANULInATextLosesNothingButItself(t *testing.T) {
	for sent, read := range map[string]string{
		`{"a":"x\u0000y"}`:       `{"a":"xy"}`,
		`{"a":"\u0000"}`:         `{"a":""}`,
		`{"a":"x\\u0000y"}`:      `{"a":"x\\u0000y"}`,
		`{"a":"x\\\u0000y"}`:     `{"a":"x\\y"}`,
		`{"a\u0000":1}`:          `{"a":1}`,
		"\uFEFF" + `{"a":"\\"}`:  `{"a":"\\"}`,
		`{"a":"\u00000 \u0001"}`: `{"a":"0 \u0001"}`,
	} {
		got, err := sound([]byte(sent))
		require.NoError(t, err, sent)
		require.Equal(t, read, string(got))
	}
	for _, sent := range []string{`{"a":"\`, `{"a":1,"a\u0000":2}`, "{\"a\":\"\x00\"}", `{"a":"\u000"}`} {
		_, err := sound([]byte(sent))
		require.ErrorIs(t, err, errUnreadable, sent)
	}
}
