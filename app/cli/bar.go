package cli

import (
	"io"

	"github.com/schollz/progressbar/v3"
)

// newBar returns a progress bar over so many steps. It draws on a terminal, and
// nothing elsewhere; doing names the work.
func newBar(talk io.Writer, steps int, doing string) *progressbar.ProgressBar {
	if !isTerminal(talk) {
		return progressbar.DefaultSilent(int64(steps))
	}
	return progressbar.NewOptions(steps, progressbar.OptionSetWriter(talk), progressbar.OptionSetDescription(doing),
		progressbar.OptionShowCount(), progressbar.OptionSetPredictTime(true), progressbar.OptionClearOnFinish())
}

// progress returns a function that draws a bar and may learn the number of steps as it
// goes.
func progress(talk io.Writer, doing string) func(done, total int) {
	var bar *progressbar.ProgressBar
	return func(done, total int) {
		if bar == nil {
			bar = newBar(talk, total, doing)
		}
		_ = bar.Set(done) // a bar that cannot be drawn stops nothing
	}
}
