export type { DeleteEvent, InsertEvent, UpdateEvent, WebhookEvent } from './event.ts'
export { type Answer, createReceiver, type Receiver, type ReceiverOptions } from './receiver.ts'
export type { DedupeStore } from './stores/dedupe-store.ts'
export { memoryStore } from './stores/memory-store.ts'
export {
  createVerifier,
  type Delivery,
  type DeliveryRequest,
  type VerifyOptions,
} from './verify/verify-delivery.ts'
export { WebhookError, type WebhookErrorCode } from './webhook-error.ts'
