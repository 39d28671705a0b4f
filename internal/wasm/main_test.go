package wasm

import (
	"os"
	"testing"

	"github.com/everystate/everystate/internal/test/memdir"
)

func TestMain(m *testing.M) { os.Exit(memdir.Main(m)) }
