package birth_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
)

func TestOfAFieldStatedTwiceTheLastValueIsKept(t *testing.T) {
	var v birth.Values
	gravida, parity := birth.Must("gravida"), birth.Must("parity")
	v.Set(gravida, birth.Value{Number: 1})
	v.Set(parity, birth.Value{Number: 0})
	v.Set(gravida, birth.Value{Number: 2})
	require.Equal(t, birth.Values{{Field: gravida, Value: birth.Value{Number: 2}}, {Field: parity}}, v)
	require.True(t, v.Has("parity"), "zero is stated")
	v.Drop("gravida")
	require.False(t, v.Has("gravida"))
	require.Empty(t, v.Text("gravida"))
	_, ok := birth.Values(nil).Get("gravida")
	require.False(t, ok)
}

func TestValuesAreComparedWithoutTheirSources(t *testing.T) {
	value := birth.Value{Text: "a", Number: 1, Flag: true, Set: []string{"x", "y"}, Source: birth.FHIRPush}
	other := value
	other.Source, other.Set = birth.Manual, []string{"x", "y"}
	require.True(t, value.Equal(other))
	for name, change := range map[string]func(*birth.Value){
		"text": func(v *birth.Value) { v.Text = "b" }, "number": func(v *birth.Value) { v.Number = 2 },
		"flag": func(v *birth.Value) { v.Flag = false }, "set": func(v *birth.Value) { v.Set = []string{"y", "x"} },
	} {
		changed := value
		change(&changed)
		require.False(t, value.Equal(changed), name)
	}
}
