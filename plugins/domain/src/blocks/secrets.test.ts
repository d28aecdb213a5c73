import { createRedaction, REDACTED } from '@svc/kernel'
import { z } from 'zod'
import { describe, expect, it } from 'vitest'
import type { DomainBlock } from '../contract/block.ts'
import type { Site } from '../contract/site.ts'
import { DefinitionError } from '../definition/problem.ts'
import { createLanguage, describedModel, readModel } from '../lifecycle/read-model.ts'
import type { Secret } from '../model/definition-variables.ts'

const RESOURCES = { Thing: { object: { id: 'uuid' } } }
const VALUES: Readonly<Record<string, string>> = { KEY: 'a-very-secret-key', HOST: 'example.org', EMPTY: '' }

/** A definition with a hook, whose key `secret` is one. */
async function read(hook: Readonly<Record<string, unknown>>) {
  const met: { site: Site; secret: Secret | undefined }[] = []
  const block: DomainBlock<Record<string, unknown>> = {
    on: 'domain',
    key: 'hook',
    schema: z.record(z.string(), z.json()),
    compile(written, site) {
      if (written !== undefined) met.push({ site, secret: site.secret(['secret']) })
      return undefined
    },
  }
  const redaction = createRedaction()
  const language = createLanguage({ blocks: [block], redaction })
  const text = JSON.stringify({ domain: { name: 'shop', version: '1', hook, resources: RESOURCES } })
  const model = await readModel({ text }, language, (name) => VALUES[name])
  return { ...met[0]!, read: model, language, redaction, met }
}

const problemsOf = async (hook: Readonly<Record<string, unknown>>) => {
  const error: unknown = await read(hook).catch((thrown: unknown) => thrown)
  if (!(error instanceof DefinitionError)) return []
  return error.problems.map(({ path, message }) => [path.join('.'), message])
}

describe('a secret of a definition', () => {
  it('is one variable', async () => {
    const { secret } = await read({ secret: '${KEY}' })
    expect(secret).toMatchObject({ reference: '${KEY}', variable: 'KEY', isConfigured: true })
    expect(secret?.reveal()).toBe(VALUES['KEY'])
  })

  it.each(['written out', 'Bearer ${KEY}', '${KEY} ', '${KEY}${KEY}', '', 7, ['${KEY}']])(
    'is a mistake as %j',
    async (secret) => {
      expect(await problemsOf({ secret })).toEqual([
        ['domain.hook.secret', 'is a secret, and has to be one variable and nothing else'],
      ])
    },
  )

  it('may be left out', async () => {
    expect((await read({})).secret).toBeUndefined()
  })

  it.each(['${UNSET:fallback}', '${UNSET:}', '${EMPTY}', '${EMPTY:fallback}'])(
    'is not configured as %s, which the answer warns of',
    async (written) => {
      const { secret, read: model } = await read({ secret: written })
      expect(secret?.isConfigured).toBe(false)
      expect(secret?.reveal()).toBeUndefined()
      expect(model.warnings).toMatchObject([{ path: ['domain', 'hook', 'secret'] }])
    },
  )

  it('is shown as what it is by nobody who writes it down', async () => {
    const { secret, redaction } = await read({ secret: '${KEY}' })
    expect(JSON.stringify({ secret })).toBe(`{"secret":"${REDACTED}"}`)
    expect(redaction.text(`with ${VALUES['KEY']}`)).toBe(`with ${REDACTED}`)
  })

  it('has no value in the model that documents are made of', async () => {
    const { read: model, language, met } = await read({ secret: '${KEY}' })
    describedModel(model, language)
    expect(met.map(({ secret }) => secret?.reveal())).toEqual([VALUES['KEY'], undefined])
  })
})

describe('what is written', () => {
  it('is kept with its variables, and filled when it is used', async () => {
    const { site } = await read({ url: 'https://${HOST}/${UNSET:in}', to: ['${KEY}'] })
    expect(site.written(['url'])).toBe('https://${HOST}/${UNSET:in}')
    expect(site.model.variables.fill(String(site.written(['url'])))).toBe('https://example.org/in')
    expect(site.model.variables.fill('${UNSET}')).toBeUndefined()
    expect(JSON.stringify(site.written([]))).toContain('"${KEY}"')
  })

  it('hides what its variables hold, on demand', async () => {
    const { site, redaction } = await read({ headers: { authorization: 'Bearer ${KEY}' } })
    expect(redaction.text(VALUES['KEY']!)).toBe(VALUES['KEY'])
    site.hide(['headers'])
    expect(redaction.text(VALUES['KEY']!)).toBe(REDACTED)
  })

  it('is read apart from its definition as it was written', async () => {
    const { site } = await read({})
    const apart = site.apart({ url: '${HOST}', secret: '${KEY}', other: ['${UNSET}'], open: 'x' })
    expect(apart.filled).toMatchObject({ url: 'example.org', open: 'x' })
    expect(apart.secret(['secret'])?.reveal()).toBe(VALUES['KEY'])
    expect(apart.secret(['open'])).toBeUndefined()
    expect(apart.problems.map(({ path }) => path.join('.'))).toEqual(['other.0', 'open'])
  })
})
