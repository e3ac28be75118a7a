package checks

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"handoff/schemas"
)

const gotest = "gotest"

// junitFile returns the path of a JUnit report. Ok is false if the report has another form.
func junitFile(report string) (path string, ok bool) {
	path, ok = strings.CutPrefix(report, "junit:")
	return strings.TrimSpace(path), ok
}

// testResults are the tests of a report.
type testResults struct {
	passed int
	failed []string
}

// reportProblem returns the reason why the report of a command does not show success, or "" if it shows success or if
// the check has no report. The result failed is true if the report names failed tests. The report comes from a file in
// the tree, or from the output of the command.
func reportProblem(report, tree, printed string) (problem string, failed bool) {
	if report == "" {
		return "", false
	}
	r, err := readReport(report, tree, printed)
	names := schemas.Unique(r.failed)
	switch {
	case err != nil:
		return err.Error(), false
	case len(names) > 0:
		return fileProblem(names, fmt.Sprintf("%d failed", len(names))), true
	case r.passed == 0:
		return "its report names no test that passed", false
	}
	return "", false
}

// readReport reads the report of a command, in the form that the check names.
func readReport(report, tree, printed string) (r testResults, err error) {
	path, isFile := junitFile(report)
	if !isFile {
		text, err := os.ReadFile(printed)
		return readGoTest(text), err
	}
	root, err := os.OpenRoot(tree)
	if err != nil {
		return r, err
	}
	defer root.Close()
	info, err := root.Stat(path) // it does not follow links out of the tree
	if err != nil || !info.Mode().IsRegular() || info.Size() > mostOutput {
		return r, fmt.Errorf("%s is no regular file in the tree, of 16 MiB at most", path)
	}
	text, err := root.ReadFile(path)
	if err != nil {
		return r, err
	}
	return readJUnit(text)
}

// removeOldReport removes a report that existed before the command ran, for example a committed report.
func removeOldReport(report, tree string) error {
	path, isFile := junitFile(report)
	if !isFile {
		return nil
	}
	root, err := os.OpenRoot(tree)
	if err != nil {
		return err
	}
	defer root.Close()
	if _, err := root.Lstat(path); err != nil {
		return nil // there is none, or it is outside of the tree, where it is not read either
	}
	return schemas.IgnoreError(fs.ErrNotExist, root.RemoveAll(path))
}

// readGoTest reads the output of go test -json (see go doc test2json). It ignores lines that are no test events.
func readGoTest(printed []byte) (r testResults) {
	for line := range bytes.Lines(printed) {
		var event struct{ Action, Package, Test string }
		switch err := json.Unmarshal(line, &event); {
		case err != nil:
		case event.Action == "pass" && event.Test != "":
			r.passed++
		case event.Action == "fail" || event.Action == "build-fail":
			r.failed = append(r.failed, strings.TrimSpace(event.Package+" "+event.Test))
		}
	}
	return r
}

// readJUnit reads the test cases of a report at any depth of nested suites.
func readJUnit(text []byte) (r testResults, err error) {
	for d := xml.NewDecoder(bytes.NewReader(text)); ; {
		var c struct {
			Class   string    `xml:"classname,attr"`
			Name    string    `xml:"name,attr"`
			Failure *struct{} `xml:"failure"`
			Error   *struct{} `xml:"error"`
			Skipped *struct{} `xml:"skipped"`
		}
		token, err := d.Token()
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == "testcase" {
			err = d.DecodeElement(&c, &start)
		} else if err == nil {
			continue
		}
		switch {
		case errors.Is(err, io.EOF):
			return r, nil
		case err != nil:
			return r, fmt.Errorf("its report is no XML: %w", err)
		case c.Failure != nil || c.Error != nil:
			r.failed = append(r.failed, strings.TrimSpace(c.Class+" "+c.Name))
		case c.Skipped == nil:
			r.passed++
		}
	}
}
