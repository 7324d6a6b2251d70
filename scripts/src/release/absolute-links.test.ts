import { expect, it } from '@jest/globals'
import { absoluteLinks } from './absolute-links.ts'

const repository = 'git+https://github.com/surehook/surehook.git'
const place = { dir: 'packages/receiver', repository, tag: 'v1.2.3' }

it('links files of the repository at the tag, and leaves other links', () => {
  const readme = [
    '[Receive',
    'webhooks](../../docs/guides/receiving.md#retries), [types](api.md),',
    '[here](#errors), [there](https://example.com/a.md), `handlers[0](event)`',
  ]
  expect(absoluteLinks(readme.join('\n'), place).split('\n')).toEqual([
    '[Receive',
    'webhooks](https://github.com/surehook/surehook/blob/v1.2.3/docs/guides/receiving.md#retries), [types](https://github.com/surehook/surehook/blob/v1.2.3/packages/receiver/api.md),',
    '[here](#errors), [there](https://example.com/a.md), `handlers[0](event)`',
  ])
})
