const prefix = 'whsec_'

/** The header `webhook-signature` of Standard Webhooks, for a secret that the user types. */
export async function webhookSignature(
  secret: string,
  signed: { id: string; timestamp: number; body: string },
): Promise<string> {
  const key = await crypto.subtle.importKey(
    'raw',
    keyOf(secret),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['sign'],
  )
  const content = `${signed.id}.${signed.timestamp}.${signed.body}`
  const bytes = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(content))
  return `v1,${btoa(String.fromCharCode(...new Uint8Array(bytes)))}`
}

/** A `whsec_` secret is base64. Any other one is the key itself. */
function keyOf(secret: string): Uint8Array<ArrayBuffer> {
  if (!secret.startsWith(prefix)) return new TextEncoder().encode(secret)
  const text = atob(secret.slice(prefix.length))
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0))
}
