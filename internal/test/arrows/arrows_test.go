package arrows

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

const (
	module = "github.com/everystate/everystate"

	// std stands for every package of the standard library. "C" is not one of
	// them: cgo has an arrow of its own.
	std = "std"
)

// A rule binds the packages that match from. Packages of this module are
// written by their path inside it, the root as ".", others by their import path.
// A pattern that ends in "/..." matches a package and all below it; "..." matches
// every package.
type rule struct {
	from   string
	except []string // packages that match from and are not bound

	// One of the two: all that may be imported, or what may not be.
	only  []string
	never []string

	// tests binds test files too. They are free otherwise: a test may compare
	// with what its package must not depend on.
	tests bool

	because string

	// breach is an import that the rule must catch: a file and what it imports.
	breach [2]string
}

// impure are the packages of the standard library by which a clock, randomness,
// a log, cancellation or I/O would come in.
var impure = []string{
	"context", "log/...", "math/rand/...", "net/...", "os/...", "syscall/...", "time/...",
}

var rules = []rule{
	{
		from:    ".",
		only:    []string{std, "puzzle/...", "coordinator/history", "internal/engine", "internal/query", "store"},
		because: "the library wires one engine and its questions: what a program has beside them is no part of it",
		breach:  [2]string{"everystate.go", module + "/internal/web"},
	},
	{
		from:    ".",
		never:   []string{"flag/...", "log/...", "net/..."},
		because: "a library leaves flags, logs and the network to the program that imports it",
		breach:  [2]string{"everystate.go", "flag"},
	},
	{
		from:    "...",
		except:  []string{".", "cmd/..."},
		never:   []string{"."},
		tests:   true,
		because: "what Everystate is made of does not depend on how other programs are offered it",
		breach:  [2]string{"internal/engine/run.go", module},
	},
	{
		from:    "puzzle/...",
		except:  []string{"puzzle/sdk/go/examples/..."},
		only:    []string{std, "puzzle/..."},
		because: "every process shares the puzzle core, so it carries no dependency",
		breach:  [2]string{"puzzle/tiles/tiles.go", module + "/store"},
	},
	{
		from:    "puzzle/...",
		never:   impure,
		because: "the puzzle core is pure: same state, same successors, same order",
		breach:  [2]string{"puzzle/tiles/tiles.go", "time"},
	},
	{
		from:    "puzzle/murphi/syntax",
		only:    []string{std},
		because: "a grammar is read without knowing what its words do",
		breach:  [2]string{"puzzle/murphi/syntax/parser.go", module + "/puzzle/murphi/machine"},
	},
	{
		from:    "puzzle/murphi/machine",
		only:    []string{std, "puzzle/murphi/syntax"},
		because: "rules run on values; keys and boards are the family's",
		breach:  [2]string{"puzzle/murphi/machine/machine.go", module + "/puzzle"},
	},
	{
		from:    "puzzle/permutation/structure",
		only:    []string{std, "puzzle", "puzzle/permutation/group"},
		because: "what the moves are as a whole does not depend on how they are written or coded",
		breach:  [2]string{"puzzle/permutation/structure/size.go", module + "/puzzle/permutation"},
	},
	{
		from:    "puzzle/permutation/product",
		only:    []string{std},
		because: "turning the whole puzzle does not depend on how its moves are written or coded",
		breach:  [2]string{"puzzle/permutation/product/product.go", module + "/puzzle/permutation"},
	},
	{
		from:    "puzzle/permutation/whole",
		only:    []string{std, "puzzle", "puzzle/permutation/structure"},
		because: "turning the whole puzzle does not depend on how its moves are written or coded",
		breach:  [2]string{"puzzle/permutation/whole/whole.go", module + "/puzzle/permutation"},
	},
	{
		from:    "puzzle/permutation/folding",
		only:    []string{std, "puzzle", "puzzle/permutation/ranking", "puzzle/permutation/structure", "puzzle/permutation/whole"},
		because: "blocks are folded along symmetries, however keys and moves are written",
		breach:  [2]string{"puzzle/permutation/folding/space.go", module + "/puzzle/permutation"},
	},
	{
		from:    "puzzle/permutation/marking",
		only:    []string{std, "puzzle", "puzzle/coordinates", "puzzle/permutation/folding", "puzzle/permutation/ranking", "puzzle/permutation/structure"},
		because: "representatives are chosen and numbered however keys and moves are written",
		breach:  [2]string{"puzzle/permutation/marking/marks.go", module + "/puzzle/permutation"},
	},
	{
		from:    "puzzle/permutation/source",
		only:    []string{std, "puzzle", "puzzle/boardfile"},
		because: "what the files of all families share says nothing of a puzzle",
		breach:  [2]string{"puzzle/permutation/source/source.go", module + "/puzzle/permutation"},
	},
	{
		from:    "puzzle/permutation/flat",
		only:    []string{std, "puzzle"},
		because: "where places lie follows from what moves do to them",
		breach:  [2]string{"puzzle/permutation/flat/flat.go", module + "/puzzle/permutation"},
	},
	{
		from:    "puzzle/permutation/net",
		only:    []string{std, "puzzle"},
		because: "a drawing shows what is seen, whatever moved it",
		breach:  [2]string{"puzzle/permutation/net/net.go", module + "/puzzle/permutation"},
	},
	{
		from:    "puzzle/symmetry",
		only:    []string{std, "puzzle"},
		because: "states are merged as any family says that they are symmetric",
		breach:  [2]string{"puzzle/symmetry/merged.go", module + "/puzzle/tiles"},
	},
	{
		from:    "puzzle/partition/...",
		only:    []string{std, "puzzle", "puzzle/partition/..."},
		because: "the owner of a state is a pure function of its key, the same in every process",
		breach:  [2]string{"puzzle/partition/scheme.go", module + "/worker"},
	},
	{
		from:    "puzzle/partition/...",
		never:   impure,
		because: "the owner of a state is a pure function of its key, the same in every process",
		breach:  [2]string{"puzzle/partition/scheme.go", "math/rand/v2"},
	},
	{
		from:    "puzzle/digest/...",
		only:    []string{std, "puzzle", "puzzle/digest/..."},
		because: "a digest is a pure function of the states it covers, the same in every process",
		breach:  [2]string{"puzzle/digest/digest.go", module + "/store"},
	},
	{
		from:    "puzzle/digest/...",
		never:   impure,
		because: "a digest is a pure function of the states it covers, the same in every process",
		breach:  [2]string{"puzzle/digest/digest.go", "time"},
	},
	{
		from:    "coordinator/history/...",
		only:    []string{std, "puzzle/...", "coordinator/history/..."},
		because: "what a run is does not depend on who decides, stores or asks",
		breach:  [2]string{"coordinator/history/history.go", module + "/coordinator/core"},
	},
	{
		from:    "coordinator/history/...",
		never:   impure,
		because: "what a run is follows from what was committed, not from clocks or files",
		breach:  [2]string{"coordinator/history/history.go", "time"},
	},
	{
		from:    "internal/query/...",
		never:   []string{"coordinator/core/...", "coordinator/server/...", "worker/server/...", "internal/engine/...", "proto/...", "cmd/..."},
		because: "a question asks what was committed; how a run is driven is no part of an answer",
		breach:  [2]string{"internal/query/space.go", module + "/coordinator/core"},
	},
	{
		from:    "coordinator/core/...",
		only:    []string{std, "puzzle/...", "coordinator/history", "coordinator/core/..."},
		because: "the coordinator core is a state machine that drivers and stored formats depend on, not the other way round",
		breach:  [2]string{"coordinator/core/core.go", module + "/coordinator/journal"},
	},
	{
		from:    "coordinator/core/...",
		never:   impure,
		because: "the coordinator core performs no I/O and its time is a tick",
		breach:  [2]string{"coordinator/core/core.go", "time"},
	},
	{
		from:    "internal/sweep",
		only:    []string{std, "golang.org/x/sync/...", "puzzle/digest", "internal/sweep"},
		because: "what a unit finds does not depend on what enumerates it or keeps it",
		breach:  [2]string{"internal/sweep/sweep.go", module + "/internal/sweep/database"},
	},
	{
		from:    "internal/sweep/rushhour",
		only:    []string{std, "internal/sweep", "internal/sweep/relevance", "internal/sweep/rushhour/boards", "internal/sweep/rushhour/counting", "internal/sweep/rushhour/division", "internal/sweep/rushhour/fits", "internal/sweep/rushhour/forest", "internal/sweep/rushhour/limits", "internal/sweep/rushhour/rules"},
		because: "the findings of a unit are a pure function of the rules and its number",
		breach:  [2]string{"internal/sweep/rushhour/worker.go", module + "/internal/sweep/database"},
	},
	{
		from:    "internal/sweep/rushhour/boards",
		only:    []string{std, "internal/sweep/rushhour/rules"},
		because: "how a board is written does not depend on what its vehicles can do",
		breach:  [2]string{"internal/sweep/rushhour/boards/boards.go", module + "/internal/sweep/rushhour"},
	},
	{
		from:    "internal/sweep/rushhour/counting",
		only:    []string{std, "internal/sweep/rushhour/rules"},
		because: "how boards are counted does not depend on what lines hold",
		breach:  [2]string{"internal/sweep/rushhour/counting/counting.go", module + "/internal/sweep/rushhour"},
	},
	{
		from:    "internal/sweep/rushhour/division",
		only:    []string{std},
		because: "how a list is divided does not depend on what it is of",
		breach:  [2]string{"internal/sweep/rushhour/division/division.go", module + "/internal/sweep/rushhour"},
	},
	{
		from:    "internal/sweep/rushhour/fits",
		only:    []string{std, "internal/sweep/rushhour/rules"},
		because: "what fits in a column depends on the rows only through the cells that they cover",
		breach:  [2]string{"internal/sweep/rushhour/fits/fits.go", module + "/internal/sweep/rushhour"},
	},
	{
		from:    "internal/sweep/rushhour/forest",
		only:    []string{std},
		because: "what is joined does not depend on what it is",
		breach:  [2]string{"internal/sweep/rushhour/forest/forest.go", module + "/internal/sweep/rushhour"},
	},
	{
		from:    "internal/sweep/rushhour/limits",
		only:    []string{std, "internal/sweep/rushhour/rules"},
		because: "how limits are counted does not depend on what else lines hold",
		breach:  [2]string{"internal/sweep/rushhour/limits/limits.go", module + "/internal/sweep/rushhour"},
	},
	{
		from:    "internal/sweep/rushhour/rules",
		only:    []string{std, "internal/sweep", "puzzle/boardfile"},
		because: "what is enumerated does not depend on how",
		breach:  [2]string{"internal/sweep/rushhour/rules/rules.go", module + "/internal/sweep/rushhour"},
	},
	{
		from:    "puzzle/rushhour/narrow",
		only:    []string{std, "puzzle"},
		because: "moves are made from tables, whatever the boards are written like",
		breach:  [2]string{"puzzle/rushhour/narrow/moves.go", module + "/puzzle/rushhour"},
	},
	{
		from:    "internal/sweep/relevance",
		only:    []string{std},
		because: "what a piece can be asked does not depend on how boards are enumerated",
		breach:  [2]string{"internal/sweep/relevance/relevance.go", module + "/internal/sweep/rushhour"},
	},
	{
		from:    "internal/sweep/sokoban",
		only:    []string{std, "puzzle/...", "internal/sweep"},
		because: "the findings of a unit are a pure function of the rules and its number",
		breach:  [2]string{"internal/sweep/sokoban/worker.go", module + "/internal/sweep/database"},
	},
	{
		from:    "internal/sweep/blocks",
		only:    []string{std, "puzzle/...", "internal/solve", "internal/sweep"},
		because: "the findings of a unit are a pure function of the rules and its number",
		breach:  [2]string{"internal/sweep/blocks/enumeration.go", module + "/internal/sweep/database"},
	},
	{
		from:    "internal/sweep/kinds",
		only:    []string{std, "internal/sweep", "internal/sweep/blocks", "internal/sweep/rushhour", "internal/sweep/rushhour/rules", "internal/sweep/sokoban"},
		because: "which sweeps there are does not depend on who does them, or where findings are kept",
		breach:  [2]string{"internal/sweep/kinds/kinds.go", module + "/internal/sweep/database"},
	},
	{
		from:    "internal/sweep/forecast",
		only:    []string{std, "internal/sweep"},
		because: "how long a sweep takes is measured on units; what they are does not matter",
		breach:  [2]string{"internal/sweep/forecast/forecast.go", module + "/internal/sweep/rushhour"},
	},
	{
		from:    "internal/sweep/pack",
		only:    []string{std, "puzzle/...", "internal/grade", "internal/solve", "internal/sweep", "internal/sweep/blocks", "internal/sweep/rushhour/rules", "internal/sweep/sokoban"},
		because: "a pack is a function of records and rules; where they come from is its caller's affair",
		breach:  [2]string{"internal/sweep/pack/pack.go", module + "/internal/sweep/database"},
	},
	{
		from:    "internal/grade",
		only:    []string{std, "puzzle", "puzzle/rushhour", "internal/solve"},
		because: "a grade is a function of a board, whoever keeps it",
		breach:  [2]string{"internal/grade/grade.go", module + "/internal/sweep"},
	},
	{
		from:    "internal/sweep/grading",
		only:    []string{std, "golang.org/x/sync/...", "internal/sweep", "internal/sweep/database", "internal/sweep/pack"},
		because: "who measures the records of a database asks neither what they are nor how they are measured",
		breach:  [2]string{"internal/sweep/grading/grading.go", module + "/internal/engine"},
	},
	{
		from:    "internal/sweep/database",
		never:   []string{"internal/sweep/blocks", "internal/sweep/rushhour", "internal/sweep/sokoban", "puzzle/...", "coordinator/...", "worker/...", "internal/engine/...", "internal/query/..."},
		because: "a database of findings does not ask what was enumerated, nor by whom",
		breach:  [2]string{"internal/sweep/database/database.go", module + "/internal/sweep/rushhour"},
	},
	{
		from: "store/...",
		never: []string{
			"puzzle/...", "coordinator/...", "worker/...", "internal/query/...", "internal/solve/...", "internal/engine/...",
			"proto/...", "google.golang.org/protobuf/...", "google.golang.org/grpc/...",
		},
		because: "the store knows bytes; ordering and encoding are handed to it",
		breach:  [2]string{"store/segment.go", module + "/puzzle"},
	},
	{
		from: "store/bucket/...",
		never: []string{
			"puzzle/...", "coordinator/...", "worker/...", "internal/query/...", "internal/engine/...", "store", "store/guard", "store/layerobject",
			"proto/...", "google.golang.org/protobuf/...", "google.golang.org/grpc/...",
		},
		because: "a bucket holds bytes; what entries and blocks mean is its caller's affair",
		breach:  [2]string{"store/bucket/layer.go", module + "/store"},
	},
	{
		from:    "internal/proof",
		only:    []string{std, "golang.org/x/sync/...", "puzzle/...", "coordinator/history", "internal/query"},
		because: "what checks that a run is complete shares nothing with what makes layers",
		breach:  [2]string{"internal/proof/check.go", module + "/worker"},
	},
	{
		from:    "internal/table",
		only:    []string{std, "puzzle/..."},
		because: "a table is a function of a puzzle's ranks; where it is kept, and what asks for it, is others' affair",
		breach:  [2]string{"internal/table/search.go", module + "/store"},
	},
	{
		from:    "internal/table/...",
		never:   []string{"worker/...", "internal/engine/...", "log/...", "math/rand/...", "net/...", "time/..."},
		because: "tables answer for layers without what makes them elsewhere, the same every time",
		breach:  [2]string{"internal/table/stored/records.go", module + "/worker"},
	},
	{
		from:    "internal/draw/...",
		except:  []string{"internal/draw/layout/..."},
		only:    []string{std, "puzzle/...", "internal/draw/...", "golang.org/x/image/..."},
		because: "a picture is a pure function of what is drawn; where that comes from is its caller's affair",
		breach:  [2]string{"internal/draw/board.go", module + "/internal/query"},
	},
	{
		from:    "internal/draw/...",
		never:   impure,
		because: "a picture is a pure function of what is drawn, the same every time",
		breach:  [2]string{"internal/draw/board.go", "os"},
	},
	{
		from: "internal/terminal/play/...",
		only: []string{
			std, "puzzle/...", "internal/terminal/play/...", "internal/terminal/paint", "internal/quantity",
			"charm.land/bubbletea/v2",
		},
		because: "the player asks its guide what it wants to know, and opens and solves nothing itself",
		breach:  [2]string{"internal/terminal/play/model.go", module + "/internal/solve"},
	},
	{
		from:    "...",
		except:  []string{"cmd/everystate/internal/player", "internal/terminal/play/..."},
		never:   []string{"charm.land/...", "github.com/charmbracelet/..."},
		tests:   true,
		because: "screens are the terminal player's",
		breach:  [2]string{"internal/query/space.go", "charm.land/bubbletea/v2"},
	},
	{
		from:    "...",
		except:  []string{"store/bucket/..."},
		never:   []string{"github.com/aws/..."},
		tests:   true,
		because: "buckets are reached through package bucket, which sees to conditions, durability and checksums",
		breach:  [2]string{"internal/engine/export.go", "github.com/aws/aws-sdk-go-v2/service/s3"},
	},
	{
		from:    "worker/...",
		never:   []string{"coordinator/client/...", "coordinator/core/...", "coordinator/journal/...", "coordinator/server/...", "internal/engine/..."},
		tests:   true,
		because: "worker and coordinator meet only through proto adapters or in package local",
		breach:  [2]string{"worker/worker_test.go", module + "/coordinator/core"},
	},
	{
		from:    "coordinator/...",
		never:   []string{"worker/...", "internal/engine/..."},
		tests:   true,
		because: "worker and coordinator meet only through proto adapters or in package local",
		breach:  [2]string{"coordinator/driver.go", module + "/worker"},
	},
	{
		from:    "internal/test/world/...",
		never:   []string{"coordinator/core/...", "worker", "proto/gen/...", "net/http/...", "os/exec"},
		tests:   true,
		because: "a simulation runs the processes that ship, as a whole: it holds no second coordinator or worker, and reaches nothing real",
		breach:  [2]string{"internal/test/world/world_test.go", module + "/coordinator/core"},
	},
	{
		from:    "internal/test/plants/...",
		only:    []string{std},
		tests:   true,
		because: "who plants bugs reads and compiles the sources, and calls none of them",
		breach:  [2]string{"internal/test/plants/plants_test.go", module + "/internal/test/world"},
	},
	{
		from:    "...",
		except:  []string{"store/bucket/...", "internal/test/..."},
		never:   []string{"store/bucket/cloudtest"},
		tests:   true,
		because: "a bucket that fails on purpose is for tests of buckets and of whole clusters",
		breach:  [2]string{"worker/server/buckets.go", module + "/store/bucket/cloudtest"},
	},
	{
		from:    "internal/solve/...",
		only:    []string{std, "puzzle/...", "internal/solve/..."},
		because: "single-machine solvers stand on the puzzle package alone, as an independent check of the engine",
		breach:  [2]string{"internal/solve/bfs.go", module + "/store"},
	},
	{
		from:    "...",
		except:  []string{"proto/gen/...", "proto/layerstream", "proto/wire", "coordinator/journal", "coordinator/client", "coordinator/convert", "coordinator/prove", "coordinator/relay", "coordinator/requests", "coordinator/server", "coordinator/specs", "worker/exchange", "worker/logindex", "worker/keptrun", "worker/module", "worker/onetable", "worker/plans", "worker/prove", "worker/server", "worker/units", "worker/upload"},
		never:   []string{"proto/gen/..."},
		because: "generated messages stay in the adapters that read and write them",
		breach:  [2]string{"worker/worker.go", module + "/proto/gen/everystate/v1"},
	},
	{
		from:    "cmd/...",
		never:   []string{"github.com/parquet-go/..."},
		because: "the program is wiring: what a file of an export looks like is said in internal/export and internal/sweep/records",
		breach:  [2]string{"cmd/everystate/internal/export/export.go", "github.com/parquet-go/parquet-go"},
	},
	{
		from:    "cmd/...",
		never:   []string{"github.com/cockroachdb/..."},
		because: "the program is wiring: where a run lies is the matter of the store",
		breach:  [2]string{"cmd/everystate/internal/runs/runs.go", "github.com/cockroachdb/pebble/v2"},
	},
	{
		from:    "cmd/...",
		never:   []string{"store", "store/guard/...", "store/layerobject/..."},
		because: "the program is wiring: a run is opened, and its errors are told, by internal/engine",
		breach:  [2]string{"cmd/everystate/internal/runs/runs.go", module + "/store"},
	},
	{
		// A bucket is named on the command line and handed to those who use it. What a
		// run may be called (store/naming) is for all who name one.
		from:    "cmd/...",
		except:  []string{"cmd/everystate/internal/runs", "cmd/everystate/internal/bucket"},
		never:   []string{"store/bucket/...", "store/guard/...", "store/layerobject/..."},
		because: "a bucket is opened by the commands that are about buckets",
		breach:  [2]string{"cmd/everystate/internal/explore/explore.go", module + "/store/bucket"},
	},
	{
		from:    "cmd/...",
		never:   []string{"worker", "coordinator/core/..."},
		because: "the program is wiring: who decides and who expands is not its affair",
		breach:  [2]string{"cmd/everystate/internal/runs/session.go", module + "/worker"},
	},
	{
		from:    "cmd/...",
		except:  []string{"cmd/everystate/internal/cluster"},
		never:   []string{"worker/...", "coordinator/server/..."},
		because: "the processes of a cluster are started by their two commands",
		breach:  [2]string{"cmd/everystate/internal/runs/runs.go", module + "/worker/server"},
	},
	{
		// The player says which families are played with the arrow keys.
		from:   "cmd/...",
		except: []string{"cmd/everystate/internal/player"},
		never: []string{
			"puzzle/blocks/...", "puzzle/hanoi/...", "puzzle/murphi/...", "puzzle/peg/...", "puzzle/permutation/...",
			"puzzle/puzzlescript/...", "puzzle/rushhour/...",
			"puzzle/sokoban/...", "puzzle/sudoku/...", "puzzle/tiles/...",
		},
		because: "the program is wiring: a family is reached through the table of families",
		breach:  [2]string{"cmd/everystate/internal/solving/generate.go", module + "/puzzle/rushhour"},
	},
	{
		from:    "cmd/everystate/internal/exit",
		only:    []string{std, "internal/wasm", "github.com/spf13/cobra"},
		because: "an exit code depends on errors alone",
		breach:  [2]string{"cmd/everystate/internal/exit/exit.go", module + "/internal/engine"},
	},
	{
		from:    "internal/terminal/...",
		never:   []string{"cmd/everystate/internal/shell", "cmd/everystate/internal/runs", "coordinator/core/...", "coordinator/server/...", "coordinator/client/..."},
		because: "what people see is made of numbers and texts; where those come from is the commands' affair",
		breach:  [2]string{"internal/terminal/table/table.go", module + "/cmd/everystate/internal/shell"},
	},
	{
		from:    "internal/quantity",
		only:    []string{std},
		because: "a number is written in the same way everywhere",
		breach:  [2]string{"internal/quantity/quantity.go", module + "/internal/engine"},
	},
	{
		from:    "internal/export/...",
		never:   []string{"coordinator/core/...", "coordinator/client/...", "coordinator/server/...", "worker/...", "store/...", "proto/...", "cmd/..."},
		because: "an export asks a run; where that lies does not matter",
		breach:  [2]string{"internal/export/run.go", module + "/coordinator/client"},
	},
	{
		from:    "internal/portrait/...",
		only:    []string{std, "puzzle/...", "coordinator/history", "internal/bydepth", "internal/draw/...", "internal/grade", "internal/quantity", "internal/query", "internal/solid", "internal/solve"},
		because: "a picture of a run asks a run; where that lies does not matter",
		breach:  [2]string{"internal/portrait/portrait.go", module + "/internal/engine"},
	},
	{
		from:    "internal/portrait/...",
		never:   []string{"os/...", "net/...", "time/...", "math/rand/...", "syscall/..."},
		because: "a picture of a run is the same every time",
		breach:  [2]string{"internal/portrait/portrait.go", "time"},
	},
	{
		from:    "internal/report/...",
		never:   []string{"coordinator/core/...", "coordinator/client/...", "coordinator/server/...", "worker/...", "store/...", "proto/...", "cmd/...", "os/...", "net/..."},
		because: "a report asks a run; where that lies does not matter, nor where the page goes",
		breach:  [2]string{"internal/report/report.go", module + "/store"},
	},
	{
		from:    "internal/web/playable/...",
		only:    []string{std, "puzzle/...", "coordinator/history", "internal/draw/...", "internal/portrait", "internal/quantity", "internal/query", "internal/solid"},
		because: "a file to play on asks a run; where that lies does not matter, nor where the file goes",
		breach:  [2]string{"internal/web/playable/file.go", module + "/internal/engine"},
	},
	{
		from:    "internal/web/playable/...",
		never:   []string{"os/...", "net/...", "time/...", "math/rand/...", "syscall/..."},
		because: "a file is the same every time",
		breach:  [2]string{"internal/web/playable/file.go", "time"},
	},
	{
		from:    "internal/edit",
		only:    []string{std, "puzzle/...", "internal/solve/..."},
		because: "a board that is edited is explored in memory: nothing is kept, and no run knows of it",
		breach:  [2]string{"internal/edit/edit.go", module + "/internal/engine"},
	},
	{
		from:    "internal/edit",
		never:   []string{"os/...", "net/...", "math/rand/...", "syscall/..."},
		because: "the same board has the same answer",
		breach:  [2]string{"internal/edit/edit.go", "os"},
	},
	{
		from:    "internal/solid",
		only:    []string{std, "puzzle"},
		because: "which solid a puzzle is follows from what its moves do, whatever they are called",
		breach:  [2]string{"internal/solid/shape.go", module + "/puzzle/permutation"},
	},
	{
		from:    "internal/solid",
		never:   impure,
		because: "the same puzzle has the same shape",
		breach:  [2]string{"internal/solid/shape.go", "os"},
	},
	{
		from:    "internal/sweep/browse",
		only:    []string{std, "puzzle/...", "internal/sweep", "internal/sweep/database", "internal/sweep/kinds", "internal/sweep/pack"},
		because: "who looks through a sweep asks its database, and writes nothing",
		breach:  [2]string{"internal/sweep/browse/browse.go", module + "/internal/engine"},
	},
	{
		from:    "internal/sweep/reference",
		never:   []string{"coordinator/...", "worker/...", "store/...", "internal/engine/...", "internal/sweep/database", "cmd/...", "os/..."},
		because: "two lists of puzzles are compared, wherever they come from",
		breach:  [2]string{"internal/sweep/reference/reference.go", "os"},
	},
	{
		from:    "internal/sweep/records",
		never:   []string{"coordinator/...", "worker/...", "internal/engine/...", "internal/query/...", "cmd/...", "os/..."},
		because: "records are written for whoever has opened their database, wherever they are to go",
		breach:  [2]string{"internal/sweep/records/records.go", "os"},
	},
	{
		from:    "internal/wasm/...",
		never:   []string{"coordinator/...", "worker/...", "store/...", "internal/engine/...", "internal/query/...", "proto/...", "cmd/..."},
		because: "a module is one more puzzle: nothing in it depends on who explores",
		breach:  [2]string{"internal/wasm/open.go", module + "/store"},
	},
	{
		from:    "...",
		except:  []string{"internal/wasm/..."},
		never:   []string{"github.com/tetratelabs/wazero/..."},
		because: "code of strangers runs in one place, which bounds it",
		breach:  [2]string{"internal/engine/run.go", "github.com/tetratelabs/wazero"},
	},
	{
		from:    "puzzle/sdk/go",
		only:    []string{std, "puzzle/...", "puzzle/sdk/go"},
		because: "it is linked into modules, which are on the other side of the interface",
		breach:  [2]string{"puzzle/sdk/go/exports.go", module + "/internal/wasm"},
	},
	{
		from:    "internal/security/...",
		never:   []string{"coordinator/...", "worker/...", "store/...", "puzzle/...", "internal/engine/...", "internal/query/...", "cmd/..."},
		tests:   true,
		because: "who may call whom is settled before anybody looks at what is asked",
		breach:  [2]string{"internal/security/server.go", module + "/coordinator/server"},
	},
	{
		from:    "...",
		except:  []string{"internal/telemetry/tracing", "cmd/..."},
		never:   []string{"go.opentelemetry.io/..."},
		because: "whoever does the work says what it took; where that goes is settled in one place",
		breach:  [2]string{"worker/worker.go", "go.opentelemetry.io/otel"},
	},
	{
		from:    "internal/estimate/...",
		only:    []string{std, "puzzle/...", "internal/estimate/..."},
		because: "an estimate that called the engine would be a run",
		breach:  [2]string{"internal/estimate/walks.go", module + "/worker"},
	},
	{
		from:    "internal/telemetry/metrics/...",
		never:   []string{"coordinator/...", "worker/...", "store/...", "puzzle/...", "internal/engine/...", "internal/query/...", "proto/...", "cmd/..."},
		tests:   true,
		because: "what is measured belongs to those who do the work; metrics only says it",
		breach:  [2]string{"internal/telemetry/metrics/metric.go", module + "/worker"},
	},
	{
		from:    "...",
		except:  []string{"internal/telemetry/metrics/...", "worker/server", "coordinator/server", "coordinator/settings", "cmd/..."},
		never:   []string{"github.com/prometheus/..."},
		because: "who does the work counts in atomics; a page is made of them when somebody asks",
		breach:  [2]string{"worker/worker.go", "github.com/prometheus/client_golang/prometheus"},
	},
	{
		from:    "tools/scaling/...",
		only:    []string{std, "coordinator/core"},
		because: "a model decides as a coordinator does; one that did the work would not be one: what work costs is measured and written down",
		breach:  [2]string{"tools/scaling/simulate.go", module + "/worker"},
	},
	{
		from:    "...",
		except:  []string{"cmd/..."},
		never:   []string{"cmd/..."},
		tests:   true,
		because: "cmd only wires; what others need belongs in a package of its own",
		breach:  [2]string{"internal/engine/local_test.go", module + "/cmd/everystate"},
	},
	{
		from:    "...",
		except:  []string{"cmd/..."},
		never:   []string{"internal/web"},
		because: "the page looks at runs from outside: nothing that makes them may need it",
		breach:  [2]string{"internal/engine/local.go", module + "/internal/web"},
	},
	{
		from:    "internal/draw/layout/...",
		only:    []string{std},
		because: "a layout is a pure function of a graph",
		breach:  [2]string{"internal/draw/layout/layout.go", module + "/internal/query"},
	},
	{
		from:    "...",
		never:   []string{"C"},
		tests:   true,
		because: "one static binary for every platform, built by Go alone",
		breach:  [2]string{"store/zstd.go", "C"},
	},
}

