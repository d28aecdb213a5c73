import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fontFamily } from './font.ts'
import { renderPdf } from './formats/pdf/pdf.ts'
import { settle } from './formats/settle.ts'
import { filled, SETTINGS } from './render.testkit.ts'

const folder = join(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'), '../standard_fonts')
const font = readFileSync(join(folder, 'LiberationSans-Regular.ttf'))
const other = readFileSync(join(folder, 'FoxitSerif.pfb'))

describe('C5.3: fonts', () => {
  it('say their family; what is no font says none, and never throws', () => {
    expect(fontFamily(font)).toBe('Liberation Sans')
    expect(fontFamily(other)).toBeUndefined()
    for (const end of [0, 3, 11, 40, 300]) expect(fontFamily(font.subarray(0, end))).toBeUndefined()
    fc.assert(
      fc.property(fc.nat(2000), fc.nat(255), (at, byte) => {
        const broken = Uint8Array.from(font)
        broken[at] = byte
        expect(['string', 'undefined']).toContain(typeof fontFamily(broken))
      }),
      { numRuns: 20 },
    )
  })

  it('that are given set a pdf, and what they lack is set by the built-in one', async () => {
    const { document } = await filled('Łódź Москва €', {}, { format: 'pdf' })
    const fontsIn = async (family: string, regular: Uint8Array) => {
      const layout = { ...SETTINGS.layout, font: { family, regular } }
      const bytes = await renderPdf(settle(document), { ...SETTINGS, layout })
      return [
        ...Buffer.from(bytes)
          .toString('latin1')
          .matchAll(/\/BaseFont\s*\/([\w+-]+)/g),
      ].map(([, name = '']) => name.replace(/^\w+\+/, ''))
    }
    expect(await fontsIn('Liberation Sans', font)).toContain('LiberationSans')
    expect(await fontsIn('Liberation Sans', Buffer.from('no font'))).toEqual(
      expect.arrayContaining([expect.stringContaining('Libertinus')]),
    )
  })
})
