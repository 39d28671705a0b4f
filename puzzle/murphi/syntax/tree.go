package syntax

// Model is a whole file: its declarations in order.
type Model struct{ Decls []Decl }

// Decl is one of *Const, *TypeDecl, *Var, *Function, *Rule, *Property, *Ruleset and
// *AliasRules.
type Decl any

// Const names a constant.
type Const struct {
	At    Position
	Name  string
	Value Expr
}

// TypeDecl names a type.
type TypeDecl struct {
	At   Position
	Name string
	Type Type
}

// Var is a variable, a field of a record or a parameter of a function.
type Var struct {
	At   Position
	Name string
	Type Type
	// Changes reports whether a parameter stands for a variable of the caller.
	Changes bool
}

// Function is a function or, if Result is nil, a procedure.
type Function struct {
	At     Position
	Name   string
	Params []*Var
	Result Type
	Locals []Decl // *Const, *TypeDecl and *Var
	Body   []Stmt
}

// Rule is a rule or a start state.
type Rule struct {
	At     Position
	Name   string // may be empty
	Start  bool
	Guard  Expr // nil: always
	Locals []Decl
	Body   []Stmt
}

// PropertyKind is the kind of a claim about states.
type PropertyKind uint8

// The kinds of properties.
const (
	Invariant PropertyKind = iota // holds in every state
	Assume                        // other states are left out
	Goal                          // holds in the goal states
	Liveness                      // from every state, a state in which it holds can be reached
)

// Property is a claim about states.
type Property struct {
	At   Position
	Kind PropertyKind
	Name string // may be empty
	Cond Expr
}

// Ruleset is a set of rules for all values of its parameters.
type Ruleset struct {
	At     Position
	Params []Quantifier
	Rules  []Decl
}

// Alias is another name for a variable or a value.
type Alias struct {
	At    Position
	Name  string
	Value Expr
}

// AliasRules are rules with aliases.
type AliasRules struct {
	Aliases []Alias
	Rules   []Decl
}

// Quantifier is a name with its values: those of a type, or a range of numbers.
type Quantifier struct {
	At       Position
	Name     string
	Type     Type // nil: From To By
	From, To Expr
	By       Expr // may be nil
}

// Type is one of *Named, *Range, *Enum, *Record, *Array and *Scalarset.
type Type any

// Named is a type given by name, such as boolean.
type Named struct {
	At   Position
	Name string
}

// Range is the type of the integers from Lo to Hi.
type Range struct {
	At     Position
	Lo, Hi Expr
}

// Enum is a type of named values.
type Enum struct {
	At      Position
	Members []Named
}

// Record is a type with fields.
type Record struct {
	At     Position
	Fields []*Var
}

// Array is a type with an element for each value of Index.
type Array struct {
	At    Position
	Index Type
	Of    Type
}

// Scalarset is a type of Size interchangeable values.
type Scalarset struct {
	At   Position
	Size Expr
}

// Expr is one of *Number, *Name, *Field, *Index, *Unary, *Binary, *Choice, *Quantified,
// *Call and *IsUndefined.
type Expr interface{ Pos() Position }

// At is the position where an expression begins, or that of its operator.
type At struct{ Position }

// Pos returns the position.
func (a At) Pos() Position { return a.Position }

// Number is a literal.
type Number struct {
	At
	Value int64
}

// Name is a name.
type Name struct {
	At
	Text string
}

// Field is a field of a record.
type Field struct {
	At
	Of   Expr
	Name string
}

// Index is an element of an array.
type Index struct {
	At
	Of    Expr
	Index Expr
}

// Unary is !X, -X or ~X.
type Unary struct {
	At
	Op string
	X  Expr
}

// Binary is X Op Y, with one spelling per operator.
type Binary struct {
	At
	Op   string
	X, Y Expr
}

// Choice is If ? Then : Else.
type Choice struct {
	At
	If, Then, Else Expr
}

// Quantified is a forall, or an exists.
type Quantified struct {
	At
	All  bool
	Over Quantifier
	Body Expr
}

// Call is a call of a function.
type Call struct {
	At
	Name string
	Args []Expr
}

// IsUndefined tests whether a variable has no value.
type IsUndefined struct {
	At
	X Expr
}

// Stmt is one of *Assign, *CallStmt, *If, *Switch, *For, *While, *Clear, *Undefine,
// *Return, *Claim, *AliasStmt and *Nothing.
type Stmt any

// Assign is To := Value.
type Assign struct {
	At    Position
	To    Expr
	Value Expr
}

// CallStmt calls a procedure.
type CallStmt struct{ Call *Call }

// Branch is a condition, nil for else, and the statements to run if it holds.
type Branch struct {
	Cond Expr
	Body []Stmt
}

// If runs the first branch whose condition holds.
type If struct{ Branches []Branch }

// Case is a list of values, empty for else, and the statements to run for them.
type Case struct {
	Values []Expr
	Body   []Stmt
}

// Switch runs the first case that has the value.
type Switch struct {
	Value Expr
	Cases []Case
}

// For runs its body for all values of a name.
type For struct {
	Over Quantifier
	Body []Stmt
}

// While runs its body as long as a condition holds.
type While struct {
	Cond Expr
	Body []Stmt
}

// Clear sets a variable, and all of its parts, to its least value.
type Clear struct {
	At Position
	X  Expr
}

// Undefine removes the values of a variable and all of its parts.
type Undefine struct {
	At Position
	X  Expr
}

// Return leaves a function or a rule. Value may be nil.
type Return struct {
	At    Position
	Value Expr
}

// Claim is an assert, an assume, or an error, whose Cond is nil.
type Claim struct {
	At     Position
	Assume bool
	Name   string
	Cond   Expr
}

// AliasStmt are statements with aliases.
type AliasStmt struct {
	Aliases []Alias
	Body    []Stmt
}

// Nothing is a statement without effect on a state: put, or a cover in a rule.
type Nothing struct{}
