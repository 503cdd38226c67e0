package archive_test

import (
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/archive"
	"birthregistry/app/auth"
	"birthregistry/app/fixture"
	"birthregistry/app/records"
	"birthregistry/store"
)

func TestOnlySoManyArchivesWaitOnTheDiskForSlowReaders(t *testing.T) {
	f := fixture.New(t)
	s := archive.New(f.DB, f.Vault, auth.New(f.DB, f.Vault), records.New(f.DB, f.Vault), f.Changes, "test")
	sealing := archive.Sealing{Recipients: []string{"age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p"}}
	reads, release, ended := make(chan bool), make(chan bool), make(chan error)
	send := func(who auth.User) error {
		return s.Send(t.Context(), who, sealing, func(archive.Made, io.Reader) error {
			reads <- true
			<-release
			return nil
		})
	}
	var all []auth.User
	for n := range 9 {
		require.NoError(t, f.DB.Update(func(tx *store.Tx) (err error) {
			f.Caller.Practice, err = tx.AddPractice(fmt.Sprint("Practice ", n), false, true)
			return err
		}))
		all = append(all, f.Person(auth.Admin))
	}
	for _, who := range all[:8] {
		go func() { ended <- send(who) }()
		<-reads
	}
	require.ErrorIs(t, send(all[8]), archive.ErrMany)
	require.ErrorIs(t, send(all[0]), archive.ErrRunning)
	close(release)
	for range 8 {
		require.NoError(t, <-ended)
	}
	go func() { ended <- send(all[8]) }()
	<-reads
	require.NoError(t, <-ended)
}
