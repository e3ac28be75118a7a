package setup

import "slices"

// keep writes the receipt of a change that left a file with this text. As long as only we changed the file, what was
// there first stays what is put back.
func (s Setter) keep(c Change, after []byte, folders []string, backup string) (err error) {
	r := receipt{
		Client: c.Client.Name, Path: c.File.Path, Target: c.File.Target, Scope: c.wish.Scope,
		Missing: c.File.Missing, Before: c.File.Text, Mode: c.File.Mode, Made: c.made, Folders: folders,
		Granted: c.place.has.grant && c.wish.Server.Trust && !c.granted(),
		Wished:  wished{c.wish.Server, c.wish.Call, c.wish.Hooks},
	}
	if old, ok := s.receipt(c.File); ok {
		r.Made = append(old.Made, r.Made...)
		r.Granted = r.Granted || old.Granted && c.wish.Server.Trust
		r.Folders, r.Backups = slices.Concat(old.Folders, folders), old.Backups
		r.Missing, r.Before, r.Mode = old.Missing, old.Before, old.Mode
		if old.After != sum(c.File.Text) {
			r.Missing, r.Mode = c.File.Missing, c.File.Mode
			if r.Before, err = c.without(old); err != nil {
				return err
			}
		}
	}
	if backup != "" {
		r.Backups = append(r.Backups, backup)
	}
	r.At, r.After = s.Now(), sum(after)
	return s.write(r)
}
