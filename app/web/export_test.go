package web

// RoutePath is a row of the route table.
type RoutePath struct{ Method, Path string }

// RoutePaths lists every route, for tests that request all of them.
func RoutePaths() (all []RoutePath) {
	for _, r := range new(Server).routeTable() {
		all = append(all, RoutePath{r.method, r.path})
	}
	return all
}
