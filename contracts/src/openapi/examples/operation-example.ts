/** Example request and response of one operation in the reference. */
export type OperationExample = {
  /** Values by parameter name. `sharedParameters` holds those that all examples share. */
  parameters?: Readonly<Record<string, string | number>>
  body?: unknown
  /** By media type, where the body may have others than `application/json`. */
  bodies?: Readonly<Record<string, unknown>>
  reply?: unknown
  /** Examples of answers with other media types. */
  replyAs?: Readonly<Record<string, unknown>>
}

export type OperationExamples = Readonly<Record<string, OperationExample>>

/** Values of required parameters that are the same in every example. */
export const sharedParameters: Readonly<Record<string, string>> = {
  project: 'shop',
  'x-project-id': 'shop',
  environment: 'master',
  table: 'orders',
  source: 'shop',
}

/** Ids that more than one example uses. */
export const ids = {
  user: '0199a1c4-5d1e-7c40-9d6a-3f6f0c1b7e21',
  role: '0199a1c3-0b52-7f0e-8a91-5b1c2d3e4f50',
  token: '0199a1c2-77aa-7d31-b0c4-9e8d7c6b5a40',
  subscription: '0199a1c5-20f3-7b8a-9c1d-2e3f4a5b6c70',
  record: '0199a1c6-11d4-7a52-b6a5-0f1c4cbe8a10',
  event: '0199a1c6-7a64-7cc3-98c4-dc0c0c07398f',
  delivery: '5d0c7e7c-3f0a-5b1e-8f0e-6a4b2c1d0e9f',
  replay: '0199a1c8-4e21-7f60-a7b8-1c2d3e4f5a60',
  session: '0199a1ca-6f43-7b82-89da-3e4f5a6b7c80',
  rebuild: '0199a1c9-5f32-7a71-b8c9-2d3e4f5a6b70',
  recovery: '0199a1cb-7a54-7c93-9aef-4f5a6b7c8d90',
  endpoint: '6b1f0a9d3c5e7f80a1b2c3d4e5f60718',
} as const

export const createdAt = '2026-01-01T12:00:00.000Z'
