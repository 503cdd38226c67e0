package auth

import (
	"bytes"
	"crypto/sha256"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/store"
)

func TestTenThousandKeysHaveTheFormAndNeverRepeat(t *testing.T) {
	seen := map[string]bool{}
	used := map[rune]int{}
	for range 10_000 {
		key := newKey()
		require.Regexp(t, `^rgk_[0-9A-Za-z]{38}$`, key)
		require.True(t, IsKey(key))
		require.False(t, seen[key])
		seen[key] = true
		for _, c := range key[len(keyPrefix) : len(keyPrefix)+randomSize] {
			used[c]++
		}
	}
	require.Len(t, used, 62)
	for c, n := range used { // 5161 on average
		require.InDelta(t, 10_000*randomSize/62, n, 500, "%c", c)
	}
}

func TestATypingErrorIsFoundWithoutTheDatabase(t *testing.T) {
	g := opened(t)
	key, _ := g.mint("ingest:write")
	require.NoError(t, g.db.Close()) // from now on, a lookup in the database fails
	_, err := g.Identify(t.Context(), key)
	require.ErrorIs(t, err, store.ErrClosed)
	for i := range key {
		for _, c := range alphabet + "-_ é\x00" {
			if rune(key[i]) == c {
				continue
			}
			_, err := g.Identify(t.Context(), key[:i]+string(c)+key[i+1:])
			require.ErrorIs(t, err, ErrUnknownKey, "character %d as %c", i, c)
		}
		_, err = g.Identify(t.Context(), key[:i]+key[i+1:])
		require.ErrorIs(t, err, ErrUnknownKey, "without character %d", i)
		_, err = g.Identify(t.Context(), key[:i]+"x"+key[i:])
		require.ErrorIs(t, err, ErrUnknownKey, "one more at %d", i)
		if i > 0 && key[i] != key[i-1] {
			_, err = g.Identify(t.Context(), key[:i-1]+key[i:i+1]+key[i-1:i]+key[i+1:])
			require.ErrorIs(t, err, ErrUnknownKey, "characters %d and %d changed places", i-1, i)
		}
	}
	for _, other := range []string{"", "rgk_", "rgk", " " + key, key + " ", key + key, strings.ToUpper(key), strings.Repeat("x", 1<<20)} {
		_, err := g.Identify(t.Context(), other)
		require.ErrorIs(t, err, ErrUnknownKey)
	}
}

func TestAWellFormedKeyThatNobodyMintedIsUnknown(t *testing.T) {
	g := opened(t)
	g.mint("ingest:write")
	for range 100 {
		_, err := g.Identify(t.Context(), newKey())
		require.ErrorIs(t, err, ErrUnknownKey)
	}
}

func TestOnlyTheHashOfAKeyIsStored(t *testing.T) {
	g := opened(t)
	for range 20 {
		key, _ := g.mint("ingest:write", "ingest:read")
		var files []byte
		for _, suffix := range []string{"", "-wal"} {
			content, err := os.ReadFile(g.db.Path() + suffix)
			require.NoError(t, err)
			files = append(files, content...)
		}
		sum := sha256.Sum256([]byte(key))
		require.True(t, bytes.Contains(files, sum[:]), "the hash is what is looked up")
		require.True(t, bytes.Contains(files, []byte(key[:8])), "the prefix is what people know it by")
		for n := 12; n <= len(key); n++ { // shorter beginnings may occur by chance
			require.False(t, bytes.Contains(files, []byte(key[:n])))
		}
		require.False(t, bytes.Contains(files, []byte(key[8:16])))
		require.False(t, bytes.Contains(files, []byte(key[36:])))
	}
}
