/** Thrown if the demo shows something wrong; the message says what. */
export class DemoFault extends Error {
  override readonly name = 'DemoFault'
}

export function expectThat(isSo: boolean, sentence: string): asserts isSo {
  if (!isSo) throw new DemoFault(sentence)
}
