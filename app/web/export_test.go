package web

// RoutePath is a row of the route table.
type RoutePath struct{ Method, Path string }

// RoutePaths lists every route there is, for the walk over all of them.
func RoutePaths() (all []RoutePath) {
	for _, r := range new(Server).routeTable() {
		all = append(all, RoutePath{r.method, r.path})
	}
	return all
}
