package ops

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/dustin/go-humanize"

	"birthregistry/app/seal"
	"birthregistry/store"
)

// These checks of Doctor examine what is outside the database: the files, the disk, the key and the
// processes.

func bytesText(n int64) string { return humanize.IBytes(uint64(max(n, 0))) }

// cause returns the text of an error without the package name at its beginning. For an error of the
// operating system, it returns only the system's text.
func cause(err error) string {
	if errno := syscall.Errno(0); errors.As(err, &errno) {
		return errno.Error()
	}
	return strings.TrimPrefix(strings.TrimPrefix(err.Error(), "store: "), "seal: ")
}

// permissions checks that no other user can read the files, and that this user can write them.
func (e *examination) permissions() {
	folder := filepath.Dir(e.config.DB)
	var open, foreign []string
	whose := folder // the folder's owner is the service's user, unless that is root
	if uidOf(folder) == 0 {
		whose = e.config.DB
	}
	for _, file := range []string{e.config.DB, e.config.DB + "-wal", e.config.DB + "-shm", e.config.DB + ".lock", e.config.KeyFile} {
		info, err := os.Stat(file)
		if err != nil || !info.Mode().IsRegular() { // other checks report a path that is not a file
			continue
		}
		if info.Mode().Perm()&0o077 != 0 && filepath.Dir(file) != os.Getenv("CREDENTIALS_DIRECTORY") {
			open = append(open, file)
		}
		if uidOf(file) != uidOf(whose) && file != e.config.KeyFile {
			foreign = append(foreign, file)
		}
	}
	info, err := os.Stat(folder)
	loose := err == nil && info.Mode().Perm()&0o022 != 0 && info.Mode()&fs.ModeSticky == 0
	switch {
	case len(open) > 0:
		e.report("permissions", Problem, "others can read "+strings.Join(open, ", "), "chmod 600 "+strings.Join(open, " "))
	case loose:
		e.report("permissions", Problem, "others can write into "+folder, "chmod 700 "+folder)
	case len(foreign) > 0:
		e.report("permissions", Problem, "the owner of "+whose+" does not own "+strings.Join(foreign, ", "),
			"chown --reference="+whose+" "+strings.Join(foreign, " "))
	case readOnly(folder):
		e.report("permissions", Skipped, "nobody can write to this disk", "see disk below")
	case !e.writes():
		e.report("permissions", Problem, "this user cannot write the database and its folder",
			"run this as the service's user, such as: sudo -u birthregistry")
	default:
		e.report("permissions", OK, "nobody else can read or write it", "")
	}
}

// writes reports whether this user may read and write the database and its folder.
func (e *examination) writes() bool {
	return syscall.Access(e.config.DB, 4|2) == nil && syscall.Access(filepath.Dir(e.config.DB), 4|2|1) == nil
}

// uidOf returns the user ID of a file's owner, or 0 (root) if the file is missing.
func uidOf(file string) uint32 {
	info, err := os.Stat(file)
	if err != nil {
		return 0
	}
	return info.Sys().(*syscall.Stat_t).Uid
}

// disk checks whether the disk has enough free space and can be written.
func (e *examination) disk() {
	folder := filepath.Dir(e.config.DB)
	var s syscall.Statfs_t
	if err := syscall.Statfs(folder, &s); err != nil {
		e.report("disk", Problem, "it does not respond: "+cause(err), "check its cables and the system's log (dmesg)")
		return
	}
	free, reserve := int64(s.Bavail)*int64(s.Bsize), e.inputs.DiskReserve //nolint:unconvert // 32 bits on some systems
	if wal, err := os.Stat(e.config.DB + "-wal"); err == nil {
		reserve = max(reserve, 2*wal.Size()) // the same formula as the service uses
	}
	room := fmt.Sprintf("%s free; the service keeps %s in reserve", bytesText(free), bytesText(reserve))
	fix := "free some space on the disk of " + folder + ", old backups first; the service then continues automatically"
	switch {
	case readOnly(folder):
		e.report("disk", Problem, "it is mounted read-only", "look at the system's log (dmesg) for what happened to the disk, then: mount -o remount,rw")
	case free < reserve:
		e.report("disk", Problem, room+": nothing is accepted", fix)
	case free < 4*reserve:
		e.report("disk", Note, room, fix)
	default:
		e.report("disk", OK, room, "")
	}
}

// readOnly reports whether a folder is on a read-only file system. It tries to create a file in the
// folder. That is the only way to recognize a file system that became read-only after an error.
func readOnly(folder string) bool {
	f, err := os.CreateTemp(folder, ".birthregistry-doctor-*")
	if err != nil {
		return errors.Is(err, syscall.EROFS)
	}
	_ = f.Close() // nothing was written
	_ = os.Remove(f.Name())
	return false
}

