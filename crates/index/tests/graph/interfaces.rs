//! Tests which types implement an interface that they do not name.

use super::*;

#[track_caller]
fn check_implementers(text: &str, interface: &str, wanted: &str) {
    let world = world(text);
    let (files, symbols) = (&world.files, &world.symbols);
    let interface = world.named(interface);
    let found = world.graph.implementers(files, symbols, interface);
    assert_eq!(world.describe_all(found), wanted);
}

#[track_caller]
fn check_implemented(text: &str, method: &str, wanted: &str) {
    let world = world(text);
    let (files, symbols) = (&world.files, &world.symbols);
    let method = world.named(method);
    let found = world.graph.implemented(files, symbols, method);
    assert_eq!(world.describe_all(found), wanted);
}

const STORES: &str = "
    //- go.mod
    module acme
    //- store/store.go
    package store

    type Store interface {
    \tGet(key string) (value []byte, err error)
    \tPut(key string, value []byte) error
    }
    //- memory/memory.go
    package memory

    type Memory struct{ rows map[string][]byte }

    func (m *Memory) Get(k string) ([]byte, error) { return m.rows[k], nil }
    //- memory/put.go
    package memory

    func (m *Memory) Put(k string, v []byte) error { return nil }
    //- disk/disk.go
    package disk

    type Names []string

    func (n Names) Get(key string) ([]byte, error) { return nil, nil }
    func (n Names) Put(key string, value []byte) error { return nil }

    type ReadOnly struct{}

    func (r ReadOnly) Get(key string) ([]byte, error) { return nil, nil }

    type Numbers struct{}

    func (n Numbers) Get(key int) ([]byte, error) { return nil, nil }
    func (n Numbers) Put(key string, value []byte) error { return nil }
    //- cached/cached.go
    package cached

    import \"acme/memory\"

    type Cached struct{ *memory.Memory }

    func (c *Cached) Get(key string) ([]byte, error) { return nil, nil }
";

#[test]
fn types_with_all_methods_implement_an_interface() {
    check_implementers(
        STORES,
        "store/store.go:Store",
        "cached/cached.go:Cached disk/disk.go:Names memory/memory.go:Memory",
    );
    check_implementers(STORES, "memory/memory.go:Memory", "");
}

#[test]
fn methods_implement_those_of_interfaces_that_their_type_has() {
    let get = "store/store.go:Store.Get";
    check_implemented(STORES, "memory/memory.go:Memory.Get", get);
    check_implemented(STORES, "cached/cached.go:Cached.Get", get);
    check_implemented(STORES, "disk/disk.go:ReadOnly.Get", "");
    check_implemented(STORES, "disk/disk.go:Numbers.Put", "");
    check_implemented(STORES, get, "");
}

#[test]
fn methods_of_embedded_interfaces_are_required() {
    let text = "
        //- a/a.go
        package a

        type Closer interface{ Close() error }

        type File interface {
        \tCloser
        \tName() string
        }

        type Open struct{}

        func (o Open) Name() string { return \"\" }

        type Plain struct{}

        func (p Plain) Name() string { return \"\" }
        func (p Plain) Close() error { return nil }
    ";
    check_implementers(text, "a/a.go:File", "a/a.go:Plain");
}

#[test]
fn one_method_beside_an_unknown_interface_says_too_little() {
    let text = "
        //- a/a.go
        package a

        import \"io\"

        type File interface {
        \tio.Closer
        \tName() string
        }

        type Open struct{}

        func (o Open) Name() string { return \"\" }
    ";
    check_implementers(text, "a/a.go:File", "");
}

#[test]
fn hidden_methods_are_those_of_the_own_package() {
    let text = "
        //- go.mod
        module acme
        //- a/a.go
        package a

        type node interface{ visit(depth int) }

        type leaf struct{}

        func (l leaf) visit(depth int) {}
        //- b/b.go
        package b

        type leaf struct{}

        func (l leaf) visit(depth int) {}
    ";
    check_implementers(text, "a/a.go:node", "a/a.go:leaf");
}

#[test]
fn type_parameters_stand_for_any_type() {
    let text = "
        //- a/a.go
        package a

        type Store[K comparable, V any] interface {
        \tLoad(key K) (V, bool)
        }

        type Names struct{}

        func (n *Names) Load(key string) (string, bool) { return \"\", false }

        type Pairs[A, B any] struct{}

        func (p *Pairs[A, B]) Load(first A, second B) (A, bool) { return first, false }
    ";
    check_implementers(text, "a/a.go:Store", "a/a.go:Names");
}

#[test]
fn types_with_the_methods_of_a_library_interface_implement_it() {
    let text = "
        //- go.mod
        module acme
        //- a/a.go
        package a

        import (
        \t\"io\"
        \t\"net/http\"
        )

        type Shop struct{}

        func (s *Shop) ServeHTTP(w http.ResponseWriter, req *http.Request) {}

        type Desk struct{ Shop }

        type Other struct{}

        func (o Other) ServeHTTP(w io.Writer) {}

        type File struct{}

        func (f *File) Read(buf []byte) (int, error) { return 0, nil }
        func (f *File) Close() error { return nil }

        type Half struct{}

        func (h *Half) Read(buf []byte) (int, error) { return 0, nil }

        type Door interface {
        \tRead(p []byte) (n int, err error)
        \tClose() error
        }
    ";
    let world = world(text);
    let (files, symbols) = (&world.files, &world.symbols);
    let of = |name: &str| {
        let found = world.graph.library_implementers(files, symbols, name);
        found.map(|(name, found)| format!("{name} <- {}", world.describe_all(found)))
    };
    let handler = Some("http.Handler <- a/a.go:Shop".to_owned());
    assert_eq!(of("http.Handler"), handler);
    assert_eq!(of("Handler"), handler);
    let closer = Some("io.ReadCloser <- a/a.go:File".to_owned());
    assert_eq!(of("io.ReadCloser"), closer);
    assert_eq!(of("io.Handler"), None);
    assert_eq!(of("Shop"), None);
}

#[test]
fn other_languages_have_no_library_interfaces() {
    let world = world("//- a.py\nclass File:\n    def Read(self):\n        pass\n");
    let found = world
        .graph
        .library_implementers(&world.files, &world.symbols, "io.Reader");
    assert_eq!(found, None);
}
