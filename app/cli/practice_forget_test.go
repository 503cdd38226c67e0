package cli

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"filippo.io/age"
	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/store"
	"birthregistry/store/storetest"
)

func TestAPracticeIsForgottenWhileTheServiceRuns(t *testing.T) {
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "one"}.Bundle())
	t.Setenv("REGISTRY_DB", i.Config.DB)
	require.Zero(t, command(t, "", "practice", "add", "Hillside").code)
	key, err := age.GenerateX25519Identity()
	require.NoError(t, err)
	name := "Riverside Midwives"
	file := filepath.Join(t.TempDir(), "one.age")
	made := command(t, "", "practice", "export", "1", file, "--recipient", key.Recipient().String())
	require.Zero(t, made.code, made.talk)
	digest := strings.TrimSpace(made.out)
	require.Contains(t, made.talk, "birthregistry practice forget 1 --exported "+digest)

	refused := func(says, typed string, args ...string) {
		t.Helper()
		r := command(t, typed, append([]string{"practice", "forget"}, args...)...)
		require.NotZero(t, r.code, r.out)
		require.Contains(t, r.talk, says)
		require.Contains(t, command(t, "", "practice", "list").out, name)
	}
	refused("it needs --exported or --without-export", "", "1")
	refused("64 characters", "", "1", "--exported", "abc", "--yes")
	refused("give only one of --exported and --without-export", "", "1", "--exported", digest, "--without-export")
	refused("there is no such practice", "", "7", "--without-export", "--yes")
	refused("add --yes", "", "1", "--exported", digest)
	refused("not the name", "Hillside\n", "1", "--exported", digest)
	refused("no export of this practice", name+"\n", "1", "--exported", strings.Repeat("0", 64))
	refused("no export of this practice", "", "2", "--exported", digest, "--yes")
	require.Contains(t, command(t, "", "practice", "certificate", "1").talk, "no practice with that id was erased here")

	r := command(t, name+"\n", "practice", "forget", "1", "--exported", digest)
	require.Zero(t, r.code, r.talk)
	for _, line := range []string{"CERTIFICATE OF ERASURE", name + " (number 1)", "SHA-256 " + digest, "  births\n", "Backups made before"} {
		require.Contains(t, r.out, line)
	}
	for line := range strings.Lines(r.out) {
		require.LessOrEqual(t, utf8.RuneCountInString(line), len("Export      SHA-256 ")+len(digest)+1, "it can be printed: %s", line)
	}
	require.Equal(t, 401, i.Post(apptest.Course{Chart: "two"}.Bundle()).StatusCode)
	list := command(t, "", "practice", "list").out
	require.NotContains(t, list, name)
	require.Contains(t, list, "Hillside")
	require.Equal(t, r.out, command(t, "", "practice", "certificate", "1").out)
	require.Equal(t, r.out, command(t, "", "practice", "forget", "1", "--without-export").out, "a command that was cut off is called again")
	require.Contains(t, command(t, "", "practice", "certificate", "1", "--json").out, `"exported": "`+digest+`"`)
	require.Zero(t, command(t, "", "check").code)
	require.Contains(t, command(t, "", "audit", "verify").out, "were erased with their practice")
}

// ends calls then once a text was written to it.
type ends struct {
	bytes.Buffer
	text string
	then func()
}

func (e *ends) Write(p []byte) (int, error) {
	n, err := e.Buffer.Write(p)
	if strings.Contains(e.String(), e.text) {
		e.then()
	}
	return n, err
}

func TestForgettingStatesThatAReaderIsInTheWayOfItsEnd(t *testing.T) {
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "one"}.Bundle())
	t.Setenv("REGISTRY_DB", i.Config.DB)
	reads, release, ended := make(chan bool), make(chan bool), make(chan error)
	go func() {
		ended <- i.App.DB.View(context.Background(), func(v *store.View) error {
			_, err := v.Practices()
			close(reads)
			<-release
			return err
		})
	}()
	<-reads
	talk := &ends{text: "write-ahead log can't", then: sync.OnceFunc(func() { close(release) })}
	var out bytes.Buffer
	require.Zero(t, Run(t.Context(), []string{"practice", "forget", "1", "--without-export", "--yes"}, strings.NewReader(""), &out, talk), talk)
	require.NoError(t, <-ended)
	require.Equal(t, 1, strings.Count(talk.String(), "restart the service"))
	require.Contains(t, talk.String(), "practice certificate 1")
	require.Contains(t, out.String(), "CERTIFICATE OF ERASURE")
}

func TestForgettingAPracticeSucceedsThoughAnotherFails(t *testing.T) {
	path := installed(t)
	require.Zero(t, command(t, "", "practice", "add", "Hillside").code)
	storetest.Exec(t, path,
		`create trigger stuck before delete on practices when old.id = 1 begin select raise(abort, 'stuck'); end`)
	require.NotZero(t, command(t, "", "practice", "forget", "1", "--without-export", "--yes").code)
	r := command(t, "", "practice", "forget", "2", "--without-export", "--yes")
	require.Zero(t, r.code, r.talk)
	require.Contains(t, r.out, "Hillside (number 2)")
	require.Contains(t, r.talk, "erasing another practice failed")
	require.Contains(t, r.talk, "practice 1: ")
}
