import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { startTestKernel, type TestKernel } from '../../kit/test-kernel.ts'

const RESOURCES = { Part: { object: { sku: 'string' } } }

/** The first and the last address of every block that is not public. */
const NOT_PUBLIC = [
  '0.0.0.0',
  '0.255.255.255',
  '10.0.0.0',
  '10.255.255.255',
  '100.64.0.0',
  '100.127.255.255',
  '127.0.0.0',
  '127.255.255.255',
  '169.254.0.0',
  '169.254.255.255',
  '172.16.0.0',
  '172.31.255.255',
  '192.0.0.0',
  '192.0.0.255',
  '192.0.2.0',
  '192.0.2.255',
  '192.88.99.0',
  '192.88.99.255',
  '192.168.0.0',
  '192.168.255.255',
  '198.18.0.0',
  '198.19.255.255',
  '198.51.100.0',
  '198.51.100.255',
  '203.0.113.0',
  '203.0.113.255',
  '224.0.0.0',
  '255.255.255.255',
  '[::]',
  '[::ffff:ffff]',
  '[64:ff9b:1::]',
  '[64:ff9b:1:ffff:ffff:ffff:ffff:ffff]',
  '[100::]',
  '[100::ffff:ffff:ffff:ffff]',
  '[2001::]',
  '[2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff]',
  '[2001:db8::]',
  '[2001:db8:ffff:ffff:ffff:ffff:ffff:ffff]',
  '[2002::]',
  '[2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff]',
  '[3fff::]',
  '[3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff]',
  '[5f00::]',
  '[5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff]',
  '[fc00::]',
  '[fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]',
  '[fe80::]',
  '[febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff]',
  '[fec0::]',
  '[feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]',
  '[ff00::]',
  '[ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]',
]

/** The neighbours of these blocks, as far as they stand in no other one. */
const PUBLIC = [
  '1.0.0.0',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.0',
  '169.253.255.255',
  '169.255.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '191.255.255.255',
  '192.0.1.0',
  '192.0.1.255',
  '192.0.3.0',
  '192.88.98.255',
  '192.88.100.0',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '198.51.99.255',
  '198.51.101.0',
  '203.0.112.255',
  '203.0.114.0',
  '223.255.255.255',
  '[2001:200::]',
  '[2001:db7:ffff::]',
  '[2001:db9::]',
  '[2003::]',
  '[2620:fe::fe]',
]

/** Not public, in other spellings. */
const DISGUISED = [
  '0x7f.1',
  '0177.0.0.1',
  '2130706433',
  '0x7f000001',
  '127.1',
  '①②⑦.0.0.1',
  '127.0.0.1.',
  '１２７.0.0.1',
  'localhost',
  'localhost.',
  'LOCALHOST',
  'a.localhost',
  '[::ffff:7f00:1]',
  '[::ffff:127.0.0.1]',
  '[::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b::10.0.0.1]',
  '[::ffff:169.254.169.254]',
  '0xa9fea9fe',
  '[0:0:0:0:0:0:0:1]',
  '127.0.0.1:65535',
  '%31%32%37.0.0.1',
]

describe.each(STORES)('where integrations may go on $name', (store) => {
  let server: TestKernel
  beforeAll(async () => {
    server = await startTestKernel({ store })
  })
  afterAll(() => server.stop())

  /** Which of these hosts a definition may not name, and how it is answered. */
  async function judged(hosts: readonly string[]) {
    const integrations = Object.fromEntries(
      hosts.map((host, at) => [`to${at}`, { type: 'rest', baseUrl: `https://${host}/v2` }]),
    )
    const { status, body } = await server.request('POST', '/api/v1/domains', {
      token: server.admin,
      body: {
        content: JSON.stringify({
          domain: { name: 'shop', version: '1', resources: RESOURCES, integrations },
        }),
      },
    })
    return { status, code: body.error_code, refused: hosts.filter((_, at) => told(body, at)) }
  }
  const told = (body: { readonly errors?: readonly unknown[] }, at: number) =>
    JSON.stringify(body.errors ?? []).includes(`integrations.to${at}.baseUrl`)

  it('2.3: every block that is not public is refused at submit, from its first address to its last', async () => {
    for (const hosts of parts(NOT_PUBLIC))
      expect(await judged(hosts)).toEqual({ status: 422, code: 'PARSE_ERROR', refused: hosts })
  })

  it('2.3: what lies beside these blocks is public', async () => {
    expect(await judged(PUBLIC)).toEqual({ status: 201, code: undefined, refused: [] })
  })

  it('2.2: an address is what its url says once it is parsed, however it is spelled', async () => {
    for (const hosts of parts(DISGUISED))
      expect(await judged(hosts)).toEqual({ status: 422, code: 'PARSE_ERROR', refused: hosts })
  })
})

/** So many faults as one answer tells. */
const parts = (hosts: readonly string[], size = 10): readonly (readonly string[])[] =>
  Array.from({ length: Math.ceil(hosts.length / size) }, (_, at) => hosts.slice(at * size, (at + 1) * size))
