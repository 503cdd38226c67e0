package app_test

import (
	"testing"

	"birthregistry/app/apptest"
)

func TestEveryPageIsAccessibleAndFitsAPhone(t *testing.T) {
	i := apptest.Start(t)
	b := newBrowser(t, i.URL)
	b.look("/nowhere")
	b.sees("This page does not exist")
}
