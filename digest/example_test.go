package digest_test

import (
	"fmt"

	"github.com/everystate/everystate/digest"
)

// The worked example of docs/FORMAT.md: a layer of two states, whose keys have
// one word.
func Example() {
	salt := digest.LayerSalt(1, 7) // forward, depth 7
	fmt.Printf("salt %016x\n", uint64(salt))

	var d digest.Digest
	d.AddNarrow(salt, 0x123456789, 5)
	fmt.Println(d)
	d.AddNarrow(salt, 0x987654321, 0)
	fmt.Println(d)

	// Output:
	// salt 1b5563e5c34ba2b6
}

// A state whose key has two words.
func ExampleDigest_AddState() {
	var d digest.Digest
	d.AddState(digest.LayerSalt(2, 0), []uint64{0x0123456789abcdef, 0xfedcba9876543210}, 25)
	fmt.Println(d)

	// Output:
	//
}
