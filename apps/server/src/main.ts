#!/usr/bin/env node
import { prepareProcess } from './prepare-process.ts'
import { run } from './run.ts'

prepareProcess()
process.exit(await run(process.argv.slice(2)))
