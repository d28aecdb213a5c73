import { performance } from 'node:perf_hooks'
import { cleanSvg } from '@svc/svg/contract'

const KB = 1024
const ROUNDS = 11

/** What may be spent on a picture as people draw them of 100 KB, and on a hostile one of 1,000 KB, in milliseconds. */
const DRAWN = { kb: 100, goalMs: 15 }
const HOSTILE = { kb: 1000, goalMs: 200 }

const picture = (inside: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">${inside}</svg>`
const filled = (part: string, length: number) => part.repeat(Math.floor(length / part.length))
/** As many elements as may be, however short. */
const elements = (part: string, length: number) => filled(part, Math.min(length, 49_000 * part.length))

const drawn = (length: number): Readonly<Record<string, string>> => ({
  'paths of an editor': picture(
    filled(
      '<path class="a" fill="url(#g)" stroke-width="1.5" d="M10.5 20.25c1.5,2 3 4 5 6l7 8 9-10.5h11v12H5z"/>\n',
      length,
    ),
  ),
  'one long path': picture(`<path d="${filled('M10.5 20.25c1.5,2 3 4 5 6z', length)}"/>`),
  'a style sheet': picture(
    `<style>${filled('.a>b:not(.c){fill:url(#g);stroke:rgb(1,2,3)}\n', length)}</style>`,
  ),
})

const hostile = (length: number): Readonly<Record<string, string>> => ({
  ...drawn(length),
  'empty elements': picture(elements('<g/>', length)),
  'elements to leave out': picture(elements('<script>alert(1)</script>', length)),
  namespaces: picture(elements('<g xmlns:a="urn:a" a:b="c"/>', length)),
  attributes: picture(
    filled(`<g ${Array.from({ length: 900 }, (_, at) => `a${at}=""`).join(' ')}/>`, length),
  ),
  'references to characters': picture(filled('&lt;&#10;', length)),
  comments: picture(filled('<!---->', length)),
  instructions: picture(filled('<?a?>', length)),
  'quotes in a style': picture(`<style>${filled(`"'`, length)}</style>`),
  'comments in a style': picture(`<style>${filled('/**/', length)}</style>`),
  'an address without an end': picture(`<style>a{b:url(${' '.repeat(length)}</style>`),
  'a name': picture(`<${'a'.repeat(length)}/>`),
  pixels: picture(`<image href="data:image/png;base64,${filled('A ', length)}"/>`),
  'a clock': picture(`<animate begin="${filled('0:0;', length)}x:"/>`),
  'a document type': `<!DOCTYPE svg "${filled('[', length)}"><svg/>`,
})

/** Cleans pictures and prints how long that takes, in the processor's own time too. */
export function measureSvg(): void {
  for (const [{ kb, goalMs }, make] of [[DRAWN, drawn] as const, [HOSTILE, hostile] as const]) {
    console.log(`svg of ${kb} KB (goal: under ${goalMs} ms)`)
    for (const [name, text] of Object.entries(make(kb * KB))) {
      const { wall, processor } = medianOf(() => cleanSvg(text, 4 * kb * KB))
      const verdict = processor < goalMs ? '' : ', MISSED'
      console.log(
        `  ${name.padEnd(28)} ${wall.toFixed(1)} ms, processor ${processor.toFixed(1)} ms${verdict}`,
      )
    }
  }
}

function medianOf(work: () => unknown): { readonly wall: number; readonly processor: number } {
  const seen = Array.from({ length: ROUNDS }, () => {
    const [began, used] = [performance.now(), process.cpuUsage()]
    work()
    const { user, system } = process.cpuUsage(used)
    return { wall: performance.now() - began, processor: (user + system) / 1000 }
  })
  const median = (key: 'wall' | 'processor') =>
    seen.map((one) => one[key]).toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)]!
  return { wall: median('wall'), processor: median('processor') }
}
