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
        "constant default default: <script setup lang=\"ts\">
        constant users: const users
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
        constant default default: <script>
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
        call label",
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
        "call draggable\ncall user in form",
        source,
    );
}

#[test]
fn components_with_a_default_export_are_defined_once() {
    let source = "<script>\nexport default { name: 'Row' };\n</script>\n";
    same(
        &definitions(vue(), source),
        "constant default default: export default",
        source,
    );
    let source = "<script>\nconst a = 1;\n</script>\n<script setup>\nconst b = 2;\n</script>\n";
    same(
        &definitions(vue(), source),
        "constant a: const a
        constant default default: <script setup>
        constant b: const b",
        source,
    );
}

#[test]
fn components_without_a_script_begin_with_their_first_tag() {
    let default = |tag: &str| format!("constant default default: {tag}");
    for (source, tag) in [
        ("<template><p/></template>\n", "<template>"),
        (
            "<!-- <b>the</b> moon -->\n<style>a > b {}</style>\n<svg-icon a=\"1\"/>\n",
            "<svg-icon a=\"1\"/>",
        ),
    ] {
        same(&definitions(vue(), source), &default(tag), source);
    }
    let each = "{#if a < 1}\n<p>{a}</p>\n{/if}\n";
    same(&definitions(svelte(), each), &default("<p>"), each);
    for source in ["<style>a {}</style>\n", "<!-- <p/>", "<p", "a < b"] {
        same(&definitions(vue(), source), "", source);
    }
}

#[test]
fn tags_in_kebab_case_mean_imported_components() {
    let source = "\
<template><my-button/><MyButton/><side-bar/><old-row/><my-other/><p/></template>
<script>
import MyButton from './MyButton.vue';
import { sideBar, Row } from './parts';
export default { components: { MyButton, sideBar, 'old-row': Row } };
</script>
";
    let tags = |found: Vec<String>| -> Vec<String> {
        let mut found = found;
        found.retain(|line| line.starts_with("call"));
        found
    };
    same(
        &tags(references(vue(), source)),
        "call my-button\ncall mybutton\ncall side-bar\ncall old-row",
        source,
    );
    same(
        &imports(vue(), source),
        "From ./MyButton.vue: default as MyButton, default as my-button
        From ./parts: sideBar, Row, sideBar as side-bar, Row as old-row",
        source,
    );
    same(&tags(references(svelte(), source)), "call mybutton", source);
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
