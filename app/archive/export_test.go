package archive

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"birthregistry/app/auth"
	"birthregistry/app/changes"
	"birthregistry/app/fixture"
	"birthregistry/store"
)

// exportOf exports a practice and returns the file and the secret that opens it.
func exportOf(t *testing.T, f *fixture.Fixture, practice store.Practice) (made Made, file, secret string) {
	t.Helper()
	public, secret := recipient(t)
	file = filepath.Join(t.TempDir(), "practice.age")
	made, err := of(f).Export(t.Context(), auth.Operator(practice), Sealing{Recipients: []string{public}}, file, quiet)
	require.NoError(t, err)
	return made, file, secret
}

func TestAnExportIsReadWithoutThisProgram(t *testing.T) {
	p := fixture.NewPair(t)
	p.Did(p.Review.Merge(p.Admin, p.Of(), "", nil))
	p.Push(fixture.Course("pushed", 3000))
	made, file, secret := exportOf(t, p.Fixture, p.Admin.Practice)

	info, err := os.Stat(file)
	require.NoError(t, err)
	require.EqualValues(t, 0o600, info.Mode().Perm())
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, made.SHA256, sha256.Sum256(content))
	require.EqualValues(t, len(content), made.Size)

	all := members(t, file, secret)
	var m Manifest
	require.NoError(t, json.Unmarshal(all[manifestName], &m))
	require.Equal(t, made.Manifest, m)
	require.Len(t, m.Members, len(all)-1)
	for _, member := range m.Members {
		digest := sha256.Sum256(all[member.Name])
		require.Equal(t, hex.EncodeToString(digest[:]), member.SHA256, member.Name)
		require.EqualValues(t, len(all[member.Name]), member.Bytes)
		if member.Name != birthsName {
			require.Equal(t, bytes.Count(all[member.Name], []byte("\n")), member.Rows, member.Name)
		}
	}
	require.Equal(t, 3, m.Records)
	versions := string(all["versions.ndjson"])
	require.Contains(t, versions, `"mother_family_name":{"value":"Okonkwo","source":"manual"}`, "what is sealed in the database is open")
	require.Contains(t, versions, `"birth_weight_g":{"value":3420,"source":"manual"}`)
	require.Contains(t, string(all["records.ndjson"]), `"state":"merged"`)
	require.Contains(t, string(all["reviews.ndjson"]), `"decision":"merge"`)
	require.Contains(t, string(all["custom_values.ndjson"]), `"values":{"tub":"yes"}`)
	require.Contains(t, string(all["ingestions.ndjson"]), `"outcome":{"accepted":[{`)
	require.Contains(t, string(all["births.csv"]), "Okonkwo")
}

// chainOf computes the chain of a trail as the guide says.
func chainOf(t *testing.T, trail []byte) (last string) {
	t.Helper()
	for line := range bytes.Lines(trail) {
		text, stated, found := strings.Cut(strings.TrimSpace(string(line)), `,"chain":"`)
		require.True(t, found)
		digest := sha256.Sum256([]byte(last + text))
		last = hex.EncodeToString(digest[:])
		require.Equal(t, last+`"}`, stated)
	}
	return last
}

func TestTheTrailOfAnExportIsChainedWithoutAKey(t *testing.T) {
	p := fixture.NewPair(t)
	made, file, secret := exportOf(t, p.Fixture, p.Admin.Practice)
	trail := members(t, file, secret)["audit.ndjson"]
	require.Equal(t, 2, bytes.Count(trail, []byte(`"action":"record.create"`)))
	require.Equal(t, made.Trail, Chain{chainOf(t, trail), true})
	require.NotContains(t, string(trail), "practice.export", "the export is noted after its snapshot")
	require.Contains(t, p.Trail(), fmt.Sprintf("practice.export 2 births, SHA-256 %x", made.SHA256))
	exports, err := store.Read(t.Context(), p.DB, func(v *store.View) ([]store.NotedExport, error) { return v.NotedExports(p.Caller.Practice, 9) })
	require.NoError(t, err)
	require.Len(t, exports, 1)
	require.Equal(t, made.SHA256[:], exports[0].Digest)
}

