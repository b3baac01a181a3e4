// Package encoding translates between UTF-8, in which everything is kept, and the encodings of clients that have one byte for
// each character.
//
// It knows bytes and characters and nothing of SQL or the protocol.
package encoding
