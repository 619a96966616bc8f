//! Tests which functions are recognised as tests.

use crate::testing::{kotlin, same, tests};

const SOURCE: &str = r#"class CartTest {
  @Test fun adds() {}
  @Test
  fun `adds two numbers`() {}
  @Test fun suspends() = runTest { go() }
  @kotlin.test.Test fun qualified() {}
  @org.junit.Test fun old() {}
  @ParameterizedTest @ValueSource(ints = [1]) fun each(i: Int) {}
  @RepeatedTest(3) fun again() {}
  @TestFactory fun many() = listOf(one)
  @Test(expected = E::class) fun fails() {}
  @Disabled @Test fun off() {}
  @Ignore("why")
  @Test
  internal fun later() {}
  @Test suspend fun waits() {}
  @Property fun holds(@ForAll x: Int) {}
  @Theory fun theory(x: Int) {}
  @TestTemplate fun template() {}
  @Benchmark fun speed() {}
  fun testAdd() {}
  fun test_add() {}
  fun testing() {}
  fun contest() {}
  @Before fun setUp() {}
  @BeforeTest fun prepare() {}
  @AfterClass fun stop() {}
  override fun toString() = one
  private fun cart() = Cart()
  @get:Rule val rule = Rule()
}
"#;

#[test]
fn test_functions_are_recognised() {
    let expected = "
        CartTest.adds
        CartTest.adds two numbers
        CartTest.suspends
        CartTest.qualified
        CartTest.old
        CartTest.each
        CartTest.again
        CartTest.many
        CartTest.fails
        CartTest.off
        CartTest.later
        CartTest.waits
        CartTest.holds
        CartTest.theory
        CartTest.template
        CartTest.speed
        CartTest.testAdd
        CartTest.test_add";
    same(&tests(kotlin(), SOURCE), expected, SOURCE);
}
