import { GraphQLError, Lexer, Source, TokenKind } from 'graphql'

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

/** Far more than a person or a tool writes, far less than the stack of those who read it holds. */
const maxNesting = 200

/** Before parsing, which calls itself for each level: throws for a document that would exhaust the stack. */
export function requireShallow(query: string, maxTokens: number): void {
  const lexer = new Lexer(new Source(query))
  let depth = 0
  // What has more tokens is refused when it is parsed.
  for (let count = 0; count <= maxTokens; count++) {
    const { kind } = lexer.advance()
    if (kind === TokenKind.EOF) return
    if (closing.has(kind)) depth--
    if (!opening.has(kind)) continue
    if (++depth > maxNesting) {
      throw new GraphQLError(`The request is nested deeper than ${maxNesting} levels`)
    }
  }
}