// emptyNames say nothing of what a package is for.
var emptyNames = []string{"common", "helper", "helpers", "misc", "util", "utils"}

func TestTree(t *testing.T) {
	t.Parallel()
	root := os.DirFS("../../..")
	if _, err := fs.Stat(root, "go.mod"); err != nil {
		t.Fatalf("the module does not start two folders up: %v", err)
	}
	breaches, files, err := check(root)
	if err != nil {
		t.Fatal(err)
	}
	if files == 0 {
		t.Fatal("no Go file found, so nothing was checked")
	}
	for _, b := range breaches {
		t.Error(b)
	}
}

// TestRulesCatch shows that each row can fail.
func TestRulesCatch(t *testing.T) {
	t.Parallel()
	for i, r := range rules {
		t.Run(fmt.Sprintf("%d %s", i, r.from), func(t *testing.T) {
			t.Parallel()
			file, imported := r.breach[0], r.breach[1]
			src := fmt.Sprintf("package p\n\nimport (\n\t\"fmt\"\n\t%q\n)\n", imported)
			got, _, err := check(fstest.MapFS{file: {Data: []byte(src)}})
			if err != nil {
				t.Fatal(err)
			}
			want := fmt.Sprintf("%s:5: %s imports %s: %s",
				file, path.Dir(file), display(imported), r.because)
			if !slices.Contains(got, want) {
				t.Errorf("the rule misses its breach\nwant %s\ngot  %q", want, got)
			}
		})
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	imports := func(path string) *fstest.MapFile {
		return &fstest.MapFile{Data: fmt.Appendf(nil, "package p\nimport %q\n", path)}
	}
	const store = module + "/store"
	for _, test := range []struct {
		name, file string
		source     *fstest.MapFile
		want       int // breaches
	}{
		{"allowed import", "puzzle/tiles/tiles.go", imports(module + "/puzzle"), 0},
		{"root of the module", "internal/query/space.go", imports(module), 1},
		{"root of the module in a test", "store/store_test.go", imports(module), 1},
		{"example of the root", "example_test.go", imports(module), 0},
		{"module with the root's path as prefix", "puzzle/p_test.go", imports(module + "x"), 0},
		{"prefix of a name is another package", "puzzler/p.go", imports(store), 0},
		{"module with a longer path is another", "puzzle/p.go", imports(module + "x/puzzle"), 1},
		{"test file", "puzzle/p_test.go", imports(store), 0},
		{"build constraint", "puzzle/p_plan9.go", imports(store), 1},
		{"excepted package", "coordinator/journal/j.go", imports(module + "/proto/gen/everystate/v1"), 0},
		{"test data", "puzzle/testdata/p.go", imports(store), 0},
		{"empty name", "store/util/u.go", imports("fmt"), 1},
		{"empty name of the package clause", "store/u.go", &fstest.MapFile{Data: []byte("package helpers\n")}, 1},
		{"code among manifests", "deploy/d.go", imports("fmt"), 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, _, err := check(fstest.MapFS{test.file: test.source})
			if err != nil {
				t.Fatal(err)
			}
			if len(got) != test.want {
				t.Errorf("%d breaches, want %d: %q", len(got), test.want, got)
			}
		})
	}

	t.Run("nested module", func(t *testing.T) {
		t.Parallel()
		got, files, err := check(fstest.MapFS{
			"go.mod":        {},
			"puzzle/go.mod": {},
			"puzzle/p.go":   imports(store),
		})
		if err != nil || len(got) != 0 || files != 0 {
			t.Errorf("a nested module was read: %d files, %q, %v", files, got, err)
		}
	})
	t.Run("unreadable source", func(t *testing.T) {
		t.Parallel()
		_, _, err := check(fstest.MapFS{"puzzle/p.go": {Data: []byte("not Go\n")}})
		if err == nil {
			t.Error("a file that does not parse was passed over")
		}
	})
}

