// Command birthregistry is a birth registry's ingestion service: one program, one
// database file and one key file.
//
//	birthregistry demo     runs everything in a temporary folder
//	birthregistry serve    serves the pages and the push endpoints
//	birthregistry --help   lists the other commands
//
// The operator's and the integrator's guides are in assets/guides; the running
// program serves them under /docs.
package main

import (
	"os"

	"birthregistry/app/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:])) }
