package cli

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"birthregistry/app/task"
)

// endSignals returns the signals that end a command in order: Ctrl-C, the service manager's, and that
// of a terminal that is closed, unless nohup has the command survive that.
func endSignals() []os.Signal {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		all = append(all, syscall.SIGHUP)
	}
	return all
}

// leaves is the annotation that states what a command leaves when it is interrupted.
const leaves = "leaves-when-interrupted"

// leaving states what a command leaves when it is interrupted.
func leaving(cmd *cobra.Command, state string) *cobra.Command {
	cmd.Annotations = map[string]string{leaves: state}
	return cmd
}

// interruption returns the text of the error with which an interrupted command ended, and what the
// command leaves. ok is set if the interruption is the reason.
func interruption(cmd *cobra.Command, err error) (text string, ok bool) {
	ctx := cmd.Context()
	if ctx.Err() == nil || !errors.Is(err, context.Canceled) && !errors.Is(err, context.Cause(ctx)) {
		return "", false
	}
	if state := cmd.Annotations[leaves]; state != "" {
		return "interrupted; " + state, true
	}
	return "interrupted", true
}

// readLine reads a line that a person types. It returns ctx.Err() if the command is interrupted
// meanwhile.
func readLine(cmd *cobra.Command) (string, error) {
	ctx, line := cmd.Context(), ""
	read := task.Go(logger(cmd.ErrOrStderr()), "read", func() (err error) {
		line, err = bufio.NewReader(cmd.InOrStdin()).ReadString('\n')
		return err
	})
	select {
	case err := <-read:
		if errors.Is(err, io.EOF) && line != "" {
			err = nil
		}
		return line, err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}
