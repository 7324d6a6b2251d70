/** A variable, or `$${`, which stands for the text `${`. */
const token = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g
const one = /^\$\{[A-Za-z_][A-Za-z0-9_]*\}$/

export const isOneVariable = (text: string): boolean => one.test(text)

/** Returns a fault if `${` begins no variable, otherwise `null`. */
export const variableFault = (text: string): string | null =>
  text.replace(token, ' ').includes('${')
    ? 'has a ${ that begins no variable: write $${ for the text ${'
    : null

/** Returns a text of the file that stands for exactly this text. */
export const escapeVariables = (text: string): string => text.replaceAll('${', () => '$${')

export type FilledText = { text: string; missing: readonly string[] }

/**
 * Replaces each `${NAME}`, and `$${` by `${`. A variable without a value is missing: no secret or
 * URL part is empty.
 */
export function fillVariables(text: string, env: NodeJS.ProcessEnv): FilledText {
  const missing: string[] = []
  const filled = text.replace(token, (_, name?: string) => {
    if (name === undefined) return '${'
    const value = env[name]
    if (!value) missing.push(name)
    return value ?? ''
  })
  return { text: filled, missing }
}
