package seal

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"

	"filippo.io/age"
	"github.com/stretchr/testify/require"
)

func TestMovedCiphertextDoesNotOpen(t *testing.T) {
	s := opened(t)
	sealed, err := s.Seal(place, []byte("Amara"))
	require.NoError(t, err)
	for _, elsewhere := range []Place{
		{Practice: 8, Table: place.Table, Row: place.Row},
		{Practice: 0, Table: place.Table, Row: place.Row},
		{Practice: -7, Table: place.Table, Row: place.Row},
		{Practice: 7, Table: "buffers", Row: place.Row},
		{Practice: 7, Table: place.Table, Row: "a/2"},
		{Practice: 7, Table: place.Table, Row: ""},
		{Practice: 7, Table: "version", Row: "sa/1"}, // the same letters
		{Practice: 7, Table: "versionsa", Row: "/1"},
		{Practice: 7, Table: "", Row: place.Table + place.Row},
		{},
	} {
		got, err := s.Open(elsewhere, sealed)
		require.ErrorIs(t, err, ErrSealed, "%v", elsewhere)
		require.Nil(t, got)
	}
}

func TestEveryChangedByteIsDetected(t *testing.T) {
	s := opened(t)
	for _, content := range []string{"", "Amara Okonkwo", strings.Repeat("Amara ", 50)} {
		sealed, err := s.Seal(place, []byte(content))
		require.NoError(t, err)
		for i := range sealed {
			for _, flip := range []byte{0x01, 0x80, 0xff} {
				changed := slices.Clone(sealed)
				changed[i] ^= flip
				_, err := s.Open(place, changed)
				require.ErrorIs(t, err, ErrSealed, "byte %d", i)
			}
		}
	}
}

func TestAValueThatIsCutOffOrExtendedDoesNotOpen(t *testing.T) {
	s := opened(t)
	for name, content := range contents() {
		sealed, err := s.Seal(place, content)
		require.NoError(t, err)
		lengths := []int{0, 1, 4, 19, 20, 21, 36, len(sealed) - 17, len(sealed) - 16, len(sealed) - 1}
		for n := 20; n < len(sealed); n += chunkSize + tagSize { // at the ends of whole chunks
			lengths = append(lengths, n)
		}
		for _, n := range lengths {
			if n >= len(sealed) || n < 0 {
				continue
			}
			_, err := s.Open(place, sealed[:n])
			require.ErrorIs(t, err, ErrSealed, "%s cut to %d of %d", name, n, len(sealed))
		}
		for _, more := range []int{1, 16, 17, chunkSize + tagSize} {
			_, err := s.Open(place, append(slices.Clone(sealed), make([]byte, more)...))
			require.ErrorIs(t, err, ErrSealed, "%s longer by %d", name, more)
		}
	}
	_, err := s.Open(place, nil)
	require.ErrorIs(t, err, ErrSealed)
}

func TestChunksOfALargeValueCannotBeSwapped(t *testing.T) {
	s := opened(t)
	sealed, err := s.Seal(place, contents()["196608 random"])
	require.NoError(t, err)
	const chunk = chunkSize + tagSize
	body := sealed[20:]
	swapped := slices.Concat(sealed[:20], body[chunk:2*chunk], body[:chunk], body[2*chunk:])
	require.Len(t, swapped, len(sealed))
	_, err = s.Open(place, swapped)
	require.ErrorIs(t, err, ErrSealed)
	_, err = s.Open(place, slices.Concat(sealed[:20], body[:chunk], body[2*chunk:]))
	require.ErrorIs(t, err, ErrSealed, "one left out")
}

func TestAValueUnderAnotherEpochDoesNotOpen(t *testing.T) {
	s := opened(t)
	sealed, err := s.Seal(place, []byte("Amara"))
	require.NoError(t, err)
	header, err := wrap(make([]byte, fileKeySize), []*age.HybridRecipient{s.box()})
	require.NoError(t, err)
	other, err := s.db.PutEpoch(header, 0)
	require.NoError(t, err)
	for _, id := range []uint32{uint32(other), 0, 77, 1<<32 - 1} {
		binary.BigEndian.PutUint32(sealed, id)
		_, err = s.Open(place, sealed)
		require.ErrorIs(t, err, ErrSealed)
	}
}

func TestASealedFormatOfALaterVersionIsRefusedWithThatReason(t *testing.T) {
	s := opened(t)
	e := s.current.Load()
	make := func(payload []byte) []byte {
		value := append(binary.BigEndian.AppendUint32(nil, uint32(e.id)), contents()["16 random"]...)
		value, err := appendStream(value, e.fileKey, value[4:], payload)
		require.NoError(t, err)
		return value
	}
	digest := place.appendDigest(nil)
	_, err := s.Open(place, make(append(digest, 2)))
	require.ErrorIs(t, err, ErrSealed)
	require.ErrorContains(t, err, "later version")
	_, err = s.Open(place, make(append(digest, s2Form, 0xff, 0xff, 0xff)))
	require.ErrorIs(t, err, ErrSealed)
	_, err = s.Open(place, make(digest))
	require.ErrorIs(t, err, ErrSealed, "no form at all")
	_, err = s.Open(place, make(nil))
	require.ErrorIs(t, err, ErrSealed)
}

func TestErrorsCarryNoContent(t *testing.T) {
	s := opened(t)
	const canary = "CNRY-content"
	sealed, err := s.Seal(place, []byte(canary))
	require.NoError(t, err)
	elsewhere := Place{Practice: 9, Table: canary, Row: canary}
	_, moved := s.Open(elsewhere, sealed)
	_, cut := s.Open(place, []byte(canary))
	_, unknown := s.Open(place, []byte(canary+canary+canary))
	for _, err := range []error{moved, cut, unknown} {
		require.ErrorIs(t, err, ErrSealed)
		require.NotContains(t, err.Error(), "CNRY")
	}
}

// FuzzOpen checks that only what was sealed opens, and that nothing panics.
func FuzzOpen(f *testing.F) {
	s := opened(f)
	for _, content := range []string{"", "Amara", strings.Repeat("Amara ", 100)} {
		sealed, err := s.Seal(place, []byte(content))
		require.NoError(f, err)
		f.Add(sealed)
		f.Add(sealed[:len(sealed)-1])
		f.Add(append(sealed, 0))
	}
	f.Add([]byte{})
	f.Add(make([]byte, 20))
	f.Add(append([]byte{0, 0, 0, 1}, make([]byte, 100)...))
	f.Fuzz(func(t *testing.T, value []byte) {
		for _, p := range []Place{place, {Practice: 8}} {
			content, err := s.Open(p, value)
			switch {
			case err == nil && (p != place || !strings.HasPrefix(strings.Repeat("Amara ", 100), string(content))):
				t.Fatal("something opened that nobody sealed")
			case err != nil && !errors.Is(err, ErrSealed):
				t.Fatal(err)
			}
		}
	})
}
