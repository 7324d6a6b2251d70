import { readFile, writeFile } from 'node:fs/promises'
import { serviceNames } from '@surehook/scripts/system/service-catalog'
import { until } from '@surehook/testing/until'
import { indented } from '../support/surehook.ts'
import { apply, type Load, loadHost, loadNamespace, openLoad } from './load.ts'
import type { openPage } from './page.ts'
import { wrongReaches } from './reach.ts'
import { outside, serversIn } from './servers.ts'
import type { Shell } from './shell.ts'
import { type Values, writeValues } from './values.ts'

export const namespaces = ['surehook', loadNamespace, 'kafka', 'data']

export type Story = {
  dir: string
  shell: Shell
  page: ReturnType<typeof openPage>
  say: (line: string) => void
  images: { registry: string; tag: string; fromTag: string | undefined }
  podCidr: string
  /** Returns whether the cluster knows a kind of objects, such as `scaledobjects.keda.sh`. */
  has: (kind: string) => boolean
}

const kafkaTopics = 'kafkatopics.kafka.strimzi.io'
const scaledObjects = 'scaledobjects.keda.sh'

const gatewayPort = 18_080

/** In the order of the page. */
export const chapters: Readonly<Record<string, (story: Story) => Promise<void>>> = {
  'Kafka, registry, PostgreSQL and Redis, with certificates and users': prepareServers,
  'namespace, users and secrets': prepareNamespace,
  'an installation whose first Job fails': failFirst,
  installation: install,
  'helm test': test,
  'helm test with a receiver': testWithReceiver,
  'upgrade and rollback under load': upgrade,
  'pods deleted and killed under load': losePods,
  "the operator's command": operate,
  'everything stopped, and started': stopAndStart,
  uninstall,
}

async function prepareServers({ dir, shell, images }: Story): Promise<void> {
  const { manifests, ca, allowUsers } = await serversIn(`${dir}/servers`)
  await apply(shell, manifests)
  for (const name of ['postgresql', 'redis', 'schema-registry']) {
    await writeFile(`${dir}/${name}-ca.crt`, ca)
  }
  for (const place of ['kafka', 'data']) {
    await shell.run(
      `kubectl wait deployment --all --namespace ${place} --for condition=Available --timeout 300s`,
    )
  }
  await apply(shell, [allowUsers(`${images.registry}/surehook/operator-cli:${images.tag}`)])
  await shell.run(
    'kubectl wait job/kafka-access --namespace kafka --for condition=Complete --timeout 120s',
  )
}

async function prepareNamespace(story: Story): Promise<void> {
  const { shell, page, images } = story
  await shell.run(page.block('Namespace 1'))
  await shell.run(possible(story, page.block('Topics and users of Kafka 1')))
  await shell.run(page.block('Topics and users of Kafka 2'))
  await shell.run(here(page.block('Secrets 1')))
  await shell.run(page.block('Secrets 2'))
  await shell.run(page.block('Values 1'))
  await shell.run(page.block('Values 2'))
  await valuesOf(story, images.fromTag ?? images.tag)
}

/**
 * Writes the values. Those that an operator shares with the example stay, because the page's first
 * block starts with the example.
 */
async function valuesOf(
  { dir, podCidr, images, has }: Story,
  tag: string,
  ...more: Values[]
): Promise<void> {
  const small = {
    resources: { requests: { cpu: '20m' } },
    autoscaling: { minReplicas: 2, maxReplicas: 3 },
  }
  const fewer = Object.fromEntries(serviceNames.map((name) => [name, small]))
  const within = (name: string) => ({
    to: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } } }],
  })
  const rehearsed: Values = {
    image: { registry: images.registry, tag },
    kafka: { partitions: 8, replicationFactor: 1, allowFewerCopies: true },
    schemaRegistry: { url: 'https://schema-registry.kafka.svc:8443/apis/ccompat/v7' },
    network: { podCidrs: [podCidr] },
    services: fewer,
    operator: { prepareTopics: { enabled: true } },
    keda: { enabled: has(scaledObjects) },
    monitoring: {
      serviceMonitor: { enabled: has('servicemonitors.monitoring.coreos.com') },
      prometheusRule: { enabled: has('prometheusrules.monitoring.coreos.com') },
    },
    tracing: { endpoint: '' },
    networkPolicy: {
      ingress: { gatewayFrom: within(loadNamespace).to },
      egress: { postgresql: within('data'), redis: within('data') },
    },
  }
  await writeValues(`${dir}/my-values.yaml`, rehearsed, ...more)
}

