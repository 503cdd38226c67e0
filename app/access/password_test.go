package access

import (
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAPasswordHasFifteenCharactersAndNoOtherRule(t *testing.T) {
	const email = "olive@example.org"
	for password, want := range map[string]error{
		"":                      ErrShortPassword,
		"fourteen chars":        ErrShortPassword,
		"fifteen charact":       nil,
		"aaaaaaaaaaaaaaa":       nil,
		"correct horse battery": nil,
		"                   ":   nil,
		"🐴🐴🐴🐴🐴🐴🐴🐴🐴🐴🐴🐴🐴🐴🐴":                                   nil,
		"🐴🐴🐴🐴🐴🐴🐴🐴🐴🐴🐴🐴🐴🐴":                                    ErrShortPassword,
		"e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301": ErrShortPassword, // seven é, fourteen code points
		strings.Repeat("e\u0301", 15):                       nil,
		strings.Repeat("x", 256):                            nil,
		strings.Repeat("x", 257):                            ErrLongPassword,
		"Olive@Example.org":                                 ErrPlainPassword,
		"olive@example.org!":                                ErrPlainPassword,
		"Birth Registry 1":                                  ErrPlainPassword,
		"birth-registry-2026":                               ErrPlainPassword,
		"the birth registry":                                nil,
	} {
		require.ErrorIs(t, CheckPassword(password, email), want, "%q", password)
	}
	require.NoError(t, CheckPassword("123456789012345", "1@2.34"), "an address without letters forbids nothing")
}

func TestAPasswordIsKeptAsAnArgon2idPHCString(t *testing.T) {
	h := newHashing()
	stored, err := h.of("correct horse battery")
	require.NoError(t, err)
	require.Regexp(t, regexp.MustCompile(`^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$`), stored)
	again, err := h.of("correct horse battery")
	require.NoError(t, err)
	require.NotEqual(t, stored, again, "salted")
	for password, want := range map[string]bool{
		"correct horse battery":  true,
		"correct horse batterY":  false,
		"correct horse battery ": false,
		"":                       false,
	} {
		right, err := h.matches(stored, password)
		require.NoError(t, err)
		require.Equal(t, want, right, "%q", password)
		right, err = h.matches(decoy, password)
		require.NoError(t, err)
		require.False(t, right)
	}
	composed, err := h.of("crème brûlée pour tous")
	require.NoError(t, err)
	right, err := h.matches(composed, "cre\u0300me bru\u0302le\u0301e pour tous")
	require.NoError(t, err)
	require.True(t, right, "however the keyboard composes it")
	for _, bad := range []string{"", "x", "$argon2i$v=19$m=19456,t=2,p=1$AAAA$AAAA", phcHead, phcHead + "$", phcHead + "AAAA$AAAA", stored + "x"} {
		_, err := h.matches(bad, "correct horse battery")
		require.Error(t, err, bad)
		require.NotContains(t, err.Error(), "$", "the stored hash is not told")
	}
}

func TestTooManyHashesAtATimeAreToldToWait(t *testing.T) {
	h := newHashing()
	for range hashesAtATime { // all turns are taken
		h.turns <- struct{}{}
	}
	var wg sync.WaitGroup
	for range hashesWaiting + hashesAtATime {
		wg.Go(func() {
			if _, err := h.sum("x", make([]byte, saltSize)); err != nil {
				t.Error(err)
			}
		})
	}
	require.Eventually(t, func() bool { return h.waiting.Load() == hashesWaiting+hashesAtATime }, 10*time.Second, time.Millisecond)
	_, err := h.sum("x", make([]byte, saltSize))
	require.ErrorAs(t, err, new(Wait))
	for range hashesAtATime {
		<-h.turns
	}
	wg.Wait()
	require.Zero(t, h.waiting.Load())
	_, err = h.sum("x", make([]byte, saltSize))
	require.NoError(t, err)
}
