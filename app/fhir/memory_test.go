package fhir_test

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/fhir"
)

// endless repeats a text and counts how much of it is read.
type endless struct {
	text string
	at   int
	read int
}

func (e *endless) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		m := copy(p[n:], e.text[e.at:])
		n, e.at = n+m, (e.at+m)%len(e.text)
	}
	e.read += n
	return n, nil
}

// allocated returns how many bytes f allocates, including those freed again.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

const patient = `{"resource":{"resourceType":"Patient","id":"p","name":[{"family":"Okonkwo","given":["Zora"]}]}},`

// batch returns a reader of a well-formed Bundle of about size bytes that never exists as a
// whole.
func batch(size int) io.Reader {
	return io.MultiReader(
		strings.NewReader(`{"resourceType":"Bundle","type":"batch","entry":[{"resource":{"text":"`+strings.Repeat("x", 2000)+`"}},`),
		io.LimitReader(&endless{text: patient}, int64(size/len(patient)*len(patient))),
		strings.NewReader(`{}]}`),
	)
}

func TestAHugeBodyIsNotHeldInMemory(t *testing.T) {
	const size = 4_000_000
	require.NoError(t, fhir.Scan(batch(size)))
	used := allocated(func() { require.NoError(t, fhir.Scan(batch(size))) })
	require.Less(t, used, uint64(size/8))
}

func TestABundleIsReadEntryByEntry(t *testing.T) {
	enough := errors.New("enough")
	body, entries := &endless{text: patient}, 0
	_, err := fhir.ReadBundle(io.MultiReader(strings.NewReader(`{"entry":[`), body), "Bundle", func(*fhir.Entry) error {
		if entries++; entries == 3 {
			return enough
		}
		return nil
	})
	require.ErrorIs(t, err, enough)
	require.Equal(t, 3, entries)
	require.Less(t, body.read, 1<<16, "it does not read on")
}

func TestAnAbsurdlyLargeBodyIsRefusedWithoutReadingOn(t *testing.T) {
	for name, text := range map[string]string{
		"10 MiB of opening brackets": "[",
		"objects in objects":         `{"a":`,
		"a number that does not end": "9",
	} {
		t.Run(name, func(t *testing.T) {
			body := &endless{text: text}
			used := allocated(func() { require.Error(t, fhir.Scan(io.LimitReader(body, 10<<20))) })
			require.Less(t, body.read, 1<<20)
			require.Less(t, used, uint64(1<<20))
		})
	}
}

func TestMembersOfOneObjectDoNotAccumulateInMemory(t *testing.T) {
	var object bytes.Buffer
	object.WriteString(`{"resourceType":"Bundle","meta":{`)
	for n := range 700_000 {
		object.WriteString(`"` + strconv.Itoa(n) + `":0,`)
	}
	object.WriteString(`"x":0}}`)
	used := allocated(func() { require.ErrorContains(t, fhir.Scan(&object), "members") })
	require.Less(t, used, uint64(4<<20))
}

// The first of these took minutes when the scanner looked at everything after each escape.
func TestALongTextTakesTimeInProportionToItsLength(t *testing.T) {
	for _, of := range []string{`\n`, `\u0041`, `\"`, `\ud83d\ude00`, "é", "x"} {
		body := `{"resourceType":"Bundle","x":"` + strings.Repeat(of, 8<<20/len(of)) + `"}`
		began := time.Now()
		require.NoError(t, fhir.Scan(strings.NewReader(body)))
		require.Less(t, time.Since(began), 10*time.Second, "8 MiB of %s", of)
	}
}

// These took minutes when the reader looked at the whole of a long value again each time more
// of it arrived.
func TestALongEntryTakesTimeInProportionToItsLengthHoweverItArrives(t *testing.T) {
	for _, of := range []string{`\n\"`, `{},`} {
		resource := `{"a":"` + strings.Repeat(of, 4<<20/len(of)) + `"}`
		body := `{"resourceType":"Bundle","entry":[{"resource":` + resource + `}]}`
		began, size := time.Now(), 0
		_, err := fhir.ReadBundle(trickle{strings.NewReader(body)}, "Bundle", func(e *fhir.Entry) error {
			size = len(e.Resource)
			return nil
		})
		require.NoError(t, err)
		require.Len(t, resource, size)
		require.Less(t, time.Since(began), 10*time.Second, "4 MiB of %s", of)
	}
}

// trickle reads a few bytes at a time.
type trickle struct{ from io.Reader }

func (t trickle) Read(p []byte) (int, error) { return t.from.Read(p[:min(len(p), 512)]) }
