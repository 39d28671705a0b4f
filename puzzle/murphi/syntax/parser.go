package syntax

import (
	"fmt"
	"strings"
)

// Bounds of a text.
const (
	BytesMax = 1 << 20
	depthMax = 100  // nesting depth
	chainMax = 1000 // operands in a row
)

// parser reads tokens from left to right. Its methods panic with a *FaultError.
type parser struct {
	tokens []token
	at     int
	depth  int
}

// Parse parses a model. Positions count lines from line, the number of its first line.
func Parse(source string, line int) (model *Model, fault *FaultError) {
	if len(source) > BytesMax {
		return nil, Position{line, 1}.Faultf("a model of %d bytes: at most %d are allowed", len(source), BytesMax)
	}
	defer func() {
		if e := recover(); e != nil {
			var ok bool
			if fault, ok = e.(*FaultError); !ok {
				panic(e)
			}
			model = nil
		}
	}()
	p := &parser{tokens: scan(source, line)}
	model = &Model{}
	for p.peek().kind != ending {
		if decls := p.declarations(); decls != nil {
			model.Decls = append(model.Decls, decls...)
			continue
		}
		if p.is("function") || p.is("procedure") {
			model.Decls = append(model.Decls, p.function())
		} else {
			model.Decls = append(model.Decls, p.rule())
		}
		p.semicolons()
	}
	return model, nil
}

func (p *parser) peek() token  { return p.tokens[p.at] }
func (p *parser) after() token { return p.tokens[min(p.at+1, len(p.tokens)-1)] }

// is reports whether the next token is a keyword or a sign.
func (p *parser) is(word string) bool {
	t := p.peek()
	return (t.kind == keyword || t.kind == sign) && t.text == word
}

// take consumes the next token.
func (p *parser) take() token {
	t := p.peek()
	if t.kind != ending {
		p.at++
	}
	return t
}

// got consumes a keyword or sign if it is the next token.
func (p *parser) got(word string) bool {
	if p.is(word) {
		p.at++
		return true
	}
	return false
}

// want consumes a keyword or sign, which must be next.
func (p *parser) want(word string) token {
	if !p.is(word) {
		p.unexpected(fmt.Sprintf("%q", word))
	}
	return p.take()
}

// name parses a name.
func (p *parser) name() token {
	if p.peek().kind != name {
		p.unexpected("a name")
	}
	return p.take()
}

// label parses a string if there is one.
func (p *parser) label() string {
	if p.peek().kind != text {
		return ""
	}
	return p.take().text
}

// end parses the end of something, as "end" or by its full name.
func (p *parser) end(full ...string) {
	if p.got("end") {
		return
	}
	for _, word := range full {
		if p.got(word) {
			return
		}
	}
	p.unexpected(`"end"`)
}

func (p *parser) unexpected(wanted string) {
	t := p.peek()
	panic(t.at.Faultf("unexpected %s: expected %s", t.shown(), wanted))
}

// semicolons consumes any number of semicolons.
func (p *parser) semicolons() (some bool) {
	for p.got(";") {
		some = true
	}
	return some
}

// deeper counts nesting; the result undoes that.
func (p *parser) deeper() (back func()) {
	if p.depth++; p.depth > depthMax {
		panic(p.peek().at.Faultf("nested more than %d levels deep", depthMax))
	}
	return func() { p.depth-- }
}

// declared reports whether names and a colon follow, as in a declaration.
func (p *parser) declared() bool {
	next := p.after()
	return p.peek().kind == name && next.kind == sign && (next.text == ":" || next.text == ",")
}

// names parses names separated by commas, and the colon after them.
func (p *parser) names() []token {
	list := []token{p.name()}
	for p.got(",") && !p.is(":") {
		list = append(list, p.name())
	}
	p.want(":")
	return list
}

// declarations parses a section of constants, types or variables; it returns nil if
// there is none.
func (p *parser) declarations() []Decl {
	decls := []Decl{}
	switch {
	case p.got("const"):
		for p.declared() {
			names := p.names()
			value := p.expression()
			for _, n := range names {
				decls = append(decls, &Const{n.at, n.text, value})
			}
			p.semicolons()
		}
	case p.got("type"):
		for p.declared() {
			names := p.names()
			of := p.typ()
			for _, n := range names {
				decls = append(decls, &TypeDecl{n.at, n.text, of})
			}
			p.semicolons()
		}
	case p.got("var"):
		for _, v := range p.variables() {
			decls = append(decls, v)
		}
	default:
		return nil
	}
	return decls
}

// variables parses variables or fields.
func (p *parser) variables() (list []*Var) {
	for p.declared() {
		names := p.names()
		of := p.typ()
		for _, n := range names {
			list = append(list, &Var{At: n.at, Name: n.text, Type: of})
		}
		p.semicolons()
	}
	return list
}

