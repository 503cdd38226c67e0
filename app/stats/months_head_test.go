package stats

import (
	"encoding/binary"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
)

func sampleCounts() *MonthCounts {
	var c MonthCounts
	for n, text := range sampleOutcomes() {
		c.Add([]birth.State{birth.Active, birth.Active, birth.Voided, birth.Merged}[n%4], attendantGroups[n%len(attendantGroups)].key, text)
	}
	return &c
}

func TestAChangedDefinitionOfAnyMeasureChangesTheHeadOfStoredCounts(t *testing.T) {
	stored := sampleCounts().Bytes()
	require.True(t, new(MonthCounts).AddBytes(stored))
	require.Equal(t, countsHead(), newCountsHead())
	for i := range Measures {
		was := Measures[i]
		t.Cleanup(func() { Measures[i] = was })
		changed := was
		// One answer in one week of gestation becomes another.
		if was.Unit == Newborns {
			changed.newborn = func(o *birth.Outcome, n int) answer { return not(o.Children[n].Weeks == 38, was.newborn(o, n)) }
		} else {
			changed.course = func(o *birth.Outcome) answer { return not(o.Weeks() == 38, was.course(o)) }
		}
		Measures[i] = changed
		head := newCountsHead()
		require.NotEqual(t, countsHead(), head, was.ID)
		now := countsHead
		countsHead = func() string { return head }
		require.False(t, new(MonthCounts).AddBytes(stored), was.ID)
		countsHead = now
		Measures[i] = was
	}
}

// not turns a definite answer into the other one if changed.
func not(changed bool, a answer) answer {
	if changed && a > missing {
		return no + yes - a
	}
	return a
}

func TestTheSampleOfTheHeadHasEveryClassOfEveryField(t *testing.T) {
	classes := map[string]map[any]bool{}
	note := func(v reflect.Value) {
		for i := range v.NumField() {
			field := v.Type().Field(i)
			if field.Type.Kind() == reflect.Slice {
				continue
			}
			if classes[field.Name] == nil {
				classes[field.Name] = map[any]bool{}
			}
			classes[field.Name][v.Field(i).Interface()] = true
		}
	}
	for _, text := range sampleOutcomes() {
		var o birth.Outcome
		o.Read(text)
		require.Equal(t, text, o.Text())
		note(reflect.ValueOf(o))
		for _, child := range o.Children {
			note(reflect.ValueOf(child))
		}
	}
	fewer := map[string]int{
		"Consent": 2, "BeforeLabor": 2, "InLabor": 2, "AfterBirth": 2,
		"Planned": int(birth.Elsewhere) + 1, "Born": int(birth.Elsewhere) + 1, "Perineum": int(birth.Cut) + 1,
		"Onset": int(birth.NoLabor) + 1, "Loss": int(birth.From1000) + 1, "Method": int(birth.Cesarean) + 1, "Weight": int(birth.From4000) + 1,
		"Position": len(birth.Must("birth_position").Options) /* unknown is none */, "Weeks": 26,
	}
	for name, values := range classes {
		want := fewer[name]
		if want == 0 {
			want = 3 // birth.Tri, or the number of newborns transferred
		}
		require.Len(t, values, want, name)
	}
}

func TestDamagedCountsAreRefusedWhole(t *testing.T) {
	stored := sampleCounts().Bytes()
	bad := [][]byte{nil, append(slices.Clone(stored), 0), append(slices.Clone(stored), 1)}
	for cut := range stored {
		bad = append(bad, stored[:cut])
	}
	for _, step := range []uint64{math.MaxInt64, math.MaxUint64, uint64(len(Measures)) + 1} {
		body := binary.AppendUvarint([]byte(countsHead()+"\x00\x00\x01\x01\x01\x03\x00\x00\x00"), step)
		bad = append(bad, append(body, 1, 1, 1, 0, 0, 0, 0))
	}
	for _, b := range bad {
		var c MonthCounts
		require.False(t, c.AddBytes(b))
		require.Equal(t, new(MonthCounts).Bytes(), c.Bytes())
	}
}

func FuzzCountsOfAnyBytesNeverPanic(f *testing.F) {
	head := len(countsHead())
	f.Add(sampleCounts().Bytes()[head:])
	f.Add(new(MonthCounts).Bytes()[head:])
	f.Add([]byte("\x00\x00\x01\x01\x01\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x01\x01\x01"))
	f.Fuzz(func(t *testing.T, body []byte) {
		b := append([]byte(countsHead()), body...)
		var c MonthCounts
		if ok := c.AddBytes(b); ok != CountsReadable(b) {
			t.Fatal("AddBytes and CountsReadable differ")
		} else if !ok {
			require.Equal(t, new(MonthCounts).Bytes(), c.Bytes())
		}
	})
}

func BenchmarkTheHeadOfStoredCounts(b *testing.B) {
	for b.Loop() {
		newCountsHead()
	}
}
