package cli

import (
	"errors"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"birthregistry/app"
	"birthregistry/store"
)

// compacted holds the size of the database file before and after compacting, in bytes.
type compacted struct {
	Before int64 `json:"before"`
	After  int64 `json:"after"`
}

func compactCommand() *cobra.Command {
	cmd := keyFileFlag(jsonFlag(&cobra.Command{
		Use:   "compact",
		Short: "Rewrite the database file without anything that was deleted, while the service is stopped",
		Long: "Rewrite the database file without anything that was deleted, while the service is stopped. Deleted data is\n" +
			"overwritten anyway, but database pages that also hold other rows may keep fragments of sealed values and index\n" +
			"words, and the file doesn't shrink. To remove the fragments, compact after you forget a practice or erase a birth.\n\n" +
			"It takes some seconds for each 100,000 births, and needs free space of twice the database's size. It can be\n" +
			"interrupted at any moment: the database is then as before; run it again. Nobody can write while it runs, so it refuses\n" +
			"to start while the service runs. Stop Litestream, too. Backups made before are not changed.",
		Example: "  systemctl stop birthregistry && birthregistry compact; systemctl start birthregistry\n" +
			"  birthregistry compact --json",
		Args: cobra.NoArgs,
		RunE: onApp(func(cmd *cobra.Command, a *app.App, _ []string) error {
			file, _ := a.DB.Size()
			say(cmd, "Compacting %s. This may take a minute for each GiB.", humanize.IBytes(uint64(file)))
			var done compacted
			var err error
			if done.Before, done.After, err = a.Compact(cmd.Context()); err != nil {
				return store.Translate(err, store.ErrServed,
					errors.New("the service runs, and could not write meanwhile; stop it, compact, and start it again"))
			}
			if asJSON(cmd) {
				return printJSON(cmd, done)
			}
			return output(cmd, "Compacted: the file had %s and has %s. Nothing that was deleted is left in it or in its write-ahead log.\n",
				humanize.IBytes(uint64(done.Before)), humanize.IBytes(uint64(done.After)))
		}),
	}))
	return leaving(cmd, "the database is as before; run it again")
}
