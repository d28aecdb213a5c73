import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { failureOf, get, type Names, startOutbound, startSink } from './world.ts'

/** One address of each range that is not public, and its edges where they are easily missed. */
const NOT_PUBLIC = [
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '100.64.0.1',
  '100.127.255.255',
  '127.0.0.1',
  '127.255.255.254',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.8',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.7',
  '203.0.113.9',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::7f00:1',
  '::ffff:127.0.0.1',
  '::ffff:a00:1',
  '64:ff9b::7f00:1',
  '64:ff9b::10.0.0.1',
  '64:ff9b:1::1',
  '100::1',
  '2001::1',
  '2001:1ff::1',
  '2001:db8::1',
  '2002:7f00:1::',
  '3fff::1',
  '5f00::1',
  'fc00::1',
  'fd12:3456::1',
  'fe80::1',
  'febf::1',
  'fec0::1',
  'ff02::1',
]

const PUBLIC = [
  '1.1.1.1',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '128.0.0.1',
  '169.253.1.1',
  '172.15.255.255',
  '172.32.0.0',
  '192.0.1.1',
  '198.17.1.1',
  '198.20.0.0',
  '223.255.255.255',
  '2606:4700::1111',
  '2001:4860:4860::8888',
  '2001:200::1',
  '::ffff:1.1.1.1',
  '64:ff9b::101:101',
]

/** Other ways to write 127.0.0.1 and ::1 in a url. */
const SPELLINGS = [
  '0x7f.1',
  '0x7f000001',
  '2130706433',
  '017700000001',
  '0177.0.0.1',
  '127.1',
  '127.0.1',
  '127.0.0.1.',
  '0x7F.0x0.0x0.0x1',
  '①②⑦.0.0.1',
  '１２７．０．０．１',
  '127。0。0。1',
  '%31%32%37.0.0.1',
  '127.0.0.%31',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:7f00:1]',
  '[::ffff:127.0.0.1]',
  '[::FFFF:7F00:0001]',
  '[::127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'ⓛocalhost',
  'lo\u00adcalhost',
  'app.localhost',
]

const written = (address: string) => (address.includes(':') ? `[${address}]` : address)

describe('an address as it is written', () => {
  it.each(NOT_PUBLIC)('C2.3: %s is not public', async (address) => {
    const { judge, request } = await startOutbound()
    expect(judge(`https://${written(address)}/`)?.code).toBe('ADDRESS_REFUSED')
    expect(await failureOf(request(get(`https://${written(address)}/`)))).toBe('ADDRESS_REFUSED')
  })

  it.each(PUBLIC)('C2.3: %s is public', async (address) => {
    const { judge } = await startOutbound()
    expect(judge(`https://${written(address)}/`)).toBeUndefined()
  })

  it.each(SPELLINGS)('C2.2: %s is judged after the url was parsed', async (host) => {
    const { judge, request } = await startOutbound()
    const { port, connections } = await startSink()
    expect(judge(`http://${host}:${port}/`)?.code).toBe('ADDRESS_REFUSED')
    expect(await failureOf(request(get(`http://${host}:${port}/`)))).toBe('ADDRESS_REFUSED')
    expect(connections()).toBe(0)
  })

  it('C2.2: random spellings of addresses that are not public are all refused', async () => {
    const { judge } = await startOutbound()
    fc.assert(
      fc.property(fc.oneof(privateAddress, privateInside6), (host) => {
        expect(judge(`https://${host}/`)?.code, host).toBe('ADDRESS_REFUSED')
      }),
      { numRuns: 2_000 },
    )
  })

  it('C2.7: localhost is a literal', async () => {
    const { judge } = await startOutbound()
    expect(judge('https://localhost/')?.code).toBe('ADDRESS_REFUSED')
  })
})

