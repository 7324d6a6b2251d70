import type { Endpoints } from '@surehook/scripts/lib/endpoints'
import type { System } from '@surehook/scripts/system/start-services'

/** How to reach a system and its stack. */
export type SystemAddress = Pick<System, 'baseUrl' | 'adminToken' | 'serviceToken'> & {
  readonly endpoints: Endpoints
}
