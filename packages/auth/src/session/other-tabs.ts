import type { EndReason } from './changes.ts'
import type { Session } from './session.ts'

/** The refresh that a tab wants to do. */
export type Target = Pick<Session, 'id' | 'rotation'>

export type LeaseMessage =
  /** `from` wants the lease. */
  | { kind: 'claim'; from: string; target: Target }
  /** Answers a claim: somebody else is first. */
  | { kind: 'busy'; to: string }

export type Message =
  | LeaseMessage
  /** A login or a refresh. It holds the tokens, which every page of the origin can read anyway. */
  | { kind: 'session'; session: Session }
  | { kind: 'ended'; id: string; reason: EndReason }
  /** The storage may have changed. */
  | { kind: 'hint' }

export type Tabs = {
  post(message: Message): void
  close(): void
}

export type OpenTabs = (name: string, receive: (message: Message) => void) => Tabs

/** Nobody else has the session. */
export const noTabs: OpenTabs = () => ({ post: () => undefined, close: () => undefined })

/** Globals of a browser. Node has no events of storages. */
type Scope = Partial<{
  addEventListener(type: 'storage', listener: (event: { key?: string | null }) => void): void
  removeEventListener(type: 'storage', listener: (event: { key?: string | null }) => void): void
  BroadcastChannel: typeof BroadcastChannel
}>

/** Messages between the tabs of an origin, and hints by the storage where they do not exist. */
export const openTabs: OpenTabs = (name, receive) => {
  const scope = globalThis as Scope
  let channel = scope.BroadcastChannel && new scope.BroadcastChannel(name)
  if (channel) {
    channel.addEventListener('message', (event) => receive((event as MessageEvent).data as Message))
    // Node would not end.
    if ('unref' in channel) (channel as { unref(): void }).unref()
  }
  const onStorage = (event: { key?: string | null }) => {
    // Null: all keys are gone.
    if (event.key?.startsWith(name) ?? true) receive({ kind: 'hint' })
  }
  scope.addEventListener?.('storage', onStorage)
  return {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel is of one origin
    post: (message) => channel?.postMessage(message),
    close() {
      scope.removeEventListener?.('storage', onStorage)
      channel?.close()
      // It would throw, and calls that still run post.
      channel = undefined
    },
  }
}
