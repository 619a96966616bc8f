//! Tests the facts collected from Ruby sources, feature by feature.

use crate::testing::{definitions, imports, messages, references, ruby, same, tests};

#[track_caller]
fn defines(source: &str, expected: &str) {
    same(&definitions(ruby(), source), expected, source);
}

#[track_caller]
fn refers(source: &str, expected: &str) {
    same(&references(ruby(), source), expected, source);
}

#[test]
fn builtin_names_are_sorted() {
    use super::super::{CORE_CLASSES, CORE_METHODS, RULES};
    assert!(CORE_CLASSES.is_sorted() && CORE_METHODS.is_sorted());
    assert!(RULES.lookup.builtin_members.is_sorted());
}

#[test]
fn classes_and_modules_are_defined() {
    for (source, expected) in [
        ("class A; end", "class A: class A"),
        ("class A < B; end", "class A: class A < B"),
        (
            "class A::B < C; end",
            "class A.B out-of-line: class A::B < C",
        ),
        ("class ::A; end", "class A: class ::A"),
        (
            "module M; class A::B; end; end",
            "module M: module M
            class M.A.B out-of-line: class A::B",
        ),
        (
            "module A::B::C\nend",
            "module A.B.C out-of-line: module A::B::C",
        ),
        (
            "module A\n  module B\n    X = 1\n  end\nend",
            "module A: module A
            module A.B: module B
            constant A.B.X: X = 1",
        ),
        (
            "class A; end\nclass A; def b; end; end",
            "class A: class A
            class A: class A
            method A.b: def b",
        ),
        (
            "Point = Struct.new(:x, :y) do\n  def far?; end\nend",
            "class Point: Point = Struct.new(:x, :y)
            field Point.x: :x
            field Point.y: :y
            method Point.far?: def far?",
        ),
        (
            "Gone = Class.new(StandardError)",
            "class Gone: Gone = Class.new(StandardError)",
        ),
        ("Mix = Module.new do\nend", "module Mix: Mix = Module.new"),
        (
            "Env = Options.new(:url) do\n  def ok?; end\nend",
            "class Env: Env = Options.new(:url)
            field Env.url: :url
            method Env.ok?: def ok?",
        ),
        (
            "Env = Options.new(:url) do\n  open\nend",
            "constant Env: Env = Options.new(:url) do",
        ),
        (
            "Point = Data.define(:x)",
            "class Point: Point = Data.define(:x)
            field Point.x: :x",
        ),
        (
            "class P < Struct.new(:a); end",
            "class P: class P < Struct.new(:a)
            field P.a: :a",
        ),
        ("A::B = 2", "constant A.B out-of-line: A::B = 2"),
    ] {
        defines(source, expected);
    }
}

