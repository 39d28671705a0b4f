package main

import (
	"cmp"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"regexp"
	"time"
)

// document is an SPDX 2.3 document, with the fields used here.
type document struct {
	Version       string         `json:"spdxVersion"`
	License       string         `json:"dataLicense"`
	ID            string         `json:"SPDXID"`
	Name          string         `json:"name"`
	Namespace     string         `json:"documentNamespace"`
	Creation      creation       `json:"creationInfo"`
	Packages      []pkg          `json:"packages"`
	Relationships []relationship `json:"relationships"`
}

type creation struct {
	Created  string   `json:"created"`
	Creators []string `json:"creators"`
}

type pkg struct {
	ID        string        `json:"SPDXID"`
	Name      string        `json:"name"`
	Version   string        `json:"versionInfo"`
	Download  string        `json:"downloadLocation"`
	Analyzed  bool          `json:"filesAnalyzed"`
	License   string        `json:"licenseConcluded"`
	Declared  string        `json:"licenseDeclared"`
	Copyright string        `json:"copyrightText"`
	Purpose   string        `json:"primaryPackagePurpose,omitempty"`
	Checksums []checksum    `json:"checksums,omitempty"`
	Refs      []externalRef `json:"externalRefs,omitempty"`
}

type checksum struct {
	Algorithm string `json:"algorithm"`
	Value     string `json:"checksumValue"`
}

type externalRef struct {
	Category string `json:"referenceCategory"`
	Type     string `json:"referenceType"`
	Locator  string `json:"referenceLocator"`
}

type relationship struct {
	From string `json:"spdxElementId"`
	Type string `json:"relationshipType"`
	To   string `json:"relatedSpdxElement"`
}

const noAssertion = "NOASSERTION"

// notInID matches what an SPDX identifier must not contain.
var notInID = regexp.MustCompile(`[^a-zA-Z0-9.-]+`)

// spdx lists the contents of a program: the modules recorded in it by its build, and
// the Go version that built it.
func spdx(program string, r *release, t target, body []byte) ([]byte, error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return nil, err
	}
	sum := fmt.Sprintf("%x", sha256.Sum256(body))
	name := r.name(t)
	main := pkg{
		ID: "SPDXRef-everystate", Name: info.Main.Path, Version: r.version, Download: noAssertion, License: "Apache-2.0", Declared: "Apache-2.0",
		Copyright: noAssertion, Purpose: "APPLICATION", Checksums: []checksum{{"SHA256", sum}},
		Refs: []externalRef{{"PACKAGE-MANAGER", "purl", "pkg:golang/" + info.Main.Path + "@" + r.version}},
	}
	d := document{
		Version: "SPDX-2.3", License: "CC0-1.0", ID: "SPDXRef-DOCUMENT", Name: name,
		Namespace:     "https://" + info.Main.Path + "/spdx/" + name + "-" + sum,
		Creation:      creation{Created: r.time.Format(time.RFC3339), Creators: []string{"Tool: everystate-release"}},
		Packages:      []pkg{main},
		Relationships: []relationship{{"SPDXRef-DOCUMENT", "DESCRIBES", main.ID}},
	}
	add := func(path, version, purl, kind string) {
		p := pkg{
			ID: "SPDXRef-" + notInID.ReplaceAllString(path+"-"+version, "-"), Name: path, Version: version, Download: noAssertion,
			License: noAssertion, Declared: noAssertion, Copyright: noAssertion,
			Refs: []externalRef{{"PACKAGE-MANAGER", "purl", purl}},
		}
		d.Packages = append(d.Packages, p)
		if kind == "BUILD_TOOL_OF" {
			d.Relationships = append(d.Relationships, relationship{p.ID, kind, main.ID})
			return
		}
		d.Relationships = append(d.Relationships, relationship{main.ID, kind, p.ID})
	}
	for _, m := range info.Deps {
		m = cmp.Or(m.Replace, m)
		add(m.Path, m.Version, "pkg:golang/"+m.Path+"@"+m.Version, "DEPENDS_ON")
	}
	add("go", info.GoVersion, "pkg:generic/go@"+info.GoVersion, "BUILD_TOOL_OF")
	text, err := json.MarshalIndent(d, "", " ")
	return append(text, '\n'), err
}
