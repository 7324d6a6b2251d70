import { createHmac } from 'node:crypto'
import type { EmitState, StateWriter } from '@surehook/change-capture/emit/state-writer'
import type { EncryptionKeys } from '@surehook/service-kit/config/config'
import { oncePerKey } from '@surehook/service-kit/idempotency/once-per-key'
import { requestFingerprint } from '@surehook/service-kit/idempotency/request-fingerprint'
import type { PoolClient } from 'pg'
import type { ConnectionSlots } from './connection-slots.ts'
import type { TenantCall } from './tenant-call.ts'

/** A client's request. The stored answer is valid only for exactly this request. */
export type KeyedRequest = Pick<TenantCall, 'tenant' | 'key'> & {
  /** The operation, path parameters and body. */
  request: readonly unknown[]
}

export type KeyedWriter = {
  /**
   * Like `StateWriter.write`. If the key already has an answer, `work` does not run and that answer
   * is returned.
   */
  write<T extends object>(
    call: KeyedRequest,
    work: (tx: PoolClient, emit: EmitState) => Promise<T>,
  ): Promise<T>
}

/** Stores each key with its answer. */
export const keyTable = 'idempotency_key'

export function createKeyedWriter(
  writer: StateWriter,
  encryptionKeys: EncryptionKeys,
  slots: Pick<ConnectionSlots, 'write'>,
): KeyedWriter {
  // Fingerprints cover secrets, so they are keyed: without the key nobody can test guesses.
  const [current, ...previous] = encryptionKeys.map((key) =>
    createHmac('sha256', key).update('idempotency').digest(),
  )
  return {
    async write<T extends object>(
      { tenant, key, request }: KeyedRequest,
      work: (tx: PoolClient, emit: EmitState) => Promise<T>,
    ): Promise<T> {
      const within = slots.write(tenant)
      if (key === undefined) return writer.write(work, within)
      const scope = [tenant.projectId, tenant.environment]
      const fingerprint = requestFingerprint(request, current)
      const alsoKnownAs = previous.map((older) => requestFingerprint(request, older))
      const { answer, repeated } = await writer.write(
        (tx, emit) =>
          oncePerKey(tx, keyTable, { scope, key, fingerprint, alsoKnownAs }, async () =>
            JSON.stringify(await work(tx, emit)),
          ),
        within,
      )
      // The first request may have been killed while it waited for the relay.
      if (repeated) await writer.relayed()
      return JSON.parse(answer) as T
    },
  }
}