describe('the addresses of a name', () => {
  it.each(NOT_PUBLIC)('C2.2: that leads to %s are refused, and nothing is connected to', async (address) => {
    const { judge, request } = await startOutbound([], new Map([['evil.example', [address]]]))
    expect(judge('https://evil.example/')).toBeUndefined()
    expect(await failureOf(request(get('https://evil.example/')))).toBe('ADDRESS_REFUSED')
  })

  it('C2.2: are refused all where one is not public', async () => {
    const { port, connections } = await startSink()
    const names: Names = new Map([['mixed.example', ['1.1.1.1', '127.0.0.1']]])
    const { request } = await startOutbound([], names)
    expect(await failureOf(request(get(`http://mixed.example:${port}/`)))).toBe('ADDRESS_REFUSED')
    expect(connections()).toBe(0)
  })

  it.each([['not an address'], ['127.0.0.1:80'], ['']])(
    'C2.2: are refused where one is %j',
    async (address) => {
      const { request } = await startOutbound([], new Map([['odd.example', [address]]]))
      expect(await failureOf(request(get('https://odd.example/')))).toBe('ADDRESS_REFUSED')
    },
  )

  it('C2.2: are looked up once for a connection, which goes to what was judged', async () => {
    const sink = await startSink()
    let asked = 0
    const names: Names = new Map([
      [
        'rebound.example',
        // Allowed when it is judged, and another one for whoever asks again.
        () => Promise.resolve([asked++ === 0 ? '127.0.0.1' : '127.0.0.2']),
      ],
    ])
    const { request } = await startOutbound([`127.0.0.1:${sink.port}`], names)
    await request(get(`http://rebound.example:${sink.port}/a`))
    expect(asked).toBe(1)
    expect(sink.visits).toMatchObject([{ url: '/a', headers: { host: `rebound.example:${sink.port}` } }])
  })

  it('C2.2: are judged anew for each connection', async () => {
    const sink = await startSink((_, response) => response.writeHead(200, { connection: 'close' }).end())
    const names: Names = new Map([['moving.example', ['127.0.0.1']]])
    const { request } = await startOutbound([`127.0.0.1:${sink.port}`], names)
    await request(get(`http://moving.example:${sink.port}/`))
    names.set('moving.example', ['169.254.169.254'])
    expect(await failureOf(request(get(`http://moving.example:${sink.port}/`)))).toBe('ADDRESS_REFUSED')
    expect(sink.visits).toHaveLength(1)
  })
})

const octet = fc.integer({ min: 0, max: 255 })
const version4 = fc
  .oneof(
    fc.tuple(fc.constantFrom(0, 10, 127), octet, octet, octet),
    fc.tuple(fc.constant(192), fc.constant(168), octet, octet),
    fc.tuple(fc.constant(169), fc.constant(254), octet, octet),
    fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), octet, octet),
    fc.tuple(fc.integer({ min: 224, max: 255 }), octet, octet, octet),
  )
  .map((octets) => octets as readonly number[])

const valueOf = (octets: readonly number[]) => octets.reduce((sum, one) => sum * 256 + one, 0)

/** A number as urls may have it: decimal, octal, or hexadecimal. */
const digits = (value: number) =>
  fc.constantFrom(
    String(value),
    `0${value.toString(8)}`,
    `0x${value.toString(16)}`,
    `0X00${value.toString(16).toUpperCase()}`,
  )

/** Some octets apart, and the rest in one number. */
const spelling = (octets: readonly number[]) =>
  fc.integer({ min: 0, max: 3 }).chain((apart) => {
    const parts = [...octets.slice(0, apart), valueOf(octets.slice(apart))]
    return fc.tuple(...parts.map(digits)).map((texts) => texts.join('.'))
  })

const disguised = (text: string) =>
  fc
    .array(fc.constantFrom('plain', 'percent', 'wide'), { minLength: text.length, maxLength: text.length })
    .map((kinds) => [...text].map((one, at) => disguise(one, kinds[at])).join(''))

function disguise(one: string, kind: string | undefined): string {
  if (kind === 'percent') return `%${one.charCodeAt(0).toString(16)}`
  if (kind === 'wide') return one === '.' ? '。' : String.fromCharCode(one.charCodeAt(0) + 0xfee0)
  return one
}

const privateAddress = version4
  .chain(spelling)
  .chain(disguised)
  .chain((text) => fc.constantFrom(text, `${text}.`))

const privateInside6 = fc
  .tuple(version4, fc.constantFrom('::ffff:', '64:ff9b::', '::'))
  .map(([octets, prefix]) => `[${prefix}${octets.join('.')}]`)
