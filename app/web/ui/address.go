package ui

import (
	"maps"
	"net/url"
	"strconv"

	"github.com/labstack/echo/v4"
)

// questioned returns an encoded query with a question mark before it. If the query is empty, it
// returns "".
func questioned(query url.Values) string {
	if len(query) == 0 {
		return ""
	}
	return "?" + query.Encode()
}

// neighbor returns the address of the previous or the next page of a list. way is the query
// parameter for the direction, such as "older". id is the ID of the row from which that page
// continues. If it is "", there is no such page, and neighbor returns "".
func neighbor(path string, query url.Values, way, id string) string {
	if id == "" {
		return ""
	}
	further := maps.Clone(query)
	further.Set(way, id)
	return path + questioned(further)
}

// rowParam parses the ID in the query parameter with this name. It is the ID of the row from which
// a page continues. If it isn't a number, rowParam returns 0. The ID may be negative, because
// entries of the audit trail that a practice has brought from another installation have negative
// IDs.
func rowParam(c echo.Context, name string) int64 { return readID(c.QueryParam(name)) }

// idParam parses the ID in the path parameter with this name. If it isn't a number, idParam returns
// 0, which is never an ID.
func idParam(c echo.Context, name string) int64 { return readID(c.Param(name)) }

func readID(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0
	}
	return n
}
