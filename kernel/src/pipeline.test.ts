import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Action, type Call, defineAction } from './action.ts'
import { bytesOf, type SentBody } from './body.ts'
import { ANONYMOUS, type Caller, CallerChanged } from './caller.ts'
import { SYSTEM } from './caller.ts'
import { AppError, errors } from './errors.ts'
import type { Step } from './exchange.ts'
import type { Inbound } from './inbound.ts'
import { createKernel } from './kernel.ts'
import { silentLogger } from './log.ts'
import { definePlugin } from './plugin.ts'
import type { Slot } from './pipeline.ts'
import { type Answer, JsonText, Reply } from './reply.ts'

const action = (more: Partial<Action> = {}): Action =>
  defineAction({ name: 'svc.test.act', access: ['*'], handle: () => ({ done: true }), ...more })

const inbound = (more: Partial<Inbound> = {}): Inbound => ({
  id: 'r1',
  transport: 'test',
  remote: '127.0.0.1',
  params: {},
  query: {},
  meta: () => undefined,
  signal: new AbortController().signal,
  ...more,
})

async function send(
  one: Action,
  request = inbound(),
  slots: Partial<Record<Slot, Step>> = {},
  environment: 'production' | 'development' = 'production',
) {
  const filler = definePlugin({
    name: 'filler',
    phase: 'auth',
    setup(ctx) {
      for (const [slot, step] of Object.entries(slots)) ctx.pipeline.fill(slot as Slot, step)
    },
  })
  const kernel = createKernel({ plugins: [filler], environment })
  await kernel.start()
  const answer = await kernel.pipeline.run(one, request)
  await kernel.stop()
  return answer
}

const json = (answer: Answer): Record<string, unknown> => JSON.parse(String(answer.body))

