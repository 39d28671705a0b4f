package definition

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/boardfile"
)

// Step is a named move repeated Amount times, inverted if Amount is negative.
type Step struct {
	Name   boardfile.Piece
	Amount int
}

// Bounds of a sequence.
const (
	StepsMax  = 10_000
	amountMax = 1_000_000
	depthMax  = 16
)

// Known returns the length of the longest known name at the beginning of a text, or 0.
type Known func(text string) int

// ParseSteps reads a sequence of moves separated by blanks or commas: names with an
// optional amount and prime, as in R, R2', 2U; groups (R U)3, conjugates [R: U] and
// commutators [R, U]. With known, names need no blanks between them.
func ParseSteps(words []boardfile.Piece, known Known) ([]Step, *puzzle.InputError) {
	if len(words) == 0 {
		return nil, nil
	}
	p := &steps{known: known}
	for _, w := range words {
		if fault := p.split(w); fault != nil {
			return nil, fault
		}
	}
	list, fault := p.sequence(0, "")
	if fault == nil && len(p.tokens) > 0 {
		fault = p.tokens[0].Faultf("%s has no opening bracket", p.tokens[0].Text)
	}
	return list, fault
}

// steps is the parser: the remaining names, amounts, primes and brackets.
type steps struct {
	known  Known
	tokens []boardfile.Piece
}

// primes are the ways to write a prime; curly ones come from word processors.
const primes = "'’‘′`´"

// split splits a word into tokens.
func (p *steps) split(w boardfile.Piece) *puzzle.InputError {
	for w.Text != "" {
		r, size := utf8.DecodeRuneInString(w.Text)
		n := size
		if !strings.ContainsRune("()[]:,"+primes, r) {
			if n = p.nameLen(w); n == 0 {
				return w.Faultf("%s is not a move", boardfile.Quote(w.Text))
			}
		}
		p.tokens = append(p.tokens, boardfile.Piece{Text: w.Text[:n], Line: w.Line, Column: w.Column})
		w = w.From(n)
	}
	return nil
}

// nameLen returns the length in bytes of the name or amount at the beginning of a
// word.
func (p *steps) nameLen(w boardfile.Piece) int {
	if p.known != nil {
		if n := p.known(w.Text); n > 0 {
			return n
		}
		if len(p.tokens) > 0 {
			last := p.tokens[len(p.tokens)-1]
			if n := digits(w.Text); n > 0 && last.Column+len(last.Text) == w.Column {
				return n // the amount of what precedes it
			}
		}
	}
	text, n := w.Text, 0
	for n < len(text) {
		c := text[n]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' && n > 0 {
			n++
			continue
		}
		break
	}
	return n
}

// digits counts the digits at the beginning of a text.
func digits(text string) int { return len(text) - len(strings.TrimLeft(text, "0123456789")) }

// next returns the first token without consuming it.
func (p *steps) next() string {
	if len(p.tokens) == 0 {
		return ""
	}
	return p.tokens[0].Text
}

func (p *steps) take() boardfile.Piece {
	token := p.tokens[0]
	p.tokens = p.tokens[1:]
	return token
}

// sequence reads up to one of the closing tokens.
func (p *steps) sequence(depth int, until string) ([]Step, *puzzle.InputError) {
	var list []Step
	for len(p.tokens) > 0 && !(until != "" && strings.Contains(until, p.next())) {
		at := p.tokens[0]
		var unit []Step
		var fault *puzzle.InputError
		switch at.Text {
		case "(", "[":
			if depth == depthMax {
				return nil, at.Faultf("brackets are nested more than %d deep", depthMax)
			}
			unit, fault = p.bracket(depth)
		case ",":
			p.take()
		case ")", "]", ":":
			return nil, at.Faultf("%s has no opening bracket", at.Text)
		default:
			unit, fault = p.name()
		}
		if fault != nil {
			return nil, fault
		}
		if list = append(list, unit...); len(list) > StepsMax {
			return nil, at.Faultf("more than %d moves in a row", StepsMax)
		}
	}
	return list, nil
}

// name reads a name with its amount and prime.
func (p *steps) name() ([]Step, *puzzle.InputError) {
	token := p.take()
	if strings.Contains(primes, token.Text) {
		return nil, token.Faultf("a prime without a move")
	}
	amount, fault := p.amount()
	return []Step{{Name: token, Amount: amount}}, fault
}

// amount reads an optional amount: digits and primes.
func (p *steps) amount() (int, *puzzle.InputError) {
	amount := 1
	if next := p.next(); next != "" && digits(next) == len(next) {
		token := p.take()
		n, err := strconv.Atoi(token.Text)
		if err != nil || n > amountMax {
			return 0, token.Faultf("%s times: at most %d", token.Text, amountMax)
		}
		amount = n
	}
	for p.next() != "" && strings.Contains(primes, p.next()) {
		p.take()
		amount = -amount
	}
	return amount, nil
}

// bracket reads a group, a conjugate or a commutator.
func (p *steps) bracket(depth int) ([]Step, *puzzle.InputError) {
	open := p.take()
	if open.Text == "(" {
		list, fault := p.sequence(depth+1, ")")
		if fault != nil {
			return nil, fault
		}
		return p.closed(open, list)
	}
	a, fault := p.sequence(depth+1, ":,]")
	if fault != nil {
		return nil, fault
	}
	between := p.next()
	if between != ":" && between != "," {
		return nil, open.Faultf("[ without : or , between two sequences, as in [R: U] or [R, U]")
	}
	p.take()
	b, fault := p.sequence(depth+1, "]")
	if fault != nil {
		return nil, fault
	}
	list := append(append(append([]Step{}, a...), b...), inverted(a)...)
	if between == "," {
		list = append(list, inverted(b)...)
	}
	return p.closed(open, list)
}

// closed consumes the closing bracket of a list and its amount, and repeats the list.
func (p *steps) closed(open boardfile.Piece, list []Step) ([]Step, *puzzle.InputError) {
	if len(p.tokens) == 0 {
		return nil, open.Faultf("%s is not closed", open.Text)
	}
	p.take()
	amount, fault := p.amount()
	if fault != nil {
		return nil, fault
	}
	if amount < 0 {
		list, amount = inverted(list), -amount
	}
	if len(list) > StepsMax || len(list)*amount > StepsMax {
		return nil, open.Faultf("more than %d moves in a row", StepsMax)
	}
	var repeated []Step
	for range amount {
		repeated = append(repeated, list...)
	}
	return repeated, nil
}

// inverted returns the inverse of a sequence.
func inverted(list []Step) []Step {
	back := make([]Step, 0, len(list))
	for i := len(list) - 1; i >= 0; i-- {
		back = append(back, Step{list[i].Name, -list[i].Amount})
	}
	return back
}
