#!/usr/bin/env node
// The start of the published command. `bundle.mjs` bundles it with everything that it loads.
import module from 'node:module'

// Node 22 and newer keep compiled code between runs: most of the start is compiling.
module.enableCompileCache?.()
await import('../dist/main.js')
