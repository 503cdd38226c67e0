package main

import (
	"bufio"
	stdbytes "bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http/httputil"
	"strconv"
)

// wire is a caller's connection to the server. It implements only as much HTTP as the load needs.
// The load and the server share one machine, so the server loses every microsecond that the load
// takes.
type wire struct {
	conn net.Conn
	in   *bufio.Reader
	body []byte // of the last answer
	// location is the value of Content-Location in the last answer.
	location string
}

func dial(address string) (*wire, error) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	return &wire{conn: conn, in: bufio.NewReaderSize(conn, 16<<10)}, nil
}

var errAnswer = errors.New("this is no HTTP answer")

// ask sends a request and returns the status of the answer.
func (w *wire) ask(request []byte) (status int, err error) {
	if _, err := w.conn.Write(request); err != nil {
		return 0, err
	}
	line, err := w.in.ReadSlice('\n')
	if err != nil {
		return 0, err
	}
	if len(line) < len("HTTP/1.1 200") {
		return 0, errAnswer
	}
	if status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return 0, errAnswer
	}
	length, chunked := 0, false
	w.location = ""
	for {
		if line, err = w.in.ReadSlice('\n'); err != nil {
			return 0, err
		}
		line = stdbytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			break
		}
		name, value, _ := stdbytes.Cut(line, []byte(": "))
		switch {
		case stdbytes.EqualFold(name, []byte("Content-Length")):
			if length, err = strconv.Atoi(string(value)); err != nil {
				return 0, errAnswer
			}
		case stdbytes.EqualFold(name, []byte("Transfer-Encoding")):
			chunked = true
		case stdbytes.EqualFold(name, []byte("Content-Location")):
			w.location = string(value)
		}
	}
	return status, w.read(length, chunked)
}

func (w *wire) read(length int, chunked bool) (err error) {
	if chunked {
		if w.body, err = io.ReadAll(httputil.NewChunkedReader(w.in)); err != nil {
			return err
		}
		_, err = w.in.Discard(len("\r\n")) // no trailers
		return err
	}
	if cap(w.body) < length {
		w.body = make([]byte, length)
	}
	w.body = w.body[:length]
	_, err = io.ReadFull(w.in, w.body)
	return err
}

// request returns the bytes of an HTTP request, which can be sent repeatedly.
func request(method, host, path string, headers []string, body string) []byte {
	var b stdbytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: %s\r\n", method, path, host)
	for _, h := range headers {
		b.WriteString(h + "\r\n")
	}
	if method == "POST" {
		fmt.Fprintf(&b, "Content-Length: %d\r\n", len(body))
	}
	b.WriteString("\r\n" + body)
	return b.Bytes()
}

// marks returns the positions of the mark in a request.
func marks(request []byte) (at []int) {
	for from := 0; ; {
		n := stdbytes.Index(request[from:], []byte(mark))
		if n < 0 {
			return at
		}
		at = append(at, from+n)
		from += n + len(mark)
	}
}

// number overwrites each mark in a request with the number n. at lists the positions of the marks.
func number(request []byte, at []int, n uint64) {
	for _, start := range at {
		for i, left := len(mark)-1, n; i >= 0; i, left = i-1, left/10 {
			request[start+i] = byte('0' + left%10)
		}
	}
}
