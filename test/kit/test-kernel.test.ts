import { definePlugin } from '@svc/kernel'
import { describe, expect, it } from 'vitest'
import { failureOf } from './log.ts'
import { STORES } from './stores.ts'
import { useTestKernel } from './test-kernel.ts'

const broken = definePlugin({
  name: 'broken',
  phase: 'domain',
  setup({ actions, log }) {
    log.info({ parts: 2 }, 'broken.ready')
    actions.add({
      name: 'broken.break',
      access: ['*'],
      routes: ['GET /break'],
      handle: () => {
        throw new TypeError('the spring is gone')
      },
    })
  },
})

describe('the test kernel', () => {
  const server = useTestKernel({ store: STORES[0]!, plugins: [broken] })

  it('has what plugins logged, with their names', () => {
    expect(server().log).toContainEqual({
      level: 'info',
      event: 'broken.ready',
      fields: { plugin: 'broken', parts: 2 },
    })
  })

  it('knows what was thrown behind an answer of 500, and where', async () => {
    const { status, body, headers } = await server().request('GET', '/break')
    expect([status, JSON.stringify(body)]).toEqual([500, expect.not.stringContaining('spring')])
    const failure = failureOf(server().log, headers.get('x-request-id'))
    expect(failure).toMatchObject({ message: 'the spring is gone' })
    expect(failure instanceof Error && failure.stack).toContain('test-kernel.test.ts')
  })
})
