import { existsSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'
import { sitePageOf } from './site-pages.ts'

const docsDir = fileURLToPath(new URL('..', import.meta.url))
const repository = 'https://github.com/surehook/surehook/blob/main'

/**
 * A link from a page to a file that is no page, as an address in the repository, or of the page that
 * is made of the file; a dead one fails the build. A README that a page includes names pages from
 * its own place: those links become relative.
 */
function toSite(href: string, page: string): string | null {
  if (/^(?:[a-z]+:|#|\/)/i.test(href)) return null
  const [path = '', anchor] = href.split('#')
  const target = join(dirname(join(docsDir, page)), path)
  const inDocs = !relative(docsDir, target).startsWith('..')
  if (inDocs && path.endsWith('.md')) return `${toPage(target, page)}${anchor ? `#${anchor}` : ''}`
  if (!existsSync(target)) throw new Error(`docs/${page}: dead link ${href}`)
  const fromRoot = relative(join(docsDir, '..'), target)
  const sitePage = sitePageOf(fromRoot, anchor ?? '', docsDir)
  if (sitePage !== null) return toPage(join(docsDir, sitePage), page)
  return `${repository}/${fromRoot}${anchor === undefined ? '' : `#${anchor}`}`
}

function toPage(target: string, page: string): string {
  const path = relative(dirname(join(docsDir, page)), target)
  return path.startsWith('.') ? path : `./${path}`
}

const pages = (base: string, items: Record<string, string>) =>
  Object.entries(items).map(([text, link]) => ({ text, link: `/${base}${link}` }))

export default defineConfig({
  title: 'Surehook',
  description: 'Data changes become signed webhooks that are never lost.',
  outDir: '../.local/docs-site',
  cacheDir: '../.local/docs-cache',
  srcExclude: ['guides/receivers/**', 'guides/publishers/**'],
  markdown: {
    // Pages say `<name>` in prose: no page holds HTML.
    html: false,
    config(md) {
      md.core.ruler.push('included-files', ({ tokens, env }) => {
        for (const { src } of tokens as { src?: [file: string] }[]) {
          if (src !== undefined && !existsSync(src[0])) {
            throw new Error(`docs/${env.relativePath}: no file ${src[0]} to include`)
          }
        }
      })
      md.core.ruler.push('links-to-the-repository', ({ tokens, env }) => {
        for (const token of tokens.flatMap(({ children }) => children ?? [])) {
          const href = token.type === 'link_open' ? token.attrGet('href') : null
          const address = href === null ? null : toSite(href, env.relativePath)
          if (address !== null) token.attrSet('href', address)
        }
      })
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    sidebar: [
      {
        text: 'Start',
        items: pages('start/', {
          'Your first webhook': 'first-webhook',
          'What npm start runs': 'npm-start',
          'In one container': 'docker',
          'On Kubernetes with kind': 'kind',
        }),
      },
      {
        text: 'Guides',
        items: pages('guides/', {
          'Webhooks: a tour': 'tour',
          'The web console': 'console',
          'Delivery policy': 'delivery-policy',
          'Questions about deliveries': 'questions',
          'Get events when deliveries fail': 'delivery-events',
          'Get alerts when webhooks fail': 'alerts',
          'The data API': 'data-api',
          Authentication: 'authentication',
          'Each user their own records': 'own-records',
          'A live list for each user': 'live-list',
          'You have PostgreSQL': 'postgresql',
          'You have a login already': 'your-own-login',
          'Receive webhooks': 'receiving',
          'The package receiver': 'receiver-package',
          'Stream changes': 'streaming',
          'Surehook from a terminal': 'command',
          'Receive on your machine': 'listen',
          'Configuration as code': 'configuration-as-code',
          'Publish changes': 'publishing',
          'Accept access tokens': 'accept-access-tokens',
          Examples: 'examples',
        }),
      },
      {
        text: 'Concepts',
        items: pages('concepts/', {
          Architecture: 'architecture',
          Guarantees: 'guarantees',
          'How deliveries flow': 'deliveries',
          Filters: 'filters',
          'The ledger': 'ledger',
          'How it compares': 'comparison',
        }),
      },
      {
        text: 'Reference',
        items: pages('reference/', {
          'HTTP API': 'http/',
          'HTTP: administration': 'http/administration',
          'HTTP: users': 'http/users',
          'HTTP: accounts': 'http/accounts',
          'HTTP: sessions': 'http/sessions',
          'HTTP: self-service': 'http/self-service',
          'HTTP: data': 'http/data',
          'HTTP: changes': 'http/changes',
          'HTTP: sources': 'http/sources',
          'HTTP: webhooks': 'http/webhooks',
          'HTTP: deliveries': 'http/deliveries',
          'HTTP: installation': 'http/installation',
          Topics: 'topics',
          Packages: 'packages',
          'The package surehook': 'command',
          'Commands and options': 'cli',
          'The client': 'client',
          'The package auth': 'auth',
          'The receiver': 'receiver',
          'The publisher': 'publisher',
          'The token verifier': 'token-verifier',
          'Rules of authentication': 'authentication-rules',
          'Rules of the data API': 'data-rules',
          'Rules of webhooks': 'webhook-rules',
          'Rate limits': 'request-limits',
          Violations: 'violations',
          Configuration: 'configuration',
          Metrics: 'metrics',
          'Audit trail': 'audit-trail',
          Glossary: 'glossary',
        }),
      },
      {
        text: 'Operate',
        items: pages('operate/', {
          Install: '',
          Kubernetes: 'kubernetes',
          Containers: 'containers',
          'One process': 'single-process',
          Secure: 'security',
          Monitoring: 'observability',
          Capacity: 'capacity',
          'Add partitions': 'more-partitions',
          'History database': 'history-database',
          'Tiered storage': 'tiered-storage',
          'Reports in ClickHouse': 'clickhouse',
          Upgrade: 'upgrade',
          'Back up and restore': 'restore',
          Incidents: 'bad-days',
          'Recover a lost slot': 'recover-a-lost-slot',
          Runbooks: 'runbooks',
        }),
      },
      {
        text: 'Contribute',
        items: pages('', {
          Conventions: 'contribute/style',
          'Add an endpoint': 'contribute/add-an-endpoint',
          'Add an event': 'contribute/add-an-event',
          'Add a service': 'contribute/add-a-service',
          Release: 'contribute/releasing',
          Decisions: 'adr/README',
        }),
      },
      {
        text: 'Evidence',
        items: pages('evidence/', {
          Performance: 'performance',
          Faults: 'faults',
          Rehearsals: 'rehearsals',
          'Measurements behind decisions': 'decisions',
          Structure: 'structure',
          Tests: 'tests',
        }),
      },
    ],
  },
})
