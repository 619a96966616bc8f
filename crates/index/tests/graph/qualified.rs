//! Tests paths of namespaces and packages that are not bound in a file.

use super::*;

const NET: &str = "
    //- net/http.open
    module net
      module http
        class Client
          fun connect
        fun fetch
    //- net/ftp.open
    module net
      module ftp
        class Client(http::Base)
          fun connect
        fun fetch
          call Client
          call http::fetch
    //- net/base.open
    module net
      module http
        class Base
          fun close
    //- main.open
    fun run
      call net::http::fetch
      call ftp::Client::connect
      call ::net::http::Client
      call unheard::of
      call known
      call known.fetch
    fun bare
      call fetch
      type Client
    ";

#[test]
fn path_matches_end_of_full_name() {
    check_used(
        NET,
        "main.open:run",
        &[
            "net/ftp.open:net.ftp.Client certain",
            "net/ftp.open:net.ftp.Client.connect certain",
            "net/http.open:net.http.Client certain",
            "net/http.open:net.http.fetch certain",
        ],
    );
}

#[test]
fn enclosing_namespaces_come_first() {
    check_used(
        NET,
        "net/ftp.open:net.ftp.fetch",
        &[
            "net/ftp.open:net.ftp.Client certain",
            "net/http.open:net.http.fetch certain",
        ],
    );
    let world = world(NET);
    let bases = world
        .graph
        .bases(world.named("net/ftp.open:net.ftp.Client"));
    assert_eq!(
        world.describe_all(bases.iter().copied()),
        "net/base.open:net.http.Base"
    );
}

#[test]
fn ambiguous_bare_name_is_likely() {
    let repository = "
        //- a/b.crate
        class Known
        fun helper
        module within
        //- a/c.crate
        fun run
          type Known
          call helper
          call within
          call member
        class Other
          fun member
        ";
    // From a file that is a module only types are visible; a function must be imported.
    check_used(repository, "a/c.crate:run", &["a/b.crate:Known likely"]);
    check_used(
        "
        //- a/b.open
        module net
          fun helper
          private fun hidden
          class Inner
        //- a/c.open
        fun run
          type Inner
          call helper
          call hidden
        ",
        "a/c.open:run",
        // All files of this language form one package.
        &["a/b.open:net.helper certain", "a/b.open:net.Inner certain"],
    );
}

#[test]
fn too_many_same_named_definitions_resolve_to_none() {
    let mut repository = String::from("//- main.crate\nfun run\n  type Config\n");
    for at in 0..5 {
        repository += &format!("//- lib/m{at}.crate\nmodule m{at}\n  class Config\n");
    }
    check_used(&repository, "main.crate:run", &[]);
}

#[test]
fn paths_may_start_with_modules() {
    let repository = "
        //- util/text.crate
        class Words
        out Words.first
        fun split
        //- main.crate
        fun run
          call crate::util::text::split
          call crate::util::text::Words::first
          call crate::util::text::missing
        ";
    check_used(
        repository,
        "main.crate:run",
        &[
            "util/text.crate:Words certain",
            "util/text.crate:Words.first certain",
            "util/text.crate:split certain",
        ],
    );
}

#[test]
fn import_by_full_name_needs_no_module() {
    check_names(
        "
        //- lib/cart.open
        module shop
          module cart
            class Cart
        //- main.open
        use shop::cart: Cart, Missing
        ",
        "
        main.open Cart -> lib/cart.open:shop.cart.Cart
        main.open Missing -> nothing
        ",
    );
}
