// Computes the differences between two answers to one question: for each place and item, its counterpart in
// the other answer.

import type { ContextAnswer, FileAnswer, Item, PlaceAnswer } from "./api";

/** Index of the other answer. Keys have a line number only if there is no name: lines may differ between revisions. */
export interface AnswerIndex {
  /** Ranks, from 1, by list and key. */
  ranks: { places: Map<string, number>; functions: Map<string, number>; files: Map<string, number> };
  /** Items of the context by key. */
  items: Map<string, Item>;
}

export const placeKey = (place: PlaceAnswer | FileAnswer) =>
  "name" in place ? named(place.path, place.name, place.kind, place.start_line) : place.path;

export const itemKey = (section: string, item: Item) => named(item.path, item.name, section, item.start_line);

const named = (path: string, name: string, kind: string, line: number) =>
  JSON.stringify(name === "" ? [path, kind, line] : [path, kind, name]);

export function indexOf(other: ContextAnswer): AnswerIndex {
  const ranks = (places: readonly (PlaceAnswer | FileAnswer)[]) =>
    new Map(places.map((place, at) => [placeKey(place), at + 1] as const).reverse());
  const items = other.sections.flatMap((section) => section.items.map((item) => [itemKey(section.name, item), item] as const));
  return {
    ranks: { places: ranks(other.places), functions: ranks(other.functions), files: ranks(other.files) },
    items: new Map(items),
  };
}

/** Which parts two answers have in common; these are shown once. A budget does not change a ranking. */
export interface Shared {
  symbols: boolean;
  ranking: boolean;
}

export function shared(first: ContextAnswer, second: ContextAnswer): Shared {
  const equal = (of: (answer: ContextAnswer) => unknown) => JSON.stringify(of(first)) === JSON.stringify(of(second));
  return {
    symbols: equal((answer) => answer.symbols),
    ranking: equal(({ places, functions, files }) => [places, functions, files]),
  };
}

/** Describes a place's change of rank compared with the other answer; null if there is none. */
export function movement(rank: number, other: number | undefined): { text: string; said: string } | null {
  if (other === undefined) return { text: "only here", said: "not listed in the other answer" };
  if (other === rank) return null;
  const text = other > rank ? `▲ ${other - rank}` : `▼ ${rank - other}`;
  return { text, said: `number ${other} in the other answer` };
}

/** Describes how an item differs from that in the other answer; null if it does not. */
export function difference(item: Item, other: Item | undefined): string | null {
  if (other === undefined) return "only here";
  if (other.fidelity !== item.fidelity) return `${other.fidelity} in the other`;
  if (other.cut !== item.cut) return item.cut ? "whole in the other" : "cut in the other";
  return other.tokens === item.tokens ? null : `${other.tokens} tokens in the other`;
}
