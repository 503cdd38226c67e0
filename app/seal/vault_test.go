package seal

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"filippo.io/age"
	"github.com/stretchr/testify/require"

	"birthregistry/store"
	"birthregistry/store/storetest"
)

// TestMain lets the test binary run as another process that opens the vault.
func TestMain(m *testing.M) {
	path := os.Getenv("SEAL_CHILD_DB")
	if path == "" {
		os.Exit(storetest.OffTheDisk(m))
	}
	syscall.Umask(0)
	result, err := open(path)
	fmt.Println(result)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// open opens a database and its vault and returns what it found.
func open(path string) (result string, err error) {
	db, err := store.Open(context.Background(), path)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	v, made, err := Open(db, path+".key")
	if err != nil {
		return "", err
	}
	return fmt.Sprint(hex.EncodeToString(v.Key("test")), " ", made), nil
}

func TestTheKeyIsMadeOnceHoweverManyOpenAFreshDatabaseTogether(t *testing.T) {
	for range 3 {
		path := filepath.Join(t.TempDir(), "registry.db")
		const each = 3
		result := make([]string, 2*each)
		var wg sync.WaitGroup
		for n := range each {
			wg.Go(func() {
				cmd := exec.Command(os.Args[0])
				cmd.Env = append(os.Environ(), "SEAL_CHILD_DB="+path)
				out, err := cmd.Output()
				if err != nil {
					t.Errorf("%v: %s", err, out)
				}
				result[n] = strings.TrimSpace(string(out))
			})
			wg.Go(func() {
				var err error
				if result[each+n], err = open(path); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		made := 0
		for _, s := range result {
			key, first, _ := strings.Cut(s, " ")
			require.True(t, strings.HasPrefix(result[0], key) && len(key) == 64, "two keys: %v", result)
			if first == "true" {
				made++
			}
		}
		require.Equal(t, 1, made)
		left, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".key-*"))
		require.NoError(t, err)
		require.Empty(t, left)
	}
}

func TestTheKeyFileIsAnOrdinaryAgeIdentityThatNobodyElseMayRead(t *testing.T) {
	s := opened(t)
	info, err := os.Stat(s.keyFile)
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o600), info.Mode())
	text, err := os.ReadFile(s.keyFile)
	require.NoError(t, err)
	identities, err := age.ParseIdentities(bytes.NewReader(text))
	require.NoError(t, err)
	require.Len(t, identities, 1)
	require.Contains(t, string(text), "# public key: "+identities[0].(*age.HybridIdentity).Recipient().String())
	require.Contains(t, string(text), "Keep a copy apart from the database")
}

