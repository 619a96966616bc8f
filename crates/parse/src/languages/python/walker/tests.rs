//! Tests the facts of Python sources, feature by feature.

use crate::testing::python;
use foveate_model::ParseIssue;

use crate::testing::{self, facts, same};
use crate::{Limits, parse};

#[track_caller]
fn definitions(source: &str, expected: &str) {
    same(&testing::definitions(python(), source), expected, source);
}

#[track_caller]
fn references(source: &str, expected: &str) {
    same(&testing::references(python(), source), expected, source);
}

#[track_caller]
fn imports(source: &str, expected: &str) {
    same(&testing::imports(python(), source), expected, source);
}

#[track_caller]
fn chunks(source: &str, expected: &str) {
    same(&testing::chunks(python(), source), expected, source);
}

#[test]
fn all_kinds_of_functions_are_defined() {
    definitions("def f(a, b=1): pass", "function f: def f(a, b=1):");
    definitions("async def f(): pass", "function f async: async def f():");
    definitions(
        "@app.route('/')\n@login\ndef f(\n    a: int,\n) -> str:  # note\n    return a\n",
        "function f: @app.route('/') @login def f( a: int, ) -> str:",
    );
    definitions(
        "def f():\n    x = 1\n    def g():\n        class C:\n            y = 2\n",
        "function f: def f():
         function f.g: def g():
         class f.g.C: class C:
         field f.g.C.y: y",
    );
    definitions(
        "if A:\n    def f(): pass\nelse:\n    def f(): pass\ntry:\n    def g(): pass\nexcept E:\n    pass\n",
        "function f: def f():
         function f: def f():
         function g: def g():",
    );
    definitions(
        "square = lambda x: x * x",
        "function square: square = lambda x:",
    );
}

#[test]
fn methods_have_modifiers() {
    definitions(
        "class A:
    def __init__(self): pass
    def _hidden(self): pass
    def __str__(self): pass
    @property
    def p(self): pass
    @p.setter
    def p(self, v): pass
    @staticmethod
    def s(): pass
    @classmethod
    async def c(cls): pass
    @abc.abstractmethod
    def a(self): pass
    @typing.overload
    def o(self, x: int) -> int: ...
",
        "class A: class A:
         method A.__init__ constructor: def __init__(self):
         method A._hidden private: def _hidden(self):
         method A.__str__: def __str__(self):
         method A.p property: @property def p(self):
         method A.p property: @p.setter def p(self, v):
         method A.s static: @staticmethod def s():
         method A.c async static: @classmethod async def c(cls):
         method A.a abstract: @abc.abstractmethod def a(self):
         method A.o overload: @typing.overload def o(self, x: int) -> int:",
    );
}

#[test]
fn variables_and_fields() {
    definitions(
        "A = 1\nb: int = 2\nc, (D) = 3, 4\nA = 5\nfor i in x:\n    e = i\nname.attr = 1\n",
        "constant A: A
         variable b: b: int
         variable c: c
         variable e: e",
    );
    definitions(
        "UserId = NewType('UserId', int)\nT: TypeAlias = 'X'\ntype Pair[A] = tuple[A, A]\n",
        "type_alias UserId: UserId
         type_alias T: T: TypeAlias
         type_alias Pair: type Pair[A]",
    );
    definitions(
        "class A:
    x: int
    y: str = ''
    _z = w = 1
    def __init__(self, q):
        self.q = q
        self.q = None
        self.a, self.b = q
        if q:
            self.c: int = 1
        other.d = 2
        local = 3
    def method(self: 'A'):
        self.late = self.q = 1
        self.a.e = self.f == 2
        def inner(self):
            self.g = 3
    @classmethod
    def make(cls):
        cls.h: int = 4
    @staticmethod
    def apart(other):
        self.i = 5
",
        "class A: class A:
         field A.x: x: int
         field A.y: y: str
         field A._z private: _z
         field A.w: w
         method A.__init__ constructor: def __init__(self, q):
         field A.q: self.q
         field A.a: self.a
         field A.b: self.a, self.b
         field A.c: self.c: int
         method A.method: def method(self: 'A'):
         field A.late: self.late
         function A.method.inner: def inner(self):
         method A.make static: @classmethod def make(cls):
         field A.h: cls.h: int
         method A.apart static: @staticmethod def apart(other):",
    );
    definitions(
        "class Color(enum.Enum):\n    RED = 1\n    _ignore_ = []\n    def m(self): pass\n",
        "enum Color: class Color(enum.Enum):
         enum_member Color.RED: RED
         field Color._ignore_ private: _ignore_
         method Color.m: def m(self):",
    );
}

