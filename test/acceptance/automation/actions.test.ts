import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { chores } from './chores.ts'
import { office } from './office.ts'

const ORDERS = '/api/v1/office/orders'

const onOrder = { resource: 'Order' }

const CHORES = {
  greet: {
    action: 'create',
    target: 'Letter',
    resource: 'Order',
    input: { text: '$record.title', orderId: '$record.id' },
  },
  remark: { ...onOrder, action: 'update', input: { note: 'seen', total: '$(total + 1)', margin: 7 } },
  reset: { ...onOrder, action: 'update', input: { total: -1 } },
  prefix: { ...onOrder, action: 'update', input: { note: '$$record.title' } },
  date: { ...onOrder, action: 'update', input: { dueOn: '2026-06-30T23:30:00Z', dueAt: '$record.closedAt' } },
  close: { ...onOrder, action: 'transition', transition: 'close', input: { note: 'closed by itself' } },
  closeFirst: { action: 'transition', target: 'Order', transition: 'close', recordId: 'no-such-order' },
  nothing: { action: 'noop' },
  drop: { ...onOrder, action: 'delete' },
  shelve: { ...onOrder, action: 'archive' },
  print: { action: 'report', target: 'sales' },
}

for (const store of STORES) {
  describe(`actions on ${store.name}`, () => {
    const server = useTestKernel({
      store,
      plugins: [chores],
      without: ['reports'],
      definition: office(CHORES),
    })
    const order = async (more: object = {}): Promise<string> => {
      const { body } = await server().request('POST', ORDERS, { body: { title: 'One', ...more } })
      return body.data.id
    }
    const run = async (name: string, recordId?: string) => {
      const { status, body } = await server().request('POST', `/api/v1/office/chores/${name}/run`, {
        token: server().admin,
        body: recordId === undefined ? {} : { recordId },
      })
      expect([status, body]).toEqual([200, expect.anything()])
      return body.data
    }
    const read = async (id: string) => (await server().request('GET', `${ORDERS}/${id}`)).body.data

    it('A7: create makes a record of the target, with values of the record at hand', async () => {
      const id = await order({ title: 'A bicycle' })
      const { result, recordId } = await run('greet', id)
      expect(result).toMatchObject({ id: recordId, text: 'A bicycle', orderId: id })
      const { body } = await server().request('GET', `/api/v1/office/letters/${recordId}`)
      expect(body.data).toMatchObject({ text: 'A bicycle', orderId: id })
    })

    it('A7: update writes the record at hand, and its result is the record after it', async () => {
      const id = await order({ total: 4 })
      const { result } = await run('remark', id)
      expect(result).toMatchObject({ id, note: 'seen', total: 5, margin: 7 })
      expect(await read(id)).toMatchObject({ note: 'seen', total: 5 })
    })

    it('A7: transition makes the transition of the record at hand, with input', async () => {
      const id = await order()
      await run('close', id)
      expect(await read(id)).toMatchObject({ status: 'closed', note: 'closed by itself' })
    })

    it('A7: delete and archive do what DELETE does', async () => {
      for (const chore of ['drop', 'shelve']) {
        const id = await order()
        expect(await run(chore, id)).toMatchObject({ result: null })
        expect((await server().request('GET', `${ORDERS}/${id}`)).status).toBe(404)
      }
    })

    it('A7: noop does nothing, and its result is null', async () => {
      expect(await run('nothing')).toMatchObject({ result: null, recordId: null })
    })

    it('A8: permissions and guards let the system pass; states and validation hold', async () => {
      const id = await order()
      expect(await run('close', id)).not.toHaveProperty('error')
      // The very same transition leads from no other state.
      expect(await run('close', id)).toMatchObject({ error: { code: 'TRANSITION_DENIED' } })
      expect(await run('reset', id)).toMatchObject({ error: { code: 'VALIDATION_ERROR' } })
      expect(await read(id)).toMatchObject({ total: 0, status: 'closed' })
    })

    it('A7: what is not there fails with the code that a client would get', async () => {
      expect(await run('closeFirst')).toMatchObject({ error: { code: 'NOT_FOUND' } })
    })

    it('A7: an action whose subsystem is not loaded fails with UNSUPPORTED', async () => {
      const { error, isFailure } = await run('print')
      expect([error.code, isFailure]).toEqual(['UNSUPPORTED', true])
    })

    it('A4: text that begins with two dollars stands for itself, with one', async () => {
      expect((await run('prefix', await order())).result).toMatchObject({ note: '$record.title' })
    })

    it('A4: a datetime that meets a field of type date or time becomes that of the zone', async () => {
      const id = await order({ closedAt: '2026-07-01T08:15:00Z' })
      expect((await run('date', id)).result).toMatchObject({ dueOn: '2026-07-01', dueAt: '09:15:00' })
    })
  })
}

