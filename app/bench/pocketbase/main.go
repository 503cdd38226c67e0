// Command pocketbase is a server with which app/bench compares the service: PocketBase with its
// default settings and one collection. Anybody may create records in the collection, and each
// record holds one JSON document. The command is a separate Go module, so that the program doesn't
// depend on PocketBase.
package main

import (
	"log"

	"github.com/pocketbase/pocketbase"
	"github.com/pocketbase/pocketbase/core"
	"github.com/pocketbase/pocketbase/tools/types"
)

func main() {
	// pocketbase.New would assume that a program in a temporary folder is under development, and
	// print every SQL statement.
	app := pocketbase.NewWithConfig(pocketbase.Config{DefaultDev: false})
	app.OnServe().BindFunc(func(e *core.ServeEvent) error {
		e.InstallerFunc = nil // no browser is opened
		if _, err := e.App.FindCollectionByNameOrId("bundles"); err == nil {
			return e.Next()
		}
		bundles := core.NewBaseCollection("bundles")
		bundles.Fields.Add(&core.JSONField{Name: "data", MaxSize: 64 << 20})
		bundles.CreateRule = types.Pointer("")
		if err := e.App.Save(bundles); err != nil {
			return err
		}
		return e.Next()
	})
	if err := app.Start(); err != nil {
		log.Fatal(err)
	}
}
