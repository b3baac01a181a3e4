package role

import (
	"slices"
	"strings"
)

// Public is the grantee that stands for every role. No role can have the name.
const Public = "public"

// Item is what one grantee was given by one grantor: aclitem.
type Item struct {
	Grantee, Grantor string
	Privileges       Privilege
	// Grantable are those of the privileges that the grantee may pass on.
	Grantable Privilege
}

// list is the access control list of an object.
type list []Item

func (l list) find(grantee, grantor string) int {
	return slices.IndexFunc(l, func(item Item) bool { return item.Grantee == grantee && item.Grantor == grantor })
}

// grant adds privileges; the list is changed in place.
func (l list) grant(grantee, grantor string, privileges Privilege, grantable bool) list {
	at := l.find(grantee, grantor)
	if at < 0 {
		at = len(l)
		l = append(l, Item{Grantee: grantee, Grantor: grantor})
	}
	l[at].Privileges |= privileges
	if grantable {
		l[at].Grantable |= privileges
	}
	return l
}

// revoke takes privileges away, or only the right to pass them on. What the grantee had passed on falls with it, when
// cascade allows it; dependent tells that it does not.
func (l list) revoke(grantee, grantor, owner string, privileges Privilege, optionOnly, cascade bool) (result list, dependent bool) {
	at := l.find(grantee, grantor)
	if at < 0 {
		return l, false
	}
	before := l.grantable(grantee, owner)
	l[at].Grantable &^= privileges
	if !optionOnly {
		l[at].Privileges &^= privileges
	}
	lost := before &^ l.grantable(grantee, owner)
	if l[at].Privileges == 0 {
		l = slices.Delete(l, at, at+1)
	}
	if lost == 0 {
		return l, false
	}
	for _, item := range slices.Clone(l) {
		if item.Grantor != grantee || item.Privileges&lost == 0 {
			continue
		}
		if !cascade {
			return l, true
		}
		l, _ = l.revoke(item.Grantee, item.Grantor, owner, lost, false, true)
	}
	return l, false
}

// circular tells whether a grantor has the right to pass privileges on from the grantee alone, so that they would hold each
// other up.
func (l list) circular(grantee, grantor, owner string, privileges Privilege) bool {
	if grantor == owner {
		return false
	}
	rest := slices.Clone(l)
	for _, item := range l {
		if item.Grantee == grantee {
			rest, _ = rest.revoke(grantee, item.Grantor, owner, item.Privileges, false, true)
		}
	}
	return rest.grantable(grantor, owner)&privileges != privileges
}

// grantable gives what a role may pass on. The owner may always.
func (l list) grantable(grantee, owner string) (privileges Privilege) {
	if grantee == owner {
		return ^Privilege(0)
	}
	for _, item := range l {
		if item.Grantee == grantee {
			privileges |= item.Grantable
		}
	}
	return privileges
}

// without gives the list without what a role has and has given.
func (l list) without(role string) list {
	return slices.DeleteFunc(slices.Clone(l), func(item Item) bool { return item.Grantee == role || item.Grantor == role })
}

// renamed gives the list with another name of a role.
func (l list) renamed(from, to string) list {
	l = slices.Clone(l)
	for i := range l {
		if l[i].Grantee == from {
			l[i].Grantee = to
		}
		if l[i].Grantor == from {
			l[i].Grantor = to
		}
	}
	return l
}

func (l list) mentions(role string) bool {
	return slices.ContainsFunc(l, func(item Item) bool { return item.Grantee == role || item.Grantor == role })
}

// Text writes the item as PostgreSQL writes an aclitem; owner is the name of the server's owner.
func (i Item) Text(owner string) string {
	text := ""
	if i.Grantee != Public {
		text = itemName(i.Grantee, owner)
	}
	text += "="
	for bit, name := range privilegeNames {
		if i.Privileges&(1<<bit) != 0 {
			text += string(name.letter)
			if i.Grantable&(1<<bit) != 0 {
				text += "*"
			}
		}
	}
	return text + "/" + itemName(i.Grantor, owner)
}

// itemName quotes a name that has other characters than letters, digits and underscores.
func itemName(name, owner string) string {
	if name == Owner {
		name = owner
	}
	plain := strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
	if plain {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}