func TestAMissingKeyIsAnErrorAndNeverANewKey(t *testing.T) {
	s := opened(t)
	require.NoError(t, os.Remove(s.keyFile))
	_, made, err := Open(s.db, s.keyFile)
	require.ErrorIs(t, err, ErrNoKey)
	require.False(t, made)
	_, err = os.Stat(s.keyFile)
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestAWrongKeyIsAnErrorAndNeverANewKey(t *testing.T) {
	s, other := opened(t), opened(t)
	before, err := os.ReadFile(other.keyFile)
	require.NoError(t, err)
	_, made, err := Open(s.db, other.keyFile)
	require.ErrorIs(t, err, ErrWrongKey)
	require.False(t, made)
	after, err := os.ReadFile(other.keyFile)
	require.NoError(t, err)
	require.Equal(t, before, after)
	_, _, err = Open(s.db, s.keyFile)
	require.NoError(t, err)
}

func TestAKeyFileThatOthersMayReadIsRefused(t *testing.T) {
	s := opened(t)
	for _, mode := range []fs.FileMode{0o640, 0o604, 0o620, 0o644, 0o610} {
		require.NoError(t, os.Chmod(s.keyFile, mode))
		_, _, err := Open(s.db, s.keyFile)
		require.ErrorIs(t, err, ErrKeyOpen, mode)
	}
	for _, mode := range []fs.FileMode{0o600, 0o400} {
		require.NoError(t, os.Chmod(s.keyFile, mode))
		_, _, err := Open(s.db, s.keyFile)
		require.NoError(t, err, mode)
	}
}

func TestAKeyFileThatHoldsSomethingElseIsRefusedAndNotQuoted(t *testing.T) {
	s := database(t)
	hybrid, err := age.GenerateHybridIdentity()
	require.NoError(t, err)
	classic, err := age.GenerateX25519Identity()
	require.NoError(t, err)
	for name, text := range map[string]string{
		"empty":     "",
		"comment":   "# public key: none\n",
		"garbage":   "CNRY-secret\n",
		"cut off":   hybrid.String()[:60],
		"three":     strings.Repeat(hybrid.String()+"\n", 3),
		"classic":   classic.String() + "\n",
		"recipient": hybrid.Recipient().String() + "\n",
		"endless":   strings.Repeat("# CNRY\n", 20_000),
	} {
		require.NoError(t, os.WriteFile(s.keyFile, []byte(text), 0o600))
		_, made, err := Open(s.db, s.keyFile)
		require.ErrorContains(t, err, "seal: the key file", name)
		require.False(t, made)
		require.NotContains(t, err.Error(), "CNRY")
		require.NotContains(t, err.Error(), hybrid.String()[20:60])
		kept, err := os.ReadFile(s.keyFile)
		require.NoError(t, err)
		require.Equal(t, text, string(kept))
	}
	_, err = s.db.Epoch(1)
	require.True(t, s.db.Missing(err), "nothing was sealed")
}

func TestAnExistingKeyIsUsedForANewDatabase(t *testing.T) {
	other, s := opened(t), database(t)
	_, made, err := Open(s.db, other.keyFile)
	require.NoError(t, err)
	require.False(t, made)
	require.NoFileExists(t, s.keyFile)
}

func TestAMissingFolderForTheKeyIsAClearError(t *testing.T) {
	s := database(t)
	_, made, err := Open(s.db, filepath.Join(filepath.Dir(s.keyFile), "none", "registry.key"))
	require.ErrorContains(t, err, "seal: key file")
	require.False(t, made)
	_, err = s.db.Secret(RootSecret)
	require.True(t, s.db.Missing(err))
}

func TestNothingIsSealedBeforeTheVaultIsReady(t *testing.T) {
	s := opened(t)
	vault, _, err := Open(s.db, s.keyFile)
	require.NoError(t, err)
	_, err = vault.Seal(place, []byte("x"))
	require.ErrorContains(t, err, "Ready was not called")
	require.NoError(t, vault.Ready())
	_, err = vault.Seal(place, []byte("x"))
	require.NoError(t, err)
}

func TestAVaultWhoseDatabaseIsClosedSaysSo(t *testing.T) {
	s := opened(t)
	vault, _, err := Open(s.db, s.keyFile)
	require.NoError(t, err)
	sealed, err := s.Seal(place, []byte("x"))
	require.NoError(t, err)
	require.NoError(t, s.db.Close())
	require.ErrorIs(t, vault.Ready(), store.ErrClosed)
	_, _, err = Open(s.db, s.keyFile)
	require.ErrorIs(t, err, store.ErrClosed)
	_, err = s.Open(place, sealed)
	require.NoError(t, err, "an epoch that is known needs no database")
}

func TestKeyedHashesAreStableAndDifferByPurposeAndPractice(t *testing.T) {
	s, other := opened(t), opened(t)
	reopened, _, err := Open(s.db, s.keyFile)
	require.NoError(t, err)
	require.Equal(t, s.Key("fingerprint"), reopened.Key("fingerprint"))
	require.Len(t, s.Key("fingerprint"), 32)
	seen := map[string]string{}
	for vault, v := range map[string]*Vault{"one": s.Vault, "other": other.Vault} {
		for _, purpose := range []string{"fingerprint", "idempotency"} {
			for _, practice := range []int64{1, 2, 12} {
				for _, value := range []string{"", "2", "value", "2\nvalue"} {
					hash := Hash(v.Key(purpose), practice, value)
					require.Equal(t, hash, Hash(v.Key(purpose), practice, value))
					require.Len(t, hash, 32)
					of := fmt.Sprint(vault, purpose, practice, value)
					require.Empty(t, seen[string(hash)], "the same for %s", of)
					seen[string(hash)] = of
				}
			}
		}
	}
}

// A list opens values while its query still runs, and after a start no header is cached yet.
// However many lists are read at once, each must be able to open its values.
func TestAnyNumberOfReadersOpenValuesAtTheSameTime(t *testing.T) {
	s := opened(t)
	require.NoError(t, s.begin())
	sealed, err := s.Seal(place, []byte("Amara Okonkwo"))
	require.NoError(t, err)
	v, _, err := Open(s.db, s.keyFile) // a process that knows only the first header
	require.NoError(t, err)
	const lists = 8
	var reading sync.WaitGroup
	reading.Add(lists)
	all := make(chan struct{})
	go func() { reading.Wait(); close(all) }()
	ended := make(chan error, lists)
	for range lists {
		go func() {
			begun := sync.OnceFunc(reading.Done)
			ended <- s.db.View(t.Context(), func(*store.View) error {
				begun()
				select {
				case <-all:
				case <-time.After(100 * time.Millisecond): // as many as can have begun
				}
				_, err := v.Open(place, sealed)
				return err
			})
		}()
	}
	for range lists {
		select {
		case err := <-ended:
			require.NoError(t, err)
		case <-time.After(time.Minute):
			require.FailNow(t, "the lists wait for each other")
		}
	}
}
