import type { ProbeResult } from './host.ts'

const PATIENCE_MS = 2000

/** The outside things that the server depends on, each with a way to ask for it. */
export interface Probes {
  add(name: string, check: () => Promise<void>): void
  run(): Promise<readonly ProbeResult[]>
}

export function createProbes(): Probes {
  const checks = new Map<string, () => Promise<void>>()
  return {
    add(name, check) {
      if (checks.has(name)) throw new Error(`a probe named '${name}' is there already`)
      checks.set(name, check)
    },
    run: () => Promise.all([...checks].map(([name, check]) => ask(name, check))),
  }
}

async function ask(name: string, check: () => Promise<void>): Promise<ProbeResult> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer in ${PATIENCE_MS} ms`)), PATIENCE_MS)
  })
  try {
    await Promise.race([check(), late])
    return { name, ok: true }
  } catch (error) {
    return { name, ok: false, error: error instanceof Error ? error.message : String(error) }
  } finally {
    clearTimeout(timer)
  }
}
