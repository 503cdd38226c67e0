package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"

	"github.com/labstack/echo/v4"
)

// echoRole serves the reference for HTTP, a server of the web framework Echo that does no work. It
// reads the body of a POST and answers with 202. It answers a GET with the text from standard
// input. It prints its address.
func echoRole() error {
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	e := echo.New()
	e.POST("/*", func(c echo.Context) error {
		if _, err := io.Copy(io.Discard, c.Request().Body); err != nil {
			return err
		}
		return c.NoContent(http.StatusAccepted)
	})
	e.GET("/*", func(c echo.Context) error { return c.JSONBlob(http.StatusOK, text) })
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	if _, err := fmt.Printf("http://%s\n", listener.Addr()); err != nil {
		return err
	}
	return http.Serve(listener, e)
}