async function failFirst({ shell, page, say }: Story): Promise<void> {
  const patch = (value: string) =>
    `kubectl patch secret surehook-operator-secrets --namespace surehook --patch "{\\"data\\":{\\"DATABASE_URL\\":\\"${value}\\"}}"`
  const wrong = `postgres://postgres:wrong@${outside.postgresql}:5432/surehook`
  await shell.run(
    `right=$(kubectl get secret surehook-operator-secrets --namespace surehook --output jsonpath='{.data.DATABASE_URL}')`,
  )
  await shell.run(patch(Buffer.from(wrong).toString('base64')))
  const text = await shell.fail(page.block('Install 1'))
  const output = await shell.run(page.block('Install 2'))
  if (!output.includes('password authentication failed')) {
    throw new Error(`the Job does not say why:\n${output}\n${text}`)
  }
  const there = await shell.run('kubectl get deployments --namespace surehook --output name')
  if (there !== '') throw new Error(`installed all the same: ${there}`)
  say('     the Job says why, and nothing else is installed')
  await shell.run(patch('$right'))
}

async function install({ shell, page, say }: Story): Promise<void> {
  await shell.run(page.block('Install 1'))
  const ready = await shell.run(page.block('Install 3'))
  say(indented(ready))
}

async function test({ shell, page }: Story): Promise<void> {
  await shell.run(page.block('Test 1'))
}

async function testWithReceiver(story: Story): Promise<void> {
  const { shell, page, images } = story
  await shell.run(page.block('The test with a receiver 1'))
  await valuesOf(story, images.fromTag ?? images.tag, receiving(story))
  await shell.run(page.block('Install 1'))
  await test(story)
}

/** The same values as in ci/test-receiver-values.yaml. */
const receiving = ({ podCidr }: Story): Values => ({
  services: {
    'webhook-dispatcher': {
      config: { WEBHOOK_ALLOWED_NETWORKS: podCidr },
      extraCa: { existingSecret: 'surehook-test-receiver' },
    },
  },
  tests: { receiver: { enabled: true, tlsSecret: 'surehook-test-receiver' } },
})

async function upgrade(story: Story): Promise<void> {
  const { shell, page, images } = story
  const load = await startLoad(story)
  await checkReaches(story)
  await valuesOf(story, images.tag, receiving(story), { podAnnotations: { upgraded: 'yes' } })
  await shell.run(possible(story, page.block('Upgrade, and back 1')))
  await shell.run(page.block('Install 1'))
  await shell.run(page.block('Upgrade, and back 2'))
  await rolledOut(shell)
  await endLoad(story, load)
}

async function checkReaches({ shell, say }: Story): Promise<void> {
  const { shut, open } = await wrongReaches(shell)
  if (shut.length > 0) {
    throw new Error(`NetworkPolicies shut out what is needed:\n${shut.join('\n')}`)
  }
  if (open.length === 0) say('     NetworkPolicies let through what is needed and nothing else')
  else say('     this network lets through what NetworkPolicies forbid:')
  for (const line of open) say(`     ${line}`)
}

async function losePods(story: Story): Promise<void> {
  for (const [what, flags] of [
    ['moved', ''],
    ['killed', '--grace-period 0 --force'],
  ] as const) {
    const load = await startLoad(story)
    for (const name of serviceNames) await deleteOne(story.shell, name, flags)
    await endLoad(story, load, what)
  }
}

