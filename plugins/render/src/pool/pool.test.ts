import { AppError } from '@svc/kernel'
import { afterEach, describe, expect, it } from 'vitest'
import type { Block } from '../document.ts'
import { SETTINGS } from '../render.testkit.ts'
import { Pool, type PoolOptions } from './pool.ts'
import type { Job, Made } from './protocol.ts'

const pools: Pool[] = []
afterEach(() => pools.splice(0).forEach((pool) => pool.close()))

const failures: string[] = []

const poolOf = (options: Partial<PoolOptions> = {}): Pool => {
  const pool = new Pool({
    workers: 1,
    queue: 2,
    deadline: 20_000,
    memory: 1024 * 1024 * 1024,
    failed: (fault) => failures.push(fault),
    ...options,
  })
  pools.push(pool)
  return pool
}

const jobOf = (children: readonly Block[], format: Job['format'] = 'html'): Job => ({
  format,
  document: { children, pictures: [] },
  settings: SETTINGS,
})

const paragraph = (value: string): Block => ({ type: 'paragraph', children: [{ type: 'text', value }] })

/** Takes far longer than anybody waits. */
const endless = jobOf(
  Array.from({ length: 20_000 }, () => paragraph('Lorem ipsum dolor sit amet. '.repeat(20))),
  'pdf',
)

const codeOf = async (making: Promise<Made>): Promise<string> => {
  try {
    const { bytes } = await making
    return Buffer.from(bytes).toString().includes('<p>') ? 'made' : 'else'
  } catch (error) {
    return error instanceof AppError ? `${error.code} ${error.message}` : String(error)
  }
}

describe('C6.14: documents are made beside the event loop', () => {
  it('one that takes too long is RENDER_FAILED, even inside of native code, and the next one is made', async () => {
    const pool = poolOf({ deadline: 1500 })
    let turns = 0
    const turning = setInterval(() => (turns += 1), 20)
    expect(await codeOf(pool.make(endless))).toBe(
      'RENDER_FAILED The document takes longer than 1.5 s to make',
    )
    clearInterval(turning)
    expect(turns).toBeGreaterThan(3)
    expect(await codeOf(poolOf().make(jobOf([paragraph('a')])))).toBe('made')
  })

  it('one that takes too much memory is RENDER_FAILED', async () => {
    const pool = poolOf({ memory: 300 * 1024 * 1024 })
    expect(await codeOf(pool.make(endless))).toBe(
      'RENDER_FAILED The document needs more than 300 MiB of memory to make',
    )
    expect(await codeOf(pool.make(jobOf([paragraph('a')])))).toBe('made')
  })

  it('two workers make the same bytes in every format', async () => {
    const made = async () => {
      const pool = poolOf()
      const all = []
      for (const format of ['pdf', 'docx', 'html', 'markdown'] as const)
        all.push(
          Buffer.from((await pool.make(jobOf([paragraph('Łódź Москва €')], format))).bytes).toString(
            'base64',
          ),
        )
      return all
    }
    expect(await made()).toEqual(await made())
  })

  it('where too many wait another is UNAVAILABLE, with Retry-After', async () => {
    const pool = poolOf()
    const making = [1, 2, 3].map(() => pool.make(jobOf([paragraph('a')])))
    const refused = pool.make(jobOf([paragraph('a')]))
    await expect(refused).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      status: 503,
      detail: { headers: { 'Retry-After': '5' } },
    })
    expect(await Promise.all(making.map(codeOf))).toEqual(['made', 'made', 'made'])
    expect(await codeOf(pool.make(jobOf([paragraph('b')])))).toBe('made')
  })

  it('closing ends what is being made, and refuses what waits', async () => {
    const pool = poolOf()
    const making = [pool.make(endless), pool.make(endless)].map(codeOf)
    pool.close()
    expect(await Promise.all(making)).toEqual([
      expect.stringContaining('UNAVAILABLE'),
      expect.stringContaining('UNAVAILABLE'),
    ])
    expect(await codeOf(pool.make(jobOf([])))).toContain('UNAVAILABLE')
  })

  it('what a worker cannot make is told its log, and its caller no more than that', async () => {
    failures.length = 0
    // Nothing that comes out of a template.
    const broken = { type: 'nothing' } as unknown as Block
    expect(await codeOf(poolOf().make(jobOf([broken], 'pdf')))).not.toContain('Cannot')
    expect(await codeOf(poolOf().make(jobOf([{ type: 'table', align: [], children: [] }], 'pdf')))).toBe(
      'RENDER_FAILED The document cannot be made of this data',
    )
    expect(failures).not.toEqual([])
  })
})
