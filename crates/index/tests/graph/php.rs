//! Tests of what PHP's comments and containers tell about classes.

use super::receivers::check;

#[test]
fn classes_that_comments_and_arguments_name() {
    check(
        "
        //- Pool.php
        <?php
        namespace App;
        class Pool { public function close() {} }
        class Other { public function close() {} }
        class Bag {}
        /** @mixin Pool */
        class Wrapper {
            public function use_mixin() { $this->close(); }
        }
        /** @see \\App\\Pool */
        class Pools extends Facade {}
        /** @see \\App\\Pool */
        class Unlike {}
        function use_facade() { Pools::close(); }
        function use_function() { app(Pool::class)->close(); }
        function use_method($app) { $app->make(Pool::class)->close(); }
        function use_variable($container) {
            $pool = $container->get(Pool::class);
            $pool->close();
        }
        function use_static_method() { Mockery::mock(Pool::class)->close(); }
        /** @param array<int, Pool> $pools */
        function use_keyed($pools) { foreach ($pools as $key => $pool) { $pool->close(); } }
        /** @param non-empty-list<Pool>|null $pools */
        function use_list($pools) { foreach ($pools as $pool) { $pool->close(); } }
        /** @param Pool<string, Bag> $pool */
        function use_generic($pool) { $pool->close(); }
        function of_another($app) { $app->make(Other::class)->close(); }
        function no_facade() { Unlike::close(); }
        function no_class($app) { $app->make(Pool::NAME)->close(); }
        function not_made($app) { $app->bind(Pool::class)->close(); }
        /** @param array<Pool, Bag> $pools */
        function no_element($pools) { foreach ($pools as $pool) { $pool->close(); } }
        ",
        "Pool.php:Pool.close",
    );
}
