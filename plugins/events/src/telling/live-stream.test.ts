import { ANONYMOUS } from '@svc/kernel'
import { expect, it } from 'vitest'
import { BEGINNING } from '../contract.ts'
import { LiveStream } from './live-stream.ts'

const MUCH = 700_000

function streamOf() {
  let isOver = false
  const asked = { resources: ['Note'], actions: undefined, recordIds: undefined }
  const over = () => void (isOver = true)
  const stream = new LiveStream({ asked, caller: ANONYMOUS, credentials: undefined, place: BEGINNING, over })
  return { stream, reader: stream.body.getReader(), isOver: () => isOver }
}

it('9.7: cuts off who takes nothing of much that waits between two beats, and nobody else', async () => {
  const idle = streamOf()
  const slow = streamOf()
  for (const { stream } of [idle, slow]) stream.push(new Uint8Array(MUCH))
  for (let beat = 0; beat < 4; beat += 1) {
    for (const { stream } of [idle, slow]) stream.beat(Buffer.from(':'))
    await slow.reader.read()
  }
  expect([idle.isOver(), slow.isOver()]).toEqual([true, false])
})

it('9.6: gives its reader what waits in order, a part at a time', async () => {
  const { stream, reader } = streamOf()
  stream.push(Buffer.from('begin'))
  stream.push(new Uint8Array(MUCH))
  stream.push(Buffer.from('end'))
  expect([stream.isBusy, stream.isFull]).toEqual([true, false])
  const parts: Uint8Array[] = []
  const reading = (async () => {
    for (let bytes = 0; bytes < MUCH + 8; bytes += parts.at(-1)!.length)
      parts.push((await reader.read()).value!)
  })()
  await stream.drained()
  await reading
  const all = Buffer.concat(parts)
  expect([all.length, all.toString('utf8', 0, 5), all.toString('utf8', MUCH + 5)]).toEqual([
    MUCH + 8,
    'begin',
    'end',
  ])
  expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(MUCH / 2)
})
