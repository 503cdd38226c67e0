package web

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"
)

// health is the body of the health check, in the shape of the IETF draft
// "Health Check Response Format for HTTP APIs".
type health struct {
	Status  string             `json:"status"`
	Version string             `json:"version,omitzero"`
	Checks  map[string][]check `json:"checks"`
}

type check struct {
	ComponentType string `json:"componentType"`
	Status        string `json:"status"`
	ObservedValue any    `json:"observedValue"`
	ObservedUnit  string `json:"observedUnit"`
	Output        string `json:"output,omitzero"`
	Time          string `json:"time"`
}

const (
	pass = "pass"
	warn = "warn"
	fail = "fail"
)

// getHealth answers 503 when the feed stands still, the database cannot be
// written or the disk is below its reserve; 200 otherwise. Scheduled backups
// that fail or are late warn. It tells nothing about any practice.
func (s *Server) getHealth(c echo.Context) error {
	now := s.intake.Health()
	at := time.Now().UTC().Format(time.RFC3339)
	feed := check{ComponentType: "component", Status: pass, ObservedValue: int(now.StillFor.Seconds()), ObservedUnit: "s", Time: at}
	switch {
	case now.FeedError != nil:
		feed.Status, feed.Output = fail, "The queue cannot be read; look into the log."
	case now.Waiting > 0 && now.StillFor > s.settings.StaleAfter:
		feed.Status, feed.Output = fail, "An ingestion has not advanced; look into the log, then restart the service."
	case now.Waiting > 0 && now.StillFor > s.settings.StaleAfter/2:
		feed.Status, feed.Output = warn, "An ingestion advances slowly."
	}
	write := check{ComponentType: "datastore", Status: pass, ObservedValue: now.WriteError == nil, ObservedUnit: "writable", Time: at}
	if now.WriteError != nil {
		write.Status, write.Output = fail, "The database cannot be written; run: birthregistry doctor"
	}
	disk := check{ComponentType: "system", Status: pass, ObservedValue: now.Free, ObservedUnit: "By", Time: at}
	switch {
	case now.DiskError != nil || now.Free < now.Reserve:
		disk.Status, disk.Output = fail, "The disk is below its reserve; free some space."
	case now.Free < 4*now.Reserve:
		disk.Status, disk.Output = warn, "The disk is filling up."
	}
	h := health{Status: pass, Version: s.settings.Version, Checks: map[string][]check{
		"feed:stillness": {feed}, "database:write": {write}, "disk:free": {disk},
	}}
	all := []check{feed, write, disk}
	if now.ClockJump != 0 {
		clock := check{ComponentType: "system", Status: warn, ObservedValue: int(now.ClockJump.Seconds()), ObservedUnit: "s", Time: at}
		clock.Output = "The clock was set while the service ran; nothing ages out until it is right again or a day has passed."
		h.Checks["clock:jump"] = []check{clock}
		all = append(all, clock)
	}
	if s.settings.Backups != nil {
		age, problem := s.settings.Backups()
		backup := check{ComponentType: "component", Status: pass, ObservedValue: int(age.Seconds()), ObservedUnit: "s", Time: at}
		if age < 0 {
			backup.ObservedValue = -1 // there is none
		}
		if problem != "" {
			backup.Status, backup.Output = warn, problem
		}
		h.Checks["backup:age"] = []check{backup}
		all = append(all, backup)
	}
	for _, c := range all {
		if c.Status == fail || c.Status == warn && h.Status == pass {
			h.Status = c.Status
		}
	}
	status := http.StatusOK
	if h.Status == fail {
		status = http.StatusServiceUnavailable
	}
	return writeJSON(c, status, healthJSON, h)
}
