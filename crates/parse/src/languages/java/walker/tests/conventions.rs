//! Tests which functions are tests.

use crate::testing::{java, same, tests};

const SOURCE: &str = r#"class CartTest {
  @Test public void adds() {}
  @Test(expected = E.class) public void fails() {}
  @Test(timeout = 5L)
  void slow() {}
  @org.junit.Test public void old() {}
  @org.junit.jupiter.api.Test void jupiter() {}
  @ParameterizedTest @ValueSource(ints = {1}) void each(int i) {}
  @RepeatedTest(3) void again() {}
  @TestFactory Stream<DynamicTest> dynamic() { return null; }
  @TestTemplate void template() {}
  @Property void holds(@ForAll int x) {}
  @Theory public void theory(int x) {}
  @DisplayName("a") @Test void named() {}
  @Disabled @Test void off() {}
  public void testAdd() {}
  public void test_add() {}
  public void test() {}
  public void testing() {}
  public void contest() {}
  @Before public void setUp() {}
  @BeforeEach void prepare() {}
  @AfterClass public static void stop() {}
  @Override public String toString() { return ""; }
  private Cart cart() { return null; }
  @Nested class WhenEmpty { @Test void inner() {} void other() {} }
  @Provides Test make() { return null; }
  @Benchmark public void speed() {}
}
"#;

#[test]
fn test_functions_are_recognised() {
    let expected = "
        CartTest.adds
        CartTest.fails
        CartTest.slow
        CartTest.old
        CartTest.jupiter
        CartTest.each
        CartTest.again
        CartTest.dynamic
        CartTest.template
        CartTest.holds
        CartTest.theory
        CartTest.named
        CartTest.off
        CartTest.testAdd
        CartTest.test_add
        CartTest.test
        CartTest.WhenEmpty.inner
        CartTest.speed";
    same(&tests(java(), SOURCE), expected, SOURCE);
}
