package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"birthregistry/app/auth"
	"birthregistry/app/ingest"
	"birthregistry/store"
)

func pushCommand() *cobra.Command {
	var address, keyFile string
	cmd := jsonFlag(&cobra.Command{
		Use:   "push FILE|DIR|- … --url URL",
		Short: "Push Bundles to a service, wait for their receipts and sum them up",
		Long: "Push Bundles to a service, wait for their receipts and sum them up. A folder means the .json files in it; - means\n" +
			"standard input. The API key comes from --key-file or REGISTRY_API_KEY. Exits with 0 when every entry was accepted,\n" +
			"with 1 when one was rejected or a push failed.",
		Example: "  REGISTRY_API_KEY=$(cat api.key) birthregistry push births/ --url https://registry.example.org\n" +
			"  birthregistry push - --url http://127.0.0.1:8080 --key-file api.key --json < bundle.json",
		Args: cobra.MinimumNArgs(1),
	})
	cmd.Flags().StringVar(&address, "url", "", "address of the service")
	cmd.Flags().StringVar(&keyFile, "key-file", "", "file that holds the API key")
	_ = cmd.MarkFlagRequired("url") // the flag is there
	// The variable REGISTRY_KEY_FILE names the file with the database's key, which must never be
	// sent.
	withoutTwin(cmd, "key-file")
	cmd.RunE = run(func(cmd *cobra.Command, args []string) error {
		key, err := apiKey(keyFile)
		if err != nil {
			return usage{err}
		}
		c, err := newClient(address, key)
		if err != nil {
			return usage{err}
		}
		files, err := bundleFiles(args)
		if err != nil {
			return err
		}
		if u, err := url.Parse(address); err == nil && u.Scheme == "http" && !onlyHere(net.JoinHostPort(u.Hostname(), "80")) {
			say(cmd, "http sends the births and the API key to %s unencrypted; use https.", printable(u.Hostname()))
		}
		return pushAll(cmd, c, files)
	})
	return cmd
}

// apiKey reads the API key from a file or, if file is "", from the environment. Anything that isn't an
// API key is an error, so that no other secret is sent.
func apiKey(file string) (string, error) {
	key, from := os.Getenv("REGISTRY_API_KEY"), "REGISTRY_API_KEY"
	if file != "" {
		text, err := os.ReadFile(file)
		if err != nil {
			return "", fmt.Errorf("the API key cannot be read: %w", err)
		}
		key, from = string(text), file
	}
	switch key = strings.TrimSpace(key); {
	case key == "" && file == "":
		return "", errors.New("name the API key by --key-file or REGISTRY_API_KEY")
	case !auth.IsKey(key):
		return "", fmt.Errorf("%s holds no complete API key (rgk_ and 38 characters, as it was shown once); copy it again, or create another", from)
	}
	return key, nil
}

// bundleFiles lists the files among the arguments, in order. For an argument that is a folder, it
// lists the .json files in the folder. An argument may be a symbolic link, but links inside a
// folder aren't followed.
func bundleFiles(args []string) ([]string, error) {
	var files []string
	for _, arg := range args {
		info, err := os.Stat(arg)
		switch {
		case arg == "-":
			files = append(files, arg)
			continue
		case err != nil:
			return nil, err
		case !info.IsDir():
			files = append(files, arg)
			continue
		}
		var inside []string
		err = filepath.WalkDir(arg+string(filepath.Separator), func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() && strings.EqualFold(filepath.Ext(path), ".json") {
				inside = append(inside, path)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		slices.Sort(inside)
		files = append(files, inside...)
	}
	if len(files) == 0 {
		return nil, errors.New("there is no .json file in the folders named")
	}
	return files, nil
}

// pushed is the result of pushing one file.
type pushed struct {
	File    string          `json:"file"`
	Error   string          `json:"error,omitzero"`
	Receipt *ingest.Receipt `json:"receipt,omitzero"`

	outcome     ingest.Outcome
	concernsAll bool // whether Error would occur with any other file
}

// bad returns the reason why the file wasn't completely accepted. It returns "" if it was.
func (p pushed) bad() string {
	switch {
	case p.Error != "":
		return p.Error
	case p.Receipt.Status == store.Failed:
		if f, err := p.Receipt.ParseFailure(); err == nil {
			return strings.TrimSpace(f.Error + " " + f.Exception)
		}
		return "the ingestion failed"
	case len(p.outcome.Rejected) > 0:
		return fmt.Sprintf("%d rejected", len(p.outcome.Rejected))
	}
	return ""
}

// pushAll pushes the files, one after the other. It stops early if the other files would fail in the
// same way.
func pushAll(cmd *cobra.Command, c *client, files []string) error {
	bar := newBar(cmd.ErrOrStderr(), len(files), "pushing")
	c.wait = func(d time.Duration, why string) {
		bar.Describe(fmt.Sprintf("waiting %s: %s", d.Round(time.Second), why))
	}
	done := make([]pushed, 0, len(files))
	for _, file := range files {
		if cmd.Context().Err() != nil {
			break
		}
		p := pushOne(cmd, c, file)
		done = append(done, p)
		_ = bar.Clear() // a bar that cannot be drawn stops nothing
		if !asJSON(cmd) {
			if err := printPushed(cmd.OutOrStdout(), p); err != nil {
				return err
			}
		}
		_ = bar.Add(1)
		bar.Describe("pushing")
		if p.concernsAll {
			break
		}
	}
	_ = bar.Finish()
	if err := sumUp(cmd, done); err != nil {
		return err
	}
	return ended(cmd.Context(), done, files)
}

// ended returns an error that states what wasn't pushed, if anything.
func ended(ctx context.Context, done []pushed, files []string) error {
	left := files[len(done):]
	switch {
	case len(left) > 0 && ctx.Err() != nil:
		return fmt.Errorf("interrupted; %d of %d files were not pushed, beginning with %s", len(left), len(files), printable(left[0]))
	case len(left) > 0:
		return fmt.Errorf("stopped; %d of %d files were not pushed, because they would fail in the same way", len(left), len(files))
	case slices.ContainsFunc(done, func(p pushed) bool { return p.bad() != "" }):
		return failure{} // the results state the reason
	}
	return nil
}

func pushOne(cmd *cobra.Command, c *client, file string) pushed {
	p := pushed{File: file}
	body, err := readBundle(cmd.InOrStdin(), file)
	if err == nil {
		err = p.push(cmd.Context(), c, body)
	}
	if err != nil {
		p.Error, p.concernsAll = err.Error(), concernsAll(err)
	}
	return p
}

// push pushes the body of the file and stores the receipt.
func (p *pushed) push(ctx context.Context, c *client, body []byte) error {
	receipt, err := c.push(ctx, body)
	if err != nil {
		return err
	}
	p.Receipt = &receipt
	if receipt.Status == store.Completed {
		p.outcome, err = receipt.ParseOutcome()
	}
	return err
}

func readBundle(in io.Reader, file string) ([]byte, error) {
	if file == "-" {
		return io.ReadAll(in)
	}
	return os.ReadFile(file)
}
