package uscore

import (
	"cmp"
	"slices"

	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

// An EHR may send several versions of one resource, because its searches overlap and somebody may
// change the resource between them. Only the last version counts. If it isn't known which version
// is the last, none of them is filled in, because the last one may be withdrawn or state something
// else (decision 47).

// severalVersions is why a resource is not used if its last version isn't known.
const severalVersions = "the chart holds several versions of it and does not say which is the latest"

// mostVersions is how many versions of one resource are compared. An EHR sends one or two.
const mostVersions = 20

// versions holds the candidates for the last version of one resource.
type versions[T any] []*T

// unsettled reports whether it isn't known which version is the last.
func (v versions[T]) unsettled() bool { return len(v) > 1 }

// kindOfResource states how the versions of one type of resource are compared.
type kindOfResource[T any] struct {
	head func(*T) (id string, meta *fhir.Meta)
	// counts reports whether a version could be used if it were the last. If no version could be
	// used, it doesn't matter which is the last.
	counts func(*T) bool
}

// each returns the resources of a list, in the list's order. For each resource, it returns the
// versions that may be the last one.
func (k kindOfResource[T]) each(list []T) (all []versions[T]) {
	at := map[string]int{}
	for i := range list {
		id, _ := k.head(&list[i])
		before, seen := at[id]
		if id == "" || !seen {
			at[id] = len(all)
			all = append(all, versions[T]{&list[i]})
		} else {
			all[before] = append(all[before], &list[i])
		}
	}
	for i := range all {
		if len(all[i]) > 1 {
			all[i] = k.last(all[i])
		}
	}
	return all
}

// last returns the versions that may be the last one. Of versions with the same content, it returns
// one. It sorts by content, so that the order in which the EHR sends the versions makes no
// difference. If none of them could be used, it returns only the first.
func (k kindOfResource[T]) last(all versions[T]) versions[T] {
	all = distinct(all, func(v *T) string { return Written(v) })
	if len(all) <= mostVersions {
		ends := slices.DeleteFunc(slices.Clone(all), func(v *T) bool {
			_, own := k.head(v)
			return slices.ContainsFunc(all, func(other *T) bool {
				_, of := k.head(other)
				return mapping.LaterVersion(of.Version(), own.Version())
			})
		})
		if len(ends) > 0 { // no version is left if times and numbers contradict each other
			all = ends
		}
	}
	all = distinct(all, k.content)
	if !slices.ContainsFunc(all, func(v *T) bool { return k.counts(v) }) {
		return all[:1]
	}
	return all
}

// content returns a resource as text without its meta. Two versions that state the same have the
// same text.
func (k kindOfResource[T]) content(v *T) string {
	one := *v
	_, meta := k.head(&one)
	*meta = fhir.Meta{}
	return Written(one)
}

// distinct returns one version for each different text, sorted by these texts.
func distinct[T any](all versions[T], text func(*T) string) versions[T] {
	texts := map[*T]string{}
	for _, v := range all {
		texts[v] = text(v)
	}
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b *T) int { return cmp.Compare(texts[a], texts[b]) })
	return slices.CompactFunc(all, func(a, b *T) bool { return texts[a] == texts[b] })
}
