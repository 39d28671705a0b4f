package shell

// WrittenJSON is what a command that writes several files prints. It is described in
// docs/JSON.md.
type WrittenJSON struct {
	Files   []string `json:"files"`
	Expires string   `json:"expires,omitempty"` // certificates only
}
