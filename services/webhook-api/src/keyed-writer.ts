import { createHmac } from 'node:crypto'
import type { EmitState, StateWriter } from '@surehook/change-capture/emit/state-writer'
import type { EncryptionKeys } from '@surehook/service-kit/config/config'
import { oncePerKey } from '@surehook/service-kit/idempotency/once-per-key'
import { requestFingerprint } from '@surehook/service-kit/idempotency/request-fingerprint'
import type { PoolClient } from 'pg'
import type { Tenant } from './subscriptions/subscription-changes.ts'

/** What a client asked for: the answer belongs to it, and to nothing else under the same key. */
export type Asked = {
  tenant: Tenant
  /** `Idempotency-Key`, if it sent one. */
  key: string | undefined
  /** Operation, path parameters and body. */
  request: readonly unknown[]
}

export type KeyedWriter = {
  /** As `StateWriter.write`; under a key that has an answer `work` does not run, and that is the answer. */
  write<T extends object>(
    asked: Asked,
    work: (tx: PoolClient, emit: EmitState) => Promise<T>,
  ): Promise<T>
}

/** Where the keys are kept, each with its answer. */
export const keyTable = 'idempotency_key'

export function createKeyedWriter(
  writer: StateWriter,
  encryptionKeys: EncryptionKeys,
): KeyedWriter {
  // Fingerprints cover secrets: without this key nobody can try what they may have been.
  const [current, ...previous] = encryptionKeys.map((key) =>
    createHmac('sha256', key).update('idempotency').digest(),
  )
  return {
    async write<T extends object>(
      { tenant, key, request }: Asked,
      work: (tx: PoolClient, emit: EmitState) => Promise<T>,
    ): Promise<T> {
      if (key === undefined) return writer.write(work)
      const scope = [tenant.projectId, tenant.environment]
      const fingerprint = requestFingerprint(request, current)
      const alsoKnownAs = previous.map((older) => requestFingerprint(request, older))
      const { answer, repeated } = await writer.write((tx, emit) =>
        oncePerKey(tx, keyTable, { scope, key, fingerprint, alsoKnownAs }, async () =>
          JSON.stringify(await work(tx, emit)),
        ),
      )
      // The first of them may have been killed before its own wait was over.
      if (repeated) await writer.relayed()
      return JSON.parse(answer) as T
    },
  }
}
