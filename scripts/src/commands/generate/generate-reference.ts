import { glob, readdir, readFile, writeFile } from 'node:fs/promises'
import { topicTable } from '@surehook/contracts/topics'
import { defaultOptions } from '../../deploy/strimzi.ts'
import { repoRoot } from '../../lib/paths.ts'
import type { AvroRecord } from '../../reference/avro-section.ts'
import { metricsPage } from '../../reference/metrics-page.ts'
import { topicsPage } from '../../reference/topics-page.ts'

/** Part of `npm run generate`: writes the reference pages that follow from code. */
const dir = `${repoRoot}/docs/reference`

const events = `${repoRoot}/contracts/events`
const files = (await readdir(events)).toSorted()
const texts = await Promise.all(files.map((name) => readFile(`${events}/${name}`, 'utf8')))
const records = texts.map((text) => JSON.parse(text) as AvroRecord)
await writeFile(`${dir}/topics.md`, topicsPage(topicTable(defaultOptions.retryLadder), records))

const paths: string[] = []
for await (const path of glob('{libs,services}/*/src/**/*.ts', { cwd: repoRoot })) paths.push(path)
const sources = paths.filter((path) => !path.endsWith('.test.ts')).toSorted()
const metricFiles = await Promise.all(
  sources.map(async (path) => ({ path, text: await readFile(`${repoRoot}/${path}`, 'utf8') })),
)
await writeFile(`${dir}/metrics.md`, metricsPage(metricFiles))
