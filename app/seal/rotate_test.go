package seal

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"filippo.io/age"
	"github.com/stretchr/testify/require"
)

func quiet(int, int) {}

// values seals a value under each of n epochs.
func values(t *testing.T, s *safe, n int) (sealed [][]byte) {
	t.Helper()
	for i := range n {
		require.NoError(t, s.begin())
		value, err := s.Seal(place, fmt.Append(nil, "value ", i))
		require.NoError(t, err)
		sealed = append(sealed, value)
	}
	return sealed
}

// opensAll requires that a key file opens all values in a newly started process, and returns
// the vault.
func opensAll(t *testing.T, s *safe, keyFile string, sealed [][]byte) *Vault {
	t.Helper()
	v, made, err := Open(s.db, keyFile)
	require.NoError(t, err)
	require.False(t, made)
	for i, value := range sealed {
		got, err := v.Open(place, value)
		require.NoError(t, err)
		require.Equal(t, fmt.Sprint("value ", i), string(got))
	}
	return v
}

func copyOf(t *testing.T, keyFile string) string {
	t.Helper()
	text, err := os.ReadFile(keyFile)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "copy.key")
	require.NoError(t, os.WriteFile(path, text, 0o600))
	return path
}

func TestAfterARotationTheNewKeyOpensEverythingAndTheOldOneNothing(t *testing.T) {
	s := opened(t)
	sealed := values(t, s, 2*batch+10)
	old := copyOf(t, s.keyFile)
	hashes := s.Key("fingerprint")
	var reported []int
	retired, err := s.Rotate(t.Context(), func(done, total int) {
		require.Equal(t, 2*batch+11, total)
		reported = append(reported, done)
	})
	require.NoError(t, err)
	require.Equal(t, []int{batch, 2 * batch, 2*batch + 11}, reported)
	v := opensAll(t, s, s.keyFile, sealed)
	require.Equal(t, hashes, v.Key("fingerprint"), "what was hashed is found again")
	_, _, err = Open(s.db, old)
	require.ErrorIs(t, err, ErrWrongKey)
	keys, err := readKeys(old)
	require.NoError(t, err)
	for id := int64(1); ; id++ {
		header, err := s.db.Epoch(id)
		if s.db.Missing(err) {
			break
		}
		require.NoError(t, err)
		_, err = age.DecryptHeader(header, identities(keys)...)
		require.Error(t, err, "the old key opens header %d", id)
	}
	kept, err := readKeys(retired)
	require.NoError(t, err)
	require.Equal(t, keys[0].String(), kept[0].String(), "the old key is kept for the backups")
	for _, file := range []string{s.keyFile, retired} {
		info, err := os.Stat(file)
		require.NoError(t, err)
		require.Equal(t, fs.FileMode(0o600), info.Mode())
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(s.keyFile), ".key-*"))
	require.NoError(t, err)
	require.Empty(t, left)
	before := s.current.Load().id
	value, err := s.Seal(place, []byte("after"))
	require.NoError(t, err)
	opensAll(t, s, s.keyFile, nil)
	require.Greater(t, before, int64(len(sealed)+1), "a new epoch has begun")
	got, err := v.Open(place, value)
	require.NoError(t, err)
	require.Equal(t, "after", string(got))
}

// cut is the database of a process that is killed at one of its calls, either before the call
// is done or before it returns.
type cut struct {
	Store
	left int
	done bool // whether the last call was done
}

var errCut = errors.New("cut off")

func (c *cut) call(do func() error) error {
	c.left--
	if c.left >= 0 || c.left == -1 && c.done {
		if err := do(); err != nil || c.left >= 0 {
			return err
		}
	}
	return errCut
}

func (c *cut) Recipients() (list int64, texts []string, err error) {
	err = c.call(func() error {
		list, texts, err = c.Store.Recipients()
		return err
	})
	return list, texts, err
}

func (c *cut) SetBox(recipient string) error {
	return c.call(func() error { return c.Store.SetBox(recipient) })
}

func (c *cut) PutEpoch(header []byte, list int64) (id int64, err error) {
	err = c.call(func() error {
		id, err = c.Store.PutEpoch(header, list)
		return err
	})
	return id, err
}

func (c *cut) CountBehind(list int64) (n int, err error) {
	err = c.call(func() error {
		n, err = c.Store.CountBehind(list)
		return err
	})
	return n, err
}

func (c *cut) EpochsBehind(list, after int64, limit int) (ids []int64, headers [][]byte, err error) {
	err = c.call(func() error {
		ids, headers, err = c.Store.EpochsBehind(list, after, limit)
		return err
	})
	return ids, headers, err
}

