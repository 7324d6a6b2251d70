import { GraphQLError, Lexer, Source, type Token, TokenKind } from 'graphql'
import { exceeds } from './query-limits.ts'

const opening: ReadonlySet<string> = new Set([
  TokenKind.BRACE_L,
  TokenKind.BRACKET_L,
  TokenKind.PAREN_L,
])
const closing: ReadonlySet<string> = new Set([
  TokenKind.BRACE_R,
  TokenKind.BRACKET_R,
  TokenKind.PAREN_R,
])

/**
 * More levels than people or tools write, and fewer than recursive readers need to exhaust the
 * stack.
 */
const maxNesting = 200

/**
 * Checks a document before the recursive parser sees it. Throws for a document that would exhaust
 * the stack or has too many tokens.
 */
export function requireShallow(query: string, maxTokens: number): void {
  let depth = 0
  let count = 0
  for (const { kind } of tokensOf(query)) {
    if (++count > maxTokens) throw exceeds(`The request has more than ${maxTokens} tokens`)
    if (closing.has(kind)) depth--
    if (!opening.has(kind)) continue
    if (++depth > maxNesting) {
      throw exceeds(`The request is nested deeper than ${maxNesting} levels`)
    }
  }
}

/** Yields tokens up to a syntax error, which the parser reports. */
function* tokensOf(query: string): Generator<Token> {
  const lexer = new Lexer(new Source(query))
  try {
    while (lexer.advance().kind !== TokenKind.EOF) yield lexer.token
  } catch (err) {
    if (!(err instanceof GraphQLError)) throw err
  }
}
