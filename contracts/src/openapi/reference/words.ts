/** Texts mark code as Markdown does. */
export const code = (text: string): string => `\`${text}\``

/** Adds the full stop that descriptions of fields may lack. */
export const sentence = (text: string): string =>
  text === '' || /[.!?]$/.test(text) ? text : `${text}.`
