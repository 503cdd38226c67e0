package cli

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"
)

// healthReport is the answer of GET /health/json.
type healthReport struct {
	Status string `json:"status"`
	Checks map[string][]struct {
		Status string `json:"status"`
		Output string `json:"output"`
	} `json:"checks"`
}

// problems returns the outputs of the checks that have one, in the order of the checks' names. A
// check that passes has no output.
func (v healthReport) problems() (all []string) {
	for _, name := range slices.Sorted(maps.Keys(v.Checks)) {
		for _, c := range v.Checks[name] {
			if c.Output != "" {
				all = append(all, c.Output)
			}
		}
	}
	return all
}

// errOtherService means that another program answers at the address.
var errOtherService = errors.New("something else answers there")

// askHealth requests a service's health. It returns the answer both as the service sent it and
// parsed.
func askHealth(ctx context.Context, at target) (doc []byte, report healthReport, err error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at.base+"/health/json", nil)
	if err != nil {
		return nil, report, err
	}
	answer, err := at.client().Do(request)
	if err != nil {
		return nil, report, err
	}
	doc, err = io.ReadAll(io.LimitReader(answer.Body, 1<<20))
	if err = errors.Join(err, answer.Body.Close()); err != nil {
		return nil, report, err
	}
	if answer.Header.Get("Content-Type") != "application/health+json" || json.Unmarshal(doc, &report) != nil || report.Status == "" {
		return nil, report, errOtherService
	}
	return doc, report, nil
}

func healthCommand() *cobra.Command {
	var address string
	var here serviceAddress
	cmd := jsonFlag(&cobra.Command{
		Use:   "health",
		Short: "Ask the running service whether all is well",
		Long: "Ask the running service whether all is well, for containers, scripts and monitors. Prints one line, and exits\n" +
			"with 0 when its checks pass, with or without warnings, and with 1 when one fails or nothing answers within\n" +
			"10 seconds.\n\n" +
			"Asks the address on which serve listens on this machine, which it knows from the same flags or environment as\n" +
			"serve. It never asks a proxy, and asks the public address only if --url names it. birthregistry doctor asks the\n" +
			"same address, and examines everything else.",
		Example: "  birthregistry health\n" +
			"  birthregistry health --url https://births.example.org --json\n" +
			"  HEALTHCHECK CMD [\"birthregistry\", \"health\"]    # in a Dockerfile",
		Args: cobra.NoArgs,
	})
	cmd.Flags().StringVar(&address, "url", "", "address of the service (default: where it listens on this machine)")
	serviceAddressFlags(cmd.Flags(), &here)
	cmd.RunE = run(func(cmd *cobra.Command, _ []string) error {
		at, err := here.resolve()
		if address != "" {
			at, err = named(address)
		}
		if err != nil {
			return usage{err}
		}
		doc, report, err := askHealth(cmd.Context(), at)
		if interrupted := cmd.Context().Err(); interrupted != nil {
			return interrupted
		}
		line := strings.Join(append([]string{report.Status}, report.problems()...), " ")
		if err != nil {
			found, fix := unreached(err)
			report.Status, line = "fail", "fail "+at.base+": "+found+"; "+fix
			if doc, err = json.Marshal(map[string]string{"status": "fail", "output": line[5:]}, json.Deterministic(true)); err != nil {
				return err
			}
		}
		if asJSON(cmd) {
			line = string(doc)
		}
		if err := output(cmd, "%s\n", line); err != nil {
			return err
		}
		if report.Status == "fail" {
			return failure{} // the line states the reason
		}
		return nil
	})
	return cmd
}

// named returns the target for an address that the operator has stated.
func named(address string) (target, error) {
	c, err := newClient(address, "")
	if err != nil {
		return target{}, err
	}
	return target{base: c.base}, nil
}
