// Package storetest is the conformance test of package store: what every engine must do. An engine's own test calls Run.
package storetest
