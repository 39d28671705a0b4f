package export

import (
	"context"
	"io"
)

// writer writes a run.
type writer func(ctx context.Context, r Run, o *Options, w io.Writer) error

// format is a file format. A new one is one more line of the table.
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

// Formats returns the names of the formats, which are also their file extensions.
func Formats() []string {
	var names []string
	for _, f := range formats() {
		names = append(names, f.name)
	}
	return names
}