// key checks the key by opening the installation. It doesn't continue an interrupted upgrade.
func (e *examination) key(ctx context.Context) {
	fresh, err := unsealed(ctx, e.config.DB)
	var i *Installation
	if err == nil && !fresh {
		i, err = open(ctx, e.config, (*Installation).verifyOnly)
	}
	switch {
	case fresh:
		e.report("key", Note, "the database is new, and has none yet", "nothing; the next start makes it, at "+e.config.KeyFile)
	case errors.Is(err, errUnsigned):
		e.report("key", Note, e.config.KeyFile+" opens the database, but the upgrade that signs its rows is not finished", unfinished)
	case errors.Is(err, seal.ErrNoKey):
		e.report("key", Problem, "there is no key at "+e.config.KeyFile,
			"put it back from its copy, or name it with --key-file; with a recovery key: birthregistry restore BACKUP --with RECOVERY-KEY")
	case errors.Is(err, seal.ErrWrongKey):
		e.report("key", Problem, e.config.KeyFile+" does not open this database", "name the right one with --key-file; after a restore, the one of that time")
	case errors.Is(err, seal.ErrRecoveryKey):
		e.report("key", Problem, e.config.KeyFile+" is a recovery key, not a key file: anybody who takes the machine gets it",
			"stop the service, keep that file elsewhere, then: birthregistry restore "+e.config.DB+" --with THAT-FILE, which makes a key file")
	case errors.Is(err, seal.ErrKeyOpen):
		e.report("key", Problem, "others can read it", "chmod 600 "+e.config.KeyFile)
	case errors.Is(err, seal.ErrKeyFolder):
		e.report("key", Problem, e.config.KeyFile+" is a folder", "name the file in it with --key-file")
	case errors.Is(err, fs.ErrPermission):
		e.report("key", Problem, "this user cannot read "+e.config.KeyFile, "run this as root, or name a copy that you can read with --key-file")
	case errors.Is(err, store.ErrReadOnly), errors.Is(err, store.ErrFull):
		e.report("key", Skipped, "the database cannot be written", "see disk and permissions above")
	case errors.Is(err, seal.ErrOtherKind):
		e.report("key", Problem, e.config.KeyFile+" holds an age key of another kind, which never opens a database",
			"name the file of the database's key (AGE-SECRET-KEY-PQ-1…) with --key-file, or put it back from its copy")
	case errors.Is(err, seal.ErrNoIdentity):
		e.report("key", Problem, e.config.KeyFile+" holds no key of a database",
			"name the right file with --key-file, or put it back from its copy; with a recovery key: move it away, then birthregistry restore "+e.config.DB+" --with RECOVERY-KEY")
	case err != nil:
		e.report("key", Problem, cause(err), "see disk and permissions above; else put the key file back from its copy")
	case filepath.Dir(e.config.KeyFile) == filepath.Dir(e.config.DB):
		e.opened = i
		e.report("key", Note, "it opens the database, but is in the same folder, so anybody who takes the disk has both",
			"move it elsewhere, such as /etc/birthregistry/registry.key, and name it with --key-file")
	default:
		e.opened = i
		e.report("key", OK, e.config.KeyFile+" opens the database", "")
	}
}

// unsealed reports whether a database has never had a key. Doctor must not open an installation
// with such a database, because that would create a key.
func unsealed(ctx context.Context, path string) (bool, error) {
	db, err := store.Open(ctx, path)
	if err != nil {
		return false, err
	}
	_, err = db.Secret(seal.RootSecret)
	fresh := errors.Is(err, store.ErrNotFound)
	if fresh {
		err = nil
	}
	return fresh, errors.Join(err, db.Close())
}

// process reports whether a process serves the database. If that can't be determined, it returns
// false.
func (e *examination) process() (serves bool) {
	if _, err := os.Stat(e.config.DB + ".lock"); errors.Is(err, os.ErrNotExist) {
		e.report("process", Note, "no process has ever served this database", "start it: birthregistry serve, or systemctl start birthregistry")
		return false
	}
	lock, err := store.Lock(e.config.DB)
	switch {
	case errors.Is(err, store.ErrServed):
		e.report("process", OK, "one process serves this database", "")
		return true
	case errors.Is(err, syscall.EROFS):
		e.report("process", Skipped, "the database's lock file cannot be opened", "see disk above")
	case err != nil:
		e.report("process", Problem, "the database's lock file cannot be opened: "+cause(err), "run this as the service's user or as root")
	default:
		_ = lock.Close() // closing releases the lock, and nothing was written
		e.report("process", Note, "no process serves this database", "start it: birthregistry serve, or systemctl start birthregistry")
	}
	return false
}
