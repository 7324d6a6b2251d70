import { expect, it } from '@jest/globals'
import { privateAddressIn } from './private-address.ts'

it.each([
  ...['https://localhost:9443/', 'https://shop.internal/hooks', 'https://printer.local/'],
  ...['https://127.0.0.1/', 'https://2130706433/', 'https://0x7f.1/', 'https://10.1.2.3/'],
  ...['https://172.16.0.1/', 'https://192.168.1.1/', 'https://169.254.169.254/'],
  ...['https://100.64.0.1/', 'https://[::1]/', 'https://[fd00::1]/', 'https://[fe80::1]/'],
  'https://[::ffff:10.0.0.1]/',
])('%s is private', (url) => expect(privateAddressIn(url)).not.toBeNull())

it.each([
  ...['https://example.com/', 'https://172.32.0.1/', 'https://193.168.1.1/', 'https://8.8.8.8/'],
  ...['https://localhost.example.com/', 'https://[2001:db8::1]/', 'https://', 'not a url', ''],
])('%s is not', (url) => expect(privateAddressIn(url)).toBeNull())
