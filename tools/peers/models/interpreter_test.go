package models_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// interpreted is a model that has been read again, by somebody who knows no more
// of the languages than the models use. Expressions become Go's, which have the
// same operators.
type interpreted struct {
	start map[string]int // also of "t[0]"
	rules []rule
}

type rule struct {
	guard ast.Expr
	set   []assignment
}

type assignment struct{ to, value ast.Expr }

func readPromela(t *testing.T, text string) *interpreted {
	t.Helper()
	m := &interpreted{start: map[string]int{}}
	for _, found := range regexp.MustCompile(`(?m)^byte (\w+) = (\d+);$`).FindAllStringSubmatch(text, -1) {
		m.start[found[1]] = number(t, found[2])
	}
	for _, found := range regexp.MustCompile(`(?m)^byte (\w+)\[\d+\] = \{ (.*) \};$`).FindAllStringSubmatch(text, -1) {
		for i, value := range strings.Split(found[2], ", ") {
			m.start[fmt.Sprintf("%s[%d]", found[1], i)] = number(t, value)
		}
	}
	for _, found := range regexp.MustCompile(`(?m)^\t:: d_step \{ (.*) -> (.*) \}`).FindAllStringSubmatch(text, -1) {
		m.rules = append(m.rules, rule{expression(t, found[1]), assignments(t, found[2], " = ")})
	}
	return m
}

func readMurphi(t *testing.T, text string) *interpreted {
	t.Helper()
	m := &interpreted{start: map[string]int{}}
	begin := regexp.MustCompile(`(?s)startstate begin\n(.*?)end;\n`).FindStringSubmatch(text)
	if begin == nil {
		t.Fatalf("no startstate:\n%s", text)
	}
	for _, found := range regexp.MustCompile(`(\S+) := (\d+);`).FindAllStringSubmatch(begin[1], -1) {
		m.start[found[1]] = number(t, found[2])
	}
	for _, found := range regexp.MustCompile(`(?s)rule "[^"]*" (.*?) ==> begin(.*?)end;\n`).FindAllStringSubmatch(text, -1) {
		guard := strings.NewReplacer(" & ", " && ", " | ", " || ").Replace(found[1])
		m.rules = append(m.rules, rule{expression(t, guard), assignments(t, found[2], " := ")})
	}
	return m
}

func number(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func expression(t *testing.T, text string) ast.Expr {
	t.Helper()
	e, err := parser.ParseExpr(text)
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return e
}

func assignments(t *testing.T, text, sign string) []assignment {
	t.Helper()
	var all []assignment
	for _, one := range strings.Split(text, ";") {
		if one = strings.TrimSpace(one); one == "" {
			continue
		}
		to, value, found := strings.Cut(one, sign)
		if !found {
			t.Fatalf("no assignment: %s", one)
		}
		all = append(all, assignment{expression(t, to), expression(t, value)})
	}
	return all
}

// explore counts the states, and the moves out of them.
func (m *interpreted) explore(t *testing.T) (states, moves int) {
	t.Helper()
	names := slices.Sorted(maps.Keys(m.start))
	key := func(state map[string]int) string {
		var text []byte
		for _, name := range names {
			text = append(text, byte(state[name]))
		}
		return string(text)
	}
	seen := map[string]bool{key(m.start): true}
	for queue := []map[string]int{m.start}; len(queue) > 0; queue = queue[1:] {
		for _, r := range m.rules {
			if value(t, r.guard, queue[0]) == 0 {
				continue
			}
			moves++
			next := maps.Clone(queue[0])
			for _, a := range r.set {
				name := variable(t, a.to, next)
				next[name] = value(t, a.value, next)
			}
			if len(next) != len(names) {
				t.Fatalf("a variable that is not declared: %v", next)
			}
			if !seen[key(next)] {
				seen[key(next)] = true
				queue = append(queue, next)
			}
		}
	}
	return len(seen), moves
}

// variable returns the name that a variable has in a state.
func variable(t *testing.T, e ast.Expr, state map[string]int) string {
	t.Helper()
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.IndexExpr:
		return fmt.Sprintf("%s[%d]", variable(t, e.X, state), value(t, e.Index, state))
	}
	t.Fatalf("no variable: %T", e)
	return ""
}

// value returns what an expression has for a value, of conditions 0 or 1.
func value(t *testing.T, e ast.Expr, state map[string]int) int {
	t.Helper()
	switch e := e.(type) {
	case *ast.ParenExpr:
		return value(t, e.X, state)
	case *ast.BasicLit:
		return number(t, e.Value)
	case *ast.Ident, *ast.IndexExpr:
		v, known := state[variable(t, e, state)]
		if !known {
			t.Fatalf("no variable %s", variable(t, e, state))
		}
		return v
	case *ast.BinaryExpr:
		return operate(t, e.Op, value(t, e.X, state), value(t, e.Y, state))
	}
	t.Fatalf("no expression: %T", e)
	return 0
}

func operate(t *testing.T, op token.Token, x, y int) int {
	t.Helper()
	holds := false
	switch op {
	case token.ADD:
		return x + y
	case token.SUB:
		return x - y
	case token.REM:
		return x % y
	case token.LSS:
		holds = x < y
	case token.GTR:
		holds = x > y
	case token.GEQ:
		holds = x >= y
	case token.NEQ:
		holds = x != y
	case token.LAND:
		holds = x != 0 && y != 0
	case token.LOR:
		holds = x != 0 || y != 0
	default:
		t.Fatalf("no operator %s", op)
	}
	if holds {
		return 1
	}
	return 0
}
