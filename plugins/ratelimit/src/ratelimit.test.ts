import { type Action, type Config, createKernel, type Inbound, systemEnvironment } from '@svc/kernel'
import { describe, expect, it, onTestFinished } from 'vitest'
import { FailureLimitCapability } from './contract.ts'
import { ratelimit } from './index.ts'

const action: Action = { name: 'a', access: ['*'], handle: () => 'done' }

/** A kernel with this plugin on a clock that stands still until it is moved. */
async function start(rate_limit: Config = {}) {
  const clock = { now: Date.UTC(2026, 0, 1) }
  const env = { ...systemEnvironment, now: () => clock.now }
  const kernel = createKernel({ plugins: [ratelimit], config: { rate_limit }, env })
  await kernel.start()
  onTestFinished(() => kernel.stop())
  const inbound = (remote: string): Inbound => ({
    id: 'r',
    transport: 'test',
    remote,
    params: {},
    query: {},
    meta: () => undefined,
    signal: new AbortController().signal,
  })
  const call = (remote = '192.0.2.1') => kernel.pipeline.run(action, inbound(remote))
  const statuses = async (count: number, remote?: string) => {
    const found: number[] = []
    for (let i = 0; i < count; i++) found.push((await call(remote)).status)
    return found
  }
  const passed = async (count: number, remote?: string) =>
    (await statuses(count, remote)).filter((status) => status === 200).length
  return { clock, call, passed, failures: kernel.get(FailureLimitCapability) }
}

describe('requests', () => {
  it('pass exactly as many as the window has, and the next is 429 with Retry-After', async () => {
    const { call, passed } = await start({ max_requests: 7 })
    expect(await passed(7)).toBe(7)
    const { status, headers, body } = await call()
    expect(status).toBe(429)
    expect(headers).toEqual({
      'RateLimit-Limit': '7',
      'RateLimit-Remaining': '0',
      'RateLimit-Reset': '60',
      'Retry-After': '60',
    })
    expect(JSON.parse(String(body))).toMatchObject({ status: 'error', code: 429, error_code: 'RATE_LIMITED' })
  })

  it('have 6000 in 60 seconds unless configured', async () => {
    const { passed } = await start()
    expect(await passed(6_100)).toBe(6_000)
  })

  it('tell what is left with every answer', async () => {
    const { call, clock } = await start({ max_requests: 3, window_seconds: 10 })
    expect((await call()).headers).toMatchObject({ 'RateLimit-Remaining': '2', 'RateLimit-Reset': '10' })
    clock.now += 3_500
    expect((await call()).headers).toMatchObject({ 'RateLimit-Remaining': '1', 'RateLimit-Reset': '7' })
  })

  it('pass again after the time that Retry-After names, and not before', async () => {
    const { call, clock, passed } = await start({ max_requests: 5, window_seconds: 10 })
    await passed(3)
    clock.now += 4_000
    await passed(2)
    expect((await call()).headers['Retry-After']).toBe('6')
    clock.now += 5_999
    expect((await call()).status).toBe(429)
    clock.now += 1
    expect(await passed(10)).toBe(3)
  })

  it('cannot double at the border of two windows', async () => {
    const { clock, passed } = await start({ max_requests: 100, window_seconds: 10 })
    await passed(1)
    clock.now += 9_000
    expect(await passed(200)).toBe(99)
    clock.now += 1_500
    expect(await passed(200)).toBe(1)
  })

  it('are not counted while they are refused', async () => {
    const { clock, passed } = await start({ max_requests: 2, window_seconds: 10 })
    await passed(50)
    clock.now += 10_000
    expect(await passed(50)).toBe(2)
  })

  it('begin with a full window after silence', async () => {
    const { clock, passed } = await start({ max_requests: 2, window_seconds: 1 })
    await passed(2)
    clock.now += 3_600_123
    expect(await passed(3)).toBe(2)
    clock.now += 999
    expect(await passed(1)).toBe(0)
    clock.now += 1
    expect(await passed(3)).toBe(2)
  })

  it('are not blocked for longer when the clock is set back', async () => {
    const { clock, passed } = await start({ max_requests: 2, window_seconds: 10 })
    await passed(2)
    clock.now -= 3_600_000
    expect(await passed(1)).toBe(0)
    clock.now += 10_000
    expect(await passed(3)).toBe(2)
  })

  it('all pass, without headers, when the limit is switched off', async () => {
    const { call, passed } = await start({ enabled: false, max_requests: 1 })
    expect(await passed(10)).toBe(10)
    expect((await call()).headers).toEqual({})
  })
})

