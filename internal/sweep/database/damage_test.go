package database

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/everystate/everystate/internal/sweep"
)

// TestDamageIsNamed turns bits round in the table of a database, here and there: what
// is asked comes back with the file's name, or is not concerned.
func TestDamageIsNamed(t *testing.T) {
	t.Parallel()
	e := enumeration(t)
	dir := t.TempDir()
	d, err := Create(dir, e.Rules(), Options{Units: e.Units()})
	if err != nil {
		t.Fatal(err)
	}
	if err := sweep.Run(t.Context(), e, sweep.Part{}, d, 1); err != nil {
		t.Fatal(err)
	}
	if err := d.db.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	tables, err := filepath.Glob(filepath.Join(dir, dbDir, "*.sst"))
	if err != nil || len(tables) == 0 {
		t.Fatalf("tables: %v, %v", tables, err)
	}
	table := tables[len(tables)-1]
	sound, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	named := 0
	const places = 40
	for i := range places {
		damaged := append([]byte(nil), sound...)
		damaged[i*len(damaged)/places] ^= 1
		if err := os.WriteFile(table, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := readAll(dir); err != nil {
			if !strings.Contains(err.Error(), filepath.Base(table)+" is damaged") {
				t.Errorf("byte %d: %v", i*len(damaged)/places, err)
			}
			named++
		}
	}
	if named < places/2 {
		t.Errorf("%d of %d places were noticed", named, places)
	}
}

// readAll reads a database in every order.
func readAll(dir string) error {
	d, err := Open(dir, Options{ReadOnly: true})
	if err != nil {
		return err
	}
	defer func() { _ = d.Close() }()
	for _, order := range []Order{ByID, ByDistance, ByStates, ByPieces, BySecond} {
		for _, err := range d.Records(order) {
			if err != nil {
				return err
			}
		}
	}
	_, err = d.Count(Everything())
	return err
}

// TestWhole opens a database that knows how many units there are.
func TestWhole(t *testing.T) {
	t.Parallel()
	e := enumeration(t)
	dir := t.TempDir()
	for _, test := range []struct{ told, want int }{{0, 0}, {e.Units(), e.Units()}, {0, e.Units()}} {
		d, err := Create(dir, e.Rules(), Options{Units: test.told})
		if err != nil {
			t.Fatal(err)
		}
		if done, all := d.Progress(); done != 0 || all != test.want {
			t.Errorf("told %d: %d of %d units", test.told, done, all)
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
