//! Tests Python modules and names.

use super::*;

pub(crate) const PYTHON: &str = "
    //- setup.py
    from setuptools import setup
    //- src/shop/__init__.py
    from .client import Client as Client
    from . import models
    from .star import *
    //- src/shop/client.py
    from __future__ import annotations
    import shop.models
    import shop.db.pool as pool
    from .db.pool import (Pool as P, acquire)
    from . import models as m
    from shop import models, Client as Again
    try:
        from ..nowhere import lost
    except ImportError:
        from .fallback import lost
    class Client:
        def connect(self):
            from .db import late
            return late
    //- src/shop/fallback.py
    def lost(): pass
    //- src/shop/models.py
    class Model:
        def save(self): pass
    class User(Model):
        pass
    //- src/shop/models.pyi
    class Model: ...
    //- src/shop/db/__init__.py
    def late(): pass
    //- src/shop/db/pool.py
    from ..models import User
    class Pool: pass
    def acquire(): pass
    //- src/shop/star.py
    from .deeper import *
    __all__ = ['listed', 'deep']
    def listed(): pass
    def unlisted(): pass
    //- src/shop/deeper.py
    def deep(): pass
    def _hidden(): pass
    ";

#[test]
fn python_import_forms_are_resolved() {
    check_names(
        PYTHON,
        "
        src/shop/client.py P -> src/shop/db/pool.py:Pool
        src/shop/client.py acquire -> src/shop/db/pool.py:acquire
        src/shop/client.py pool -> module src/shop/db/pool.py
        src/shop/client.py pool.Pool -> src/shop/db/pool.py:Pool
        src/shop/client.py m.Model -> src/shop/models.py:Model
        src/shop/client.py models.User.save -> src/shop/models.py:Model.save
        src/shop/client.py shop.models.User -> src/shop/models.py:User
        src/shop/client.py shop.Client -> src/shop/client.py:Client
        src/shop/client.py Again -> src/shop/client.py:Client
        src/shop/client.py lost -> src/shop/fallback.py:lost
        src/shop/client.py annotations -> nothing
        src/shop/__init__.py Client -> src/shop/client.py:Client
        src/shop/__init__.py models -> module src/shop/models.py
        src/shop/__init__.py listed -> src/shop/star.py:listed
        src/shop/__init__.py deep -> src/shop/deeper.py:deep
        src/shop/__init__.py unlisted -> nothing
        src/shop/__init__.py _hidden -> nothing
        src/shop/db/pool.py User -> src/shop/models.py:User
        ",
    );
    // Imported inside the function.
    check_used(
        PYTHON,
        "src/shop/client.py:Client.connect",
        &["src/shop/db/__init__.py:late certain"],
    );
}

#[test]
fn python_imports_resolve_to_files() {
    check_imports(
        PYTHON,
        "
        setup.py:
        src/shop/client.py: src/shop/__init__.py src/shop/db/__init__.py src/shop/db/pool.py src/shop/fallback.py src/shop/models.py
        src/shop/db/pool.py: src/shop/models.py
        ",
    );
}

#[test]
fn cython_modules_are_imported_instead_of_their_declarations() {
    check_imports(
        "
        //- tree/classes.py
        from ._tree import Tree
        from tree._tree import Tree as Again
        //- tree/_tree.pxd
        cdef class Tree
        //- tree/_tree.pyx
        class Tree: pass
        //- tree/user.py
        from ._only import x
        //- tree/_only.pxd
        x = 1
        ",
        "
        tree/classes.py: tree/_tree.pyx
        tree/user.py: tree/_only.pxd
        ",
    );
}

#[test]
fn dots_mean_the_package_of_a_directory_alone() {
    check_imports(
        "
        //- scripts.py
        def util(): pass
        //- scripts/tool.py
        from . import util
        //- scripts/util.py
        def run(): pass
        ",
        "
        scripts/tool.py: scripts/util.py
        ",
    );
}

#[test]
fn python_dotted_paths_follow_reexports() {
    check_dotted(
        PYTHON,
        "
        shop.Client -> src/shop/client.py:Client
        shop.client.Client.connect -> src/shop/client.py:Client.connect
        shop.models.User.save -> src/shop/models.py:Model.save
        shop.db.late -> src/shop/db/__init__.py:late
        shop.listed -> src/shop/star.py:listed
        shop.nothing -> nothing
        elsewhere.Client -> nothing
        ",
    );
}

#[test]
fn python_namespace_packages_and_other_roots_are_resolved() {
    let repository = "
        //- packages/storage/google/cloud/storage/__init__.py
        //- packages/storage/google/cloud/storage/client.py
        class Client: pass
        //- packages/queue/google/cloud/tasks.py
        class Queue: pass
        //- vendored/__init__.py
        //- vendored/six/__init__.py
        //- vendored/six/moves.py
        def get(): pass
        //- app.py
        from google.cloud.storage.client import Client
        from google.cloud import storage, tasks
        from six.moves import get
        import helpers
        import logging
        import random
        //- tools/random.py
        def seed(): pass
        //- tools/logging/__init__.py
        //- tools/run.py
        import helpers
        import random
        //- tools/helpers.py
        def help_me(): pass
        ";
    check_names(
        repository,
        "
        app.py Client -> packages/storage/google/cloud/storage/client.py:Client
        app.py storage -> module packages/storage/google/cloud/storage/__init__.py
        app.py tasks.Queue -> packages/queue/google/cloud/tasks.py:Queue
        app.py get -> vendored/six/moves.py:get
        app.py helpers -> nothing
        app.py logging -> nothing
        app.py random -> nothing
        tools/run.py helpers.help_me -> tools/helpers.py:help_me
        tools/run.py random -> module tools/random.py
        ",
    );
}

