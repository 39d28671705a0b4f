package journal

import (
	"fmt"
	"slices"

	"google.golang.org/protobuf/proto"

	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
)

// AsLayers returns the entries of a run that keeps a table on a cluster, at one worker or divided
// among all, as those of a run that keeps every layer. The entries of other runs are returned as they are. Equal
// entries have equal results, so what begins alike stays alike.
func AsLayers(entries Entries) (Entries, error) {
	kept := slices.Clone(entries)
	for i, body := range entries {
		var e everystatev1.JournalEntry
		if err := proto.Unmarshal(body, &e); err != nil {
			return nil, fmt.Errorf("journal entry %d: cannot be read: %w", i, err)
		}
		switch {
		case i == 0 && !slices.Contains([]uint32{TableVersion, FoldedVersion, DividedVersion}, e.GetSpec().GetFormatVersion()):
			return entries, nil
		case i == 0:
			e.GetSpec().FormatVersion = FormatVersion
		case e.GetLayer().GetKeptFrom() > 0:
			e.GetLayer().KeptFrom = 0
		default:
			continue
		}
		kept[i] = marshal(&e)
	}
	return kept, nil
}
