package app_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/ops"
)

// unsign makes an installation look as if it predated signatures, with an audit trail of its
// own.
func (s *installation) unsign() {
	s.t.Helper()
	behind(s.t, s.db, stripped()+`; drop trigger audit_stays; delete from audit; update audit_head set last = 0, mac = x'';
		create trigger audit_stays before delete on audit begin select raise(abort, 'the audit trail does not change'); end`)
	noteUnsigned(s.t, s.db, ops.KeyFileFor(s.db))
	content, err := os.ReadFile(ops.KeyFileFor(s.db))
	require.NoError(s.t, err)
	var lines []string
	for line := range strings.Lines(string(content)) {
		if !strings.HasPrefix(line, "# It signs") {
			lines = append(lines, line)
		}
	}
	require.NoError(s.t, os.WriteFile(ops.KeyFileFor(s.db), []byte(strings.Join(lines, "")), 0o600))
}

// signedRecords counts the signed records; it returns -1 if a stopped process holds the lock.
func (s *installation) signedRecords() int {
	s.t.Helper()
	return s.counted("select count(mac) from records")
}

func TestSigningAnEarlierDatabaseResumesAfterAKill(t *testing.T) {
	t.Parallel()
	const births = 4000
	s := newInstallation(t)
	s.start()
	s.pushBirths(births)
	s.stop()
	s.unsign()
	s.killedIn("the middle of its signing", func() bool {
		n := s.signedRecords()
		return n > 0 && n < births
	})
	s.log.Reset()
	s.start()
	require.Equal(t, births, s.signedRecords(), "it serves once it is done")
	s.stop() // its log is complete only once it has ended
	require.Contains(t, s.log.String(), "signing the rows of an earlier version")
	require.NotContains(t, s.command("check"), "PROBLEM")
}
