package uscore

import (
	"cmp"
	"slices"

	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

// An EHR may send several versions of one resource, because its searches overlap and somebody may
// change the resource between them. Only the last version counts. If it isn't known which version
// is the last, none of them is filled in, because the last one may be withdrawn or have another
// value (decision 47).

// severalVersions is the reason why a resource isn't used if it isn't known which of its versions
// is the last.
const severalVersions = "the chart holds several versions of it and does not say which is the latest"

// mostVersions is the maximum number of versions of one resource that are compared. An EHR sends
// one or two.
const mostVersions = 20

// versions holds the versions of one resource that may be the last one.
type versions[T any] []*T

// unsettled reports whether it isn't known which version is the last.
func (v versions[T]) unsettled() bool { return len(v) > 1 }

// kindOfResource says how to compare the versions of one type of resource.
type kindOfResource[T any] struct {
	head func(*T) (id string, meta *fhir.Meta)
	// counts reports whether a version could be used if it were the last one. If no version could
	// be used, it doesn't matter which one is the last.
	counts func(*T) bool
}

// each returns the versions of every resource in a list, in the order of the list. For each
// resource, it returns only versions that may be the last one.
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

// last returns the versions that may be the last one. If versions have the same content, it returns
// only one of them. It sorts the versions by content, so that the order in which the EHR sends them
// makes no difference. If none of them could be used, it returns only the first.
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

// content returns a resource as text, without its meta. Two versions with the same content have the
// same text.
func (k kindOfResource[T]) content(v *T) string {
	one := *v
	_, meta := k.head(&one)
	*meta = fhir.Meta{}
	return Written(one)
}

// distinct returns one version for each different text, sorted by the texts.
func distinct[T any](all versions[T], text func(*T) string) versions[T] {
	texts := map[*T]string{}
	for _, v := range all {
		texts[v] = text(v)
	}
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b *T) int { return cmp.Compare(texts[a], texts[b]) })
	return slices.CompactFunc(all, func(a, b *T) bool { return texts[a] == texts[b] })
}
