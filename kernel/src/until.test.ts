import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { until } from './until.ts'

async function* numbers(ended: () => void = () => undefined, pauseMs = 0) {
  try {
    for (let number = 0; ; number += 1) {
      yield number
      await delay(pauseMs)
    }
  } finally {
    ended()
  }
}

async function taken<T>(source: AsyncIterable<T>, heard: (one: T) => void = () => undefined): Promise<T[]> {
  const all: T[] = []
  for await (const one of source) {
    all.push(one)
    heard(one)
  }
  return all
}

describe('until', () => {
  it('yields all of a source that ends by itself', async () => {
    const source = async function* () {
      yield* [1, 2]
    }
    expect(await taken(until([new AbortController().signal], source()))).toEqual([1, 2])
  })

  it('ends where a signal is aborted while the source is silent, and ends the source', async () => {
    const [first, second] = [new AbortController(), new AbortController()]
    let hasEnded = false
    const source = numbers(() => (hasEnded = true), 50)
    setTimeout(() => second.abort(), 10)
    expect(await taken(until([first.signal, second.signal], source))).toEqual([0])
    await expect.poll(() => hasEnded).toBe(true)
  })

  it('begins nothing where a signal was aborted before', async () => {
    expect(await taken(until([AbortSignal.abort()], numbers()))).toEqual([])
  })

  it('fails as its source does', async () => {
    const source = async function* () {
      yield 1
      throw new Error('no more')
    }
    await expect(taken(until([new AbortController().signal], source()))).rejects.toThrow('no more')
  })

  it('leaves nothing behind on a signal', async () => {
    const listening = new Set<unknown>()
    const { signal } = new AbortController()
    const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)]
    signal.addEventListener = (type: string, listener: () => void) => {
      listening.add(listener)
      add(type, listener)
    }
    signal.removeEventListener = (type: string, listener: () => void) => {
      listening.delete(listener)
      remove(type, listener)
    }
    for await (const number of until([signal], numbers())) if (number === 3) break
    expect(listening.size).toBe(0)
  })
})
