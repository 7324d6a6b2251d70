/**
 * Splits into two halves without empty ones. The first is larger by one item if the number is odd.
 */
export function halvesOf<Item>(items: readonly Item[]): Item[][] {
  const middle = Math.ceil(items.length / 2)
  return [items.slice(0, middle), items.slice(middle)].filter(({ length }) => length > 0)
}