async function deleteOne(shell: Shell, service: string, flags: string): Promise<void> {
  await shell.run(`pod=$(kubectl get pods --namespace surehook --selector app.kubernetes.io/component=${service} \\
  --field-selector status.phase=Running --output jsonpath='{.items[0].metadata.name}')
kubectl delete pod "$pod" --namespace surehook ${flags}`)
  await rolledOut(shell)
}

async function rolledOut(shell: Shell): Promise<void> {
  for (const name of serviceNames) {
    await shell.run(
      `kubectl rollout status deployment/surehook-${name} --namespace surehook --timeout 5m`,
    )
  }
}

async function operate({ shell, page, say }: Story): Promise<void> {
  say(indented(await shell.run(page.block('The toolbox 1'))))
  say(indented(await shell.run(page.block('Scale 1'))))
}

async function stopAndStart(story: Story): Promise<void> {
  const { shell, page, say } = story
  await shell.run(possible(story, page.block('The toolbox 2')))
  await shell.run(
    'kubectl wait pod --all --namespace surehook --for delete --timeout 120s --selector "app.kubernetes.io/component notin (test, toolbox)"',
  )
  say(indented(await shell.run(page.block('The toolbox 3'))))
  await shell.run(page.block('The toolbox 4'))
  await test(story)
}

async function uninstall({ shell, page }: Story): Promise<void> {
  await shell.run(page.block('Uninstall 1'))
}

async function startLoad(story: Story): Promise<Load> {
  const { shell, dir } = story
  await shell.run(`openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=load -keyout load.key -out load.csr
printf 'subjectAltName=DNS:%s' ${loadHost} > load.ext
openssl x509 -req -in load.csr -CA ca.crt -CAkey ca.key -days 365 -extfile load.ext -out load.crt
kubectl port-forward service/surehook-gateway ${gatewayPort}:8080 --namespace surehook &
forward=$!`)
  const [cert, key] = await Promise.all(
    ['crt', 'key'].map((end) => readFile(`${dir}/load.${end}`, 'utf8')),
  )
  const baseUrl = `http://127.0.0.1:${gatewayPort}`
  await until(() => answers(baseUrl), { what: 'the gateway' })
  const load = await openLoad({
    shell,
    image: 'node:24-slim',
    baseUrl,
    adminToken: await shell.run(
      "kubectl get secret surehook-secrets --namespace surehook --output jsonpath='{.data.PLATFORM_ADMIN_TOKEN}' | base64 --decode; echo",
    ),
    certificate: { cert: cert ?? '', key: key ?? '' },
  })
  await shell.run('kill "$forward"')
  return load
}

const answers = (url: string) =>
  fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  )

/**
 * A killed pod may lose requests in flight. Deliveries whose outcome it had not published are
 * repeated.
 */
async function endLoad({ say }: Story, load: Load, pods: 'moved' | 'killed' = 'moved') {
  const { written, failures, ...counts } = await load.end()
  const may = pods === 'killed' ? ['failed', 'repeated'] : []
  const faults = Object.entries(counts).filter(([, count]) => count > 0)
  say(
    `     ${written} records written; ${faults.map(([what, n]) => `${n} ${what}`).join(', ') || 'no fault'}`,
  )
  for (const failure of failures) say(`     ${failure}`)
  if (faults.some(([what]) => !may.includes(what))) throw new Error('not everything went well')
}

/** Removes the commands for parts that this cluster does not have. */
const possible = ({ has }: Story, commands: string): string =>
  commands
    .split('\n')
    .filter((line) => !line.includes('deploy/strimzi') || has(kafkaTopics))
    .filter((line) => !line.includes('scaledobject') || has(scaledObjects))
    .join('\n')

/** Replaces the example addresses in the page's commands by those of this cluster. */
const here = (commands: string): string =>
  commands
    .replaceAll('postgresql.example.com', outside.postgresql)
    .replaceAll('redis.example.com', outside.redis)
