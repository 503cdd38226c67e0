package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"
)

// vitals is what the service says of its health (GET /health/json).
type vitals struct {
	Status string `json:"status"`
	Checks map[string][]struct {
		Status string `json:"status"`
		Output string `json:"output"`
	} `json:"checks"`
}

// problems are what the checks that do not pass say, by the checks' names.
func (v vitals) problems() (all []string) {
	for _, name := range slices.Sorted(maps.Keys(v.Checks)) {
		for _, c := range v.Checks[name] {
			if c.Output != "" {
				all = append(all, c.Output)
			}
		}
	}
	return all
}

// errNotOurs is the error of an address where something else answers.
var errNotOurs = errors.New("something else answers there")

// askHealth asks a service for its health; doc is its answer as it came.
func askHealth(ctx context.Context, base string) (doc []byte, said vitals, err error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/health/json", nil)
	if err != nil {
		return nil, said, err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, said, err
	}
	doc, err = io.ReadAll(io.LimitReader(answer.Body, 1<<20))
	if err = errors.Join(err, answer.Body.Close()); err != nil {
		return nil, said, err
	}
	if answer.Header.Get("Content-Type") != "application/health+json" || json.Unmarshal(doc, &said) != nil || said.Status == "" {
		return nil, said, errNotOurs
	}
	return doc, said, nil
}

func healthCommand() *cobra.Command {
	var address, listen string
	cmd := jsonFlag(&cobra.Command{
		Use:   "health",
		Short: "Ask the running service whether all is well",
		Long: "Ask the running service whether all is well, for containers, scripts and monitors: one line, and 0 when it\n" +
			"passes or warns, 1 when it fails or nothing answers within 10 seconds. It needs neither database nor key.\n" +
			"birthregistry doctor looks closer, and works when nothing is running.",
		Example: "  birthregistry health\n" +
			"  birthregistry health --url https://births.example.org --json\n" +
			"  HEALTHCHECK CMD [\"birthregistry\", \"health\"]    # in a Dockerfile",
		Args: cobra.NoArgs,
	})
	cmd.Flags().StringVar(&address, "url", "", "address of the service, needed where it does TLS by itself (default: where it listens on this machine)")
	cmd.Flags().StringVar(&listen, "listen", "127.0.0.1:8080", "address that it listens on, as given to serve")
	cmd.RunE = run(func(cmd *cobra.Command, _ []string) error {
		base, err := healthBase(address, listen)
		if err != nil {
			return usage{err}
		}
		doc, said, err := askHealth(cmd.Context(), base)
		line := strings.Join(append([]string{said.Status}, said.problems()...), " ")
		if err != nil {
			found, fix := unreached(err)
			said.Status, line = "fail", "fail "+base+": "+found+"; "+fix
			if doc, err = json.Marshal(map[string]string{"status": "fail", "output": line[5:]}, json.Deterministic(true)); err != nil {
				return err
			}
		}
		if asJSON(cmd) {
			line = string(doc)
		}
		if _, err := fmt.Fprintln(cmd.OutOrStdout(), line); err != nil {
			return err
		}
		if said.Status == "fail" {
			return failure{} // the line has said it
		}
		return nil
	})
	return cmd
}

// healthBase is the address to ask: the one that was named, else where serve
// listens; from this machine, all interfaces are reached by the loopback one.
func healthBase(address, listen string) (string, error) {
	if address != "" {
		c, err := newClient(address, "")
		if err != nil {
			return "", err
		}
		return c.base, nil
	}
	host, port, err := net.SplitHostPort(listen)
	if err != nil || port == "" {
		return "", errors.New("--listen is an address such as 127.0.0.1:8080")
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port), nil
}