describe('the pipeline', () => {
  it('takes the steps in their order and answers in the envelope', async () => {
    const seen: string[] = []
    const note =
      (name: string): Step =>
      () =>
        void seen.push(name)
    const handle = () => {
      seen.push('handle')
      return 1
    }
    const read = () => {
      seen.push('read')
      return {}
    }
    const enabled = () => {
      seen.push('enabled')
      return true
    }
    const slots = {
      audit: note('audit'),
      authorize: note('authorize'),
      authenticate: note('authenticate'),
      rateLimit: note('rateLimit'),
    }
    const answer = await send(action({ handle, enabled }), inbound({ read }), slots)
    expect(seen).toEqual(['rateLimit', 'read', 'enabled', 'authenticate', 'authorize', 'audit', 'handle'])
    expect(json(answer)).toEqual({ status: 'ok', code: 200, data: 1 })
  })

  describe('with an action that says faults in words of its own', () => {
    const localize: Action['localize'] = (faults, { meta }) => ({
      errors: faults.map(({ field, rule, params }) => ({
        field,
        rule,
        message: `${meta('to')} ${params?.['name']}`,
      })),
      meta: { locale: 'de' },
    })
    const request = inbound({ read: () => ({ a: { constructor: 1 } }), meta: (name) => name })

    it('asks it about what no input may hold', async () => {
      expect(json(await send(action({ localize }), request))).toMatchObject({
        error_code: 'VALIDATION_ERROR',
        errors: [{ field: 'a.constructor', rule: 'unknown', message: 'to constructor' }],
        _meta: { locale: 'de' },
      })
    })

    it('leaves what is said already alone', async () => {
      const said = [{ field: 'a', rule: 'min', message: 'said' }]
      const handle = () => {
        throw errors.VALIDATION_ERROR({ errors: said })
      }
      expect(json(await send(action({ localize, handle }), inbound()))['errors']).toEqual(said)
    })

    it('answers 500 where that fails', async () => {
      const failing = () => {
        throw new Error('no words')
      }
      expect((await send(action({ localize: failing }), request)).status).toBe(500)
    })
  })

  it('stops at the first step that refuses', async () => {
    const seen: string[] = []
    const slots: Partial<Record<Slot, Step>> = {
      authorize: () => {
        throw errors.FORBIDDEN()
      },
      audit: () => void seen.push('audit'),
    }
    const answer = await send(action(), inbound(), slots)
    expect(answer.status).toBe(403)
    expect(json(answer)).toEqual({
      status: 'error',
      code: 403,
      error_code: 'FORBIDDEN',
      error_message: 'You may not do this',
    })
    expect(seen).toEqual([])
  })

  it.each([[['authenticated']], [['admin']], [[]], ['record' as const]])(
    'lets nobody in to %j while nothing authorizes',
    async (access) => {
      expect((await send(action({ access }))).status).toBe(401)
    },
  )

  it('hides an action that is switched off', async () => {
    expect(json(await send(action({ enabled: () => false })))['error_code']).toBe('NOT_FOUND')
  })

  it('tells nothing of an error from inside but the request id', async () => {
    const fail = () => {
      throw new Error('secret: pg://user:pw@host')
    }
    const answer = await send(action({ handle: fail }))
    expect(answer.status).toBe(500)
    expect(String(answer.body)).not.toContain('secret')
    expect(json(answer)['error_message']).toContain('r1')
  })

  it('sends headers of the steps with errors too', async () => {
    const slots: Partial<Record<Slot, Step>> = {
      rateLimit: ({ headers }) => {
        headers['RateLimit-Limit'] = '5'
        throw errors.RATE_LIMITED({ headers: { 'Retry-After': '7' } })
      },
    }
    expect((await send(action(), inbound(), slots)).headers).toEqual({
      'RateLimit-Limit': '5',
      'Retry-After': '7',
    })
  })

  it.each([
    ['a body nested past 64 levels', JSON.parse('['.repeat(65) + ']'.repeat(65)), 422],
    ['a body of 64 levels', JSON.parse('['.repeat(64) + ']'.repeat(64)), 200],
    ['a __proto__ key', JSON.parse('{"a":{"__proto__":{"admin":true}}}'), 422],
    ['a constructor key', { constructor: 1 }, 422],
    ['a NUL in a text', { a: ['x\0'] }, 422],
    ['a lone surrogate', { a: '\ud800' }, 422],
    ['an emoji', { a: '😀' }, 200],
  ])('answers %s with its code', async (_, body, status) => {
    expect((await send(action(), inbound({ read: () => body }))).status).toBe(status)
  })

  it('refuses a NUL in the query', async () => {
    expect(json(await send(action(), inbound({ query: { a: '\0' } })))['error_code']).toBe('INVALID_QUERY')
  })

  it('reports every fault of an input together', async () => {
    const input = z.strictObject({ name: z.string(), age: z.number().min(1), mail: z.email() })
    const answer = await send(action({ input }), inbound({ read: () => ({ age: 0, mail: 'x', extra: 1 }) }))
    const faults = json(answer)['errors'] as { field: string; rule: string }[]
    expect(faults.map(({ field, rule }) => `${field} ${rule}`).sort()).toEqual([
      'age min',
      'extra unknown',
      'mail format',
      'name required',
    ])
  })

  it('answers at once where no step waits, refusals too, and later where one does', async () => {
    const kernel = createKernel({ plugins: [] })
    await kernel.start()
    const ask = (more: Partial<Action>, request = inbound()) =>
      kernel.pipeline.run(action({ access: ['*'], ...more }), request)
    const body = async () => ({})
    expect(ask({ handle: () => 1 })).toMatchObject({ status: 200 })
    expect(ask({ access: [] })).toMatchObject({ status: 401 })
    expect(
      ask({
        handle: () => {
          throw errors.NOT_FOUND()
        },
      }),
    ).toMatchObject({ status: 404 })
    expect(ask({ handle: async () => 1 })).toBeInstanceOf(Promise)
    const late = ask({ handle: () => 1 }, inbound({ read: body }))
    expect(late).toBeInstanceOf(Promise)
    expect(await late).toMatchObject({ status: 200 })
    await kernel.stop()
  })

  it('[2.2] logs what is refused before it is put on record, and nothing that is', async () => {
    const lines: object[] = []
    const log = {
      ...silentLogger,
      info: (fields: object, event: string) => void lines.push({ event, ...fields }),
    }
    const ask = async (more: Partial<Action>, request = inbound(), step?: Step) => {
      const filler = definePlugin({
        name: 'filler',
        phase: 'auth',
        setup: ({ pipeline }) => step && pipeline.fill('authenticate', step),
      })
      const kernel = createKernel({ plugins: [filler], log: { ...log, child: () => log } })
      await kernel.start()
      await kernel.pipeline.run(action(more), request)
      await kernel.stop()
      return lines.splice(0).filter((line) => 'event' in line && line.event === 'request.refused')
    }
    const line = { event: 'request.refused', action: 'svc.test.act', remote: '127.0.0.1', requestId: 'r1' }
    const ann: Step = (exchange) => void (exchange.caller = { ...SYSTEM, username: 'ann' })
    const body = { username: 'bob', password: '\0secret' }
    const subject = () => 'bob'

    expect(await ask({ access: [] })).toEqual([{ ...line, code: 'UNAUTHORIZED' }])
    expect(await ask({ access: ['x'] }, inbound(), ann)).toEqual([
      { ...line, code: 'UNAUTHORIZED', username: 'ann' },
    ])
    expect(await ask({ enabled: () => false })).toEqual([{ ...line, code: 'NOT_FOUND' }])
    expect(await ask({ subject }, inbound({ read: () => body }))).toEqual([
      { ...line, code: 'VALIDATION_ERROR', username: 'bob' },
    ])
    const late = () => {
      throw errors.CONFLICT()
    }
    expect(await ask({ handle: late })).toEqual([])
    expect(await ask({})).toEqual([])
  })

  it('[2.1] reads the input of a change from the path and the body, and names what the query says', async () => {
    const echo = action({ routes: ['POST /x/:id'], handle: (input) => input })
    const ask = (body: object, prefer?: string) =>
      send(
        echo,
        inbound({ params: { id: 'p' }, query: { b: 'q', c: 'q' }, read: () => body, meta: () => prefer }),
      )
    const answer = json(await ask({ b: 'b' }))
    expect(answer['data']).toEqual({ id: 'p', b: 'b' })
    expect(answer['warnings']).toMatchObject([
      { rule: 'ignored', message: expect.stringContaining("'b'") },
      { rule: 'ignored', message: expect.stringContaining("'c'") },
    ])
    expect(json(await ask({ b: 'b' }, 'handling=strict'))['error_code']).toBe('INVALID_QUERY')
    expect(json(await ask({ id: 'b' }))['errors']).toMatchObject([{ field: 'id', rule: 'unknown' }])
  })

  it('reads the input of what only reads from the path and the query', async () => {
    const echo = action({ routes: ['GET /x/:id'], handle: (input) => input })
    const answer = json(await send(echo, inbound({ params: { id: 'p' }, query: { id: 'q', c: 'q' } })))
    expect([answer['data'], answer['warnings']]).toEqual([{ id: 'p', c: 'q' }, undefined])
  })

  describe('[2.5, 2.7] an action whose input is a query', () => {
    const input = z.strictObject({ id: z.uuid(), kind: z.enum(['a', 'b']), most: z.string().optional() })
    const one = action({ routes: ['GET /x/:id'], input, handle: (given) => given })
    const id = '018f2b7c-9a00-7c00-8000-000000000000'
    const ask = async (
      query: Record<string, string>,
      { path = id, prefer }: { path?: string; prefer?: string } = {},
    ) => json(await send(one, inbound({ params: { id: path }, query, meta: () => prefer })))

    it('refuses values that cannot be read, all at once, and what is missing', async () => {
      expect(await ask({ kind: 'c' })).toMatchObject({
        code: 400,
        error_code: 'INVALID_QUERY',
        error_message: expect.stringContaining("'kind': "),
      })
      expect(await ask({})).toMatchObject({
        error_code: 'INVALID_QUERY',
        error_message: "'kind' is required",
      })
    })

    it('names what a schema takes out without a word, and nothing that it lets through', async () => {
      const query = { kind: 'a', sort: 'x' }
      const told = async (schema: z.ZodType, prefer?: string) =>
        json(await send({ ...one, input: schema }, inbound({ params: { id }, query, meta: () => prefer })))
      const plain = z.object({ id: z.uuid(), kind: z.string() })
      expect(await told(plain)).toMatchObject({
        data: { id, kind: 'a' },
        warnings: [{ rule: 'ignored', message: expect.stringContaining("'sort'") }],
      })
      expect(await told(plain, 'handling=strict')).toMatchObject({ error_code: 'INVALID_QUERY' })
      expect(await told(plain.loose())).not.toHaveProperty('warnings')
    })

    it('names what it does not know, and refuses it where the client asks for that', async () => {
      expect(await ask({ kind: 'a', sort: 'x', id: 'y' })).toMatchObject({
        data: { id, kind: 'a' },
        warnings: [{ rule: 'ignored', message: expect.stringContaining("'sort'") }],
      })
      expect(await ask({ kind: 'a', sort: 'x' }, { prefer: 'handling=strict' })).toMatchObject({
        error_code: 'INVALID_QUERY',
      })
      expect(await ask({ kind: 'c', sort: 'x' })).toMatchObject({ error_code: 'INVALID_QUERY' })
    })

    it('says of the path what it says of a body', async () => {
      expect(await ask({ kind: 'a' }, { path: 'p' })).toMatchObject({
        error_code: 'VALIDATION_ERROR',
        errors: [{ field: 'id' }],
      })
    })
  })

  it('passes JSON text through as it is, and content without envelope', async () => {
    expect((await send(action({ handle: () => new Reply({ data: new JsonText('{"a":1}') }) }))).body).toBe(
      '{"status":"ok","code":200,"data":{"a":1}}',
    )
    const direct = await send(
      action({ handle: () => new Reply({ content: { type: 'text/csv', body: 'a' } }) }),
    )
    expect([direct.type, direct.body]).toEqual(['text/csv', 'a'])
    expect((await send(action({ handle: () => Reply.empty() }))).body).toBeUndefined()
  })

  it('checks answers against their schema in development alone', async () => {
    const wrong = action({ output: z.strictObject({ n: z.number() }), handle: () => ({ n: 'x' }) })
    expect(json(await send(wrong, inbound(), {}, 'development'))['error_code']).toBe(
      'RESPONSE_VALIDATION_FAILED',
    )
    expect((await send(wrong)).status).toBe(200)
  })

  describe('where a caller has changed meanwhile', () => {
    const user = (role: string): Caller => ({ ...ANONYMOUS, kind: 'user', roles: [role] })
    /** An action that meets callers who changed `times` times, and what the steps were asked. */
    async function meet(times: number) {
      const seen: string[] = []
      let changes = 0
      const slots: Partial<Record<Slot, Step>> = {
        rateLimit: () => void seen.push('rateLimit'),
        authenticate: (exchange) => {
          seen.push('authenticate')
          exchange.caller = user(`role ${changes}`)
        },
        audit: (exchange) => exchange.onAnswer(() => void seen.push(`record of ${exchange.caller.roles[0]}`)),
      }
      const handle = (_: unknown, { caller, warn }: Call) => {
        warn({ rule: 'ignored', message: 'once', severity: 'info', regulation: null })
        if (changes++ < times) throw new CallerChanged()
        return caller.roles[0]
      }
      return { answer: json(await send(action({ handle }), inbound(), slots)), seen }
    }

    it('asks anew who calls, and keeps nothing of the first try', async () => {
      const { answer, seen } = await meet(1)
      expect(answer['data']).toBe('role 1')
      expect(answer['warnings']).toHaveLength(1)
      expect(seen).toEqual(['rateLimit', 'authenticate', 'authenticate', 'record of role 1'])
    })

    it('gives up where that does not end', async () => {
      const { answer, seen } = await meet(100)
      expect(answer['error_code']).toBe('UNAVAILABLE')
      expect(seen.filter((name) => name === 'authenticate')).toHaveLength(3)
    })
  })

  describe('an error that an action answers', () => {
    const refusal = () => errors.CONFLICT({ message: 'taken', headers: { 'X-Why': 'taken' } })
    const thrown = () => {
      throw refusal()
    }
    const answered = { 'at once': refusal, later: async () => refusal() }

    for (const [when, handle] of Object.entries(answered)) {
      it(`refuses the message as one that it throws, ${when}`, async () => {
        const headers = { 'Cache-Control': 'no-store' }
        const answer = await send(action({ handle, headers }))
        expect(answer).toEqual(await send(action({ handle: thrown, headers })))
        expect(answer).toMatchObject({ status: 409, headers: { 'X-Why': 'taken', ...headers } })
      })

      it(`is thrown to whoever calls the action, ${when}`, async () => {
        const kernel = createKernel({
          plugins: [
            definePlugin({
              name: 'taken',
              phase: 'domain',
              setup: ({ actions }) => void actions.add(action({ name: 'take', handle })),
            }),
          ],
        })
        await kernel.start()
        await expect(kernel.callAs(SYSTEM)('take', {})).rejects.toMatchObject({ code: 'CONFLICT' })
        await kernel.stop()
      })

      it(`is thrown to who observes, ${when}`, async () => {
        const seen: string[] = []
        const note = (name: string, error: unknown) => {
          if (error instanceof AppError) seen.push(`${name}: ${error.code}`)
          throw error
        }
        const kernel = createKernel({
          plugins: [
            definePlugin({
              name: 'observer',
              phase: 'domain',
              setup({ spans }) {
                spans.observe((name, _, work) => {
                  try {
                    const result = work()
                    if (!(result instanceof Promise)) return result
                    return result.catch((error) => note(name, error)) as typeof result
                  } catch (error) {
                    return note(name, error)
                  }
                })
              },
            }),
          ],
        })
        await kernel.start()
        const answer = await kernel.pipeline.run(action({ handle }), inbound())
        await kernel.stop()
        expect([answer.status, seen]).toEqual([
          409,
          ['action.svc.test.act: CONFLICT', 'step.handle: CONFLICT'],
        ])
      })
    }

    it('has a caller who has changed met anew', async () => {
      let runs = 0
      const handle = () => (runs++ === 0 ? new CallerChanged() : 'met')
      expect(json(await send(action({ handle })))['data']).toBe('met')
    })
  })

  it("sends an action's own headers with every answer, a refusal's too", async () => {
    const headers = { 'Cache-Control': 'no-store' }
    const refused = { rateLimit: () => Promise.reject(errors.RATE_LIMITED()) }
    for (const slots of [{}, refused])
      expect((await send(action({ headers }), inbound(), slots)).headers).toMatchObject(headers)
  })

  it('refuses a slot that is filled twice', async () => {
    const plugin = (name: string) =>
      definePlugin({ name, phase: 'auth', setup: (ctx) => ctx.pipeline.fill('audit', () => undefined) })
    await expect(createKernel({ plugins: [plugin('a'), plugin('b')] }).start()).rejects.toThrow(
      "slot 'audit' is filled already",
    )
  })
})

