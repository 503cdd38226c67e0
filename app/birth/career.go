package birth

import "slices"

// Post is a role in a provider's career, with the month (2006-01) since which the provider has had
// it. It has no day, because a role often begins with the birth that first states it, and the day
// of a birth would reveal a patient.
type Post struct {
	Role  Role
	Since string
}

// Career is a provider's posts, in the order of their months. If several posts begin in one month,
// the provider's role is that of the last.
type Career []Post

// MaxPosts is the maximum number of posts in a career. Nobody has that many. If a sender changes a
// provider's title with every message, a title beyond the limit is used only for the record that
// states it.
const MaxPosts = 100

// At returns the provider's role in a month: the role of the last post that began in that month or
// earlier. Before the first post, it returns the role of the first post. It returns "" for an empty
// career.
func (c Career) At(month string) (role Role) {
	if len(c) > 0 {
		role = c[0].Role
	}
	for _, post := range c {
		if post.Since <= month {
			role = post.Role
		}
	}
	return role
}

// RoleAtBirth returns the role that the record of a birth gives to a provider: the role on the day
// of the birth. An amendment made later states the provider's present role. A doula who has since
// become a midwife must remain the doula of earlier births, so:
//
//   - If the record already named the provider, the role that it stated (before) stays.
//     There are two exceptions. RoleOther gives way, because it means that nothing was
//     known. In the month of the birth itself, an amendment corrects the role: the caller
//     passes "" for before.
//   - If the record names the provider for the first time, RoleAtBirth returns the stated role,
//     unless the provider came to that role after the month of the birth.
func (c Career) RoleAtBirth(month string, before, stated Role) Role {
	if before != "" && before != RoleOther {
		return before
	}
	if month == "" || len(c) == 0 || c.At(month) == RoleOther {
		return stated
	}
	for _, post := range c {
		if post.Role == stated && post.Since <= month {
			return stated
		}
	}
	for _, post := range c {
		if post.Role == stated { // the provider got this role later
			return c.At(month)
		}
	}
	return stated
}

// Learn returns the month since which a provider has had the role that a record states. news is set
// if that role must be added to the career, which never grows beyond MaxPosts. before is the role
// that the record stated until now.
//
// If before is "", the record didn't name the provider yet, and the role begins in month, the month
// of the birth. Otherwise the record was amended. An amendment states the provider's present role,
// which begins in the present month, now. The role also begins in now if month is "". If the career
// has no role but RoleOther, the new role begins no later than the career. since is "" if the role
// is unchanged, if the provider acquired it after the birth, or if the career is full.
func (c Career) Learn(role, before Role, month, now string) (since string, news bool) {
	if role == before || before == "" && c.RoleAtBirth(month, before, role) != role { // unchanged, or a role acquired after the birth
		return "", false
	}
	since = now
	if before == "" && month != "" {
		since = month
	}
	if len(c) >= MaxPosts {
		return "", false
	}
	if len(c) > 0 && role != RoleOther && !slices.ContainsFunc(c, func(p Post) bool { return p.Role != RoleOther }) {
		since = min(since, c[0].Since) // nothing was known before, so the role applies from the beginning
	}
	return since, len(c) == 0 || c.At(since) != role
}

// Add returns the career with a post inserted in order.
func (c Career) Add(post Post) Career {
	n := len(c)
	for n > 0 && c[n-1].Since > post.Since {
		n--
	}
	return slices.Insert(slices.Clone(c), n, post)
}

// Present returns the last post's role, or "" if there is none.
func (c Career) Present() Role {
	if len(c) == 0 {
		return ""
	}
	return c[len(c)-1].Role
}
