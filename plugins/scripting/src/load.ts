import { Sandbox } from './sandbox/sandbox.ts'
import type { Ending, Registration, Report, SandboxOptions } from './sandbox/protocol.ts'

/** A script cannot be used: the message says why, and where in the file. */
export class ScriptFault extends Error {
  override readonly name = 'ScriptFault'
}

export interface LoadOptions extends SandboxOptions {
  readonly timeoutMs: number
}

/** A script whose top level has run. */
export interface Loaded {
  readonly sandbox: Sandbox
  readonly registrations: readonly Registration[]
  readonly report: Report
}

const TOO_MUCH: Partial<Record<Ending, string>> = {
  time: 'it takes too long to load',
  memory: 'it takes too much memory to load',
}

/** Runs the top level of a script in a new sandbox. Throws a ScriptFault. */
export async function loadScript({ timeoutMs, ...options }: LoadOptions): Promise<Loaded> {
  const sandbox = new Sandbox(options)
  const report = await sandbox.perform({ kind: 'load', ms: timeoutMs })
  const { fault, ended, registrations } = report
  if (fault === undefined && ended === undefined) return { sandbox, registrations, report }
  await sandbox.end()
  throw new ScriptFault(reasonOf(report))
}

const reasonOf = ({ ended, fault }: Report): string =>
  (ended && TOO_MUCH[ended]) ?? fault ?? 'it breaks its sandbox'
