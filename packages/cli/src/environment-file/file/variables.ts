const variable = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g
const one = /^\$\{[A-Za-z_][A-Za-z0-9_]*\}$/

export const isOneVariable = (text: string): boolean => one.test(text)

/** Returns a fault if the text would be taken for a variable, otherwise `null`. */
export const withoutVariables = (text: string): string | null =>
  text.includes('${') ? 'has a variable: only secret and policy.headers may' : null

export type Filled = { text: string; missing: readonly string[] }

/** Replaces each `${NAME}`. A variable without a value is missing: no secret is empty. */
export function fillVariables(text: string, env: NodeJS.ProcessEnv): Filled {
  const missing: string[] = []
  const filled = text.replace(variable, (_, name: string) => {
    const value = env[name]
    if (!value) missing.push(name)
    return value ?? ''
  })
  return { text: filled, missing }
}
