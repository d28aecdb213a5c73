import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { OPEN } from '../rules/desk.ts'

const STAR = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path d="M0 0h8v8z"/></svg>'
const REGULAR = '018f0000-0000-7000-8000-000000000001'

const site = (
  more: { blocks?: string; icons?: string; fonts?: string; fields?: string; history?: string } = {},
) => `
domain:
  name: site
  version: '1'
  blocks:
    heading: { label: { en: Heading, de: Titel }, icon: 'own:star', fields: { text: { type: string, required: true, maxLength: 20 } } }
    quote: { fields: { text: text, by: { type: string, default: nobody } } }
    columns: { fields: { left: { type: blocks, allow: [heading, columns] } } }
${more.blocks ?? ''}
  icons: ${more.icons ?? `{ own: { label: Ours, icons: { star: '${STAR}' } }, named: { url: 'https://icons.example/{name}.svg', icons: [a, b] }, open: { url: 'https://x.example/{name}' } }`}
  fonts: ${more.fonts ?? `{ Body: { regular: ${REGULAR}, url: 'https://fonts.example/body.css' } }`}
  enums:
    Kind: { values: { good: { icon: 'named:a' }, bad: { icon: 'elsewhere:anything' } } }
  resources:
    Page:
      icon: 'open:whatever'
      object:
        kind: { type: string, enum: Kind }
        body: { type: blocks, allow: [heading, columns] }
        any: blocks
${more.fields ?? ''}
      history: { events: { made: { on: create, label: Made, icon: '${more.history ?? 'own:star'}' } } }
      permissions: ${OPEN}
`

for (const store of STORES) {
  describe(`blocks, icons and fonts on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: site() })
    const submit = async (content: string) => {
      const { admin: token, request } = server()
      return request('POST', '/api/v1/domains', { token, body: { content } })
    }
    const problems = async (content: string) => {
      const { body } = await submit(content)
      return body.errors.map(({ path, message }: any) => `${path}: ${message}`)
    }
    const warnings = async (content: string) => {
      const { body } = await submit(content)
      return body.warnings.map(({ message }: any) => message.replace(/^line \d+, /, ''))
    }
    const page = (values: object) =>
      server().request('POST', '/api/v1/site/pages', { body: values, token: server().admin })
    const schema = async (language = 'en') =>
      (
        await server().request('GET', '/api/v1/domains/site/schema', {
          token: server().admin,
          headers: { 'accept-language': language },
        })
      ).body.data

    it('C5.1: allow admits those blocks alone, inside of blocks too; another is rule enum', async () => {
      const heading = { type: 'heading', data: { text: 'One' } }
      const quote = { type: 'quote', data: { text: 'Two' } }
      expect((await page({ body: [heading], any: [quote] })).status).toBe(201)
      const refused = await page({
        body: [heading, quote],
        any: [{ type: 'columns', data: { left: [quote] } }],
      })
      expect(refused.status).toBe(422)
      expect(refused.body.errors.map(({ field, rule }: any) => [field, rule])).toEqual([
        ['body.1.type', 'enum'],
        ['any.0.data.left.0.type', 'enum'],
      ])
      expect(refused.body.errors[0].message).toBe('must be one of heading, columns')
    })

    it('C5.1: an undeclared name is PARSE_ERROR, at its place', async () => {
      expect(
        await problems(site({ fields: '        more: { type: blocks, allow: [heading, qoute] }' })),
      ).toEqual([
        expect.stringMatching(/^domain\.resources\.Page\.object\.more\.allow\.1: .*'qoute'.*'quote'/),
      ])
      expect(await problems(site({ fields: '        more: { type: blocks, allow: [] }' }))).toHaveLength(1)
    })

    it('C5.1: the schema endpoint carries blocks, icons and fonts', async () => {
      const { blocks, icons, fonts, resources } = await schema('de')
      expect(blocks).toEqual({
        heading: {
          label: expect.stringMatching(/Heading|Titel/),
          icon: 'own:star',
          fields: { text: expect.objectContaining({ type: 'string', required: true, maxLength: 20 }) },
        },
        quote: {
          label: 'quote',
          fields: {
            text: expect.objectContaining({ type: 'text', required: false }),
            by: expect.objectContaining({ default: 'nobody' }),
          },
        },
        columns: {
          label: 'columns',
          fields: { left: expect.objectContaining({ allow: ['heading', 'columns'] }) },
        },
      })
      expect(resources.Page.fields.body).toMatchObject({ type: 'blocks', allow: ['heading', 'columns'] })
      expect(icons).toEqual({
        own: { label: 'Ours', icons: { star: expect.stringContaining('<path d="M0 0h8v8z"/>') } },
        named: { url: 'https://icons.example/{name}.svg', icons: ['a', 'b'] },
        open: { url: 'https://x.example/{name}' },
      })
      expect(fonts).toEqual({ Body: { regular: REGULAR, url: 'https://fonts.example/body.css' } })
    })

    it.each([
      [
        'of an enumeration',
        site({ icons: '{ named: { icons: [b] } }' }),
        'domain.enums.Kind.values.good.icon',
      ],
      [
        'of a block',
        site({ blocks: "    more: { icon: 'named:c', fields: { a: string } }" }),
        'domain.blocks.more.icon',
      ],
      ['of an event', site({ history: 'own:sta' }), 'domain.resources.Page.history.events.made.icon'],
    ])('C5.2: an icon %s that its set does not have is PARSE_ERROR', async (_, content, path) => {
      const found = await problems(content)
      expect(found).toEqual([expect.stringMatching(new RegExp(`^${path}: .*has no icon`))])
    })

    it('C5.2: the picture of an icon is cleaned as svg is; a fault is PARSE_ERROR', async () => {
      const bad = STAR.replace('<path', '<script>1</script><path')
      expect(
        await warnings(site({ icons: `{ own: { icons: { star: '${bad}' } }, named: { icons: [a] } }` })),
      ).toEqual([expect.stringMatching(/^domain\.icons\.own\.icons\.star: was cleaned of/)])
      expect(
        await problems(site({ icons: "{ own: { icons: { star: '<b>no</b>' } }, named: { icons: [a] } }" })),
      ).toEqual([expect.stringMatching(/^domain\.icons\.own\.icons\.star: /)])
    })

    it('C5.2, C5.3: what has another shape is published as it is written, with a warning', async () => {
      const icons = "{ own: { url: 'http://x.example/{name}' }, named: { folder: 7 } }"
      const content = site({ icons, fonts: '{ Body: { regular: here }, Mono: [1] }' })
      expect(await warnings(content)).toEqual([
        expect.stringMatching(/^domain\.icons\.own: /),
        expect.stringMatching(/^domain\.icons\.named: /),
        expect.stringMatching(/^domain\.fonts\.Body: /),
        expect.stringMatching(/^domain\.fonts\.Mono: /),
      ])
      await server().submit(content)
      const told = await schema()
      expect(told.icons).toEqual({ own: { url: 'http://x.example/{name}' }, named: { folder: 7 } })
      expect(told.fonts).toEqual({ Body: { regular: 'here' }, Mono: [1] })
    })
  })
}
