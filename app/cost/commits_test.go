package cost_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/fixture"
)

// Each commit waits for the disk, so their number decides how long a caller waits for the
// receipt of a Bundle when there is nothing else to do.
func TestABundleOnItsOwnIsAcceptedAndCompletedWithTwoCommits(t *testing.T) {
	s := newInstallation(t)
	s.pushed(distinct(0).Bundle()) // does what is done only once
	opened, bundle := s.Ingest.ReceiveOpened(), distinct(1).Bundle()
	accepted := measure(func() { s.accept(bundle) })
	require.EqualValues(t, 1, accepted.commits)
	processed := measure(func() {
		ended, err := s.Ingest.RunJob(t.Context(), <-opened)
		require.NoError(t, err)
		require.True(t, ended)
	})
	require.EqualValues(t, 1, processed.commits)
	t.Logf("accepted: %s; processed: %s", accepted, processed)
}

func TestABundleThatWaitsForAWorkerIsAcceptedReceivedAndCompletedWithThreeCommits(t *testing.T) {
	s := newInstallation(t)
	s.pushed(distinct(0).Bundle())
	bundle := distinct(1).Bundle()
	accepted := measure(func() { s.accept(bundle) })
	require.EqualValues(t, 1, accepted.commits)
	processed := measure(func() {
		queues, err := s.Ingest.ReceiveQueues(10, fixture.NoneActive)
		require.NoError(t, err)
		require.Len(t, queues, 1)
		ended, err := s.Ingest.RunJob(t.Context(), queues[0])
		require.NoError(t, err)
		require.True(t, ended)
	})
	require.EqualValues(t, 2, processed.commits)
	t.Logf("accepted: %s; processed: %s", accepted, processed)
}
