import { AppError } from '@surehook/service-kit/errors'

/** Thrown before any part of the password was checked. */
export class NoHashRoomError extends AppError {
  constructor() {
    super('SERVICE_UNAVAILABLE', 'Too many passwords to hash', { retryAfterS: 1 })
  }
}