func TestAnExportHoldsOnePracticeAlone(t *testing.T) {
	p := fixture.NewPair(t)
	var other store.Practice
	require.NoError(t, p.DB.Update(func(tx *store.Tx) error {
		id, err := tx.AddPractice("Elsewhere", false, false)
		if err != nil {
			return err
		}
		other, err = tx.Practice(id)
		return err
	}))
	_, file, secret := exportOf(t, p.Fixture, other)
	for name, content := range members(t, file, secret) {
		if name != manifestName && name != birthsName && name != "practice.ndjson" {
			require.Empty(t, content, name)
		}
		require.NotContains(t, string(content), "Okonkwo", name)
	}
}

func TestAnExportThatIsCutOffLeavesNoFile(t *testing.T) {
	p := fixture.NewPair(t)
	public, _ := recipient(t)
	folder := t.TempDir()
	for stop := range 3 {
		ctx, cancel := context.WithCancel(t.Context())
		_, err := of(p.Fixture).Export(ctx, auth.Operator(p.Admin.Practice), Sealing{Recipients: []string{public}},
			filepath.Join(folder, "practice.age"), func(done, _ int) {
				if done == stop {
					cancel()
				}
			})
		require.ErrorIs(t, err, context.Canceled, "at %d", stop)
		left, err := os.ReadDir(folder)
		require.NoError(t, err)
		require.Empty(t, left)
	}
	require.NotContains(t, strings.Join(p.Trail(), " "), "practice.export")
}

func TestAnExportOverwritesNothingAndTakesNoSecretKey(t *testing.T) {
	p := fixture.NewPair(t)
	file := filepath.Join(t.TempDir(), "there")
	require.NoError(t, os.WriteFile(file, []byte("precious"), 0o600))
	public, secret := recipient(t)
	_, err := of(p.Fixture).Export(t.Context(), auth.Operator(p.Admin.Practice), Sealing{Recipients: []string{public}}, file, quiet)
	require.ErrorContains(t, err, "choose another name")
	key, err := os.ReadFile(secret)
	require.NoError(t, err)
	_, err = of(p.Fixture).Export(t.Context(), auth.Operator(p.Admin.Practice), Sealing{Recipients: []string{string(key)}}, file+"2", quiet)
	require.ErrorContains(t, err, "secret half")
}

func TestAnExportWaitsForTheQueueOfItsPractice(t *testing.T) {
	p := fixture.NewPair(t)
	p.Accept(fixture.Course("waits", 3000))
	public, secret := recipient(t)
	file := filepath.Join(t.TempDir(), "practice.age")
	e := &export{Service: of(p.Fixture), ctx: t.Context(), practice: p.Caller.Practice, progress: quiet}
	_, err := e.write(Sealing{Passphrase: "for this test alone"}, &bytes.Buffer{})
	require.ErrorIs(t, err, ErrBusy)
	p.Drain()
	_, err = of(p.Fixture).Export(t.Context(), auth.Operator(p.Admin.Practice), Sealing{Recipients: []string{public}}, file, quiet)
	require.NoError(t, err)
	require.Contains(t, string(members(t, file, secret)["records.ndjson"]), `"chart":"waits"`)
}

// Rows leave one by one, so what is live in memory doesn't grow with the practice.
func TestTheMemoryOfAnExportDoesNotGrowWithThePractice(t *testing.T) {
	peak := func(births int) (most uint64) {
		p := fixture.NewStaffed(t)
		for n := range births {
			p.Save(p.Provider, changes.Form{Draft: fixture.Typed(fmt.Sprint(n), fmt.Sprint("Mother", n), 3000)})
		}
		e := &export{Service: of(p.Fixture), ctx: t.Context(), practice: p.Caller.Practice, progress: func(done, total int) {
			if done%(births/5) == 0 {
				var now runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&now)
				most = max(most, now.HeapAlloc)
			}
		}}
		_, err := e.write(Sealing{Passphrase: "for this test alone"}, io.Discard)
		require.NoError(t, err)
		return most
	}
	few := peak(10)
	require.Less(t, peak(500), few+1<<20)
}
