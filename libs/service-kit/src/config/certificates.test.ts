import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { createMetrics } from '../telemetry/metrics.ts'
import { certificateFiles, observeCertificates } from './certificates.ts'

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'certificates-'))
})
afterAll(() => rm(dir, { recursive: true }))

// Made once by `openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=… -days …`.
const endsIn2035 = `-----BEGIN CERTIFICATE-----
MIIBhTCCASugAwIBAgIUc5CA9WwVzkqSaxxiwylNYwawnEEwCgYIKoZIzj0EAwIw
GDEWMBQGA1UEAwwNbGF0ZXIuZXhhbXBsZTAeFw0yNjExMjEyMzUyMjRaFw0zNTEy
MDQyMzUyMjRaMBgxFjAUBgNVBAMMDWxhdGVyLmV4YW1wbGUwWTATBgcqhkjOPQIB
BggqhkjOPQMBBwNCAATqfn3u9R215FbB1xsXpxuiQc6MmBaPuwMul54RbtrXulgO
bJAZMCComW+JIcFOYpUKHug99kiQ4Tc0D91WXGeBo1MwUTAdBgNVHQ4EFgQUn4Us
Sf57KR/pbnOXKNvj/nFLd90wHwYDVR0jBBgwFoAUn4UsSf57KR/pbnOXKNvj/nFL
d90wDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiBqnFRVOX0a/IQw
Gb3DRN7SQnHu0G5SKuTpEMeJA7ZF1AIhAK0k5QTzblAh//FrLyKosxSpw+kxEVIe
Czek/MPefymO
-----END CERTIFICATE-----`
const endsIn2027 = `-----BEGIN CERTIFICATE-----
MIIBhzCCAS2gAwIBAgIULQUrBY1twj/lIbNbFBgwaSc121kwCgYIKoZIzj0EAwIw
GTEXMBUGA1UEAwwOc29vbmVyLmV4YW1wbGUwHhcNMjYxMTIxMjM1MjI0WhcNMjcw
OTE3MjM1MjI0WjAZMRcwFQYDVQQDDA5zb29uZXIuZXhhbXBsZTBZMBMGByqGSM49
AgEGCCqGSM49AwEHA0IABBbtsI/dLyqe51TiUOrV912zKfjitEwEvoMPiu/k11r/
z35ETuMms41w1wzhVY/bU1eAptplfHLiUlASdMHRWhejUzBRMB0GA1UdDgQWBBRQ
R6JKs0qmKEP2z285E6LA2FQPrjAfBgNVHSMEGDAWgBRQR6JKs0qmKEP2z285E6LA
2FQPrjAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0gAMEUCIQDRwQkxUoki
YeDC/napF+WOZ9lcZ79na5w47lmdQHd9XAIgd/t+5K6TjI2jM84bRWkU62O4x58S
bW/X20afSKda3gw=
-----END CERTIFICATE-----`

async function reported(...texts: string[]): Promise<string[]> {
  const file = join(dir, 'ca.pem')
  await writeFile(file, texts.join('\n'))
  const metrics = createMetrics('test')
  observeCertificates(metrics, certificateFiles({ KAFKA_CA_FILE: file }))
  const all = (await metrics.registry.metrics()).split('\n')
  return all.filter((line) => line.startsWith('surehook_certificate_'))
}

const line = (seconds: number) => [
  `surehook_certificate_not_after_timestamp_seconds{certificate="kafka_ca",service="test"} ${seconds}`,
]

describe('the metric of certificates', () => {
  it('reports when the first of a file ends, whatever its place', async () => {
    expect(await reported(endsIn2035)).toEqual(line(2080425144))
    expect(await reported(endsIn2035, endsIn2027)).toEqual(line(1821225144))
  })

  it('reports a file without a certificate like one that has expired', async () => {
    expect(await reported('-----BEGIN CERTIFICATE-----\nnone\n-----END CERTIFICATE-----')).toEqual(
      line(0),
    )
    expect(await reported('')).toEqual(line(0))
  })

  it('reports nothing that is not configured', () => {
    expect(certificateFiles({ REDIS_CA_FILE: '/redis.pem' })).toEqual({ redis_ca: '/redis.pem' })
    expect(certificateFiles({})).toEqual({})
  })
})
