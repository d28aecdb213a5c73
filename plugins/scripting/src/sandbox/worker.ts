import { parentPort, workerData } from 'node:worker_threads'
import { Interpreter } from './interpreter.ts'
import type { Hello, Job, SandboxOptions } from './protocol.ts'

// A thread with one script: jobs come in, one report for each goes out.
const interpreter = new Interpreter(workerData as SandboxOptions)
parentPort?.on('message', (job: Job) => parentPort?.postMessage(interpreter.perform(job)))
parentPort?.postMessage({ clock: interpreter.clock } satisfies Hello)