// locals parses the declarations before a body, and its "begin".
func (p *parser) locals() (list []Decl) {
	for {
		decls := p.declarations()
		if decls == nil {
			break
		}
		list = append(list, decls...)
	}
	if !p.got("begin") && len(list) > 0 {
		p.unexpected(`"begin"`)
	}
	return list
}

// function parses a function or procedure.
func (p *parser) function() *Function {
	p.take()
	n := p.name()
	f := &Function{At: n.at, Name: n.text}
	p.want("(")
	for !p.got(")") {
		changes := p.got("var")
		names := p.names()
		of := p.typ()
		for _, n := range names {
			f.Params = append(f.Params, &Var{n.at, n.text, of, changes})
		}
		if !p.semicolons() && !p.got(",") && !p.is(")") && !p.is("var") && p.peek().kind != name {
			p.unexpected(`")"`)
		}
	}
	if p.got(":") {
		f.Result = p.typ()
	}
	p.semicolons()
	f.Locals = p.locals()
	f.Body = p.statements()
	p.end("endfunction", "endprocedure")
	return f
}

// rule parses a rule, a start state, a property, or a set of them.
func (p *parser) rule() Decl {
	defer p.deeper()()
	t := p.peek()
	if kind, ok := p.property(); ok {
		p.take()
		return p.claim(t.at, kind)
	}
	switch {
	case p.got("startstate"):
		r := &Rule{At: t.at, Start: true, Name: p.label()}
		r.Locals = p.locals()
		r.Body = p.statements()
		p.end("endstartstate")
		return r
	case p.got("rule"):
		r := &Rule{At: t.at, Name: p.label()}
		if !p.bodyFollows() {
			r.Guard = p.expression()
			p.want("==>")
		}
		r.Locals = p.locals()
		r.Body = p.statements()
		p.end("endrule")
		return r
	case p.got("ruleset"):
		s := &Ruleset{At: t.at, Params: []Quantifier{p.quantifier()}}
		for p.semicolons() && !p.is("do") {
			s.Params = append(s.Params, p.quantifier())
		}
		p.want("do")
		s.Rules = p.rules()
		p.end("endruleset")
		return s
	case p.got("alias"):
		a := &AliasRules{Aliases: p.aliases()}
		a.Rules = p.rules()
		p.end("endalias")
		return a
	}
	p.unexpected("a declaration or a rule")
	return nil
}

// rules parses rules up to an end.
func (p *parser) rules() (list []Decl) {
	for p.peek().kind != ending && !strings.HasPrefix(p.peek().text, "end") {
		list = append(list, p.rule())
		p.semicolons()
	}
	return list
}

// bodyFollows reports whether a rule has no guard and continues with its body: no
// "==>" comes before the body.
func (p *parser) bodyFollows() bool {
	for _, t := range p.tokens[p.at:] {
		switch {
		case t.kind == sign && t.text == "==>":
			return false
		case t.kind == ending, t.kind == sign && t.text == ";":
			return true
		case t.kind == keyword && bodyWords[t.text]:
			return true
		}
	}
	return true
}

// bodyWords are keywords that cannot occur in a guard.
var bodyWords = map[string]bool{
	"begin": true, "var": true, "const": true, "type": true, "rule": true, "ruleset": true, "startstate": true, "invariant": true,
	"if": true, "for": true, "while": true, "switch": true, "clear": true, "undefine": true, "endrule": true, "error": true,
	"assert": true, "assume": true, "cover": true, "liveness": true, "return": true, "put": true, "alias": true,
	"function": true, "procedure": true, "endruleset": true,
}

// property reports whether the next token begins a property.
func (p *parser) property() (PropertyKind, bool) {
	t := p.peek()
	switch {
	case t.kind == name && strings.EqualFold(t.text, "goal"), p.is("cover"):
		return Goal, true
	case p.is("invariant"), p.is("assert"):
		return Invariant, true
	case p.is("assume"):
		return Assume, true
	case p.is("liveness"):
		return Liveness, true
	}
	return 0, false
}

// claim parses a property, whose name may be on either side of its condition.
func (p *parser) claim(at Position, kind PropertyKind) *Property {
	c := &Property{At: at, Kind: kind, Name: p.label()}
	c.Cond = p.expression()
	if p.peek().kind == text {
		c.Name = p.take().text
	}
	return c
}

// aliases parses the names of an alias, and its "do".
func (p *parser) aliases() (list []Alias) {
	for !p.got("do") {
		n := p.name()
		p.want(":")
		list = append(list, Alias{n.at, n.text, p.expression()})
		p.semicolons()
	}
	return list
}