describe('what is wrong with an action', () => {
  const server = useTestKernel({
    store: STORES[0]!,
    plugins: [chores],
    without: ['reports'],
    definition: office({}),
  })
  const submit = (chore: object) =>
    server().request('POST', '/api/v1/domains', {
      token: server().admin,
      body: { content: office({ it: chore }, '2') },
    })
  const fault = async (chore: object) => {
    const { status, body } = await submit(chore)
    expect([status, body.error_code]).toEqual([422, 'PARSE_ERROR'])
    const [{ path, line, message }] = body.errors
    expect(line).toBeGreaterThan(0)
    return [path, message]
  }
  const at = (...keys: string[]) => ['domain', 'chores', 'it', ...keys].join('.')

  it.each([
    [{ action: 'updte' }, at('action'), "Did you mean 'update'?"],
    [{ action: 'delete', in: 'workflow' }, at('action'), "'delete' is for schedules alone"],
    [{ action: 'create' }, at('target'), "'action: create' needs it"],
    [{ action: 'create', target: 'Ordr' }, at('target'), "Did you mean 'Order'?"],
    [{ action: 'update', input: { note: 'x' } }, at(), 'no record is at hand'],
    [{ action: 'update', ...onOrder }, at('input'), 'is missing'],
    [{ action: 'update', ...onOrder, input: { nte: 'x' } }, at('input', 'nte'), "Did you mean 'note'?"],
    [{ action: 'update', ...onOrder, input: { doubled: 3 } }, at('input', 'doubled'), 'worked out'],
    [{ action: 'update', ...onOrder, input: { total: 'three' } }, at('input', 'total'), 'does not fit'],
    [
      { action: 'update', ...onOrder, input: { title: 'x'.repeat(21) } },
      at('input', 'title'),
      'does not fit',
    ],
    [{ action: 'update', ...onOrder, input: { title: null } }, at('input', 'title'), 'must not be empty'],
    [{ action: 'update', ...onOrder, input: { note: '$(titel)' } }, at('input', 'note'), 'titel'],
    [{ action: 'update', target: 'Letter', ...onOrder, input: { text: 'x' } }, at('target'), "'recordId'"],
    [{ action: 'transition', ...onOrder }, at('transition'), 'is missing'],
    [{ action: 'transition', ...onOrder, transition: 'clse' }, at('transition'), "Did you mean 'close'?"],
    [{ action: 'noop', target: 'Order' }, at('target'), 'means nothing'],
    [{ action: 'delete', ...onOrder, input: { note: 'x' } }, at('input'), 'means nothing'],
    [{ action: 'notify' }, at('notification'), 'is missing'],
    [{ action: 'archive', resource: 'Letter' }, at('action'), "'archive' needs 'softDelete'"],
  ])('A1, A7: %j is PARSE_ERROR with line and hint', async (chore, path, words) => {
    const [where, message] = await fault(chore)
    expect(where).toBe(path)
    expect(message).toContain(words)
  })

  it('A7: an action whose subsystem is not loaded is warned of', async () => {
    const { status, body } = await submit({ action: 'report', target: 'sales' })
    expect(status).toBe(201)
    expect(JSON.stringify(body.warnings)).toContain("no plugin of this server does 'report'")
  })
})
