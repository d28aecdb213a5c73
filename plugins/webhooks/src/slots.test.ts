import { expect, it } from 'vitest'
import { type Free, Slots } from './slots.ts'

/** As many places as there are. */
function takeAll(slots: Slots, endpoint: string, isFailing = false): readonly Free[] {
  const taken: Free[] = []
  for (;;) {
    const free = slots.take(endpoint, isFailing)
    if (typeof free === 'number') return taken
    taken.push(free)
  }
}

it('9.4: an endpoint that has not answered yet has few places, and more with each answer', () => {
  const slots = new Slots()
  const first = takeAll(slots, 'a')
  expect(first).toHaveLength(3)
  for (const free of first) free(true)
  const more = takeAll(slots, 'a')
  expect(more).toHaveLength(6)
  for (const free of more) free(true)
  // It has as many as it needs, and no more.
  expect(takeAll(slots, 'a')).toHaveLength(8)
  expect(takeAll(slots, 'b')).toHaveLength(3)
})

it('9.4: an endpoint that stops answering has few places again, and one while it fails', () => {
  const slots = new Slots()
  for (let round = 0; round < 3; round += 1) for (const free of takeAll(slots, 'a')) free(true)
  const [last, ...others] = takeAll(slots, 'a')
  for (const free of others) free(true)
  last?.(false)
  expect(takeAll(slots, 'a')).toHaveLength(3)
  expect(takeAll(slots, 'b', true)).toHaveLength(1)
})

it('9.4: whoever finds no place comes back later than whoever found none before', () => {
  const slots = new Slots()
  takeAll(slots, 'a', true)
  const waits = [slots.take('a', true), slots.take('a', true)]
  expect(waits.map((wait) => typeof wait)).toEqual(['number', 'number'])
  expect(Number(waits[1])).toBeGreaterThan(Number(waits[0]))
})
