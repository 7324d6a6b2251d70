/**
 * Replaces "_" and a letter by the capital letter. Table names have no capitals, so two names never
 * become equal.
 */
export const camelCase = (name: string): string =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

export const capital = (name: string): string => `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`

/**
 * Returns the singular of an English plural, or `null`. `pluralOf` maps the singular back to the
 * name, and the singular is no plural itself. Therefore no two names have the same singular, and no
 * singular is another name's plural.
 */
export function singularOf(name: string): string | null {
  const singular = candidateOf(name)
  if (singular === null || pluralOf(singular) !== name) return null
  return singularOf(singular) === null ? singular : null
}

function candidateOf(name: string): string | null {
  if (!name.endsWith('s') || singularInS.test(name)) return null
  if (/[^aeiou_\d]ies$/.test(name)) return `${name.slice(0, -3)}y`
  if (longPlural.test(name)) return name.slice(0, -2)
  const singular = name.slice(0, -1)
  return /[a-z]$/.test(singular) ? singular : null
}

/** Words that end in "s" but are not plurals. */
const singularInS = /(?:ss|us|is|bias|alias|atlas|canvas|gas|lens|news|series|species)$/

const hissing =
  '(?:ss|sh|[^a]ch|[eo]ach|x|zz|(?:stat|bon|vir|camp|cens|foc|^b|_b)us|bias|alias|atlas|canvas|gas|lens)'
const longPlural = new RegExp(`${hissing}es$`)
const hissingEnd = new RegExp(`${hissing}$`)

function pluralOf(name: string): string {
  if (/[^aeiou_\d]y$/.test(name)) return `${name.slice(0, -1)}ies`
  return hissingEnd.test(name) ? `${name}es` : `${name}s`
}
