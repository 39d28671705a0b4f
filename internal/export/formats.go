package export

import (
	"context"
	"io"
)

// writer writes a run.
type writer func(ctx context.Context, r Run, o *Options, w io.Writer) error

// format is a format of files. A new one is a line of the table.
type format struct {
	name   string
	states writer // nil if it only holds transitions
	edges  writer
}

func formats() []format {
	return []format{
		{"csv", writeCSV, writeEdgesCSV},
		{"jsonl", writeJSON, writeEdgesJSON},
		{"parquet", writeParquet, writeEdgesParquet},
		{"dot", nil, writeDOT},
		{"graphml", nil, writeGraphML},
		{"aut", nil, writeAUT},
	}
}

// Formats returns the names of the formats, which are also the extensions of their
// files.
func Formats() []string {
	var names []string
	for _, f := range formats() {
		names = append(names, f.name)
	}
	return names
}