// check returns a line for every breach in the tree, in the order of its files,
// and how many Go files it read.
func check(tree fs.FS) (breaches []string, files int, err error) {
	err = fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return enter(tree, name)
		case path.Ext(name) != ".go":
			return nil
		}
		files++
		found, err := checkFile(tree, name)
		breaches = append(breaches, found...)
		return err
	})
	return breaches, files, err
}

// enter skips the folders that the go command skips.
func enter(tree fs.FS, dir string) error {
	base := path.Base(dir)
	switch {
	case dir == ".":
		return nil
	case base == "testdata", base == "node_modules", base[0] == '.', base[0] == '_':
		return fs.SkipDir
	}
	if _, err := fs.Stat(tree, path.Join(dir, "go.mod")); err == nil {
		return fs.SkipDir
	}
	return nil
}

func checkFile(tree fs.FS, name string) ([]string, error) {
	src, err := fs.ReadFile(tree, name)
	if err != nil {
		return nil, err
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, src, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}

	var breaches []string
	pkg := path.Dir(name)
	report := func(at token.Pos, format string, args ...any) {
		breaches = append(breaches, fmt.Sprintf("%s:%d: %s %s",
			name, set.Position(at).Line, pkg, fmt.Sprintf(format, args...)))
	}

	if match("deploy/...", pkg) {
		report(file.Package, "has Go code: deploy holds manifests only, no logic")
	}
	for _, word := range append(strings.Split(pkg, "/"), file.Name.Name) {
		if slices.Contains(emptyNames, word) {
			report(file.Package, "is named %s: a package is named after what it does", word)
			break
		}
	}
	for _, spec := range file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, fmt.Errorf("%s: import %s: %w", name, spec.Path.Value, err)
		}
		for _, r := range rules {
			if r.binds(pkg, name) && r.forbids(imported) {
				report(spec.Pos(), "imports %s: %s", display(imported), r.because)
			}
		}
	}
	return breaches, nil
}

func (r rule) binds(pkg, file string) bool {
	if strings.HasSuffix(file, "_test.go") && !r.tests {
		return false
	}
	return match(r.from, pkg) && !matchAny(r.except, pkg)
}

func (r rule) forbids(imported string) bool {
	shown := display(imported)
	if r.only == nil {
		return matchAny(r.never, shown)
	}
	if shown == imported && isStd(imported) {
		return !slices.Contains(r.only, std)
	}
	return !matchAny(r.only, shown)
}

// display writes an import path as the rules do.
func display(imported string) string {
	if imported == module {
		return "."
	}
	if inside, ok := strings.CutPrefix(imported, module+"/"); ok {
		return inside
	}
	return imported
}

// isStd tells the standard library by its first path element, which has no dot,
// as the go command does.
func isStd(imported string) bool {
	first, _, _ := strings.Cut(imported, "/")
	return imported != "C" && !strings.Contains(first, ".")
}

func matchAny(patterns []string, pkg string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return match(p, pkg) })
}

func match(pattern, pkg string) bool {
	if pattern == "..." {
		return true
	}
	root, below := strings.CutSuffix(pattern, "/...")
	return pkg == root || below && strings.HasPrefix(pkg, root+"/")
}
