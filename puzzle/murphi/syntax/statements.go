package syntax

// statements parses statements up to a word that ends them.
func (p *parser) statements() (list []Stmt) {
	defer p.deeper()()
	for p.semicolons(); !p.stops(); {
		list = append(list, p.statement())
		if !p.semicolons() && !p.stops() {
			p.unexpected(`";"`)
		}
	}
	return list
}

// stops reports whether the next token ends statements.
func (p *parser) stops() bool {
	t := p.peek()
	if t.kind == ending {
		return true
	}
	return t.kind == keyword && (len(t.text) >= 3 && t.text[:3] == "end" || t.text == "else" || t.text == "elsif" || t.text == "case")
}

// statement parses one statement.
func (p *parser) statement() Stmt {
	t := p.peek()
	switch {
	case t.kind == name && p.after().kind == sign && p.after().text == "(":
		return &CallStmt{p.call()}
	case t.kind == name:
		x := p.designator()
		at := p.want(":=").at
		return &Assign{at, x, p.expression()}
	case p.got("if"):
		return p.branches()
	case p.got("switch"):
		return p.cases()
	case p.got("for"):
		f := &For{Over: p.quantifier()}
		p.want("do")
		f.Body = p.statements()
		p.end("endfor")
		return f
	case p.got("while"):
		w := &While{Cond: p.expression()}
		p.want("do")
		w.Body = p.statements()
		p.end("endwhile")
		return w
	case p.got("alias"):
		a := &AliasStmt{Aliases: p.aliases()}
		a.Body = p.statements()
		p.end("endalias")
		return a
	case p.got("clear"):
		return &Clear{t.at, p.designator()}
	case p.got("undefine"):
		return &Undefine{t.at, p.designator()}
	case p.got("return"):
		r := &Return{At: t.at}
		if !p.is(";") && !p.stops() {
			r.Value = p.expression()
		}
		return r
	}
	return p.remark()
}

// remark parses a statement about the state: an error, a claim or the like.
func (p *parser) remark() Stmt {
	t := p.peek()
	switch {
	case p.got("error"):
		if p.peek().kind != text {
			p.unexpected("a string")
		}
		return &Claim{At: t.at, Name: p.take().text}
	case p.got("put"):
		if p.peek().kind == text {
			p.take()
		} else {
			p.expression()
		}
		return &Nothing{}
	case p.got("cover"):
		p.claim(t.at, Goal)
		return &Nothing{}
	case p.got("assert"), p.got("invariant"):
		c := p.claim(t.at, Invariant)
		return &Claim{At: t.at, Name: c.Name, Cond: c.Cond}
	case p.got("assume"):
		c := p.claim(t.at, Assume)
		return &Claim{At: t.at, Assume: true, Name: c.Name, Cond: c.Cond}
	case p.is("liveness"):
		panic(t.at.Faultf("liveness is a property of the whole model: it must be outside rules"))
	}
	p.unexpected("a statement")
	return nil
}

// branches parses an if from its first condition on.
func (p *parser) branches() *If {
	f := &If{}
	for more := true; more; more = p.got("elsif") {
		cond := p.expression()
		p.want("then")
		f.Branches = append(f.Branches, Branch{cond, p.statements()})
	}
	if p.got("else") {
		f.Branches = append(f.Branches, Branch{nil, p.statements()})
	}
	p.end("endif")
	return f
}

// cases parses a switch from its value on.
func (p *parser) cases() *Switch {
	s := &Switch{Value: p.expression()}
	for p.got("case") {
		c := Case{Values: []Expr{p.expression()}}
		for p.got(",") && !p.is(":") {
			c.Values = append(c.Values, p.expression())
		}
		p.want(":")
		c.Body = p.statements()
		s.Cases = append(s.Cases, c)
	}
	if p.got("else") {
		s.Cases = append(s.Cases, Case{nil, p.statements()})
	}
	p.end("endswitch")
	return s
}
