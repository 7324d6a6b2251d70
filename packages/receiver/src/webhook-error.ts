export type WebhookErrorCode =
  | 'missing_headers'
  | 'invalid_timestamp'
  | 'timestamp_too_old'
  | 'timestamp_too_new'
  | 'signature_mismatch'
  | 'invalid_body'
  | 'body_too_large'
  | 'body_already_parsed'
  | 'method_not_allowed'
  | 'in_progress'
  | 'handler_failed'

const statuses: Record<WebhookErrorCode, number> = {
  missing_headers: 401,
  invalid_timestamp: 401,
  timestamp_too_old: 401,
  timestamp_too_new: 401,
  signature_mismatch: 401,
  invalid_body: 400,
  body_too_large: 413,
  body_already_parsed: 500,
  method_not_allowed: 405,
  in_progress: 503,
  handler_failed: 500,
}

/** Why a delivery was refused. The sender sees `code` and `message`, so neither holds a secret. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError'
  readonly code: WebhookErrorCode
  /** The HTTP status of the answer. */
  readonly status: number

  constructor(code: WebhookErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.status = statuses[code]
  }
}
