package uscore

import (
	"github.com/stretchr/testify/require"

	"birthregistry/app/mapping/mappingtest"
)

// m and l are short for JSON objects and lists; spots are the values of a chart that are
// checked.
type (
	m     = mappingtest.M
	l     = mappingtest.L
	spots = mappingtest.Values
)

func text(t require.TestingT, doc any) string { return mappingtest.Text(t, doc) }
