package seal

import (
	"bytes"
	"testing"
	"time"

	"filippo.io/age"
	"github.com/stretchr/testify/require"
)

// BenchmarkSeal measures sealing 6 KB under an epoch against a new file of the age library for
// each row; both take turns in one run.
func BenchmarkSeal(b *testing.B) {
	s := opened(b)
	content := contents()["6000 random"]
	ways := []func() error{
		func() error {
			_, err := s.Seal(place, content)
			return err
		},
		func() error {
			var file bytes.Buffer
			w, err := age.Encrypt(&file, s.box())
			if err == nil {
				_, err = w.Write(content)
			}
			if err == nil {
				err = w.Close()
			}
			return err
		},
	}
	var spent [2]time.Duration
	rounds := 0
	for b.Loop() {
		rounds++
		for i, way := range ways {
			began := time.Now()
			for range 20 {
				require.NoError(b, way())
			}
			spent[i] += time.Since(began)
		}
	}
	b.ReportMetric(float64(spent[1])/float64(spent[0]), "x-of-a-file-a-row")
	b.ReportMetric(float64(spent[0].Microseconds())/float64(20*rounds), "µs/seal")
	b.ReportMetric(0, "ns/op")
}
