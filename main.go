// Command birthregistry is a birth registry's ingestion service: one program,
// one database file, one key file.
package main

import (
	"os"

	"birthregistry/app/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:])) }
