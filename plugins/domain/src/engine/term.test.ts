import { silentLogger } from '@svc/kernel'
import { expect, test } from 'vitest'
import type { Data } from '../contract/data.ts'
import type { Part } from '../contract/part.ts'
import { Term } from './term.ts'

const PATIENCE_MS = 50

/** What one model has open whose keys open so. */
function start(opens: Readonly<Record<string, NonNullable<Part['open']>>>) {
  const told: string[] = []
  const tell = ({ key }: { readonly key?: string }, event: string) => void told.push(`${event} ${key}`)
  const parts = Object.entries(opens).map(([key, open]) => ({ key, part: { open } }))
  const data: Partial<Data> = { model: Object.assign(Object.create(null), { name: 'shop', parts }) }
  const term = new Term(
    Object.assign(Object.create(null), data),
    { ...silentLogger, warn: tell },
    PATIENCE_MS,
  )
  return { term, told }
}

const never = () => new Promise<never>(() => undefined)

test('a part that never opens keeps none from opening, and none open', async () => {
  const seen: string[] = []
  const opening = (name: string) => () => {
    seen.push(`+${name}`)
    return () => void seen.push(`-${name}`)
  }
  const { term, told } = start({ first: opening('first'), hung: never, last: opening('last') })
  await expect.poll(() => seen).toEqual(['+first', '+last'])
  await term.end()
  expect(seen).toEqual(['+first', '+last', '-last', '-first'])
  expect(told).toEqual(['domain.open_late hung', 'domain.close_late hung'])
})

test('a part that opens too late is closed then', async () => {
  let release: () => void = () => undefined
  let isClosed = false
  const slow = new Promise<void>((resolve) => (release = resolve))
  const { term, told } = start({ slow: () => slow.then(() => () => void (isClosed = true)) })
  await term.end()
  expect([isClosed, told]).toEqual([false, ['domain.close_late slow']])
  release()
  await expect.poll(() => isClosed).toBe(true)
})

test('a part that never closes keeps none from closing', async () => {
  let isClosed = false
  const { term } = start({ first: () => () => void (isClosed = true), hung: () => never })
  await term.end()
  expect(isClosed).toBe(true)
})
