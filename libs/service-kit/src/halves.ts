/** Two halves, the first one larger by one item where the number is odd; no empty ones. */
export function halvesOf<Item>(items: readonly Item[]): Item[][] {
  const middle = Math.ceil(items.length / 2)
  return [items.slice(0, middle), items.slice(middle)].filter(({ length }) => length > 0)
}
