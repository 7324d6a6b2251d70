#!/usr/bin/env node
// `npx surehook …`. Plain JavaScript without dependencies: the machine's Node may be older than the
// project's, and the project may not be built yet.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'

const projectNode = 24
const at = (path) => fileURLToPath(new URL(path, import.meta.url))
const main = at('../dist/main.js')
const usageError = 2

if (!existsSync(main))
  fail('surehook is not built: run "npm run build" at the root of the checkout')
const isNew = Number(process.versions.node.split('.')[0]) >= projectNode
if (isNew) await import(main)
else runWith(at('../../../node_modules/.bin/node'))

function runWith(node) {
  if (!existsSync(node)) fail(`Node ${projectNode} is needed, this is ${process.version}`)
  const child = spawn(node, [main, ...process.argv.slice(2)], { stdio: 'inherit' })
  // The terminal sends Ctrl-C to the child as well. This process only has to outlive it.
  process.on('SIGINT', () => {})
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.once('error', (err) => fail(`${node} could not be started: ${err.message}`))
  child.once('exit', (code, signal) => {
    process.exitCode = signal === null ? code : 128 + constants.signals[signal]
  })
}

function fail(message) {
  process.stderr.write(`${message}\n`)
  process.exit(usageError)
}
