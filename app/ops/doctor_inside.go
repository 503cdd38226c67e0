package ops

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"birthregistry/store"
)

// These checks of Doctor examine the opened database, how the service reads Bundles, the backups
// and the public address. doctor_outside.go has the checks of the files, the disk, the key and the
// process.

// clockSlack is how far the time of the last write may be ahead of the clock.
const clockSlack = time.Minute

// clock compares the machine's clock with the time of the last write, which can't be in the future.
func (e *examination) clock() error {
	last, err := store.Read(context.Background(), e.opened.DB, (*store.View).LastWritten)
	if err != nil {
		return err
	}
	const fix = "set it: timedatectl set-ntp true; then run this again"
	now := time.Now()
	switch {
	case last.After(now.Add(clockSlack)):
		e.report("clock", Problem, fmt.Sprintf("it says %s, but the last write was at %s, so the clock is wrong now or was wrong then",
			now.UTC().Format(time.DateTime), last.Format(time.DateTime)), fix)
	case now.Year() < 2026:
		e.report("clock", Problem, "it says "+now.UTC().Format(time.DateTime)+", before this program was written", fix)
	case !clockSynchronized():
		e.report("clock", Note, now.UTC().Format(time.DateTime)+" UTC; no time service keeps it right", fix)
	default:
		e.report("clock", OK, now.UTC().Format(time.DateTime)+" UTC", "")
	}
	return nil
}

// feed checks whether the queue makes progress.
func (e *examination) feed() error {
	feed, err := store.Read(context.Background(), e.opened.DB, (*store.View).Feed)
	if err != nil {
		return err
	}
	still := time.Since(feed.OldestAdvance)
	switch {
	case feed.Practices == 0:
		e.report("feed", OK, "nothing is waiting", "")
	case still > e.inputs.StaleAfter:
		e.report("feed", Problem, fmt.Sprintf("%d practices are waiting, one of them for %s", feed.Practices, still.Round(time.Second)),
			"look at the service's log (journalctl -u birthregistry), then restart it; nothing that was acknowledged is lost")
	default:
		e.report("feed", OK, fmt.Sprintf("%d practices have Bundles in process", feed.Practices), "")
	}
	return nil
}

// ehrs checks for each listed EHR whether it can launch the registry, as far as the installation
// alone can determine that.
func (e *examination) ehrs() error {
	all, err := store.Read(context.Background(), e.opened.DB, (*store.View).EHRs)
	if errors.Is(err, store.ErrDamaged) {
		e.report("EHRs", Problem, "the list of EHRs was changed outside the program, so none may launch", restoreSound)
		return nil
	}
	if err != nil {
		return err
	}
	var without []string
	for _, e := range all {
		if e.ClientID == "" {
			without = append(without, e.Issuer)
		}
	}
	switch {
	case len(without) > 0:
		e.report("EHRs", Problem, "no client id: "+strings.Join(without, ", "), "birthregistry ehr add ISSUER --client-id ID, as the vendor assigned it")
	case len(all) > 0 && !strings.HasPrefix(e.inputs.BaseURL, "https://"):
		e.report("EHRs", Problem, "EHRs are listed, but the base URL is missing or isn't https; vendors send browsers only to https addresses", "give serve its --base-url, or REGISTRY_BASE_URL")
	case len(all) > 0:
		e.report("EHRs", OK, fmt.Sprintf("%d listed; check one with: birthregistry ehr check ISSUER", len(all)), "")
	default:
		e.report("EHRs", OK, "none is listed", "")
	}
	return nil
}

// passkeys checks whether the users' passkeys work at the base URL.
func (e *examination) passkeys(ctx context.Context) error {
	if e.inputs.BaseURL == "" {
		e.report("passkeys", Skipped, "the base URL is not given", "")
		return nil
	}
	e.opened.Auth.ServeAt(e.inputs.BaseURL)
	elsewhere, users, err := e.opened.Auth.PasskeysElsewhere(ctx)
	switch {
	case err != nil:
		return err
	case elsewhere > 0:
		e.report("passkeys", Note, fmt.Sprintf("%d were added at another address and no longer work; users who have them: %d", elsewhere, users),
			"they sign in with their password and a recovery code, and add a passkey on their account page; without a code: birthregistry user reset EMAIL --second-factor")
	default:
		e.report("passkeys", OK, "none is bound to another address", "")
	}
	return nil
}

// recoveryKey checks whether there is a recovery key.
func (e *examination) recoveryKey() error {
	keys, err := e.opened.Secrets()
	if errors.Is(err, store.ErrDamaged) {
		e.report("recovery key", Problem, "the list of keys was changed outside the program, so nothing new is sealed", restoreSound)
		return nil
	}
	if err != nil {
		return err
	}
	if n := len(keys.Recipients) - 1; n > 0 {
		e.report("recovery key", OK, fmt.Sprintf("%d in addition to the key file", n), "")
		return nil
	}
	e.report("recovery key", Note, "there is none: if the key file is lost, nobody can read patient data again",
		"birthregistry secrets recovery make KEY > recovery.pub, with KEY on a medium kept elsewhere; then: birthregistry secrets recovery add recovery.pub")
	return nil
}

const restoreSound = "birthregistry restore BACKUP, with a backup that passes: birthregistry restore BACKUP --check"

// reading reports which resources of a Bundle the service reads.
func (e *examination) reading() {
	e.report("reading", OK, e.inputs.Reading.About(), "")
}

// backups checks whether backups are scheduled, and whether the newest one is recent.
func (e *examination) backups() {
	plan := e.inputs.Backups.of(e.config.DB, nil)
	if plan == nil {
		e.report("backups", Note, "none are scheduled", "birthregistry serve --backup-dir FOLDER, or REGISTRY_BACKUP_DIR, on another disk; or Litestream: birthregistry unit litestream")
		return
	}
	age, err := plan.Newest()
	switch folder := e.inputs.Backups.Folder; {
	case err != nil:
		e.report("backups", Problem, "the folder "+folder+" cannot be read: "+cause(err), "mount its disk; the service tries again every ten minutes, and when it is restarted")
	case age < 0:
		e.report("backups", Problem, "there is none in "+folder, "the service makes one within a minute of its start, and tries again every ten minutes after a failure; its log says why: "+
			"its user must be able to write there, and its unit must allow it (birthregistry unit --backup-dir "+folder+")")
	case age > e.inputs.Backups.Every*5/4:
		e.report("backups", Problem, fmt.Sprintf("the newest in %s is %s old", folder, age.Round(time.Minute)),
			"look at the service's log; free space on that disk, or mount it")
	default:
		e.report("backups", OK, fmt.Sprintf("the newest in %s is %s old", folder, age.Round(time.Minute)), "")
	}
}

// address checks whether callers reach the service at the base URL.
func (e *examination) address(ctx context.Context) {
	base := e.inputs.BaseURL
	if base == "" {
		e.report("address", Note, "no base URL is set: receipts point to the listening address", "give serve its --base-url, or REGISTRY_BASE_URL")
		return
	}
	if d := e.inputs.AskPublic(ctx); d.State != OK {
		e.report("address", d.State, base+": "+d.Found, d.Fix)
		return
	}
	if strings.HasPrefix(base, "https://") && !e.inputs.OwnTLS && !e.inputs.Behind {
		e.report("address", Note, base+" answers, through a proxy that is not named, so all callers share one rate limit",
			"name the proxy: --trusted-proxies 127.0.0.1/32, or REGISTRY_TRUSTED_PROXIES")
		return
	}
	e.report("address", OK, base+" answers", "")
}
