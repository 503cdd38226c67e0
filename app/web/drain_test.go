package web_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
)

// writeFirst sends a request as simple clients do: it reads the answer only after it has sent
// everything.
func writeFirst(t *testing.T, i *apptest.Installation, head string, body io.Reader, length int64) apptest.Response {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(i.URL, "http://"))
	require.NoError(t, err)
	defer conn.Close()
	require.NoError(t, conn.SetDeadline(time.Now().Add(3*time.Minute)))
	_, err = io.WriteString(conn, "POST "+bundlePath+" HTTP/1.1\r\nHost: x\r\n"+head+"Content-Length: "+strconv.FormatInt(length, 10)+"\r\n\r\n")
	require.NoError(t, err)
	time.Sleep(50 * time.Millisecond) // the answer arrives before the body is sent
	_, err = io.CopyN(conn, body, length)
	require.NoError(t, err, "the connection stands until all is sent")
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.True(t, answer.Close)
	return apptest.Response{Response: answer, Body: text}
}

func TestAClientThatWritesItsWholeBodyFirstStillReadsTheAnswer(t *testing.T) {
	i := apptest.Start(t, idle, maxBody(8<<20))
	first := i.Post(birth, "Idempotency-Key", "used")
	key := "Authorization: Bearer " + i.Key + "\r\n"
	for name, c := range map[string]struct {
		head   string
		status int
		length int64
	}{
		"a replay":        {key + "Idempotency-Key: used\r\n", 202, 8 << 20},
		"401":             {"", 401, 8 << 20},
		"413":             {key, 413, 12 << 20},
		"415":             {key + "Content-Encoding: gzip\r\n", 415, 8 << 20},
		"400 at its head": {key, 400, 8 << 20},
	} {
		t.Run(name, func(t *testing.T) {
			answer := writeFirst(t, i, c.head, io.MultiReader(strings.NewReader("x"), spaces{}), c.length)
			require.Equal(t, c.status, answer.StatusCode)
			if c.status == 202 {
				require.Equal(t, first.Header.Get("Content-Location"), answer.Header.Get("Content-Location"))
			}
		})
	}
}

// The allowance shrinks while a body is read, and its length does not.
func TestAClientReadsTheAnswerToABodyOfNearlyTheWholeAllowance(t *testing.T) {
	i := apptest.Start(t, idle, maxBody(8<<20))
	answer := writeFirst(t, i, "Authorization: Bearer "+i.Key+"\r\n", spaces{}, 23<<20)
	require.Equal(t, 413, answer.StatusCode)
}

func TestAnEndlessBodyIsCutOff(t *testing.T) {
	i := apptest.Start(t, idle, maxBody(1000))
	conn, err := net.Dial("tcp", strings.TrimPrefix(i.URL, "http://"))
	require.NoError(t, err)
	defer conn.Close()
	require.NoError(t, conn.SetDeadline(time.Now().Add(3*time.Minute)))
	_, err = io.WriteString(conn, "POST "+bundlePath+" HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n40000000\r\n")
	require.NoError(t, err)
	sent, err := io.CopyN(conn, spaces{}, 1<<30)
	require.Error(t, err)
	require.Less(t, sent, int64(64<<20))
}