#[test]
fn python_prefers_root_nearest_to_importer() {
    let repository = "
        //- a/tests/__init__.py
        //- a/tests/support.py
        def make(): pass
        //- a/tests/test_it.py
        from tests.support import make
        //- b/tests/__init__.py
        //- b/tests/support.py
        def make(): pass
        //- b/tests/test_it.py
        from tests.support import make
        ";
    check_imports(
        repository,
        "
        a/tests/test_it.py: a/tests/support.py
        b/tests/test_it.py: b/tests/support.py
        ",
    );
}

#[test]
fn fields_of_any_method_have_types() {
    check_uses(
        "
        //- w.py
        class W:
            def twist(self): pass
        class Other:
            def twist(self): pass
        //- test_w.py
        from w import W
        class TestW:
            def setUp(self):
                self.w = W()
            @classmethod
            def setUpClass(cls):
                cls.k = W()
            def test_a(self):
                self.w.twist()
                self.k.twist()
        ",
        "w.py:W.twist",
        &["test_w.py:9 likely", "test_w.py:10 likely"],
    );
}

#[test]
fn nested_functions_are_used_as_values() {
    check_uses(
        "
        //- a.py
        def outer(xs):
            def helper(x): return x
            return map(helper, xs)
        ",
        "a.py:outer.helper",
        &["a.py:3 certain"],
    );
}

const FIXTURES: &str = "
    //- shop.py
    class Client:
        def get(self): pass
    class Other:
        def get(self): pass
    //- tests/conftest.py
    import pytest
    from shop import Client
    @pytest.fixture
    def client():
        yield Client()
    //- tests/unit/test_client.py
    import pytest
    from shop import Other
    @pytest.fixture
    def other(client):
        return Other()
    def test_get(client, other):
        client.get()
        other.get()
    def helper(client):
        client.get()
    //- tests/unit/test_own.py
    import pytest
    @pytest.fixture
    def client(client):
        return client
    def test_own(client):
        pass
    //- other/test_other.py
    def test_other(client):
        client.get()
    ";

#[test]
fn parameters_of_tests_are_fixtures() {
    check_uses(
        FIXTURES,
        "tests/conftest.py:client",
        &[
            "tests/unit/test_client.py:4 likely",
            "tests/unit/test_client.py:6 likely",
            "tests/unit/test_own.py:3 likely",
        ],
    );
    check_uses(
        FIXTURES,
        "tests/unit/test_client.py:other",
        &["tests/unit/test_client.py:6 likely"],
    );
    // A fixture may replace one of its own name.
    check_uses(
        FIXTURES,
        "tests/unit/test_own.py:client",
        &["tests/unit/test_own.py:5 likely"],
    );
}

#[test]
fn parameters_of_tests_have_the_types_of_their_fixtures() {
    check_uses(
        FIXTURES,
        "shop.py:Client.get",
        &["tests/unit/test_client.py:7 likely"],
    );
    check_uses(
        FIXTURES,
        "shop.py:Other.get",
        &["tests/unit/test_client.py:8 likely"],
    );
}

#[test]
fn variables_stand_in_for_imports_of_their_name() {
    check_names(
        "
        //- shop/fast.py
        def pack(): pass
        class Request: pass
        //- shop/use.py
        if TYPE_CHECKING:
            from shop.fast import Request
        else:
            Request = None
        try:
            from shop.fast import pack
        except ImportError:
            pack = None
        try:
            from nowhere import lost
        except ImportError:
            lost = None
        try:
            from shop.fast import pack as own
        except ImportError:
            def own(): pass
        //- shop/__init__.py
        ",
        "
        shop/use.py Request -> shop/fast.py:Request
        shop/use.py pack -> shop/fast.py:pack
        shop/use.py lost -> shop/use.py:lost
        shop/use.py own -> shop/use.py:own
        ",
    );
}

const ALIASES: &str = "
    //- shop/__init__.py
    //- shop/doors.py
    class Door:
        def shut(self): pass

    def open_door(): return Door()

    Gate = Door
    Portal = Gate
    make = open_door
    //- shop/use.py
    from shop import doors
    from shop.doors import Gate, Portal, make

    class Tower(Portal):
        def guard(self):
            self.shut()

    class Keep(doors.Gate):
        pass

    def of_type(gate: Gate):
        gate.shut()

    def of_call():
        make().shut()

    def of_derived(keep: Keep):
        keep.shut()
    ";

#[test]
fn variables_that_name_classes_and_functions_stand_for_them() {
    check_uses(
        ALIASES,
        "shop/doors.py:Door.shut",
        &[
            "shop/use.py:6 certain", "shop/use.py:12 likely", "shop/use.py:15 likely",
            "shop/use.py:18 likely",
        ],
    );
}

#[test]
fn variables_that_name_each_other_end() {
    check_names(
        "
        //- shop.py
        A = B
        B = A

        class Door(A):
            def shut(self): pass

        def close(door: A):
            door.shut()
        ",
        "shop.py A -> shop.py:A",
    );
}
