package digest_test

import (
	"fmt"

	"github.com/everystate/everystate/puzzle/digest"
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
	// salt b3a8d9e65e04f1e0
	// e6193ead79d9536ad5cd505bbd7a7158
	// 24801379df788685f0751a44f4090750
}

// A state whose key has two words.
func ExampleDigest_AddState() {
	var d digest.Digest
	d.AddState(digest.LayerSalt(2, 0), []uint64{0x0123456789abcdef, 0xfedcba9876543210}, 25)
	fmt.Println(d)

	// Output:
	// c6c7c36d350cc1ec1bfcdcf3681ad50c
}
