package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	mathrand "math/rand/v2"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"birthregistry/app"
	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/demo"
	"birthregistry/app/smart"
	"birthregistry/app/task"
	"birthregistry/assets"
	"birthregistry/store"
)

func demoCommand() *cobra.Command {
	var listen, ehr string
	var once bool
	reading := birth.SpecReading
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Try everything at once, in a temporary folder",
		Long: "Try everything at once, in a temporary folder: a sandbox practice with 300 invented births of three years and work\n" +
			"to do (drafts, a pair of possible duplicates, a rejected birth, a replaced value), a user to sign in as, an API key,\n" +
			"and the sample Bundles pushed through the real queue. Runs until interrupted, and keeps nothing.",
		Example: "  birthregistry demo\n" +
			"  birthregistry demo --ehr    # launched from the test EHR in app/testehr",
		Args: cobra.NoArgs,
	}
	cmd.Flags().StringVar(&listen, "listen", "127.0.0.1:8080", "address to listen on; if it is in use, the demo picks a free port on 127.0.0.1")
	cmd.Flags().BoolVar(&once, "once", false, "end after the samples instead of running on")
	cmd.Flags().StringVar(&ehr, "ehr", "", "FHIR base of a test EHR on this machine that may launch the demo; without a value "+testEHR)
	cmd.Flags().Lookup("ehr").NoOptDefVal = testEHR
	readingFlag(cmd.Flags(), &reading)
	cmd.RunE = run(func(cmd *cobra.Command, _ []string) error {
		folder, err := os.MkdirTemp("", "birthregistry-demo-")
		if err != nil {
			return err
		}
		defer removeOnSecondSignal(cmd.Context(), folder)()
		err = errors.Join(runDemo(cmd, folder, listen, ehr, once, reading), os.RemoveAll(folder))
		if cmd.Context().Err() != nil { // interrupting is how a demo ends, whatever it was doing
			say(cmd, "The demo has ended, and has deleted everything that it made.")
			return nil
		}
		return err
	})
	return cmd
}

// removeOnSecondSignal removes a folder if the program is interrupted and then interrupted again,
// which ends it at once. The function that it returns ends this.
func removeOnSecondSignal(ctx context.Context, folder string) (end func()) {
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		again := make(chan os.Signal, 1)
		signal.Notify(again, endSignals()...)
		defer signal.Stop(again)
		select {
		case <-ended:
		case <-again:
			_ = os.RemoveAll(folder) // nothing more can be done about an error
			os.Exit(exitFailed)
		}
	})
	return func() { stop(); close(ended) }
}

// testEHR is the default address of the test EHR (app/testehr).
const testEHR = "http://127.0.0.1:9400/fhir"

func runDemo(cmd *cobra.Command, folder, listen, ehr string, once bool, reading birth.Reading) (err error) {
	out := cmd.OutOrStdout()
	config := app.Defaults(filepath.Join(folder, "registry.db"))
	config.Log = slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), &slog.HandlerOptions{Level: slog.LevelError}))
	config.Smart.Loopback, config.Ingest.Reading, config.OnlyServes = ehr != "", reading, true
	a, err := app.Open(cmd.Context(), config)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	t, err := newTryout(a)
	if err != nil {
		return err
	}
	if ehr != "" {
		if t.ehr, err = listTestEHR(a, ehr); err != nil {
			return err
		}
	}
	listener, err := net.Listen("tcp", listen)
	if err != nil {
		if listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			return err
		}
	}
	t.address = app.BaseURL(listener, nil)
	t.db, t.samples = config.DB, filepath.Join(folder, "samples")
	ctx, stop := context.WithCancel(cmd.Context())
	defer stop()
	serving := task.Go(config.Log, "serve", func() error { return a.Serve(ctx, listener) })
	if err := errors.Join(os.CopyFS(folder, assets.Samples), fillDemo(ctx, out, a, &t)); err != nil {
		return errors.Join(err, end(stop, serving))
	}
	if err := t.nextSteps(out); err != nil || once {
		return errors.Join(err, end(stop, serving))
	}
	return <-serving
}

func end(stop func(), serving <-chan error) error {
	stop()
	return <-serving
}