#[test]
fn heads_bases_and_documentation() {
    let source = "@dataclass(frozen=True)
class A(Base, mod.Other, Generic[T], make(X), metaclass=Meta):
    '''Head.

    More.
    '''

# Above the function.
# Two lines.
def f(): return 1

# Far away.

def g(): pass
";
    let facts = facts(python(), source);
    let [class, f, g] = facts.definitions.as_slice() else {
        panic!("{:?}", facts.definitions);
    };
    assert_eq!(
        *class.bases,
        ["Base", "mod.Other", "Generic", "make"].map(Box::from)
    );
    assert_eq!(*class.decorators, ["dataclass".into()]);
    assert_eq!(
        (&*class.doc, &*f.doc, &*g.doc),
        ("Head.\n\nMore.", "Above the function.\nTwo lines.", "")
    );
    assert_eq!((class.lines.start, class.lines.end), (1, 6));
    assert_eq!(class.name_span.of(source), "A");
    assert_eq!(f.parameters.map(|p| p.of(source)), Some(""));
    assert_eq!(f.body.map(|b| b.of(source)), Some("return 1"));
}

#[test]
fn all_forms_of_imports_are_found() {
    imports(
        "import a.b, c as d
from x import (a as b, c,)
from . import y
from ..pkg.mod import *
from __future__ import annotations
if TYPE_CHECKING:
    from t import T
else:
    from u import U
try:
    import json
except ImportError:
    json = None
def f():
    import late
    m = importlib.import_module('dyn.amic')
    n = importlib.import_module(name)
",
        "Module a.b: * as a.b
         Module c: * as d
         From x: a as b, c
         From .: y
         From ..pkg.mod: * as
         From __future__: annotations
         From t: T (type)
         From u: U
         Module json: * as json
         Module late: * as late in f
         Dynamic dyn.amic:  in f",
    );
}

#[test]
fn names_in_all_are_exported() {
    let source = "__all__ = ['a', \"b\"] + ['c']\n__all__ += ('d',)\n";
    let expected = "a as a\nb as b\nc as c\nd as d";
    same(&testing::exports(python(), source), expected, source);
}

#[test]
fn all_kinds_of_references_are_found() {
    references(
        "from m import a, B, deco, Meta, Err\nimport n.o\n
@deco
@n.o.wrap(1)
class C(B, n.Other, Gen[T], metaclass=Meta):
    x: Opt[n.Thing] = a
    def m(self, p: B = a) -> 'Fwd':
        self.client.connect(p, key=a)
        make(1).run().field
        self.items[0].go
        super().m()
        raise Err('x') from a
def g(a):
    try:
        a.b
    except (KeyError, n.Bad) as e:
        raise
    except Err:
        raise ValueError
    return [a for q in a]
",
        "decorator deco in c
         decorator n.o.wrap in c
         base b in c
         base n.other in c
         base gen in c
         type t in c
         name meta in c
         type opt in c
         type n.thing in c
         name a in c
         type b in c.m
         name a in c.m
         type fwd in c.m
         call self.client.connect in c.m
         name a in c.m
         call make in c.m
         call ?run in c.m
         attribute ?field in c.m
         attribute self.items in c.m
         attribute ?go in c.m
         call super().m in c.m
         raise err in c.m
         name a in c.m
         attribute ?a.b in g
         catch keyerror in g
         catch n.bad in g
         catch err in g
         raise valueerror in g",
    );
}

#[test]
fn quoted_annotations_are_types() {
    references(
        "def f(a: 'Color', b: \"list[m.Color | None]\" = 'Red') -> 'Shade': pass\nx: Optional['Color'] = y('Red')\n",
        "type color in f
         type m.color in f
         type shade in f
         type optional
         type color
         call y",
    );
    references(
        "def f(a: Literal['Red'], b: t.Literal['Red'], c: Annotated['Color', 'Red'], d: 'two words', e: 'str'): pass\n",
        "type literal in f
         type t.literal in f
         type annotated in f
         type color in f",
    );
}

#[test]
fn local_names_shadow_imports() {
    references(
        "from m import a, b, c, d\ndef f(a, *b, k=d, **c):\n    a(b)\n    def g():\n        c.run()\n    d\n",
        "name d in f
         call ?a in f
         call ?c.run in f.g
         name d in f",
    );
    references(
        "import os\ndef f():\n    with open(p) as os: os\n    for os in x: pass\n",
        "call open in f",
    );
    references(
        "from m import Color\nmatch x:\n    case Color.RED: pass\n    case Color(): pass\n",
        "attribute color.red\nname color",
    );
}

#[test]
fn nested_functions_are_values_inside_their_function() {
    references(
        "def f(xs):\n    def g(x): return x\n    map(g, xs)\n    def h(g): return g\n    return g\ng\n",
        "call map in f
         name g in f
         name g in f",
    );
}

