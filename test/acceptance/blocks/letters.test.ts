import type { DomainBlock } from '@svc/domain/contract'
import { formatsOf } from '@svc/expression/contract'
import {
  compileBody,
  composeDocument,
  FORMAT_FACTS,
  PLAIN_LAYOUT,
  RenderCapability,
} from '@svc/render/contract'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { owning } from './plugin.ts'

const Letter = z.strictObject({ body: z.string() })

/** A key whose text is the body of a document over records of Item. */
const letter: DomainBlock<z.output<typeof Letter>> = {
  on: 'domain',
  key: 'letter',
  schema: Letter,
  compile(written, site) {
    if (written === undefined) return undefined
    const resource = site.model.resources.get('Item')!
    return { made: site.compiled(written.body, ['body'], { resource, moment: 'read' }, compileBody) }
  },
}

const definition = (body: string) => `
domain:
  name: desk
  version: '1'
  resources:
    Item: { object: { name: string, price: integer } }
  letter:
    body: |
${body.replaceAll(/^/gm, '      ')}
`

describe.each(STORES)('C6.1: a body on $name', (store) => {
  const server = useTestKernel({ store, plugins: [owning(letter)] })
  const submit = async (body: string) => {
    const answer = await server().request('POST', '/api/v1/domains', {
      token: server().admin,
      body: { content: definition(body) },
    })
    return answer
  }

  it('that is wrong refuses the definition, with its line and character', async () => {
    const { status, body } = await submit('# {nmae}\n\na {#if price > 1}\n\nb {/if}')
    expect([status, body.error_code]).toEqual([422, 'PARSE_ERROR'])
    expect(body.errors).toEqual([
      expect.objectContaining({
        path: 'domain.letter.body',
        message: expect.stringContaining('(line 1, character 4)'),
      }),
    ])
    const { body: strayed } = await submit('# {name}\n\na {#if price > 1}\n\nb {/if}')
    expect(strayed.errors[0].message).toMatch(/a block closes where it opened.*\(line 3, character 3\)/)
  })

  it('that leaves something out is told with a warning, and becomes a file', async () => {
    const { status, body } = await submit('# {name}\n\n<b>a</b>')
    expect(status).toBeLessThan(300)
    expect(body.warnings).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          message: expect.stringContaining('raw HTML is left out (line 3, character 1)'),
        }),
      ]),
    )
    const { document } = await composeDocument(
      { body: compileBody('# {name}', { fields: new Map([['name', 'text']]) }) },
      { record: { name: 'Łódź' }, now: () => 0 },
      { formats: formatsOf({ locale: 'en', timezone: 'UTC', currency: undefined }) },
      FORMAT_FACTS.pdf,
      async () => undefined,
    )
    const settings = { title: 'A', language: 'en', isRightToLeft: false, layout: PLAIN_LAYOUT }
    const bytes = await server().kernel.get(RenderCapability).render(document, 'pdf', settings)
    expect(Buffer.from(bytes.subarray(0, 5)).toString()).toBe('%PDF-')
  })
})
