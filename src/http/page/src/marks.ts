// What differs between two answers to one question: of each place and item, what the other answer has of it.

import type { ContextAnswer, FileAnswer, Item, PlaceAnswer } from "./api";

/** Of the other answer; the same file may have other lines at another revision, so lines count only without a name. */
export interface Marks {
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

export function marksOf(other: ContextAnswer): Marks {
  const ranks = (places: readonly (PlaceAnswer | FileAnswer)[]) =>
    new Map(places.map((place, at) => [placeKey(place), at + 1] as const).reverse());
  const items = other.sections.flatMap((section) => section.items.map((item) => [itemKey(section.name, item), item] as const));
  return {
    ranks: { places: ranks(other.places), functions: ranks(other.functions), files: ranks(other.files) },
    items: new Map(items),
  };
}

/** What two answers have in common, which is shown once: budgets change no ranking. */
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

/** What is said of a place beside its rank, where that differs in the other answer. */
export function movement(rank: number, other: number | undefined): { text: string; said: string } | null {
  if (other === undefined) return { text: "only here", said: "not listed in the other answer" };
  if (other === rank) return null;
  const text = other > rank ? `▲ ${other - rank}` : `▼ ${rank - other}`;
  return { text, said: `number ${other} in the other answer` };
}

/** What is said of an item, where the other answer has it otherwise. */
export function difference(item: Item, other: Item | undefined): string | null {
  if (other === undefined) return "only here";
  if (other.fidelity !== item.fidelity) return `${other.fidelity} in the other`;
  if (other.cut !== item.cut) return item.cut ? "whole in the other" : "cut in the other";
  return other.tokens === item.tokens ? null : `${other.tokens} tokens in the other`;
}
