package metamorphic

import (
	"slices"
	"testing"

	"birthregistry/app/mapping/bundle"
	"birthregistry/app/mapping/uscore"
)

func TestHarmlessMutationsOfBundlesAreHarmlessTogether(t *testing.T) {
	sources := slices.DeleteFunc(bundleSources(t, bundle.Reader{}), func(s source) bool { return s.foreign })
	togetherHarmless(t, bundleMutations(), sources, func(t testing.TB, _ source, _ object, body string) reading {
		return readBundle(t, bundle.Reader{}, body)
	})
}

func TestHarmlessMutationsOfChartsAreHarmlessTogether(t *testing.T) {
	sources := slices.DeleteFunc(chartSources(t), func(s source) bool { return s.foreign })
	togetherHarmless(t, chartMutations(), sources, func(t testing.TB, s source, chart object, _ string) reading {
		return filledIn(t, chart, uscore.Role(textAt(s.doc, "as")))
	})
}
