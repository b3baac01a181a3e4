// Package recent keeps what was made of a statement lately, bounded in number and bytes. It knows nothing of statements.
package recent