// tryout holds what a person needs to try the demo: the email address and password of a user, and
// an API key with both scopes.
type tryout struct {
	practice             store.PracticeID
	key, email, password string
	address, db, samples string
	// receipt is the address of the receipt of the last sample.
	receipt string
	// ehr is the FHIR base URL of the EHR that may launch the demo, or "".
	ehr string
}

// listTestEHR adds the test EHR to the list of EHRs that may launch the demo, with the client ID of
// its public client. It returns the EHR's issuer.
func listTestEHR(a *app.App, base string) (issuer string, err error) {
	e, _, err := a.Smart.List(smart.Listing{
		EHR: store.EHR{Issuer: base, Label: "Test EHR", ClientID: "registry-public", Auth: store.AuthPublic},
	})
	return e.Issuer, err
}

// newTryout makes a sandbox practice with an admin and a key.
func newTryout(a *app.App) (tryout, error) {
	letters := strings.ToLower(rand.Text())
	t := tryout{email: "demo@example.org", password: strings.Join([]string{letters[:5], letters[5:10], letters[10:15]}, "-")}
	err := a.DB.Update(func(tx *store.Tx) (err error) {
		if t.practice, err = tx.AddPractice("Demo Midwives", true, true); err != nil {
			return err
		}
		return tx.SetTimeZone(t.practice, demoZone)
	})
	if err != nil {
		return t, err
	}
	if _, _, err = a.Auth.AddUser(t.practice, t.email, "Dana Demo", auth.Admin, t.password); err != nil {
		return t, err
	}
	t.key, _, err = a.Auth.Mint(t.practice, "demo", []string{string(auth.IngestWrite), string(auth.IngestRead)}, "demo")
	return t, err
}

// fillDemo pushes the invented births and the sample Bundles, and adds unfinished work.
func fillDemo(ctx context.Context, out io.Writer, a *app.App, t *tryout) error {
	c, err := newClient(t.address, t.key)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(out, "Pushing to %s (invented people, temporary database):\n\n", t.address); err != nil {
		return err
	}
	births, err := inventedBirths()
	if err != nil {
		return err
	}
	if err := pushBirths(ctx, out, c, births); err != nil {
		return err
	}
	last, err := pushSamples(ctx, out, c)
	if err != nil {
		return err
	}
	t.receipt = t.address + pushRoot + "/ingestions/" + last
	return leaveWork(ctx, out, a, *t, c, births)
}

// demoZone is the time zone of the demo's practice. demoBirths is how many births the practice has
// when the demo begins.
const (
	demoZone   = "America/New_York"
	demoBirths = 300
)

// inventedBirths returns the demo's births in one batch. They lie in the three years before now.
func inventedBirths() ([]byte, error) {
	zone, err := time.LoadLocation(demoZone)
	if err != nil {
		return nil, err
	}
	chance := mathrand.New(mathrand.NewPCG(1, 1)) //nolint:gosec // every demo has the same births
	return demo.Births(chance, demoBirths, time.Now().In(zone))
}

// pushBirths pushes the invented births, and prints how many of them were accepted.
func pushBirths(ctx context.Context, out io.Writer, c *client, body []byte) error {
	var p pushed
	if err := p.push(ctx, c, body); err != nil {
		return err
	}
	if p.Receipt.Status != store.Completed {
		return fmt.Errorf("the invented births were not processed: %s", p.Receipt.Status)
	}
	_, err := fmt.Fprintf(out, "births of the last three years: %d accepted, %d rejected\n", len(p.outcome.Accepted), len(p.outcome.Rejected))
	return err
}

// pushSamples pushes the sample Bundles in order and prints every receipt. It returns the id of the
// last ingestion.
func pushSamples(ctx context.Context, out io.Writer, c *client) (last string, err error) {
	names, err := fs.Glob(assets.Samples, "samples/*.json")
	if err != nil {
		return "", err
	}
	for _, name := range names {
		body, err := assets.Samples.ReadFile(name)
		if err != nil {
			return "", err
		}
		p := pushed{File: name}
		if err := p.push(ctx, c, body); err != nil {
			return "", err
		}
		if err := printPushed(out, p); err != nil {
			return "", err
		}
		last = p.Receipt.ID
	}
	return last, nil
}