describe('a client', () => {
  it.each([
    ['its IPv4 address', '192.0.2.1', '192.0.2.2', false],
    ['the same IPv4 address written as IPv6', '192.0.2.1', '::ffff:192.0.2.1', true],
    ['the same, in hexadecimal', '192.0.2.1', '::FFFF:c000:0201', true],
    ['another IPv4 address written as IPv6', '::ffff:192.0.2.1', '::ffff:192.0.2.2', false],
    ['its /64 network of IPv6', '2001:db8:1:2::1', '2001:0DB8:1:2:ffff:ffff:ffff:ffff', true],
    ['another /64 network', '2001:db8:1:2::1', '2001:db8:1:3::1', false],
    ['a network whose zeros are left out in another place', '2001:db8::1', '2001:db8:0:0:5::', true],
    ['a link-local address on any interface', 'fe80::1%eth0', 'fe80::2%eth1', true],
    ['loopback, which is no mapped address', '::1', '0.0.0.1', false],
    ['whatever is no address, together', '', 'x'.repeat(10_000), true],
  ])('is %s', async (_, one, other, isSame) => {
    const { passed } = await start({ max_requests: 1 })
    await passed(1, one)
    expect(await passed(1, other)).toBe(isSame ? 0 : 1)
  })

  it('that was silent for longest is forgotten when there are too many', async () => {
    const { passed } = await start({ max_requests: 1 })
    await passed(1, '192.0.2.1')
    await passed(1, '192.0.2.2')
    await passed(1, '192.0.2.1')
    for (let i = 0; i < 49_999; i++) await passed(1, `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`)
    expect(await passed(1, '192.0.2.1')).toBe(0)
    expect(await passed(1, '192.0.2.2')).toBe(1)
  })
})

describe('failures', () => {
  it('block a key once there are too many, alone, until the oldest are 900 seconds old', async () => {
    const { failures, clock } = await start()
    for (let i = 0; i < 9; i++) failures.failed('ann|192.0.2.1')
    expect(failures.blocked('ann|192.0.2.1')).toBe(0)
    failures.failed('ann|192.0.2.1')
    expect(failures.blocked('ann|192.0.2.1')).toBe(900)
    expect(failures.blocked('bob|192.0.2.1')).toBe(0)
    clock.now += 899_001
    expect(failures.blocked('ann|192.0.2.1')).toBe(1)
    clock.now += 999
    expect(failures.blocked('ann|192.0.2.1')).toBe(0)
  })

  it('are forgotten when they are cleared', async () => {
    const { failures } = await start({ login_failures: 1 })
    failures.failed('ann')
    expect(failures.blocked('ann')).toBeGreaterThan(0)
    failures.cleared('ann')
    expect(failures.blocked('ann')).toBe(0)
  })

  it('count past the limit, so that tries side by side block for longer', async () => {
    const { failures, clock } = await start({ login_failures: 2 })
    failures.failed('ann')
    clock.now += 270_000
    for (let i = 0; i < 5; i++) failures.failed('ann')
    clock.now += 630_000
    expect(failures.blocked('ann')).toBe(270)
  })

  it('keep keys of any length apart', async () => {
    const { failures } = await start({ login_failures: 1 })
    failures.failed(`${'x'.repeat(100_000)}1`)
    expect(failures.blocked(`${'x'.repeat(100_000)}1`)).toBe(900)
    expect(failures.blocked(`${'x'.repeat(100_000)}2`)).toBe(0)
  })

  it('never block when the limit is switched off', async () => {
    const { failures } = await start({ enabled: false, login_failures: 1 })
    failures.failed('ann')
    expect(failures.blocked('ann')).toBe(0)
  })
})

describe('configuration', () => {
  it.each([{ window_seconds: 0 }, { max_requests: 1.5 }, { login_failures: -1 }, { max_request: 5 }])(
    'refuses %j',
    (rate_limit) => {
      expect(() => createKernel({ plugins: [ratelimit], config: { rate_limit } })).toThrow(/rate_limit/)
    },
  )
})
