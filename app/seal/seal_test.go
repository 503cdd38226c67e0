package seal

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"filippo.io/age"
	"github.com/klauspost/compress/s2"
	"github.com/stretchr/testify/require"

	"birthregistry/store"
	"birthregistry/store/storetest"
)

// safe is a vault on a real database with its key file.
type safe struct {
	*Vault
	db      *store.DB
	keyFile string
}

func opened(t testing.TB) *safe {
	t.Helper()
	s := database(t)
	vault, made, err := Open(s.db, s.keyFile)
	require.NoError(t, err)
	require.True(t, made)
	require.NoError(t, vault.Ready())
	s.Vault = vault
	return s
}

// box returns the recipient of the installation's own key.
func (s *safe) box() *age.HybridRecipient { return (*s.keys.Load())[0].Recipient() }

// database opens a database that has never been sealed.
func database(t testing.TB) *safe {
	t.Helper()
	path := storetest.Blank(t, filepath.Join(t.TempDir(), "registry.db"), store.Open)
	db, err := store.Open(t.Context(), path)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return &safe{db: db, keyFile: path + ".key"}
}

var place = Place{Practice: 7, Table: "versions", Row: "a/1"}

// contents returns contents of every length at which something changes: around the payload's
// header, the chunks of 64 KiB, and the size from which compression pays.
func contents() map[string][]byte {
	random := rand.NewChaCha8([32]byte{1})
	all := map[string][]byte{}
	const head = digestSize + 1
	for _, n := range []int{
		0, 1, 15, 16, 17, 100, 6000, chunkSize - head - 1, chunkSize - head, chunkSize - head + 1, chunkSize - 1, chunkSize, chunkSize + 1,
		2*chunkSize - head, 2*chunkSize - head + 1, 3*chunkSize - head - 1, 3*chunkSize - head, 192 << 10,
	} {
		noise := make([]byte, n)
		_, _ = random.Read(noise)
		all[fmt.Sprint(n, " random")] = noise
		all[fmt.Sprint(n, " repeated")] = bytes.Repeat([]byte("Amara Okonkwo "), n/14+1)[:n]
	}
	return all
}

func TestASealedValueOpensInItsPlace(t *testing.T) {
	s := opened(t)
	reopened, made, err := Open(s.db, s.keyFile)
	require.NoError(t, err)
	require.False(t, made)
	for name, content := range contents() {
		kept := bytes.Clone(content)
		sealed, err := s.Seal(place, content)
		require.NoError(t, err)
		require.Equal(t, kept, content, "the content is the caller's")
		if len(content) >= 16 {
			require.NotContains(t, string(sealed), string(content[:16]))
		}
		for _, vault := range []*Vault{s.Vault, reopened} {
			got, err := vault.Open(place, sealed)
			require.NoError(t, err, name)
			require.Equal(t, content, append([]byte{}, got...), name)
		}
	}
}

func TestAValueIsOpenedIntoTheMemoryOfTheOneBefore(t *testing.T) {
	s := opened(t)
	var last []byte
	for _, content := range []string{strings.Repeat("a long one ", 100), "short", strings.Repeat("another ", 100), ""} {
		sealed, err := s.Seal(place, []byte(content))
		require.NoError(t, err)
		got, err := s.OpenInto(last, place, sealed)
		require.NoError(t, err)
		require.Equal(t, content, string(got))
		last = got
	}

	buffer := make([]byte, 4000)
	sealed, err := s.Seal(place, bytes.Repeat([]byte("x"), 4000))
	require.NoError(t, err)
	got, err := s.OpenInto(buffer, place, sealed)
	require.NoError(t, err)
	require.Same(t, &buffer[0], &got[0])
}

