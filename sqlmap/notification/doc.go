// Package notification passes the messages of NOTIFY on to the sessions that LISTEN.
//
// It knows listeners by database and channel and nothing of SQL, transactions or the protocol.
package notification
