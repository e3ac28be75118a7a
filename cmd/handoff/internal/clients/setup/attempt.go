package setup

import (
	"errors"
	"os"
)

// An attempt carries out a change, and knows what was made for it so far.
type attempt struct {
	Change

	setter  Setter
	backup  string   // the copy that was made; empty: none
	folders []string // that were made, outer ones first
	before  []byte   // the receipt that there was; nil: none
}

// make writes the file. The receipt comes before the change: a change without a receipt cannot be undone.
func (a *attempt) make() (err error) {
	_, mode := a.desired.modes()
	if a.folders, err = folders(a.File.Resolved, mode); err != nil {
		return err
	}
	if a.backup, err = a.setter.backup(a.Change); err != nil {
		return err
	}
	if err := a.setter.keep(a.Change, a.After, a.folders, a.backup); err != nil {
		return err
	}
	return a.write()
}

// withdraw takes back what was made for a change that failed.
func (a *attempt) withdraw() error {
	err := a.setter.putBack(a.File.Resolved, a.before)
	if a.backup != "" {
		err = errors.Join(err, os.Remove(a.backup))
		a.backup = ""
	}
	removeEmpty(a.folders)
	return err
}
