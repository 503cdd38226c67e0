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
func (p *patient) clock() error {
	var last time.Time
	err := p.app.DB.View(context.Background(), func(v *store.View) (err error) {
		last, err = v.LastWritten()
		return err
	})
	if err != nil {
		return err
	}
	const cure = "set it: timedatectl set-ntp true; then look at this again"
	now := time.Now()
	switch {
	case last.After(now.Add(clockSlack)):
		p.tell("clock", Trouble, fmt.Sprintf("it says %s, but something was written at %s: it is wrong now, or it was then",
			now.UTC().Format(time.DateTime), last.Format(time.DateTime)), cure)
	case now.Year() < 2026:
		p.tell("clock", Trouble, "it says "+now.UTC().Format(time.DateTime)+", before this program was written", cure)
	case !clockSynchronized():
		p.tell("clock", Note, now.UTC().Format(time.DateTime)+" UTC; nothing keeps it right", cure)
	default:
		p.tell("clock", OK, now.UTC().Format(time.DateTime)+" UTC", "")
	}
	return nil
}

// feed: does the queue advance.
func (p *patient) feed() error {
	var feed store.Feed
	err := p.app.DB.View(context.Background(), func(v *store.View) (err error) {
		feed, err = v.Feed()
		return err
	})
	if err != nil {
		return err
	}
	still := time.Since(feed.OldestAdvance)
	switch {
	case feed.Lanes == 0:
		p.tell("feed", OK, "nothing waits", "")
	case still > p.also.StaleAfter:
		p.tell("feed", Trouble, fmt.Sprintf("%d practices wait, one of them for %s", feed.Lanes, still.Round(time.Second)),
			"look into the service's log (journalctl -u birthregistry), then restart it; nothing that was acknowledged is lost")
	default:
		p.tell("feed", OK, fmt.Sprintf("%d practices have Bundles in work", feed.Lanes), "")
	}
	return nil
}

// ehrs: can each listed EHR launch, as far as this side goes.
func (p *patient) ehrs() error {
	all, err := p.app.Smart.Listed(context.Background())
	if errors.Is(err, store.ErrDamaged) {
		p.tell("EHRs", Trouble, "the list of EHRs is not as the program wrote it, so none may launch", restoreSound)
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
		p.tell("EHRs", Trouble, "no client id: "+strings.Join(without, ", "), "birthregistry ehr add ISSUER --client-id ID, as the vendor assigned it")
	case len(all) > 0 && !strings.HasPrefix(p.config.Web.BaseURL, "https://"):
		p.tell("EHRs", Trouble, "EHRs are listed, but the base URL is not https: no vendor sends a browser there", "give serve its --base-url, or REGISTRY_BASE_URL")
	case len(all) > 0:
		p.tell("EHRs", OK, fmt.Sprintf("%d listed; birthregistry ehr check ISSUER asks them", len(all)), "")
	default:
		p.tell("EHRs", OK, "none is listed", "")
	}
	return nil
}

// recoveryKey: is there one.
func (p *patient) recoveryKey() error {
	keys, err := p.app.Secrets()
	if errors.Is(err, store.ErrDamaged) {
		p.tell("recovery key", Trouble, "the list of keys is not as the program wrote it, so nothing new is sealed to it", restoreSound)
		return nil
	}
	if err != nil {
		return err
	}
	if n := len(keys.Recipients) - 1; n > 0 {
		p.tell("recovery key", OK, fmt.Sprintf("%d besides the key file", n), "")
		return nil
	}
	p.tell("recovery key", Note, "there is none: without the key file, nobody can read patient data again",
		"birthregistry secrets recovery make FILE on a medium kept elsewhere, then: birthregistry secrets recovery add FILE")
	return nil
}

const restoreSound = "birthregistry restore BACKUP, with a backup that birthregistry check calls sound"

// reading: which resources of a Bundle does the service read.
func (p *patient) reading() {
	p.tell("reading", OK, p.config.Intake.Reading.About(), "")
}

// backups: are there any, and is the newest one young enough.
func (p *patient) backups() {
	plan := p.app.scheduleOf(p.config)
	if plan == nil {
		p.tell("backups", Note, "none are scheduled", "birthregistry serve --backup-dir FOLDER, or REGISTRY_BACKUP_DIR, on another disk; or Litestream: birthregistry unit litestream")
		return
	}
	age, err := plan.Newest()
	switch folder := p.config.Backups.Folder; {
	case err != nil:
		p.tell("backups", Trouble, "the folder "+folder+" cannot be read: "+cause(err), "mount its disk; the service makes the backup within a minute")
	case age < 0:
		p.tell("backups", Trouble, "there is none in "+folder, "the service makes one within a minute of its start; else its log says why not: "+
			"its user has to be able to write there, and its unit to let it (birthregistry unit --backup-dir "+folder+")")
	case age > p.config.Backups.Every*5/4:
		p.tell("backups", Trouble, fmt.Sprintf("the newest in %s is %s old", folder, age.Round(time.Minute)),
			"look into the service's log; free space on that disk, or mount it")
	default:
		p.tell("backups", OK, fmt.Sprintf("the newest in %s is %s old", folder, age.Round(time.Minute)), "")
	}
}

// address: do callers get here by the address that answers are built from.
func (p *patient) address(ctx context.Context) {
	base := p.config.Web.BaseURL
	if base == "" {
		p.tell("address", Note, "no base URL is set: receipts point to the listening address", "give serve its --base-url, or REGISTRY_BASE_URL")
		return
	}
	if d := p.also.Reach(ctx); d.State != OK {
		p.tell("address", d.State, base+": "+d.Found, d.Cure)
		return
	}
	if strings.HasPrefix(base, "https://") && !p.config.TLS.Wanted() && !p.also.Behind {
		p.tell("address", Note, base+" answers, by a proxy that is not named: all callers share one limit",
			"name the proxy: --trusted-proxies 127.0.0.1/32, or REGISTRY_TRUSTED_PROXIES")
		return
	}
	p.tell("address", OK, base+" answers", "")
}