func (c *cut) RewrapEpochs(list int64, ids []int64, headers [][]byte) error {
	return c.call(func() error { return c.Store.RewrapEpochs(list, ids, headers) })
}

func TestARotationInterruptedAtAnyMomentLosesNothingAndResumes(t *testing.T) {
	ended := false
	for n := 0; !ended; n++ {
		ended = cutOff(t, n/2, n%2 == 1)
		require.True(t, !ended || n > 16, "it was cut off nowhere")
	}
}

// cutOff rotates, is killed after this many calls, and rotates again; ended reports that the
// rotation ended before it could be killed.
func cutOff(t *testing.T, calls int, done bool) (ended bool) {
	t.Helper()
	s := opened(t)
	sealed := values(t, s, batch+5)
	first := copyOf(t, s.keyFile)
	s.store = &cut{s.db, calls, done}
	if _, err := s.Rotate(t.Context(), quiet); err == nil {
		return true
	} else {
		require.ErrorIs(t, err, errCut)
	}
	made, err := readKeys(s.keyFile)
	require.NoError(t, err)
	again := opensAll(t, s, s.keyFile, sealed) // another process
	require.NoError(t, again.Ready())
	value, err := again.Seal(place, fmt.Append(nil, "value ", len(sealed)))
	require.NoError(t, err)
	sealed = append(sealed, value)

	retired, err := again.Rotate(t.Context(), quiet)
	require.NoError(t, err)
	opensAll(t, s, s.keyFile, sealed)
	if len(made) == 2 {
		now, err := readKeys(s.keyFile)
		require.NoError(t, err)
		require.Equal(t, made[0].String(), now[0].String(), "it went on with the key it had made")
	}
	_, _, err = Open(s.db, first)
	require.ErrorIs(t, err, ErrWrongKey)
	require.FileExists(t, retired)
	keys, err := again.Keys()
	require.NoError(t, err)
	require.Equal(t, Keys{Own: keys.Own}, keys, "nothing is left to do")
	return false
}

func TestChangesOfKeysStopBetweenTwoBatchesWhenInterruptedAndContinue(t *testing.T) {
	recipient, err := NewRecovery(filepath.Join(t.TempDir(), "recovery.key"))
	require.NoError(t, err)
	add := func(s *safe) func(context.Context, func(int, int)) error {
		return func(ctx context.Context, progress func(int, int)) error {
			return s.AddRecovery(ctx, recipient, progress)
		}
	}
	for name, change := range map[string]func(s *safe) func(context.Context, func(int, int)) error{
		"rotation": func(s *safe) func(context.Context, func(int, int)) error {
			return func(ctx context.Context, progress func(int, int)) error {
				_, err := s.Rotate(ctx, progress)
				return err
			}
		},
		"addition": add,
		"removal": func(s *safe) func(context.Context, func(int, int)) error {
			require.NoError(t, add(s)(t.Context(), quiet))
			return func(ctx context.Context, progress func(int, int)) error {
				return s.RemoveRecovery(ctx, recipient, progress)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := opened(t)
			sealed := values(t, s, 3*batch)
			do := change(s)
			ctx, interrupt := context.WithCancel(t.Context())
			defer interrupt()
			batches := 0
			require.ErrorIs(t, do(ctx, func(int, int) { batches++; interrupt() }), context.Canceled)
			require.Equal(t, 1, batches)
			_, total, err := s.Closed(t.Context())
			require.NoError(t, err)
			keys, err := s.Keys()
			require.NoError(t, err)
			require.Equal(t, total-batch-1, keys.Behind, "one batch is done, and the new epoch needs none")
			_, _, err = s.Closed(ctx)
			require.ErrorIs(t, err, context.Canceled)
			opensAll(t, s, s.keyFile, sealed)

			require.NoError(t, do(t.Context(), quiet))
			keys, err = s.Keys()
			require.NoError(t, err)
			require.Equal(t, Keys{Own: keys.Own}, keys, "nothing is left to do")
			opensAll(t, s, s.keyFile, sealed)
		})
	}
}

func TestARotationInterruptedBeforeItsLastStepEndsWithTheSameKeys(t *testing.T) {
	s := opened(t)
	sealed := values(t, s, 3)
	old, err := readKeys(s.keyFile)
	require.NoError(t, err)
	retired, err := s.Rotate(t.Context(), quiet)
	require.NoError(t, err)
	now, err := readKeys(s.keyFile)
	require.NoError(t, err)
	require.NoError(t, replaceKeys(s.keyFile, now[0], old[0])) // as before the last step
	keys, err := s.Keys()
	require.NoError(t, err)
	require.True(t, keys.Unfinished)
	again, err := opensAll(t, s, s.keyFile, sealed).Rotate(t.Context(), quiet)
	require.NoError(t, err)
	require.Equal(t, retired, again, "one file for one key")
	then, err := readKeys(s.keyFile)
	require.NoError(t, err)
	require.Equal(t, now[0].String(), then[0].String())
}

