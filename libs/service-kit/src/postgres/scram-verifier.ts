import { createHash, createHmac, pbkdf2, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'

const deriveKey = promisify(pbkdf2)
/** PostgreSQL's default, and the minimum of RFC 7677 §4. */
const iterations = 4096
const saltBytes = 16
const keyBytes = 32

/**
 * Computes the verifier that PostgreSQL stores for a password (RFC 5802 §3, with the hash of RFC
 * 7677). Send it instead of the password. The server stores it unchanged for any
 * `password_encryption`, and neither its log nor its statistics see the password.
 */
export async function scramVerifier(
  password: string,
  salt = randomBytes(saltBytes),
): Promise<string> {
  const salted = await deriveKey(saslprep(password), salt, iterations, keyBytes, 'sha256')
  const storedKey = createHash('sha256').update(hmac(salted, 'Client Key')).digest()
  const serverKey = hmac(salted, 'Server Key')
  const [saltText, storedText, serverText] = [salt, storedKey, serverKey].map((bytes) =>
    bytes.toString('base64'),
  )
  return `SCRAM-SHA-256$${iterations}:${saltText}$${storedText}:${serverText}`
}

const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

const otherSpaces = /[\u00a0\u1680\u2000-\u200b\u202f\u205f\u3000]/gu
const mappedToNothing =
  /\u00ad|\u034f|\u1806|[\u180b-\u180d]|\u200c|\u200d|\u2060|[\ufe00-\ufe0f]|\ufeff/gu

/**
 * First two steps of SASLprep (RFC 4013 §2.1 and §2.2), which clients apply at login: spaces,
 * characters mapped to nothing, then NFKC. It skips the prohibitions of §2.3, because PostgreSQL
 * and its clients accept such passwords. ASCII stays unchanged.
 */
function saslprep(password: string): string {
  return password.replace(otherSpaces, ' ').replace(mappedToNothing, '').normalize('NFKC')
}
