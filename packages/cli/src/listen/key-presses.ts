import { emitKeypressEvents } from 'node:readline'

export type Keys = Readonly<Record<string, () => void>>

/** Calls the action of each key that is pressed in a terminal. Does nothing without a terminal. */
export function onKeyPresses(input: NodeJS.ReadStream, keys: Keys): Disposable {
  if (!input.isTTY) return { [Symbol.dispose]: () => {} }
  const pressed = (_: unknown, key: { name?: string; ctrl?: boolean }) => {
    // A terminal in raw mode makes no signal of Ctrl-C.
    if (key.ctrl && key.name === 'c') process.kill(process.pid, 'SIGINT')
    else keys[key.name ?? '']?.()
  }
  emitKeypressEvents(input)
  input.setRawMode(true)
  input.on('keypress', pressed)
  input.resume()
  return {
    [Symbol.dispose]: () => {
      input.off('keypress', pressed)
      input.setRawMode(false)
      input.pause()
    },
  }
}