#[test]
fn methods_and_fields_are_defined() {
    for (source, expected) in [
        (
            "def a(b, c = 1, *d, e:, f: 2, **g, &h)\nend",
            "function a: def a(b, c = 1, *d, e:, f: 2, **g, &h)",
        ),
        ("def a b, c\nend", "function a: def a b, c"),
        ("def a(b) = b + 1", "function a: def a(b)"),
        (
            "class A\n  def initialize(x)\n    @x = x\n    @x = 2\n  end\nend",
            "class A: class A
            method A.initialize constructor: def initialize(x)
            field A.@x private: @x = x",
        ),
        (
            "class A\n  def self.b; end\n  def A.c; end\nend",
            "class A: class A
            method A.b static: def self.b
            method A.c static: def A.c",
        ),
        ("def A.c; end", "method A.c static out-of-line: def A.c"),
        (
            "class A\n  class << self\n    def a; end\n    private\n    def b; end\n  end\n  def c; end\nend",
            "class A: class A
            method A.a static: def a
            method A.b static private: def b
            method A.c: def c",
        ),
        (
            "class A\n  private\n  def a; end\n  public\n  def b; end\n  protected\n  def c; end\nend",
            "class A: class A
            method A.a private: def a
            method A.b: def b
            method A.c protected: def c",
        ),
        (
            "class A\n  private def a; end\n  def b; end\n  def c; end\n  private :b\n  private_class_method def self.d; end\nend",
            "class A: class A
            method A.a private: def a
            method A.b private: def b
            method A.c: def c
            method A.d static: def self.d",
        ),
        (
            "module A\n  module_function\n  def a; end\nend",
            "module A: module A
            method A.a static: def a",
        ),
        (
            "class A\n  attr_reader :a, 'b'\n  private attr_accessor :c\nend",
            "class A: class A
            field A.a: attr_reader :a, 'b'
            field A.b: attr_reader :a, 'b'
            field A.c private: attr_accessor :c",
        ),
        (
            "class A\n  define_method(:a) { |b| b }\n  define_method(c) { }\nend",
            "class A: class A
            method A.a: define_method(:a)",
        ),
        (
            "class A\n  # @!method a?(b)\n  matcher :a?, <<~X\n    b\n  X\n  # @!method d\n  matcher :c\nend",
            "class A: class A
            method A.a?: matcher :a?, <<~X",
        ),
        (
            "class A\n  delegate :a, :b?, to: :c\n  def_delegators :@c, :d, :e\n  def_delegator :@c, :f, :g\nend",
            "class A: class A
            field A.a: delegate :a, :b?, to: :c
            field A.b?: delegate :a, :b?, to: :c
            field A.d: def_delegators :@c, :d, :e
            field A.e: def_delegators :@c, :d, :e
            field A.g: def_delegator :@c, :f, :g",
        ),
        (
            "class A\n  has_many :bs, through: :c\n  belongs_to 'd'\n  attribute :e, :string\n  enum f: { g: 0 }\n  enum :h, [:i]\n  store_accessor :j, :k, :l\nend",
            "class A: class A
            field A.bs: has_many :bs, through: :c
            field A.d: belongs_to 'd'
            field A.e: attribute :e, :string
            field A.f: enum f: { g: 0 }
            field A.h: enum :h, [:i]
            field A.k: store_accessor :j, :k, :l
            field A.l: store_accessor :j, :k, :l",
        ),
        (
            "class A\n  scope :b, -> { c }\n  scope :d\nend\nhas_many :e",
            "class A: class A
            method A.b static: scope :b, -> { c }",
        ),
        (
            "class A\n  alias a b\n  alias_method :c, :d\nend",
            "class A: class A
            method A.a: alias a b
            method A.c: alias_method :c, :d",
        ),
        (
            "class A\n  def a=(b); end\n  def ==(o); end\n  def [](i); end\n  def b?; end\nend",
            "class A: class A
            method A.a=: def a=(b)
            method A.==: def ==(o)
            method A.[]: def [](i)
            method A.b?: def b?",
        ),
        (
            "module A\n  included do\n    def a; end\n  end\n  class_methods do\n    def b; end\n  end\nend",
            "module A: module A
            method A.a: def a
            method A.b static: def b",
        ),
        (
            "class A\n  def a\n    @b ||= 1\n    @@c = 2\n    d = 3\n  end\nend",
            "class A: class A
            method A.a: def a
            field A.@b private: @b ||= 1
            field A.@@c private: @@c = 2",
        ),
    ] {
        defines(source, expected);
    }
}

