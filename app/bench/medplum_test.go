package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheTransactionHasEveryResourceOfTheDocumentAndItsMarks(t *testing.T) {
	document := course(lean)
	made, err := transaction(document)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(made, `{"resourceType":"Bundle","type":"transaction","entry":[{"fullUrl":"urn:uuid:`))
	require.Equal(t, strings.Count(document, `"resource":`), strings.Count(made, `"request":{"method":"POST","url":"`))
	require.Equal(t, 2, strings.Count(made, `"url":"Patient"`))
	require.Equal(t, strings.Count(document, mark)-1, strings.Count(made, mark), "but the chart number of the document itself")
}
