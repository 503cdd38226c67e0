package cli

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
)

const births = "chart_number,mother_family_name,birth_date,birth_weight_g,Notes\n" +
	"A-1,Okonkwo,2026-03-02,3400,x\nA-2,Novak,2026-03-03,2980,x\n"

func csvFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "births.csv")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func charts(t *testing.T, p int) (n int) {
	t.Helper()
	var all []map[string]any
	require.NoError(t, json.Unmarshal([]byte(command(t, "", "record", "list", "--practice", fmt.Sprint(p), "--json").out), &all))
	return len(all)
}

func TestImportSaysWhatItWouldDoAndThenDoesItWithoutAServer(t *testing.T) {
	database(t)
	command(t, "", "practice", "add", "Riverside")
	file := csvFile(t, births)
	dry := command(t, "", "import", file, "--practice", "1", "--dry-run")
	require.Zero(t, dry.code, dry.talk)
	require.Contains(t, dry.out, "2 rows, UTF-8\n      2  births would be added\n")
	require.Contains(t, dry.out, "column E (Notes) is not read")
	require.Zero(t, charts(t, 1))

	done := command(t, "", "import", file, "--practice", "1")
	require.Zero(t, done.code, done.talk)
	require.Contains(t, done.out, "      2  births were added\n")
	require.Equal(t, 2, charts(t, 1))

	again := command(t, births+"A-1", "import", "-", "--practice", "1", "--json")
	require.Equal(t, 1, again.code, "a chart number that comes again is an error")
	again = command(t, births, "import", "-", "--practice", "1", "--json")
	require.Zero(t, again.code, again.talk)
	var answer struct {
		Done   bool           `json:"imported"`
		Result map[string]any `json:"result"`
	}
	require.NoError(t, json.Unmarshal([]byte(again.out), &answer))
	require.False(t, answer.Done, "there was nothing to do")
	require.NotContains(t, again.out, "A-1", "nothing of the file is repeated")
	require.EqualValues(t, 2, answer.Result["unchanged"])
	require.Zero(t, command(t, "", "check").code)
}

func TestImportOfAFileWithErrorsStopsUnlessTheyAreLeftOut(t *testing.T) {
	database(t)
	command(t, "", "practice", "add", "Riverside")
	file := csvFile(t, births+"A-3,Secretname,tomorrow,7,x\n")
	stopped := command(t, "", "import", file, "--practice", "1")
	require.Equal(t, 1, stopped.code)
	require.Contains(t, stopped.out, "4    birth_date      Write the date as")
	require.Contains(t, stopped.talk, "--leave-out-errors")
	require.NotContains(t, stopped.out+stopped.talk, "Secretname")
	listed := command(t, "", "import", file, "--practice", "1", "--dry-run", "--json")
	require.Contains(t, listed.out, `"wrong_values"`)
	for _, value := range []string{"Secretname", "tomorrow", "A-3"} {
		require.NotContains(t, listed.out, value)
	}
	require.Zero(t, charts(t, 1))

	left := filepath.Join(t.TempDir(), "left.csv")
	over := command(t, "", "import", file, "--practice", "1", "--leave-out-errors", "--error-file", file)
	require.Equal(t, exitUsage, over.code)
	require.Contains(t, over.talk, "--error-file would overwrite the file that is imported")
	rest := command(t, "", "import", file, "--practice", "1", "--leave-out-errors", "--error-file", left)
	require.Equal(t, 1, rest.code)
	require.Contains(t, rest.out, "      1  has errors")
	require.Equal(t, 2, charts(t, 1))
	text, err := os.ReadFile(left)
	require.NoError(t, err)
	require.Contains(t, string(text), "A-3,Secretname,tomorrow,7,x,\"birth_date: Write the date as")

	again := command(t, "", "import", file, "--practice", "1", "--leave-out-errors")
	require.Equal(t, 1, again.code)
	require.Contains(t, again.out, "are on file already")
	require.Contains(t, again.talk, "no row without errors would change anything")
	require.NotContains(t, again.talk, "--leave-out-errors")

	foreign := command(t, "", "import", csvFile(t, "chart_number,Mom / parent,birth_date,Grams (g/kg)\nA-9,Roe,2026-03-02,3000\n"), "--practice", "1")
	require.Equal(t, 1, foreign.code)
	require.Contains(t, foreign.talk, "These columns don't have the names of the template: B (Mom / parent), D (Grams (g/kg))")

	none := command(t, "", "import", csvFile(t, "PK\x03\x04 a workbook it is"), "--practice", "1")
	require.Equal(t, 1, none.code)
	require.Contains(t, none.talk, "an Excel workbook")
	require.Equal(t, 1, command(t, "", "import", file, "--practice", "9").code)
	require.Equal(t, 2, command(t, "", "import", file).code)
	require.Equal(t, 2, command(t, "", "import", "--practice", "1").code)
}

func TestImportDoesNotOverwriteStandardInputWithTheErrorFile(t *testing.T) {
	database(t)
	command(t, "", "practice", "add", "Riverside")
	text := births + "A-3,Secretname,tomorrow,7,x\n"
	file := csvFile(t, text)
	in, err := os.Open(file)
	require.NoError(t, err)
	t.Cleanup(func() { _ = in.Close() })
	var out, talk bytes.Buffer
	args := []string{"import", "-", "--practice", "1", "--leave-out-errors", "--error-file", file}
	require.Equal(t, exitUsage, Run(context.Background(), args, in, &out, &talk), out.String())
	require.Contains(t, talk.String(), "--error-file would overwrite the file that is imported")
	kept, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, text, string(kept))
	require.Zero(t, charts(t, 1))
}

func TestAnImportThatIsInterruptedAfterItEndedStillWritesTheErrorFile(t *testing.T) {
	database(t)
	command(t, "", "practice", "add", "Riverside")
	left := filepath.Join(t.TempDir(), "left.csv")
	ctx, interrupt := context.WithCancel(context.Background())
	reported := writer(func(p []byte) (int, error) {
		interrupt() // with the first line of the result, after which the error file is written
		return len(p), nil
	})
	var talk bytes.Buffer
	args := []string{"import", csvFile(t, births+"A-3,Novak,tomorrow,7,x\n"), "--practice", "1", "--leave-out-errors", "--error-file", left}
	require.Equal(t, exitFailed, Run(ctx, args, strings.NewReader(""), reported, &talk))
	require.NotContains(t, talk.String(), "nothing was imported")
	require.Equal(t, 2, charts(t, 1))
	text, err := os.ReadFile(left)
	require.NoError(t, err)
	require.Contains(t, string(text), "A-3,Novak,tomorrow,7,x,\"birth_date: Write the date as")
}

func TestImportWhileAServerRunsIsProcessedByTheServer(t *testing.T) {
	i := apptest.Start(t)
	t.Setenv("REGISTRY_DB", i.Config.DB)
	done := command(t, "", "import", csvFile(t, births), "--practice", fmt.Sprint(i.Practice))
	require.Zero(t, done.code, done.talk)
	require.Contains(t, done.out, "      2  births were added\n")
	require.Equal(t, 2, i.Count())
	i.Clean()
}
