import { describe, expect, test } from 'vitest'
import { attemptPublish } from './attempt.ts'
import { Link, type Opened } from './link.ts'

/** A broker that lets nobody in until `let in` is called. */
function broker() {
  const opened: (Opened & { isClosed: boolean })[] = []
  let letIn: () => void = () => undefined
  const isOpen = new Promise<void>((resolve) => (letIn = resolve))
  const link = new Link(async ({ signal }) => {
    await Promise.race([
      isOpen,
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
    ])
    let end: () => void = () => undefined
    const over = new Promise<void>((resolve) => (end = resolve))
    const one = {
      over,
      isClosed: false,
      async close() {
        one.isClosed = true
        end()
      },
    }
    opened.push(one)
    return one
  })
  return { link, opened, letIn }
}
const publishing = (link: Link<Opened>, signal: AbortSignal, timeoutMs: number, said: Promise<string>) =>
  attemptPublish(
    (ending) => link.use(ending, () => said),
    () => link.drop(),
    { signal, timeoutMs, shown: 'mqtt' },
  )
const PATIENT = new AbortController().signal
const answered = Promise.resolve('said')
const never = new Promise<string>(() => undefined)

describe('the connection to a broker', () => {
  test('is opened once for all who want it, whoever has gone or has no more patience', async () => {
    const { link, opened, letIn } = broker()
    const leaving = new AbortController()
    const all = [
      publishing(link, leaving.signal, 5000, answered),
      publishing(link, PATIENT, 20, answered),
      publishing(link, PATIENT, 5000, answered),
    ]
    leaving.abort()
    expect(await all[0]).toMatchObject({ failure: { kind: 'cancelled' } })
    expect(await all[1]).toMatchObject({ failure: { kind: 'timeout' } })
    letIn()
    expect(await all[2]).toMatchObject({ response: 'said', failure: undefined })
    expect(opened).toMatchObject([{ isClosed: false }])
  })

  test('is used by nobody who has gone before it was there', async () => {
    const { link, letIn } = broker()
    const leaving = new AbortController()
    let isUsed = false
    const using = link.use(leaving.signal, async () => (isUsed = true))
    leaving.abort()
    letIn()
    await expect(using).rejects.toThrow()
    expect(isUsed).toBe(false)
  })

  test('stays where somebody goes in the middle, and is given up where it does not answer in time', async () => {
    const { link, opened, letIn } = broker()
    letIn()
    const leaving = new AbortController()
    const left = publishing(link, leaving.signal, 5000, never)
    await link.use(PATIENT, () => answered)
    leaving.abort()
    expect(await left).toMatchObject({ failure: { kind: 'cancelled' } })
    expect(opened).toMatchObject([{ isClosed: false }])
    expect(await publishing(link, PATIENT, 20, never)).toMatchObject({ failure: { kind: 'timeout' } })
    expect(await publishing(link, PATIENT, 5000, answered)).toMatchObject({ response: 'said' })
    expect(opened).toMatchObject([{ isClosed: true }, { isClosed: false }])
  })

  test('is not opened any more once it is closed for good', async () => {
    const { link, opened } = broker()
    const waiting = link.use(PATIENT, () => answered)
    waiting.catch(() => undefined)
    await link.close()
    await expect(waiting).rejects.toThrow()
    expect(opened).toEqual([])
  })
})