#[test]
fn quoted_arguments_of_typing_functions_are_types() {
    references(
        "x = t.cast('Color', y)\nT = TypeVar('T', bound='m.Shade | None')\nz = paint('Red')\n",
        "call t.cast
         type color
         call typevar
         type m.shade
         call paint",
    );
}

#[test]
fn decorators_are_read_outside_of_their_definition() {
    references(
        "from m import deco, Base, Kind, app
@deco(Kind, key=Kind.a)
class C(Base): pass
@app.command()
def f(app): app.run()
",
        "decorator deco in c
         name kind in c
         attribute kind.a in c
         base base in c
         decorator app.command in f
         call ?app.run in f",
    );
}

#[test]
fn parameters_of_tests_refer_to_fixtures() {
    references(
        "@pytest.fixture(scope='module')\ndef app(config, n: int = 1): pass\ndef test_a(self, app: App, *, db): pass\ndef run(app): pass\n",
        "decorator pytest.fixture in app
         name config in app
         name app in test_a
         type app in test_a
         name db in test_a",
    );
}

#[test]
fn error_and_log_messages_are_found() {
    let source = "raise ValueError(_('bad %s') % 'x', f'in {x!r} y')\nlogger.info('started', extra={'k': 1})
warnings.warn('old')\nself.fail('no')\nerrors.append(ValidationError('wrong'))\nraise NotImplementedError\n";
    same(
        &testing::messages(python(), source),
        "Error: bad %s
         Error: x
         Error: in {x!r} y
         Log: started
         Log: k
         Log: old
         Error: wrong",
        source,
    );
}

#[test]
fn literals_named_as_messages_are_found() {
    let source = "ERR_FULL = 'the store is full'
message = (
    'no page of '
    f'{x} left'
)
text = {'error': 'in ' + x + ' y', 'message': 'no page', 'E1001': 'not open'}
name = 'not a message'
";
    same(
        &testing::messages(python(), source),
        "Error: the store is full
         Error: no page of
         Error: {x} left
         Error: no page
         Error: not open",
        source,
    );
}

#[test]
fn regions_exclude_interpolated_code() {
    let source = "'''Doc.'''\n# note\nx = f'a {b(\"c\")} d' 'e'\ndef f():\n    # first\n    'doc'\n    'text'\n";
    same(
        &testing::regions(python(), source),
        "Documentation: '''Doc.'''
         Comment: # note
         Text: f'a
         Text: \"c\"
         Text: d'
         Text: 'e'
         Comment: # first
         Documentation: 'doc'
         Text: 'text'",
        source,
    );
}

#[test]
fn chunks_follow_definitions() {
    chunks(
        "'''Doc.'''
import a

X = 1

# About f.
@deco
def f():
    def nested(): pass

class A(B):
    '''Doc.'''
    x = 1

    def m(self): pass

    y = 2

    # About n.
    def n(self):
        pass

Z = 1
",
        "1-5 Module
         6-10 Function f
         11-14 Class A
         15-16 Function A.m
         17-18 Class A
         19-22 Function A.n
         23-23 Module",
    );
    chunks("", "");
    chunks("\n\n", "1-2 Module");
    chunks("x = 1", "1-1 Module");
    chunks("\n\ndef f(): pass", "1-3 Function f");
    chunks(
        "def f(): pass\r\n\r\ndef g(): pass\r\n",
        "1-2 Function f\n3-3 Function g",
    );
    chunks("class A: x = 1; y = 2", "1-1 Class A");
}

#[test]
fn long_functions_are_split_between_statements() {
    let mut source = String::from("def f():\n");
    for number in 0..50 {
        source.push_str(&format!(
            "    if x{number}:\n        y({number})\n        z()\n"
        ));
    }
    chunks(
        &source,
        "1-52 Function f\n53-103 Function f\n104-151 Function f",
    );
}

#[test]
fn definitions_before_a_syntax_error_are_kept() {
    let source = "def f(): pass\n\nclass A:\n    def m(self): pass\n\ndef broken():\n    x = = 1\n\ndef after(): pass\n";
    let facts = parse(python(), source, &Limits::default());
    let names: Vec<_> = facts
        .definitions
        .iter()
        .map(|d| &*d.qualified_name)
        .collect();
    assert!(names.starts_with(&["f", "A", "A.m"]), "{names:?}");
    assert!(names.contains(&"after"), "{names:?}");
    assert_eq!(facts.issues, [ParseIssue::Syntax { line: 7 }]);
}

#[test]
fn syntax_error_in_an_import_is_reported() {
    let facts = parse(
        python(),
        "import os\nfrom a import (b c)\n",
        &Limits::default(),
    );
    assert_eq!(facts.issues, [ParseIssue::Syntax { line: 2 }]);
}
