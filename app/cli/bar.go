package cli

import (
	"io"

	"github.com/schollz/progressbar/v3"
)

// newBar returns a progress bar with the given number of steps and the label doing. The bar is
// visible only on a terminal.
func newBar(talk io.Writer, steps int, doing string) *progressbar.ProgressBar {
	if !isTerminal(talk) {
		return progressbar.DefaultSilent(int64(steps))
	}
	return progressbar.NewOptions(steps, progressbar.OptionSetWriter(talk), progressbar.OptionSetDescription(doing),
		progressbar.OptionShowCount(), progressbar.OptionSetPredictTime(true), progressbar.OptionClearOnFinish())
}

// progress returns a function that draws a progress bar. The first call of the function creates the
// bar, because the total isn't known earlier.
func progress(talk io.Writer, doing string) func(done, total int) {
	var bar *progressbar.ProgressBar
	return func(done, total int) {
		if bar == nil {
			bar = newBar(talk, total, doing)
		}
		_ = bar.Set(done) // failing to draw the bar doesn't matter
	}
}
