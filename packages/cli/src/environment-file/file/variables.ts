const variable = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g
const one = /^\$\{[A-Za-z_][A-Za-z0-9_]*\}$/

export const isOneVariable = (text: string): boolean => one.test(text)

export const hasVariable = (text: string): boolean => text.search(variable) !== -1

/** Returns a fault if `${` begins no variable, otherwise `null`. */
export const variableFault = (text: string): string | null =>
  text.replace(variable, '').includes('${') ? 'has a ${ that begins no variable' : null

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
