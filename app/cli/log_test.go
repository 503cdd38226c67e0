package cli

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"
)

func TestALogLineCannotCarryWhatWasSubmitted(t *testing.T) {
	const canary = "Okonkwo"
	var number int
	_, wrongNumber := strconv.Atoi(canary)
	_, wrongTime := time.Parse(time.DateOnly, canary)
	_, wrongURL := url.Parse("https://" + canary + "/%zz")
	_, wrongCSV := csv.NewReader(strings.NewReader(`"` + canary)).Read()
	wrongJSON := json.Unmarshal([]byte(`"`+canary+`"`), &number)
	for name, line := range map[string][]any{
		"a name that is not allowed": {"mother", canary},
		"a body":                     {"cause", []byte(canary)},
		"a struct":                   {"cause", struct{ Name string }{canary}},
		"a number":                   {"cause", wrongNumber},
		"a time, wrapped":            {"cause", fmt.Errorf("read: %w", wrongTime)},
		"an address":                 {"cause", errors.Join(errors.New("x"), wrongURL)},
		"a row":                      {"cause", wrongCSV},
		"a document":                 {"cause", wrongJSON},
		"a long text":                {"cause", strings.Repeat("x", longest) + canary},
	} {
		var b bytes.Buffer
		log := logger(&b)
		log.Error("it failed", append(line, "request_id", "kept")...)
		log.With("mother", canary).WithGroup(canary).Error("again", line...)
		require.NotContains(t, b.String(), canary, name)
		require.Contains(t, b.String(), "it failed", name)
		require.Contains(t, b.String(), `"request_id":"kept"`, name)
	}
	var b bytes.Buffer
	logger(&b).Info("request", "status", 200, "took", 3*time.Millisecond, "cause", errors.New("the disk is full"), "mother", canary)
	require.Contains(t, b.String(), `"status":200`)
	require.Contains(t, b.String(), `"cause":"the disk is full"`)
	require.Contains(t, b.String(), `"withheld":1`)
}
