/** Tabs that were duplicated from this one. They keep copies of its session. */
export type Peers = {
  /** Announces to them that the session with this id ended. */
  announceEnd(id: string): void
  /** Calls back with the id of each session that ended in another tab. */
  onEnd(ended: (id: string) => void): void
}

/** For a browser without channels. */
export const noPeers: Peers = { announceEnd: () => {}, onEnd: () => {} }

/** The channel carries ids only, never a token. */
export function openPeers(): Peers {
  if (typeof BroadcastChannel === 'undefined') return noPeers
  const channel = new BroadcastChannel('surehook.session')
  return {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel is of one origin
    announceEnd: (id) => channel.postMessage(id),
    onEnd: (ended) => {
      channel.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
        if (typeof data === 'string') ended(data)
      })
    },
  }
}
