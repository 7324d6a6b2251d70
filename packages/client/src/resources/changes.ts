import type {
  ChangeInput,
  PublishChangesData,
  PublishChangesResponse,
} from '../generated/data/types.gen.ts'
import type { RequestOptions } from '../transport/operation.ts'
import { randomId } from '../transport/random-id.ts'
import type { Transport } from '../transport/transport.ts'

/** Changes of records that you keep elsewhere. */
export class Changes {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Publishes all changes, or none. A change without an `id` gets one, so that retries publish it
   * once. Give it yourself if you repeat the call.
   */
  publish(
    changes: ChangeInput | readonly ChangeInput[],
    options?: RequestOptions,
  ): Promise<PublishChangesResponse> {
    const all = 'length' in changes ? changes : [changes]
    const body = all.map((change) => ({ id: randomId(), ...change }))
    return this.#transport.send<PublishChangesData, PublishChangesResponse>(
      { method: 'POST', url: '/api/rest/_changes', body, repeat: 'safe' },
      options,
    )
  }
}
