import { silentLogger } from '@svc/kernel'
import { expect, it } from 'vitest'
import { createBackground } from './background.ts'

it('lets no client use up what all have', async () => {
  const background = createBackground(silentLogger)
  let end = () => {}
  const held = new Promise<void>((resolve) => (end = resolve))
  const start = (client: string) => background.start('test.failed', client, () => held)
  const flood = Array.from({ length: 200 }, () => start('flood'))
  expect(flood.filter((isStarted) => isStarted)).toHaveLength(90)
  expect(start('somebody')).toBe(true)
  const crowd = Array.from({ length: 100 }, (_, at) => start(`one of many ${at}`))
  expect(crowd.filter((isStarted) => isStarted)).toHaveLength(9)
  end()
  await background.settled()
  expect(start('flood')).toBe(true)
})
