//! Tests the facts of components: of their scripts and their markup.

use super::Scripts;
use crate::testing::{chunks, definitions, imports, references, same, svelte, vue};

const VUE: &str = "\
<template>
  <!-- the card of <Other/> -->
  <UserCard v-for=\"user in users\" :key=\"user.id\" @click=\"select(user)\">
    {{ label(user) }} é
  </UserCard>
</template>

<script setup lang=\"ts\">
import UserCard from './UserCard.vue';
const users = load();
function select(user: User) {
  users.push(user);
}
const label = (user: User) => user.name;
</script>

<style>
a { color: red }
</style>
";

const SVELTE: &str = "\
<script context=\"module\">
  export const kinds = ['a'];
</script>
<script>
  import Row from './Row.svelte';
  export let rows = [];
  function remove(row) { rows = rows.filter((r) => r !== row); }
</script>

{#each rows as row}
  <Row {row} kind={kinds[0]} on:click={() => remove(row)} title=\"no rows\" />
{/each}
";

#[test]
fn script_definitions_are_found() {
    same(
        &definitions(vue(), VUE),
        "constant users: const users
        function select: function select(user: User)
        function label: const label = (user: User) =>",
        VUE,
    );
    same(
        &imports(vue(), VUE),
        "From ./UserCard.vue: default as UserCard",
        VUE,
    );
    same(
        &definitions(svelte(), SVELTE),
        "constant kinds exported: export const kinds
        variable rows exported: export let rows
        function remove: function remove(row)",
        SVELTE,
    );
}

#[test]
fn markup_references_script_names() {
    let found = references(vue(), VUE);
    let in_markup = |line: &&String| !line.contains(" in ") && !line.starts_with("type");
    let found: Vec<String> = found.iter().filter(in_markup).cloned().collect();
    same(
        &found,
        "call usercard
        name users
        call select
        call label
        call load",
        VUE,
    );
    let found = references(svelte(), SVELTE);
    let found: Vec<String> = found.iter().filter(in_markup).cloned().collect();
    same(
        &found,
        "name rows
        call row
        name kinds
        call remove",
        SVELTE,
    );
}

#[test]
fn html_elements_are_no_components() {
    let source = "\
<template><form><draggable/><user-card/></form></template>
<script setup>
import draggable from 'vuedraggable';
import user from './user';
const form = user();
</script>
";
    same(
        &references(vue(), source),
        "call draggable\ncall user",
        source,
    );
}

#[test]
fn chunks_include_markup() {
    let lines: Vec<String> = chunks(vue(), VUE);
    assert_eq!(
        lines.first().map(|l| l.starts_with("1-")),
        Some(true),
        "{lines:?}"
    );
    assert_eq!(
        lines
            .last()
            .map(|l| l.starts_with("14-") || l.contains("-19 ")),
        Some(true),
        "{lines:?}"
    );
}

#[test]
fn scripts_are_found_by_their_tags() {
    for (text, found) in [
        ("<script>a</script>", "a"),
        (
            "<script lang='ts' setup>a\n</script><script src='x'/>",
            "a\n",
        ),
        ("<scripted>a</scripted>", ""),
        ("<script>a", "a"),
        ("<script", ""),
        ("é<script>b</script>é<script>c</script>", "b|c"),
    ] {
        let scripts = Scripts::find(text);
        let parts: Vec<&str> = scripts.ranges.iter().map(|r| &text[r.clone()]).collect();
        assert_eq!(parts.join("|"), found, "{text}");
        assert_eq!(scripts.alone(text).len(), text.len());
    }
}
