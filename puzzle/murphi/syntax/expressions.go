package syntax

// expression parses an expression.
func (p *parser) expression() Expr {
	defer p.deeper()()
	cond := p.binary(0)
	if at := p.peek().at; p.got("?") {
		then := p.expression()
		p.want(":")
		return &Choice{At{at}, cond, then, p.expression()}
	}
	return cond
}

// operators are the binary operators by precedence, the loosest first. Those of the
// levels named in once cannot be chained.
var operators = []map[string]string{
	{"->": "->"},
	{"||": "|"},
	{"&&": "&"},
	{"|": "|"},
	{"^": "^"},
	{"&": "&"},
	{"=": "=", "==": "=", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="},
	{"<<": "<<", ">>": ">>"},
	{"+": "+", "-": "-"},
	{"*": "*", "/": "/", "%": "%"},
}

// The levels of operators with special rules.
const (
	levelImplies  = 0
	levelCompares = 6
)

// binary parses operands of a level with the operators between them.
func (p *parser) binary(level int) Expr {
	if level == len(operators) {
		return p.unary()
	}
	if level == levelCompares && p.is("!") {
		// The operand of ! extends as far as a comparison.
		defer p.deeper()()
		t := p.take()
		return &Unary{At{t.at}, "!", p.binary(levelCompares)}
	}
	x := p.binary(level + 1)
	for n := 1; ; n++ {
		t := p.peek()
		op, ok := operators[level][t.text]
		if !ok || t.kind != sign {
			return x
		}
		if n > 1 && (level == levelImplies || level == levelCompares) {
			panic(t.at.Faultf("%q after another such operator: add parentheses to say which comes first", t.text))
		}
		if n == chainMax {
			panic(t.at.Faultf("more than %d operands in a row", chainMax))
		}
		p.take()
		x = &Binary{At{t.at}, op, x, p.binary(level + 1)}
	}
}

// unary parses an operand with its prefix operators.
func (p *parser) unary() Expr {
	switch t := p.peek(); {
	case p.is("!"), p.is("-"), p.is("~"):
		defer p.deeper()()
		p.take()
		return &Unary{At{t.at}, t.text, p.unary()}
	case p.is("+"):
		defer p.deeper()()
		p.take()
		return p.unary()
	}
	return p.operand()
}

// operand parses an operand without prefix operators.
func (p *parser) operand() Expr {
	t := p.peek()
	switch {
	case t.kind == number:
		p.take()
		return &Number{At{t.at}, t.value}
	case p.got("("):
		x := p.expression()
		p.want(")")
		return x
	case p.is("forall"), p.is("exists"):
		p.take()
		q := &Quantified{At: At{t.at}, All: t.text == "forall", Over: p.quantifier()}
		p.want("do")
		q.Body = p.expression()
		p.end("end" + t.text)
		return q
	case p.got("isundefined"):
		p.want("(")
		x := p.designator()
		p.want(")")
		return &IsUndefined{At{t.at}, x}
	case p.is("ismember"):
		panic(t.at.Faultf("ismember is not supported, as there are no union types"))
	case t.kind == name && p.after().kind == sign && p.after().text == "(":
		return p.call()
	case t.kind == name:
		return p.designator()
	}
	p.unexpected("an expression")
	return nil
}

// call parses a function call.
func (p *parser) call() *Call {
	n := p.name()
	c := &Call{At: At{n.at}, Name: n.text}
	p.want("(")
	for !p.got(")") {
		c.Args = append(c.Args, p.expression())
		if !p.got(",") && !p.is(")") {
			p.unexpected(`")"`)
		}
	}
	return c
}

// designator parses a variable, or a part of one.
func (p *parser) designator() Expr {
	n := p.name()
	var x Expr = &Name{At{n.at}, n.text}
	for parts := 0; ; parts++ {
		t := p.peek()
		if parts > depthMax {
			panic(t.at.Faultf("nested more than %d levels deep", depthMax))
		}
		switch {
		case p.got("."):
			x = &Field{At{t.at}, x, p.name().text}
		case p.got("["):
			x = &Index{At{t.at}, x, p.expression()}
			p.want("]")
		default:
			return x
		}
	}
}
