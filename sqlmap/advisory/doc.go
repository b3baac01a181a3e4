// Package advisory keeps the advisory locks of a server: locks on numbers whose meaning the clients agree on among themselves
// (PostgreSQL 15, section "Advisory Locks").
//
// It knows sessions as owners and nothing of SQL, transactions or stores.
package advisory
