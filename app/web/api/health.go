package api

import (
	"errors"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"birthregistry/app/ingest"
	"birthregistry/app/web/request"
	"birthregistry/store"
)

// The health checks answer three questions. live: does the process respond? If not, the service
// manager restarts it. ready: can it answer requests? If not, a proxy stops sending requests to it.
// json: is anything wrong? If so, monitoring alerts a person.
//
// live and ready ignore two problems: a feed (the queue of submissions) without progress, and a
// full disk. Only a person can solve these, and records can be read in the meantime.

// health is the body of a health check, in the format of the IETF draft "Health Check Response
// Format for HTTP APIs". GetLive and GetReady set only Status. If the check fails, they also set
// Output, which states what to do.
type health struct {
	Status  string             `json:"status"`
	Output  string             `json:"output,omitzero"`
	Version string             `json:"version,omitzero"`
	Notes   []string           `json:"notes,omitzero"`
	Checks  map[string][]check `json:"checks,omitzero"`
}

type check struct {
	ComponentType string `json:"componentType"`
	Status        string `json:"status"`
	ObservedValue any    `json:"observedValue"`
	ObservedUnit  string `json:"observedUnit"`
	// Threshold is the value at which the check fails. It has the same unit as the observed value.
	Threshold int64  `json:"threshold,omitzero"`
	Output    string `json:"output,omitzero"`
	Time      string `json:"time"`
}

const (
	pass = "pass"
	warn = "warn"
	fail = "fail"
)

// GetLive answers 200 as long as the process responds. It uses no other part of the service.
func GetLive(c echo.Context) error {
	return request.WriteJSON(c, http.StatusOK, request.HealthJSON, health{Status: pass})
}

// GetReady answers 200 if the database can be read, and otherwise 503. The service can answer no
// request while the database can't be read.
func (s *API) GetReady(c echo.Context) error {
	if s.ingest.Ready(c.Request().Context()) != nil {
		return request.WriteJSON(c, http.StatusServiceUnavailable, request.HealthJSON,
			health{Status: fail, Output: "The database cannot be read; run: birthregistry doctor"})
	}
	return request.WriteJSON(c, http.StatusOK, request.HealthJSON, health{Status: pass})
}

// GetHealth answers 503 if the feed (the queue of submissions) makes no progress or can't be read.
// It also answers 503 if the database can't be written, if the disk is below its reserve, or if the
// disk's free space can't be measured. Otherwise it answers 200. For lesser problems, such as late
// backups, the answer is 200 with a warning. The answer states nothing about any practice.
func (s *API) GetHealth(c echo.Context) error {
	now := s.ingest.Health(c.Request().Context())
	checks := map[string]check{
		"feed:stillness": s.feedCheck(now),
		"feed:working":   {ComponentType: "component", Status: pass, ObservedValue: now.Working, ObservedUnit: "turns"},
		"database:write": writeCheck(now),
		"disk:free":      diskCheck(now),
	}
	if now.ClockJump != 0 {
		checks["clock:jump"] = check{
			ComponentType: "system", Status: warn, ObservedValue: int(now.ClockJump.Seconds()), ObservedUnit: "s",
			Output: "The clock was changed while the service ran; no Bundle, file, draft or receipt is deleted for its age until the clock is right again or a day has passed.",
		}
	}
	if s.limits.Backups != nil {
		checks["backup:age"] = s.backupCheck()
	}
	if s.limits.Unbelieved(c.Request()) { // a warning about this request, which only its sender sees
		checks["proxy:trust"] = check{
			ComponentType: "component", Status: warn, ObservedValue: false, ObservedUnit: "trusted",
			Output: "This request came through a proxy that isn't trusted. If it is yours, add it with --trusted-proxies.",
		}
	}
	h := health{
		Status: pass, Version: s.limits.Version, Notes: []string{"reading: " + string(s.ingest.Reading())},
		Checks: map[string][]check{},
	}
	at := time.Now().UTC().Format(time.RFC3339)
	for name, found := range checks {
		if found.Status == fail || found.Status == warn && h.Status == pass {
			h.Status = found.Status
		}
		found.Time = at
		h.Checks[name] = []check{found}
	}
	status := http.StatusOK
	if h.Status == fail {
		status = http.StatusServiceUnavailable
	}
	return request.WriteJSON(c, status, request.HealthJSON, h)
}

func (s *API) feedCheck(now ingest.Health) check {
	c := check{
		ComponentType: "component", Status: pass, ObservedValue: int(now.StillFor.Seconds()), ObservedUnit: "s",
		Threshold: int64(s.limits.StaleAfter.Seconds()),
	}
	switch {
	case now.FeedError != nil:
		c.Status, c.Output = fail, "The queue cannot be read; see the log."
	case now.Waiting > 0 && now.StillFor > s.limits.StaleAfter:
		c.Status, c.Output = fail, "An ingestion has not advanced; see the log, then restart the service."
	case now.Waiting > 0 && now.StillFor > s.limits.StaleAfter/2:
		c.Status, c.Output = warn, "An ingestion advances slowly."
	}
	return c
}

func writeCheck(now ingest.Health) check {
	c := check{ComponentType: "datastore", Status: pass, ObservedValue: now.WriteError == nil, ObservedUnit: "writable"}
	switch {
	case errors.Is(now.WriteError, store.ErrMoved):
		c.Status, c.Output = fail, "The database file was moved or deleted; put it back, or stop the service and restore a backup."
	case now.WriteError != nil:
		c.Status, c.Output = fail, "The database cannot be written; run: birthregistry doctor"
	}
	return c
}

func diskCheck(now ingest.Health) check {
	c := check{ComponentType: "system", Status: pass, ObservedValue: now.Free, ObservedUnit: "By", Threshold: now.Reserve}
	switch {
	case now.DiskError != nil || now.Free < now.Reserve:
		c.Status, c.Output = fail, "The disk is below its reserve; free some space."
	case now.Free < 4*now.Reserve:
		c.Status, c.Output = warn, "The disk is filling up."
	}
	return c
}

func (s *API) backupCheck() check {
	age, problem := s.limits.Backups()
	c := check{ComponentType: "component", Status: pass, ObservedValue: int(age.Seconds()), ObservedUnit: "s"}
	if age < 0 {
		c.ObservedValue = -1 // there is no backup
	}
	if problem != "" {
		c.Status, c.Output = warn, problem
	}
	return c
}
