package cli

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// interrupted runs a command that was interrupted before it began.
func interrupted(t *testing.T, args ...string) ran {
	t.Helper()
	ctx, interrupt := context.WithCancel(context.Background())
	interrupt()
	var out, talk bytes.Buffer
	code := Run(ctx, args, strings.NewReader(""), &out, &talk)
	return ran{code, out.String(), talk.String()}
}

func TestAnInterruptedCommandSaysWhatItLeaves(t *testing.T) {
	path := installed(t)
	folder := t.TempDir()
	key, archive := filepath.Join(folder, "recovery.key"), filepath.Join(folder, "archive.age")
	made := command(t, "", "secrets", "recovery", "make", key)
	require.Zero(t, made.code)
	require.NoError(t, os.WriteFile(archive, nil, 0o600))
	for _, c := range []struct {
		leaves string
		args   []string
	}{
		{"no backup was made", []string{"backup", filepath.Join(folder, "copy.db")}},
		{"nothing was changed", []string{"check"}},
		{"nothing was restored, and the database is as before", []string{"restore", path}},
		{"the database is as before", []string{"compact"}},
		{"run it again to finish the rotation", []string{"secrets", "rotate"}},
		{"may not open everything yet; run it again", []string{"secrets", "recovery", "add", strings.TrimSpace(made.out)}},
		{"may still open the database; run it again", []string{"secrets", "recovery", "remove", strings.TrimSpace(made.out)}},
		{"no file was written", []string{"practice", "export", "1", filepath.Join(folder, "a.age"), "--recipient", strings.TrimSpace(made.out)}},
		{"nothing was imported", []string{"practice", "import", archive, "--identity", key}},
		{"nothing was imported", []string{"import", "births.csv", "--practice", "1"}},
		{"delete it, and export again", []string{"audit", "export", "--practice", "1"}},
		{"run this again", []string{"practice", "forget", "1", "--without-export", "--yes"}},
		{"nothing was changed, and not everything was checked", []string{"doctor"}},
		{"", []string{"health"}},
		{"", []string{"ehr", "check", "https://ehr.example.org/fhir/r4"}},
		{"", []string{"sso", "check", "https://sso.example.org"}},
		{"", []string{"audit", "verify"}},
		{"", []string{"practice", "list"}},
	} {
		r := interrupted(t, c.args...)
		require.Equal(t, exitFailed, r.code, c.args)
		require.Regexp(t, `^birthregistry: interrupted(; |\n)`, lastLine(r.talk), c.args)
		require.Contains(t, r.talk, c.leaves, c.args)
	}
	require.Contains(t, command(t, "", "practice", "list").out, "Riverside")
}

func TestACheckThatIsInterruptedFindsNoProblem(t *testing.T) {
	installed(t)
	for _, args := range [][]string{{"health", "--url"}, {"ehr", "check", "--ehr-loopback"}, {"doctor", "--base-url"}} {
		ctx, interrupt := context.WithCancel(context.Background())
		never := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			interrupt()
			<-r.Context().Done()
		}))
		var out, talk bytes.Buffer
		code := Run(ctx, append(args, never.URL), strings.NewReader(""), &out, &talk)
		never.Close()
		require.Equal(t, exitFailed, code, args)
		require.Regexp(t, `^birthregistry: interrupted(; |\n)`, lastLine(talk.String()), args)
		require.Empty(t, out.String(), args)
	}
}

func lastLine(text string) string {
	lines := strings.SplitAfter(text, "\n")
	return lines[max(0, len(lines)-2)]
}

func TestAQuestionCanBeInterrupted(t *testing.T) {
	installed(t)
	ctx, interrupt := context.WithCancel(context.Background())
	nothing, typing := io.Pipe() // nobody types anything
	t.Cleanup(func() { _ = typing.Close() })
	asked := writer(func(p []byte) (int, error) {
		if strings.Contains(string(p), "Type the name of the practice") {
			interrupt()
		}
		return len(p), nil
	})
	var talk bytes.Buffer
	code := Run(ctx, []string{"practice", "forget", "1", "--without-export"}, nothing, io.Discard, io.MultiWriter(&talk, asked))
	require.Equal(t, exitFailed, code)
	require.Contains(t, talk.String(), "birthregistry: nothing was erased: interrupted\n")
	require.Contains(t, command(t, "", "practice", "list").out, "Riverside")
}