func TestAgeOpensTheHeaderOfTheEpochFollowedByTheValue(t *testing.T) {
	s := opened(t)
	text, err := os.ReadFile(s.keyFile)
	require.NoError(t, err)
	identities, err := age.ParseIdentities(bytes.NewReader(text))
	require.NoError(t, err)
	forms := map[byte]int{}
	for name, content := range contents() {
		sealed, err := s.Seal(place, content)
		require.NoError(t, err)
		header, err := s.db.Epoch(int64(binary.BigEndian.Uint32(sealed)))
		require.NoError(t, err)
		file := io.MultiReader(bytes.NewReader(header), bytes.NewReader(sealed[4:]))
		plain, err := age.Decrypt(file, identities...)
		require.NoError(t, err, name)
		payload, err := io.ReadAll(plain)
		require.NoError(t, err, name)

		digest := sha256.Sum256([]byte("\x00\x00\x00\x00\x00\x00\x00\x07" + "\x00\x00\x00\x08versions" + "a/1"))
		require.Equal(t, digest[:16], payload[:16])
		forms[payload[16]]++
		got := payload[17:]
		if payload[16] == 1 {
			got, err = s2.Decode(nil, got)
			require.NoError(t, err)
			require.Less(t, len(payload)-17, len(content), "compressed to more than it was")
		}
		require.Equal(t, content, append([]byte{}, got...), name)
	}
	require.Len(t, forms, 2, "plain and compressed")
}

func TestAFileThatAgeWroteOpensHere(t *testing.T) {
	s := opened(t)
	payload := append(place.appendDigest(nil), plainForm)
	payload = append(payload, bytes.Repeat([]byte("x"), 3*chunkSize)...)
	var file bytes.Buffer
	w, err := age.Encrypt(&file, s.box())
	require.NoError(t, err)
	_, err = w.Write(payload)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	header, err := age.ExtractHeader(bytes.NewReader(file.Bytes()))
	require.NoError(t, err)
	id, err := s.db.PutEpoch(header, 0)
	require.NoError(t, err)
	value := append(binary.BigEndian.AppendUint32(nil, uint32(id)), file.Bytes()[len(header):]...)
	got, err := s.Open(place, value)
	require.NoError(t, err)
	require.Equal(t, payload[digestSize+1:], got)
}

func TestSealingAValueTwiceGivesDifferentResults(t *testing.T) {
	s := opened(t)
	seen := map[string]bool{}
	for range 1000 {
		sealed, err := s.Seal(place, []byte("the same"))
		require.NoError(t, err)
		require.False(t, seen[string(sealed[4:20])], "a nonce twice")
		seen[string(sealed[4:20])] = true
	}
}

func TestAnEpochIsUsedForAnHour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := opened(t)
		epoch := func() uint32 {
			require.NoError(t, s.Ready())
			sealed, err := s.Seal(place, []byte("x"))
			require.NoError(t, err)
			_, err = s.Vault.Open(place, sealed)
			require.NoError(t, err)
			return binary.BigEndian.Uint32(sealed)
		}
		first := epoch()
		early, err := s.Seal(place, []byte("early"))
		require.NoError(t, err)
		time.Sleep(time.Hour - time.Second)
		require.Equal(t, first, epoch())
		time.Sleep(time.Second)
		require.Equal(t, first+1, epoch())
		require.Equal(t, first+1, epoch())
		got, err := s.Open(place, early)
		require.NoError(t, err)
		require.Equal(t, "early", string(got))
		_, err = s.db.Epoch(int64(first + 2))
		require.True(t, s.db.Missing(err))
	})
}

func TestManyMaySealAndOpenWhileEpochsChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := opened(t)
		var wg sync.WaitGroup
		for n := range 8 {
			wg.Go(func() {
				content := bytes.Repeat([]byte{byte(n)}, 5000+n)
				for range 20 {
					if err := s.Ready(); err != nil {
						t.Error(err)
						return
					}
					sealed, err := s.Seal(place, content)
					if err != nil {
						t.Error(err)
						return
					}
					got, err := s.Vault.Open(place, sealed)
					if err != nil || !bytes.Equal(content, got) {
						t.Errorf("another's content, or %v", err)
					}
					time.Sleep(20 * time.Minute)
				}
			})
		}
		wg.Wait()
		_, err := s.db.Epoch(7)
		require.NoError(t, err)
		_, err = s.db.Epoch(8)
		require.True(t, s.db.Missing(err), "one epoch an hour, whoever asks")
	})
}
