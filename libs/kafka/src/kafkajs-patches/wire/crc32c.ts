/** Castagnoli's polynomial, bit-reversed. */
const polynomial = 0x82_f6_3b_78
/** Number of bytes that one step processes. */
const slices = 8

/** Row n has the checksum of each byte when n more bytes follow it. */
const table = makeTable()

/** CRC-32C of `bytes` from `start` to `end`, the checksum of a Kafka record batch. */
export function crc32c(bytes: Buffer, start: number, end: number): number {
  const t = table
  let crc = -1
  let at = start
  for (; at + slices <= end; at += slices) {
    const low = bytes.readInt32LE(at) ^ crc
    const high = bytes.readInt32LE(at + 4)
    crc =
      (t[1792 + (low & 255)] as number) ^
      (t[1536 + ((low >>> 8) & 255)] as number) ^
      (t[1280 + ((low >>> 16) & 255)] as number) ^
      (t[1024 + (low >>> 24)] as number) ^
      (t[768 + (high & 255)] as number) ^
      (t[512 + ((high >>> 8) & 255)] as number) ^
      (t[256 + ((high >>> 16) & 255)] as number) ^
      (t[high >>> 24] as number)
  }
  for (; at < end; at++) {
    crc = (t[(crc ^ (bytes[at] as number)) & 255] as number) ^ (crc >>> 8)
  }
  return ~crc >>> 0
}

function makeTable(): Int32Array {
  const made = new Int32Array(256 * slices)
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ polynomial : crc >>> 1
    made[byte] = crc
  }
  for (let at = 256; at < made.length; at++) {
    const before = made[at - 256] as number
    made[at] = (made[before & 255] as number) ^ (before >>> 8)
  }
  return made
}
