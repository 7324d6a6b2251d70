import { createHash, createHmac, pbkdf2, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'

const deriveKey = promisify(pbkdf2)
/** PostgreSQL's own number, and the least that RFC 7677 section 4 allows. */
const iterations = 4096
const saltBytes = 16
const keyBytes = 32

/**
 * What PostgreSQL keeps of a password (RFC 5802 section 3, with the hash of RFC 7677), to be given in its place: the
 * server takes it as it is, whatever its `password_encryption`, and neither its log nor its statistics get the password.
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
 * The first two steps of SASLprep (RFC 4013 sections 2.1 and 2.2), as clients take them at the login: spaces, what maps to
 * nothing, NFKC. Nothing is prohibited (section 2.3): PostgreSQL and its clients go on with such passwords too.
 * ASCII stays as it is.
 */
function saslprep(password: string): string {
  return password.replace(otherSpaces, ' ').replace(mappedToNothing, '').normalize('NFKC')
}
