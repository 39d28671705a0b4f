package rushhour

import (
	"os"
	"testing"

	"github.com/everystate/everystate/internal/test/testmain"
)

func TestMain(m *testing.M) { os.Exit(testmain.Main(m)) }