describe('an action that takes bytes', () => {
  const rawBody = { bytes: 5 }
  const collecting = action({
    rawBody,
    handle: async (input, { body }) => ({ input, type: body.type, text: String(await bytesOf(body)) }),
  })
  const sent = (...chunks: readonly string[]) => ({
    type: 'text/plain',
    bytes: (async function* () {
      for (const chunk of chunks) yield Buffer.from(chunk)
    })(),
  })
  const run = async (body?: SentBody, one = collecting) => {
    const adding = definePlugin({ name: 'adding', phase: 'domain', setup: ({ actions }) => actions.add(one) })
    const kernel = createKernel({ plugins: [adding] })
    await kernel.start()
    return kernel.callAs(SYSTEM)(one.name, { name: 'a' }, body)
  }

  it('is told of the body before anybody is asked who calls, and reads it when it runs', async () => {
    const seen: string[] = []
    const open: Inbound['open'] = (accepted) => {
      seen.push(`${accepted.bytes} bytes`)
      return sent('ab', 'c')
    }
    const authorize: Step = () => void seen.push('authorize')
    const answer = await send(collecting, inbound({ open, query: { name: 'a' } }), { authorize })
    expect(json(answer)['data']).toEqual({ input: { name: 'a' }, type: 'text/plain', text: '97,98,99' })
    expect(seen).toEqual(['5 bytes', 'authorize'])
  })

  it('is sent bytes by callers inside the process, as they come or at once, up to its limit', async () => {
    expect(await run(sent('ab', 'c'))).toMatchObject({ input: { name: 'a' }, text: '97,98,99' })
    expect(await run({ bytes: Buffer.from('abcde') })).toMatchObject({ text: '97,98,99,100,101' })
    expect(await run()).toMatchObject({ text: '' })
    await expect(run(sent('abc', 'def'))).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE', status: 413 })
  })

  it('alone is sent bytes, and reads them once', async () => {
    await expect(run(sent('a'), action())).rejects.toThrow(/takes no bytes/)
    const twice = action({
      rawBody,
      handle: async (_, { body }) => [await bytesOf(body), await bytesOf(body)],
    })
    await expect(run(sent('a'), twice)).rejects.toThrow(/come once/)
  })

  it('does not run again once it has read, though its caller has changed', async () => {
    let runs = 0
    const changing = action({
      rawBody,
      handle: async (_, { body }) => {
        runs += 1
        await bytesOf(body)
        throw new CallerChanged()
      },
    })
    expect((await send(changing, inbound({ open: () => sent('a') }))).status).toBe(503)
    expect(runs).toBe(1)
  })
})
