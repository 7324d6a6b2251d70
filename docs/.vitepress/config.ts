import { existsSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'

const docsDir = fileURLToPath(new URL('..', import.meta.url))
const repository = 'https://github.com/surehook/surehook/blob/main'

/** A link from a page to a file that is no page, as an address in the repository; a dead one fails the build. */
function toRepository(href: string, page: string): string | null {
  if (/^(?:[a-z]+:|#|\/)/i.test(href)) return null
  const [path = '', anchor] = href.split('#')
  const target = join(dirname(join(docsDir, page)), path)
  const inDocs = !relative(docsDir, target).startsWith('..')
  if (inDocs && path.endsWith('.md')) return null
  if (!existsSync(target)) throw new Error(`docs/${page}: dead link ${href}`)
  const fromRoot = relative(join(docsDir, '..'), target)
  return `${repository}/${fromRoot}${anchor === undefined ? '' : `#${anchor}`}`
}

const pages = (base: string, items: Record<string, string>) =>
  Object.entries(items).map(([text, link]) => ({ text, link: `/${base}${link}` }))

export default defineConfig({
  title: 'Surehook',
  description: 'Data changes become signed webhooks that are never lost.',
  outDir: '../.local/docs-site',
  cacheDir: '../.local/docs-cache',
  srcExclude: ['receivers/**', 'recipes/publish-changes/**'],
  markdown: {
    // Pages say `<name>` in prose: no page holds HTML.
    html: false,
    config(md) {
      md.core.ruler.push('links-to-the-repository', ({ tokens, env }) => {
        for (const token of tokens.flatMap(({ children }) => children ?? [])) {
          const href = token.type === 'link_open' ? token.attrGet('href') : null
          const address = href === null ? null : toRepository(href, env.relativePath)
          if (address !== null) token.attrSet('href', address)
        }
      })
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    sidebar: [
      {
        text: 'Guides',
        items: pages('', {
          'Webhooks: a tour': 'guides/webhooks',
          'The data API': 'guides/data-api',
          Authentication: 'guides/authentication',
          'Receive webhooks': 'receiving',
          'Publish changes': 'recipes/publish-changes',
          'Accept access tokens': 'recipes/accept-access-tokens',
        }),
      },
      {
        text: 'Concepts',
        items: pages('', {
          Guarantees: 'concepts/guarantees',
          Architecture: 'architecture',
          Filters: 'filters',
          'The ledger': 'ledger',
          Glossary: 'GLOSSARY',
        }),
      },
      {
        text: 'Reference',
        items: pages('', {
          Configuration: 'operations/configuration',
          'npm start': 'operations/npm-start',
          Metrics: 'metrics',
          'Audit trail': 'operations/audit-trail',
        }),
      },
      {
        text: 'Operate',
        items: pages('operations', {
          Install: '',
          Kubernetes: '/kubernetes',
          Containers: '/containers',
          Secure: '/security',
          Watch: '/observability',
          Capacity: '/capacity',
          Upgrade: '/lifecycle',
          'Bad days': '/bad-days',
        }),
      },
      {
        text: 'Contribute',
        items: pages('', {
          Conventions: 'STYLE',
          'Add an endpoint': 'recipes/add-an-endpoint',
          'Add an event': 'recipes/add-an-event',
          'Add a service': 'recipes/add-a-service',
          Decisions: 'adr/README',
        }),
      },
      { text: 'Evidence', items: pages('', { Faults: 'faults' }) },
    ],
  },
})
