use crate::testing::{definitions, go, imports, messages, references, same};

#[track_caller]
fn defines(source: &str, expected: &str) {
    same(&definitions(go(), source), expected, source);
}

#[track_caller]
fn refers(source: &str, expected: &str) {
    same(&references(go(), source), expected, source);
}

#[test]
fn functions_and_methods() {
    defines(
        "package a\n\nfunc Open(path string) (*File, error) { return nil, nil }",
        "function Open: func Open(path string) (*File, error)",
    );
    defines(
        "package a\nfunc (e *Engine) Run(addr ...string) error {\n}",
        "method Engine.Run out-of-line: func (e *Engine) Run(addr ...string) error",
    );
    defines(
        "package a\nfunc (s Set[T]) Has(v T) bool { return true }",
        "method Set.Has out-of-line: func (s Set[T]) Has(v T) bool",
    );
    defines(
        "package a\nfunc Map[K comparable, V any](m map[K]V) {}",
        "function Map: func Map[K comparable, V any](m map[K]V)",
    );
    defines(
        "package a\nfunc open() {}",
        "function open protected: func open()",
    );
    defines(
        "package a\nfunc asm(x int) int",
        "function asm protected: func asm(x int) int",
    );
}

#[test]
fn types() {
    defines(
        "package a\ntype Server struct {\n\tsync.Mutex\n\t*Base\n\tName, Addr string `json:\"n\"`\n\tinner struct{ x int }\n}\n",
        "class Server: type Server struct
        field Server.Name: Name, Addr string `json:\"n\"`
        field Server.Addr: Name, Addr string `json:\"n\"`
        field Server.inner protected: inner struct{ x int }",
    );
    defines(
        "package a\ntype Store interface {\n\tReader\n\tGet(key string) (int, error)\n}\n",
        "interface Store: type Store
        method Store.Get abstract: Get(key string) (int, error)",
    );
    defines(
        "package a\ntype Handler func(w Writer)\n",
        "type_alias Handler: type Handler",
    );
}

#[test]
fn calls() {
    refers(
        "package a\nfunc f() {\n\tx := New()\n\tx.Run(y.Z)\n\tpkg.Do()\n\tx.A().B()\n}",
        "call new in f
        call x.run in f
        attribute y.z in f
        call pkg.do in f
        call x.a in f
        call ?b in f",
    );
}

#[test]
fn imports_bind_packages() {
    same(
        &imports(
            go(),
            "package a\nimport (\n\t\"fmt\"\n\tx \"a.b/c\"\n\t. \"d\"\n\t_ \"e\"\n\t\"a.b/c/v2\"\n)",
        ),
        "From fmt: * as fmt
        From a.b/c: * as x
        From d: * as
        From e:
        From a.b/c/v2: * as c",
        "",
    );
}

#[test]
fn texts_of_errors() {
    same(
        &messages(
            go(),
            "package a\nfunc f() {\n\treturn errors.New(\"no such file\")\n}",
        ),
        "Error: no such file",
        "",
    );
}
