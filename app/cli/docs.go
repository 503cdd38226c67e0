package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"birthregistry/app"
	"birthregistry/app/guide"
)

func docsCommand() *cobra.Command {
	cmd := jsonFlag(&cobra.Command{
		Use:   "docs [PAGE]",
		Short: "Print a page of the guide, or the list of its pages",
		Long: "Print a page of the guide as Markdown, or the list of its pages. The service shows the same pages under /docs, with its\n" +
			"own address and limits. With --man, write a man page of each command into a folder instead.",
		Example: "  birthregistry docs recover | less\n" +
			"  birthregistry docs --man /usr/local/share/man/man1",
		Args: cobra.MaximumNArgs(1),
		RunE: run(func(cmd *cobra.Command, args []string) error {
			if folder := cmd.Flag("man").Value.String(); folder != "" {
				return writeManPages(cmd.Root(), folder)
			}
			usual := app.Defaults("")
			g, err := guide.New(guide.Facts{
				Base: "http://127.0.0.1:8080", RateLimit: usual.Web.RateLimit, AnonymousRateLimit: usual.Web.AnonymousRateLimit,
				MaxBodyBytes: usual.Web.MaxBody, BufferFor: usual.Ingest.BufferTTL, Reading: usual.Ingest.Reading,
			})
			if err != nil {
				return err
			}
			if len(args) == 0 {
				return listPages(cmd, g)
			}
			page := g.Page(strings.TrimPrefix(args[0], "index"))
			if page == nil {
				return usage{fmt.Errorf("there is no page %q; birthregistry docs lists them", args[0])}
			}
			return output(cmd, "# %s\n%s", page.Title, page.Markdown)
		}),
	})
	cmd.Flags().String("man", "", "existing folder to write man pages into")
	return cmd
}

func listPages(cmd *cobra.Command, g *guide.Guide) error {
	type entry struct {
		Name  string `json:"name"`
		Title string `json:"title"`
	}
	var all []entry
	for _, p := range g.Pages {
		all = append(all, entry{cmp.Or(p.Name, "index"), p.Title})
	}
	return printList(cmd, all, []string{"PAGE", ""}, func(e entry) []string { return []string{e.Name, e.Title} })
}
