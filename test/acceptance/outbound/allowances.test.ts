import { describe, expect, it } from 'vitest'
import { createKernel } from '@svc/kernel'
import { metrics } from '@svc/metrics'
import { outbound } from '@svc/outbound'
import { OutboundCapability } from '@svc/outbound/contract'
import { rest } from '@svc/rest'
import { HttpServerCapability } from '@svc/rest/contract'
import { onTestFinished } from 'vitest'
import { failureOf, get, type Names, startOutbound, startSink } from './world.ts'

const judged = async (url: string, ...allowed: readonly string[]) => {
  const { judge } = await startOutbound(allowed)
  return judge(url, { isConfidential: true })?.code
}

describe('allow_private', () => {
  it.each([
    ['an address', 'http://10.1.2.3/', '10.1.2.3'],
    ['an address with its port', 'http://10.1.2.3:81/', '10.1.2.3:81'],
    ['a range', 'http://10.1.2.3/', '10.0.0.0/8'],
    ['a range with a port', 'http://10.1.2.3:81/', '10.0.0.0/8:81'],
    ['an address of version 6', 'http://[fd00::1]/', 'fd00::1'],
    ['one with its port', 'http://[fd00::1]:81/', '[fd00::1]:81'],
    ['a range of version 6', 'http://[fd00::1]/', 'fd00::/8'],
    ['one with a port', 'http://[fd00::1]:81/', '[fd00::/8]:81'],
    ['another spelling', 'http://[::ffff:a01:203]/', '10.1.2.3'],
    ['a mapped range', 'http://10.1.2.3/', '::ffff:10.0.0.0/104'],
    ['a link-local address', 'http://169.254.169.254/', '169.254.169.254'],
    ['localhost', 'http://localhost/', 'localhost'],
    ['localhost by its addresses', 'http://localhost:81/', '127.0.0.0/8'],
  ])('C2.4: permits what %s names', async (_, url, entry) => {
    const entries = url.includes('localhost:81') ? [entry, '::1'] : [entry]
    expect(await judged(url, ...entries)).toBeUndefined()
  })

  it.each([
    ['another address', 'https://10.1.2.4/', '10.1.2.3'],
    ['another port', 'https://10.1.2.3:82/', '10.1.2.3:81'],
    ['the usual port', 'https://10.1.2.3/', '10.1.2.3:81'],
    ['what is beside a range', 'https://11.1.2.3/', '10.0.0.0/8'],
    ['the other version', 'https://[::1]/', '127.0.0.0/8'],
    ['one of two addresses of localhost', 'https://localhost/', '127.0.0.1'],
  ])('C2.4: does not permit %s', async (_, url, entry) => {
    const { judge } = await startOutbound([entry])
    expect(judge(url)?.code).toBe(url.startsWith('https://11.') ? undefined : 'ADDRESS_REFUSED')
  })

  const NAMES: Names = new Map([
    ['erp.example', ['127.0.0.1']],
    ['a.erp.example', ['127.0.0.1']],
    ['aerp.example', ['127.0.0.1']],
    ['linked.example', ['169.254.169.254']],
  ])

  it.each([
    ['erp.example', 'erp.example', 'answered'],
    ['ERP.Example.', 'erp.example', 'answered'],
    ['erp.example', 'a.erp.example', 'ADDRESS_REFUSED'],
    ['*.erp.example', 'a.erp.example', 'answered'],
    ['*.erp.example', 'erp.example', 'ADDRESS_REFUSED'],
    ['*.erp.example', 'aerp.example', 'ADDRESS_REFUSED'],
    ['erp.example:PORT', 'erp.example', 'answered'],
    ['erp.example:1', 'erp.example', 'ADDRESS_REFUSED'],
    ['127.0.0.0/8', 'erp.example', 'answered'],
    ['linked.example', 'linked.example', 'ADDRESS_REFUSED'],
  ])('C2.4: by %s a request to %s is %s', async (entry, host, outcome) => {
    const { port } = await startSink()
    const { request } = await startOutbound([entry.replace('PORT', String(port))], NAMES)
    expect(await failureOf(request(get(`http://${host}:${port}/`)))).toBe(outcome)
  })

  it.each([
    '',
    'a b',
    '10.0.0.0/33',
    'fd00::/129',
    'http://x',
    '*',
    '*.*.x',
    'x:0',
    'x:65536',
    '[::1',
    '1.2.3',
    '0x7f.1',
    'a/b',
    'ü:',
  ])('C2.4: ends the start with %j', (entry) => {
    const make = () => createKernel({ plugins: [outbound], config: { outbound: { allow_private: [entry] } } })
    expect(make).toThrow(/outbound.allow_private.*is neither a host/s)
  })

  it('C2.4: has another name', async () => {
    const kernel = createKernel({
      plugins: [outbound],
      config: { outbound: { allow_addresses: ['10.1.2.3'], allow_private: ['10.1.2.4'] } },
    })
    await kernel.start()
    onTestFinished(() => kernel.stop())
    const { judge } = kernel.get(OutboundCapability)
    expect(['10.1.2.3', '10.1.2.4', '10.1.2.5'].map((host) => judge(`http://${host}/`)?.code)).toEqual([
      undefined,
      undefined,
      'ADDRESS_REFUSED',
    ])
  })
})

describe('the server itself', () => {
  async function start(...allowed: readonly string[]) {
    const kernel = createKernel({
      plugins: [rest, metrics, outbound],
      config: { rest: { port: 0 }, metrics: { port: 0 }, outbound: { allow_private: allowed } },
    })
    await kernel.start()
    onTestFinished(() => kernel.stop())
    const [api, numbers] = [kernel.get(HttpServerCapability).port(), kernel.host.listening()]
    return { api, ports: numbers.map(({ port }) => port), ...kernel.get(OutboundCapability) }
  }

  it('C2.3: is not connected to, though its address is allowed', async () => {
    const { judge, ports, api } = await start('127.0.0.1', '::1', 'localhost')
    expect(ports).toContain(api)
    expect(ports).toHaveLength(2)
    for (const port of ports)
      for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]'])
        expect(judge(`http://${host}:${port}/`)?.code, host).toBe('ADDRESS_REFUSED')
    expect(judge('http://127.0.0.1:9/')).toBeUndefined()
  })

  it('C2.4: is connected to by an entry with its port', async () => {
    // Ranges of ports are not written, so a free one is found first.
    const { port } = await startSink()
    const kernel = createKernel({
      plugins: [outbound],
      config: { outbound: { allow_private: [`127.0.0.1:${port}`] } },
    })
    await kernel.start()
    onTestFinished(() => kernel.stop())
    expect(kernel.get(OutboundCapability).judge(`http://127.0.0.1:${port}/`)).toBeUndefined()
  })
})