#[test]
fn test_blocks_are_defined_as_functions() {
    for (source, expected) in [
        (
            "RSpec.describe A::B do\n  it 'works' do\n  end\n  it { ok }\nend",
            "function A::B block: RSpec.describe A::B
            function A::B.works block: it 'works'",
        ),
        (
            "describe '#a' do\n  context \"when #{x}\", :y do\n    specify('z') { }\n  end\nend",
            "function #a block: describe '#a'
            function #a.when #{x} block: context \"when #{x}\", :y
            function #a.when #{x}.z block: specify('z')",
        ),
        (
            "class ATest < B\n  test 'runs' do\n  end\n  def test_x; end\nend",
            "class ATest: class ATest < B
            function ATest.runs block: test 'runs'
            method ATest.test_x: def test_x",
        ),
        (
            "class T\n  sub_test_case 'a' do\n    test 'b' do\n    end\n    def help; end\n  end\nend",
            "class T: class T
            function T.a block: sub_test_case 'a'
            function T.a.b block: test 'b'
            function T.a.help: def help",
        ),
        ("describe(x) { }", ""),
        ("test 'no block'", ""),
        (
            "shared_examples 'a' do\nend",
            "function a block: shared_examples 'a'",
        ),
        (
            "feature 'a' do\n scenario 'b' do\n end\nend",
            "function a block: feature 'a'\nfunction a.b block: scenario 'b'",
        ),
    ] {
        defines(source, expected);
    }
    let facts = crate::testing::facts(ruby(), "it 'a' do\nend");
    assert_eq!(&*facts.definitions[0].decorators, ["it".into()]);
}

#[test]
fn calls_and_names_are_referenced() {
    for (source, expected) in [
        ("foo", "call foo"),
        ("foo(1)", "call foo"),
        ("foo bar, :baz", "call foo\ncall bar"),
        ("x = 1\nx\nx.y", "call x.y"),
        ("def a(b)\n  b\n  c\nend", "call c in a"),
        ("def a(b)\n  b.c.d\nend", "call b.c in a\ncall b.c.d in a"),
        ("a.b.c", "call a\ncall a.b\ncall a.b.c"),
        ("a.b(1).c", "call a\ncall a.b\ncall ?c"),
        ("a&.b", "call a\ncall a&.b"),
        ("A::B.new(1)", "call a::b"),
        ("A.new.b", "call a\ncall ?b"),
        ("A.make", "name a\ncall a.make"),
        ("A::B.make", "attribute a::b\ncall a::b.make"),
        ("A", "name a"),
        ("String.new", ""),
        ("puts x", "call x"),
        (
            "class A\n  def b; @c.d; end\nend",
            "attribute @c in a.b\ncall @c.d in a.b",
        ),
        ("[1].each { |i| i.a; b }", "call ?each\ncall i.a\ncall b"),
        ("-> (x) { x; y }", "call y"),
        ("for i in xs do i end", "call xs"),
        (
            "case v\nin {a:, b: c} then a + c\nin [d, *e] then d\nin F => g then g\nend",
            "call v\nname f",
        ),
        ("a, (b, *c) = d\na; b; c", "call d"),
        ("\"x #{y.z}\"", "call y\ncall y.z"),
        ("send(:a)", "call a"),
        (
            "class A\n  before_action :load, only: :b\nend",
            "call load in a",
        ),
        (
            "class A\n  prepend_before_action :b\n  skip_after_action :c\n  skip_d :e\nend",
            "call b in a\ncall c in a\ncall skip_d in a",
        ),
        (
            "class A\n  check :b, if: :c?, on: :d\n  after_save :e, unless: [:f?, :g?]\nend",
            "call check in a\ncall c? in a\ncall e in a\ncall f? in a\ncall g? in a",
        ),
        (
            "class A\n  rescue_from B, with: :c\n  link with: :d\nend\nuse 1, if: :e",
            "call rescue_from in a\nname b in a\ncall c in a\ncall link in a\ncall use",
        ),
        (
            "class A\n  alias a b\n  alias_method :c, :d\nend",
            "attribute b in a\nattribute d in a",
        ),
        ("x&.each(&:y)", "call x\ncall x&.each\ncall ?y"),
        ("x.each(&y)", "call x\ncall x.each\ncall y"),
        ("x.each(&method(:y))", "call x\ncall x.each\ncall y"),
        ("a.send(:b)", "call a\ncall a.send\ncall ?b"),
        (
            "a(1).public_send(:b, 2)",
            "call a\ncall ?public_send\ncall ?b",
        ),
        ("a.send(b)", "call a\ncall a.send\ncall b"),
        ("a.b = c", "call a\ncall a.b\ncall c"),
    ] {
        refers(source, expected);
    }
}

