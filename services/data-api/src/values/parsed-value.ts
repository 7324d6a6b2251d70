/** A value as text that PostgreSQL casts to the column's type, or what is wrong with it. */
export type ParsedValue = { text: string } | { fault: string }

export const accepted = (text: string): ParsedValue => ({ text })
export const refused = (fault: string): ParsedValue => ({ fault })