func TestAProcessThatWorksDuringRotationsNoticesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := opened(t)
		sealed := values(t, s, batch+3)
		server, _, err := Open(s.db, s.keyFile) // this process hasn't opened any of these yet
		require.NoError(t, err)
		require.NoError(t, server.Ready())
		var wg sync.WaitGroup
		wg.Go(func() {
			for n := range 100 {
				if err := server.Ready(); err != nil {
					t.Error(err)
				}
				value, err := server.Seal(place, []byte("meanwhile"))
				if err != nil {
					t.Error(err)
				}
				fresh, _, err := Open(s.db, s.keyFile)
				if err != nil {
					t.Error(err)
					return
				}
				for _, v := range []*Vault{server, fresh} {
					_, err := v.Open(place, value)
					if _, also := v.Open(place, sealed[n%len(sealed)]); err != nil || also != nil {
						t.Error(err, also)
					}
				}
				time.Sleep(10 * time.Minute)
			}
		})
		for range 4 {
			time.Sleep(3*time.Hour + time.Minute)
			_, err := s.Rotate(t.Context(), quiet)
			require.NoError(t, err)
		}
		wg.Wait()
		opensAll(t, s, s.keyFile, sealed)
	})
}

func TestAHeaderMadeForFormerRecipientsIsNeverUsed(t *testing.T) {
	s := opened(t)
	header, err := wrap(make([]byte, fileKeySize), []*age.HybridRecipient{s.box()})
	require.NoError(t, err)
	_, err = s.Rotate(t.Context(), quiet)
	require.NoError(t, err)
	_, err = s.db.PutEpoch(header, 0)
	require.True(t, s.db.Outdated(err))
	require.True(t, s.db.Outdated(s.db.RewrapEpochs(0, []int64{1}, [][]byte{header})))
}

func TestAHeaderThatDoesNotOpenKeepsTheOldKeyWhereItIs(t *testing.T) {
	s := opened(t)
	sealed := values(t, s, 3)
	list, _, err := s.db.Recipients()
	require.NoError(t, err)
	require.NoError(t, s.db.RewrapEpochs(list, []int64{3}, [][]byte{[]byte("damaged")}))
	_, err = s.Rotate(t.Context(), quiet)
	require.ErrorIs(t, err, ErrHeaders)
	require.ErrorContains(t, err, "1 of 4")
	keys, err := s.Keys()
	require.NoError(t, err)
	require.True(t, keys.Unfinished)
	require.Equal(t, 1, keys.Behind)
	v, _, err := Open(s.db, s.keyFile)
	require.NoError(t, err)
	_, err = v.Open(place, sealed[0])
	require.NoError(t, err, "the others open")
}

func TestARecoveryKeyOpensEverythingUntilItIsRemoved(t *testing.T) {
	s := opened(t)
	sealed := values(t, s, 5)
	path := filepath.Join(t.TempDir(), "recovery.key")
	recipient, err := NewRecovery(path)
	require.NoError(t, err)
	_, err = NewRecovery(path)
	require.ErrorIs(t, err, fs.ErrExist, "it overwrites nothing")
	_, _, err = Open(s.db, path)
	require.ErrorIs(t, err, ErrWrongKey)
	require.NoError(t, s.AddRecovery(t.Context(), recipient, quiet))
	require.NoError(t, s.AddRecovery(t.Context(), recipient, quiet), "again, to go on where it was cut off")
	v := opensAll(t, s, path, sealed)
	keys, err := v.Keys()
	require.NoError(t, err)
	require.True(t, keys.Recovery)
	_, err = v.Rotate(t.Context(), quiet)
	require.ErrorIs(t, err, ErrRecoveryKey)
	_, err = s.Rotate(t.Context(), quiet)
	require.NoError(t, err)
	opensAll(t, s, path, sealed)
	opensAll(t, s, s.keyFile, sealed)
	require.NoError(t, s.RemoveRecovery(t.Context(), recipient, quiet))
	_, _, err = Open(s.db, path)
	require.ErrorIs(t, err, ErrWrongKey)
	opensAll(t, s, s.keyFile, sealed)
	require.True(t, s.db.Missing(s.RemoveRecovery(t.Context(), recipient, quiet)))
	own, err := s.Keys()
	require.NoError(t, err)
	require.True(t, s.db.Missing(s.RemoveRecovery(t.Context(), own.Own, quiet)), "the installation's own stays")
}