#[test]
fn bases_exceptions_and_super_are_referenced() {
    for (source, expected) in [
        ("class A < B::C; end", "base b::c in a"),
        ("class A < M[1.0]; end", "base m in a"),
        (
            "class A\n  include B, C::D\n  extend E\n  prepend F\nend",
            "base b in a\nbase c::d in a\nbase e in a\nbase f in a",
        ),
        ("raise A, 'x'", "raise a"),
        ("raise A::B.new('x')", "raise a::b"),
        ("raise 'x'", ""),
        (
            "begin\nrescue A, B::C => e\n  e.d\nend",
            "catch a\ncatch b::c\ncall e.d",
        ),
        (
            "class A < B\n  def c(d)\n    super\n    super(d).e\n  end\nend",
            "base b in a\ncall ?super in a.c\ncall ?super in a.c\ncall ?e in a.c",
        ),
    ] {
        refers(source, expected);
    }
    let bases = |source: &str| -> Vec<String> {
        let facts = crate::testing::facts(ruby(), source);
        let bases = facts.definitions[0].bases.iter();
        bases.map(ToString::to_string).collect()
    };
    let class = "class A < B\n  include C::D\n  extend E\n  extend self\nend";
    assert_eq!(bases(class), ["B", "C::D", "E"]);
    let made = "A = B::C.new(:d) do\n  include E\n  def f; end\nend";
    assert_eq!(bases(made), ["B::C", "E"]);
}

#[test]
fn required_files_are_imported() {
    for (source, expected) in [
        ("require 'a/b'", "Require a/b: * as"),
        ("require_relative 'a'", "Require ./a: * as"),
        ("require_relative '../a'", "Require ../a: * as"),
        ("load 'a.rb'", "Require a.rb: * as"),
        ("autoload :A, 'a/a'", "Require a/a: * as"),
        (
            "require File.expand_path('../../a', __FILE__)",
            "Require ./../a: * as",
        ),
        ("require File.join(__dir__, 'a')", "Require ./a: * as"),
        (
            "require File.expand_path('a', __dir__)",
            "Require ./a: * as",
        ),
        ("require \"#{__dir__}/a\"", "Require ./a: * as"),
        ("require \"a/#{b}\"", ""),
        ("require name", ""),
        ("Kernel.require 'a'", "Require a: * as"),
        ("x.load 'a'", ""),
        ("def a\n  require 'b'\nend", "Require b: * as  in a"),
        ("Bundler.require", ""),
    ] {
        same(&imports(ruby(), source), expected, source);
    }
}

#[test]
fn error_and_log_messages_are_collected() {
    for (source, expected) in [
        ("raise A, \"no #{b} left\"", "Error: no #{b} left"),
        ("raise 'gone'", "Error: gone"),
        ("raise A.new('gone')", "Error: gone"),
        ("fail ArgumentError, 'bad'", "Error: bad"),
        ("abort 'stop'", "Error: stop"),
        ("warn 'careful'", "Log: careful"),
        ("Rails.logger.info('hi')", "Log: hi"),
        ("$log.error \"x\", a: 1", "Log: x"),
        ("@logger.debug { 'later' }", "Log: later"),
        ("log \"no #{b} left\"", "Log: no #{b} left"),
        (
            "a = { error: 'no file', name: 'no file' }",
            "Error: no file",
        ),
        ("puts 'x'", ""),
    ] {
        same(&messages(ruby(), source), expected, source);
    }
}

