package syntax

// typ parses a type.
func (p *parser) typ() Type {
	defer p.deeper()()
	t := p.peek()
	switch {
	case p.got("boolean"):
		return &Named{t.at, "boolean"}
	case p.got("enum"):
		e := &Enum{At: t.at}
		p.want("{")
		for !p.got("}") {
			n := p.name()
			e.Members = append(e.Members, Named{n.at, n.text})
			if !p.got(",") && !p.is("}") {
				p.unexpected(`"}"`)
			}
		}
		return e
	case p.got("record"):
		r := &Record{At: t.at, Fields: p.variables()}
		p.end("endrecord")
		return r
	case p.got("array"):
		a := &Array{At: t.at}
		p.want("[")
		a.Index = p.typ()
		p.want("]")
		p.want("of")
		a.Of = p.typ()
		return a
	case p.got("scalarset"):
		p.want("(")
		s := &Scalarset{t.at, p.expression()}
		p.want(")")
		return s
	case p.is("real"), p.is("union"), p.is("multiset"):
		panic(t.at.Faultf("%s types are not supported: the types are boolean, ranges, enum, scalarset, array and record", t.text))
	}
	lo := p.expression()
	if p.got("..") {
		return &Range{t.at, lo, p.expression()}
	}
	if n, ok := lo.(*Name); ok {
		return &Named{n.Position, n.Text}
	}
	p.unexpected(`".."`)
	return nil
}

// quantifier parses a name and its values.
func (p *parser) quantifier() Quantifier {
	n := p.name()
	q := Quantifier{At: n.at, Name: n.text}
	if p.got(":=") {
		q.From = p.expression()
		p.want("to")
		q.To = p.expression()
		if p.got("by") {
			q.By = p.expression()
		}
		return q
	}
	p.want(":")
	q.Type = p.typ()
	return q
}