func TestAnInvalidPublicKeyIsRefusedAndNotQuoted(t *testing.T) {
	s := opened(t)
	classic, err := age.GenerateX25519Identity()
	require.NoError(t, err)
	hybrid, err := age.GenerateHybridIdentity()
	require.NoError(t, err)
	public := hybrid.Recipient().String()
	for _, text := range []string{"", "age1pq1", "CNRY", classic.Recipient().String(), public[:100], public + "q", strings.Repeat("x", 10_000)} {
		err := s.AddRecovery(t.Context(), text, quiet)
		require.ErrorIs(t, err, ErrRecipient)
		require.NotContains(t, err.Error(), "CNRY")
	}
	for _, secret := range []string{hybrid.String(), strings.ToLower(hybrid.String()), classic.String()} {
		err := s.AddRecovery(t.Context(), secret, quiet)
		require.ErrorIs(t, err, ErrSecretKey)
		require.NotContains(t, err.Error(), secret[20:])
	}
	_, texts, err := s.db.Recipients()
	require.NoError(t, err)
	require.Len(t, texts, 1)
}

func TestADatabaseMovesToAnotherKeyWithOnlyItsRecoveryKey(t *testing.T) {
	s := opened(t)
	sealed := values(t, s, batch+1)
	recovery := filepath.Join(t.TempDir(), "recovery.key")
	recipient, err := NewRecovery(recovery)
	require.NoError(t, err)
	require.NoError(t, s.AddRecovery(t.Context(), recipient, quiet))
	old := copyOf(t, s.keyFile)
	require.NoError(t, os.Remove(s.keyFile))

	v := opensAll(t, s, recovery, sealed)
	made, err := v.MoveTo(t.Context(), s.keyFile, quiet)
	require.NoError(t, err)
	require.True(t, made)
	opensAll(t, s, s.keyFile, sealed)
	opensAll(t, s, recovery, sealed)
	_, _, err = Open(s.db, old)
	require.ErrorIs(t, err, ErrWrongKey)

	made, err = opensAll(t, s, s.keyFile, sealed).MoveTo(t.Context(), old, quiet) // a key that exists
	require.NoError(t, err)
	require.False(t, made)
	opensAll(t, s, old, sealed)
}

func TestAnOldDatabaseWithoutAListOfRecipientsAdoptsItsKey(t *testing.T) {
	s := opened(t)
	sealed := values(t, s, 2)
	own := publicOf((*s.keys.Load())[0])
	file, err := sql.Open("sqlite", s.db.Path())
	require.NoError(t, err)
	_, err = file.Exec("delete from seal_recipients")
	require.NoError(t, errors.Join(err, file.Close()))
	opensAll(t, s, s.keyFile, sealed)
	_, texts, err := s.db.Recipients()
	require.NoError(t, err)
	require.Equal(t, []string{own}, texts)
}

func TestAKeyFileKeepsItsPlaceWhenItIsALink(t *testing.T) {
	s := opened(t)
	sealed := values(t, s, 2)
	real := filepath.Join(t.TempDir(), "real.key")
	require.NoError(t, os.Rename(s.keyFile, real))
	require.NoError(t, os.Symlink(real, s.keyFile))
	retired, err := s.Rotate(t.Context(), quiet)
	require.NoError(t, err)
	require.Equal(t, filepath.Dir(real), filepath.Dir(retired))
	info, err := os.Lstat(s.keyFile)
	require.NoError(t, err)
	require.NotZero(t, info.Mode()&fs.ModeSymlink)
	opensAll(t, s, s.keyFile, sealed)
}

func TestAKeyFileThatRootRotatesKeepsItsOwner(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root gives files away")
	}
	s := opened(t)
	require.NoError(t, os.Chown(s.keyFile, 65534, 65534))
	retired, err := s.Rotate(t.Context(), quiet)
	require.NoError(t, err)
	for _, file := range []string{s.keyFile, retired} {
		info, err := os.Stat(file)
		require.NoError(t, err)
		require.EqualValues(t, 65534, info.Sys().(*syscall.Stat_t).Uid)
	}
}

func TestAHeaderForManyRecipientsIsTheOneThatAgeWrites(t *testing.T) {
	fileKey := []byte("sixteen bytes...")
	var all []*age.HybridRecipient
	for range 4 {
		key, err := age.GenerateHybridIdentity()
		require.NoError(t, err)
		all = append(all, key.Recipient())
		header, err := wrap(fileKey, all)
		require.NoError(t, err)
		got, err := age.DecryptHeader(header, key)
		require.NoError(t, err)
		require.Equal(t, fileKey, got)
		same, err := age.ExtractHeader(bytes.NewReader(header))
		require.NoError(t, err)
		require.Equal(t, string(same), string(header), "as the stock library writes it")
	}
	_, err := wrap(fileKey, nil)
	require.Error(t, err)
}
