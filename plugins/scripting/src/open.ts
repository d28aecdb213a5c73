import { resolve } from 'node:path'
import type { Accounts } from '@svc/auth/contract'
import type { Domains } from '@svc/domain/contract'
import type { Close, Context } from '@svc/kernel'
import type { z } from 'zod'
import { createActAs } from './act-as.ts'
import { createAnswer } from './answer.ts'
import type { config } from './config.ts'
import { Library } from './library.ts'
import { tellUnheard } from './unheard.ts'
import { watchFolder } from './watch.ts'

type Tools = Pick<Context, 'actions' | 'bus' | 'callAs' | 'log'> & {
  readonly accounts: Accounts
  readonly domains: Domains | undefined
}

/** Loads the configured scripts and keeps up with their folder; what it returns ends them. Throws a StartupError. */
export async function openScripts(
  { dir, timeout_ms, memory_mb }: z.output<typeof config>,
  tools: Tools,
): Promise<Close | void> {
  if (dir === undefined) return
  const { bus, log } = tools
  const unheard = tellUnheard(tools)
  const answer = createAnswer(createActAs(tools), log)
  const library = new Library({
    dir: resolve(dir),
    timeoutMs: timeout_ms,
    memoryMb: memory_mb,
    bus,
    log,
    answer,
    loaded: unheard.loaded,
  })
  try {
    await library.load()
    const unwatch = watchFolder(resolve(dir), () => void library.refresh(), log)
    // What has changed between the two was not seen by either.
    void library.refresh()
    return async () => {
      unheard.end()
      await unwatch()
      await library.close()
    }
  } catch (error) {
    unheard.end()
    await library.close()
    throw error
  }
}
