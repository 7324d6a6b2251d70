/** What the demo shows is not what it should be: the sentence says what. */
export class DemoFault extends Error {
  override readonly name = 'DemoFault'
}

export function expectThat(isSo: boolean, sentence: string): asserts isSo {
  if (!isSo) throw new DemoFault(sentence)
}