/// Returns the local variables of a source with their values.
fn locals(source: &str) -> Vec<String> {
    use foveate_model::values::Value;
    let facts = crate::testing::facts(ruby(), source);
    let locals = facts.values.locals.iter().map(|local| {
        let value = match local.value {
            Value::Type(known) => known.path.of(source).to_owned(),
            Value::Name(path) => path.of(source).to_owned(),
            Value::Call(path) => format!("{}()", path.of(source)),
            other => format!("{other:?}"),
        };
        format!("{} = {value}", local.name.of(source))
    });
    locals.collect()
}

#[test]
fn values_of_variables_are_collected() {
    let source = "class A\n  def b\n    c = D::E.new(1)\n    @f = G.new\n  rescue H => e\n  end\nend\ndescribe I do\n  let(:j) { described_class.new }\nend";
    assert_eq!(
        locals(source),
        [
            "c = D::E()", "e = H", "described_class = I", "j = described_class()"
        ]
    );
    let facts = crate::testing::facts(ruby(), source);
    assert_eq!(facts.values.held.len(), 1);
}

#[test]
fn described_class_is_that_of_the_innermost_group_with_a_class() {
    for (source, expected) in [
        (
            "describe A do\n  describe B::C do\n    it('d') { described_class }\n  end\nend",
            "described_class = B::C",
        ),
        (
            "RSpec.describe A do\n  context 'B' do\n    context :C do\n      it { described_class }\n    end\n  end\nend",
            "described_class = A",
        ),
        (
            "describe(::A) do\n  describe \"B\" do\n    def c = described_class\n  end\nend",
            "described_class = ::A",
        ),
        ("describe 'A' do\n  it('b') { described_class }\nend", ""),
    ] {
        assert_eq!(locals(source).join("\n"), expected, "{source}");
    }
}

#[test]
fn test_functions_are_recognised() {
    for (source, expected) in [
        ("it 'a' do\nend", "a"),
        ("it('a') { b }", "a"),
        ("specify 'a' do\nend", "a"),
        ("example 'a' do\nend", "a"),
        ("its(:a) { b }", "a"),
        ("describe A do\nend", "A"),
        ("RSpec.describe A::B, type: :c do\nend", "A::B"),
        (
            "RSpec.feature 'a' do\n  scenario 'b' do\n  end\nend",
            "a\na.b",
        ),
        (
            "context 'a' do\n  it 'b' do\n  end\n  it { c }\nend",
            "a\na.b",
        ),
        ("shared_examples 'a' do\n  it 'b' do\n  end\nend", "a.b"),
        (
            "class A\n  def test_b; end\n  def helper; end\nend",
            "A.test_b",
        ),
        (
            "class A\n  def testimony; end\n  def test; end\nend",
            "A.test",
        ),
        ("class A\n  test 'b' do\n  end\nend", "A.b"),
        ("class A\n  should 'b' do\n  end\nend", "A.b"),
        (
            "class A\n  sub_test_case 'b' do\n    test 'c' do\n    end\n  end\nend",
            "A.b\nA.b.c",
        ),
        (
            "class A\n  data('x' => 1)\n  test 'b' do |c|\n  end\nend",
            "A.b",
        ),
        ("xit 'a' do\nend", ""),
        ("it 'a'", ""),
        ("before do\nend\nlet(:a) { 1 }", ""),
        ("x.it 'a' do\nend", ""),
        ("def it(a); end\nit 1", ""),
        ("describe 'a' do\n  def help; end\nend", "a"),
        (
            "describe 'a' do\n  [1].each { |i| it \"b #{i}\" do\n end }\nend",
            "a\na.b #{i}",
        ),
        ("if a\n  describe 'b' do\n  end\nend", "b"),
        (
            "module A\n  describe B do\n    it 'c' do\n    end\n  end\nend",
            "A.B\nA.B.c",
        ),
        ("task :test do\nend", ""),
    ] {
        same(&tests(ruby(), source), expected, source);
    }
}
