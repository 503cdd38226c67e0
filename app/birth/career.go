package birth

import "slices"

// Post is a role that a provider has had, with the month (2006-01) in which the role began. It has
// no day, because a role often begins with the birth whose record first states it, and the day of a
// birth could identify a patient.
type Post struct {
	Role  Role
	Since string
}

// Career lists the roles that a provider has had, in the order in which they began. If several
// roles began in one month, the last of these applies.
type Career []Post

// MaxPosts is the maximum number of roles in a Career. Nobody really has that many. If a sender
// changes a provider's title with every message, each new role beyond the limit applies only to the
// record that states it.
const MaxPosts = 100

// At returns the provider's role in a month (2006-01): the last role that began in that month or
// earlier. For a month before the first role began, it returns the first role. For an empty career,
// it returns "".
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

// RoleAtBirth returns the role that a provider had on the day of a birth, for the birth's record.
// month is the month of the birth. stated is the role in the submission, which may be a later role:
// a doula who has since become a midwife must remain the doula of earlier births. before is the
// role that the record has stated until now, or "".
//
//   - If before isn't "", RoleAtBirth returns before. RoleOther is an exception, because it
//     means that the role wasn't known. In the month of the birth, an amendment may correct
//     the role, so the caller then passes "" for before.
//   - If before is "", RoleAtBirth returns stated. There is an exception: if that role began
//     only after the month of the birth, it returns the role in that month.
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
		if post.Role == stated { // this role began only later
			return c.At(month)
		}
	}
	return stated
}

// Learn returns the month (since) in which a provider's role began, according to a record that
// states it. news is true if this role must be added to the career. before is the role that the
// record stated until now.
//
// If before is "", the record didn't name the provider yet. The role then begins in month, the
// month of the birth. Otherwise the record was amended. An amendment states the provider's present
// role, which begins in the present month, now. If month is "", the role also begins in now. If the
// career has no role except RoleOther, the new role begins no later than the first role. since is
// "" if the role is unchanged, if the role began only after the birth, or if the career already has
// MaxPosts roles.
func (c Career) Learn(role, before Role, month, now string) (since string, news bool) {
	if role == before || before == "" && c.RoleAtBirth(month, before, role) != role { // unchanged, or a role that began after the birth
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

// Add returns a copy of the career with a role inserted by its month.
func (c Career) Add(post Post) Career {
	n := len(c)
	for n > 0 && c[n-1].Since > post.Since {
		n--
	}
	return slices.Insert(slices.Clone(c), n, post)
}

// Present returns the provider's present role, which is the last one. It returns "" for an empty
// career.
func (c Career) Present() Role {
	if len(c) == 0 {
		return ""
	}
	return c[len(c)-1].Role
}
