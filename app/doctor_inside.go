package app

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"birthregistry/store"
)

// What Doctor sees in the opened database and around the service.

// clockSlack is how far the database may be ahead of the clock.
const clockSlack = time.Minute

// clock: what was written last cannot be of the future.
func (i *installation) clock() error {
	var last time.Time
	err := i.app.DB.View(context.Background(), func(v *store.View) (err error) {
		last, err = v.LastWritten()
		return err
	})
	if err != nil {
		return err
	}
	const fix = "set it: timedatectl set-ntp true; then look at this again"
	now := time.Now()
	switch {
	case last.After(now.Add(clockSlack)):
		i.report("clock", Problem, fmt.Sprintf("it says %s, but something was written at %s: it is wrong now, or it was then",
			now.UTC().Format(time.DateTime), last.Format(time.DateTime)), fix)
	case now.Year() < 2026:
		i.report("clock", Problem, "it says "+now.UTC().Format(time.DateTime)+", before this program was written", fix)
	case !clockSynchronized():
		i.report("clock", Note, now.UTC().Format(time.DateTime)+" UTC; nothing keeps it right", fix)
	default:
		i.report("clock", OK, now.UTC().Format(time.DateTime)+" UTC", "")
	}
	return nil
}

// feed: does the queue advance.
func (i *installation) feed() error {
	var feed store.Feed
	err := i.app.DB.View(context.Background(), func(v *store.View) (err error) {
		feed, err = v.Feed()
		return err
	})
	if err != nil {
		return err
	}
	still := time.Since(feed.OldestAdvance)
	switch {
	case feed.Practices == 0:
		i.report("feed", OK, "nothing waits", "")
	case still > i.inputs.StaleAfter:
		i.report("feed", Problem, fmt.Sprintf("%d practices wait, one of them for %s", feed.Practices, still.Round(time.Second)),
			"look into the service's log (journalctl -u birthregistry), then restart it; nothing that was acknowledged is lost")
	default:
		i.report("feed", OK, fmt.Sprintf("%d practices have Bundles in work", feed.Practices), "")
	}
	return nil
}

// ehrs: can each listed EHR launch, as far as this side goes.
func (i *installation) ehrs() error {
	all, err := i.app.Smart.Listed(context.Background())
	if errors.Is(err, store.ErrDamaged) {
		i.report("EHRs", Problem, "the list of EHRs is not as the program wrote it, so none may launch", restoreSound)
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
		i.report("EHRs", Problem, "no client id: "+strings.Join(without, ", "), "birthregistry ehr add ISSUER --client-id ID, as the vendor assigned it")
	case len(all) > 0 && !strings.HasPrefix(i.config.Web.BaseURL, "https://"):
		i.report("EHRs", Problem, "EHRs are listed, but the base URL is not https: no vendor sends a browser there", "give serve its --base-url, or REGISTRY_BASE_URL")
	case len(all) > 0:
		i.report("EHRs", OK, fmt.Sprintf("%d listed; birthregistry ehr check ISSUER asks them", len(all)), "")
	default:
		i.report("EHRs", OK, "none is listed", "")
	}
	return nil
}

// recoveryKey: is there one.
func (i *installation) recoveryKey() error {
	keys, err := i.app.Secrets()
	if errors.Is(err, store.ErrDamaged) {
		i.report("recovery key", Problem, "the list of keys is not as the program wrote it, so nothing new is sealed to it", restoreSound)
		return nil
	}
	if err != nil {
		return err
	}
	if n := len(keys.Recipients) - 1; n > 0 {
		i.report("recovery key", OK, fmt.Sprintf("%d besides the key file", n), "")
		return nil
	}
	i.report("recovery key", Note, "there is none: without the key file, nobody can read patient data again",
		"birthregistry secrets recovery make FILE on a medium kept elsewhere, then: birthregistry secrets recovery add FILE")
	return nil
}

const restoreSound = "birthregistry restore BACKUP, with a backup that birthregistry check calls sound"

// reading: which resources of a Bundle does the service read.
func (i *installation) reading() {
	i.report("reading", OK, i.config.Intake.Reading.About(), "")
}

// backups: are there any, and is the newest one young enough.
func (i *installation) backups() {
	plan := i.app.scheduleOf(i.config)
	if plan == nil {
		i.report("backups", Note, "none are scheduled", "birthregistry serve --backup-dir FOLDER, or REGISTRY_BACKUP_DIR, on another disk; or Litestream: birthregistry unit litestream")
		return
	}
	age, err := plan.Newest()
	switch folder := i.config.Backups.Folder; {
	case err != nil:
		i.report("backups", Problem, "the folder "+folder+" cannot be read: "+cause(err), "mount its disk; the service makes the backup within a minute")
	case age < 0:
		i.report("backups", Problem, "there is none in "+folder, "the service makes one within a minute of its start; else its log says why not: "+
			"its user has to be able to write there, and its unit to let it (birthregistry unit --backup-dir "+folder+")")
	case age > i.config.Backups.Every*5/4:
		i.report("backups", Problem, fmt.Sprintf("the newest in %s is %s old", folder, age.Round(time.Minute)),
			"look into the service's log; free space on that disk, or mount it")
	default:
		i.report("backups", OK, fmt.Sprintf("the newest in %s is %s old", folder, age.Round(time.Minute)), "")
	}
}

// address: do callers get here by the address that answers are built from.
func (i *installation) address(ctx context.Context) {
	base := i.config.Web.BaseURL
	if base == "" {
		i.report("address", Note, "no base URL is set: receipts point to the listening address", "give serve its --base-url, or REGISTRY_BASE_URL")
		return
	}
	if d := i.inputs.Reach(ctx); d.State != OK {
		i.report("address", d.State, base+": "+d.Found, d.Fix)
		return
	}
	if strings.HasPrefix(base, "https://") && !i.config.TLS.Wanted() && !i.inputs.Behind {
		i.report("address", Note, base+" answers, by a proxy that is not named: all callers share one limit",
			"name the proxy: --trusted-proxies 127.0.0.1/32, or REGISTRY_TRUSTED_PROXIES")
		return
	}
	i.report("address", OK, base+" answers", "")
}
