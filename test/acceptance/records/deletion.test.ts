import { randomUUID } from 'node:crypto'
import { DomainsCapability } from '@svc/domain/contract'
import { SYSTEM } from '@svc/kernel'
import { StoreCapability } from '@svc/store/contract'
import { beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { type TestAccount, useTestKernel } from '../../kit/test-kernel.ts'

const OPEN = "{ list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: [editor] }"
const child = (parent: string, onDelete: string, soft: boolean) => `
      object: { name: string, code: { type: string, unique: true }${soft ? ', deletedAt: datetime' : ''} }
      features: { softDelete: ${soft}, audit: true, versioning: true }
      relationships: { parent: { type: belongsTo, target: ${parent}, onDelete: ${onDelete} } }
      permissions:
        { list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: [], fields: { code: { read: [keeper] } } }`

/** A parent that is deleted for good and one that is only marked; below each, every kind of child in both kinds. */
const KINDS = ['Cascade', 'Restrict', 'Nullify', 'None'] as const
const children = (parent: string) =>
  KINDS.flatMap((kind) =>
    [true, false].map(
      (soft) => `    ${parent}${kind}${soft ? 'Soft' : 'Hard'}:${child(parent, kind.toLowerCase(), soft)}`,
    ),
  ).join('\n')

const DEFINITION = `
domain:
  name: tree
  version: '1.0.0'
  resources:
    Gone:
      object: { name: string }
      permissions: ${OPEN}
    Kept:
      object: { name: string, deletedAt: datetime }
      features: { softDelete: true, audit: true }
      permissions: ${OPEN}
${children('Gone')}
${children('Kept')}
    Node:
      object: { name: string }
      features: { audit: true }
      relationships:
        parent: { type: belongsTo, target: Node, onDelete: cascade }
        twin: { type: belongsTo, target: Node, onDelete: nullify }
      permissions: ${OPEN}
    Bough:
      object: { name: string, deletedAt: datetime }
      features: { softDelete: true }
      relationships: { parent: { type: belongsTo, target: Bough, onDelete: cascade } }
      permissions: ${OPEN}
    Pair:
      object: { name: string, deletedAt: datetime }
      features: { softDelete: true, audit: true }
      relationships:
        one: { type: belongsTo, target: Pair, onDelete: cascade }
        two: { type: belongsTo, target: Pair, onDelete: cascade }
      permissions: ${OPEN}
    Face:
      object: { id: { type: uuid, primaryKey: true }, deletedAt: datetime }
      features: { softDelete: true }
      relationships: { gone: { type: belongsTo, target: Gone, foreignKey: id, onDelete: cascade } }
      permissions: ${OPEN}
    Mask:
      object: { id: { type: uuid, primaryKey: true } }
      relationships: { gone: { type: belongsTo, target: Gone, foreignKey: id, onDelete: nullify } }
      permissions: ${OPEN}
    Bud:
      object: { name: string }
      relationships:
        node: { type: belongsTo, target: Node, onDelete: restrict }
      permissions: ${OPEN}
`

const BASE = '/api/v1/tree'
const segment = (name: string) => `${BASE}/${name.replace(/(?<=.)([A-Z])/g, '-$1').toLowerCase()}s`

for (const store of STORES) {
  describe(`deleting what others refer to on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: DEFINITION })
    let editor: TestAccount

    beforeAll(async () => {
      editor = await server().account('editor', ['editor'])
    })

    const send = (method: string, path: string, body?: unknown) =>
      server().request(method, path, { token: editor.token, ...(body !== undefined && { body }) })
    const make = async (resource: string, body: object = {}): Promise<string> => {
      const made = await send('POST', segment(resource), body)
      expect([made.status, made.body.error_message]).toEqual([201, undefined])
      return `${segment(resource)}/${made.body.data.id}`
    }
    const idOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)
    const family = async (parent: string, resource: string) => {
      const top = await make(parent)
      return { top, child: await make(resource, { parentId: idOf(top) }) }
    }
    const outcome = async (method: string, path: string) => {
      const { status, body } = await send(method, path)
      return [status, body?.error_code]
    }
    const read = async (path: string) => (await send('GET', path)).body.data
    const audit = async (path: string) =>
      (await send('GET', `${path}/audit`)).body.data.items.map(({ action, username, changes }: any) => ({
        action,
        username,
        changes,
      }))

    describe.each(['Gone', 'Kept'])('a %s', (parent) => {
      it.each(['Soft', 'Hard'])(
        'is not deleted while a live RestrictOn%s child refers to it',
        async (kind) => {
          const { top, child } = await family(parent, `${parent}Restrict${kind}`)
          expect(await outcome('DELETE', top)).toEqual([409, 'REFERENCED'])
          expect((await send('GET', child)).status).toBe(200)
          expect((await send('GET', top)).status).toBe(200)
        },
      )

      it('is deleted once the children that restricted it are deleted themselves', async () => {
        const { top, child } = await family(parent, `${parent}RestrictSoft`)
        await server().kernel.callAs(SYSTEM)(`svc.tree.${parent.toLowerCase()}-restrict-soft.delete`, {
          id: idOf(child),
        })
        expect((await send('DELETE', top)).status).toBe(204)
        const back = await restore(child, `${parent}RestrictSoft`)
        expect(back.parentId).toBe(parent === 'Gone' ? null : idOf(top))
      })

      it.each(['Soft', 'Hard'])('leaves its Nullify%s children without a parent', async (kind) => {
        const { top, child } = await family(parent, `${parent}Nullify${kind}`)
        expect((await send('DELETE', top)).status).toBe(204)
        expect((await read(child)).parentId).toBeNull()
        expect((await audit(child))[0]).toEqual({
          action: 'update',
          username: 'editor',
          changes: { parentId: { from: idOf(top), to: null } },
        })
        expect((await read(`${child}/versions`)).items).toMatchObject([
          { version: 1, data: { parentId: idOf(top) } },
        ])
      })

      it.each(['Soft', 'Hard'])('says nothing to its None%s children', async (kind) => {
        const { top, child } = await family(parent, `${parent}None${kind}`)
        expect((await send('DELETE', top)).status).toBe(204)
        expect((await read(child)).parentId).toBe(idOf(top))
        expect((await send('GET', `${child}?include=parent`)).body.data.parent).toBeNull()
      })

      it('takes its children along that can be marked as deleted, with their ledgers and events', async () => {
        const name = `${parent}CascadeSoft`
        const { top, child } = await family(parent, name)
        const heard = new Promise((resolve) =>
          server().kernel.bus.on(`svc.tree.${parent.toLowerCase()}-cascade-soft.deleted`, resolve),
        )
        expect((await send('DELETE', top)).status).toBe(204)
        expect(await outcome('GET', child)).toEqual([404, 'NOT_FOUND'])
        expect((await send('GET', `${child}?scope=deleted`)).status).toBe(200)
        expect((await audit(child))[0]).toMatchObject({ action: 'delete', username: 'editor' })
        expect(await heard).toMatchObject({ recordId: idOf(child), actor: { username: 'editor' } })
      })
    })

    const restore = async (path: string, resource: string) =>
      (await server().kernel.callAs(SYSTEM)(
        `svc.tree.${resource.replace(/(?<=.)([A-Z])/g, '-$1').toLowerCase()}.restore`,
        { id: idOf(path) },
      )) as any

    it('takes children that are deleted for good along with a record that is', async () => {
      const { top, child } = await family('Gone', 'GoneCascadeHard')
      expect((await send('DELETE', top)).status).toBe(204)
      expect(await outcome('GET', child)).toEqual([404, 'NOT_FOUND'])
      expect((await audit(child))[0]).toMatchObject({ action: 'delete', username: 'editor' })
    })

    it('keeps children that could not come back with a record that could', async () => {
      const { top, child } = await family('Kept', 'KeptCascadeHard')
      expect((await send('DELETE', top)).status).toBe(204)
      expect((await read(child)).parentId).toBe(idOf(top))
      expect((await send('POST', `${top}/restore`)).status).toBe(200)
      expect((await send('GET', `${child}?include=parent`)).body.data.parent.id).toBe(idOf(top))
    })

    it('leaves a marked child without the key of a parent that is gone for good', async () => {
      const { top, child } = await family('Gone', 'GoneCascadeSoft')
      await send('DELETE', top)
      expect((await restore(child, 'GoneCascadeSoft')).parentId).toBeNull()
      expect((await send('GET', child)).status).toBe(200)
    })

    it('brings back with a record what was deleted along with it, and nothing else', async () => {
      const { top, child } = await family('Kept', 'KeptCascadeSoft')
      const earlier = await make('KeptCascadeSoft', { parentId: idOf(top) })
      await server().kernel.callAs(SYSTEM)('svc.tree.kept-cascade-soft.delete', { id: idOf(earlier) })
      server().clock.advance(1000)
      await send('DELETE', top)
      server().clock.advance(1000)
      expect((await send('POST', `${top}/restore`)).status).toBe(200)
      expect((await read(child)).parentId).toBe(idOf(top))
      expect((await send('GET', earlier)).status).toBe(404)
      expect((await audit(child))[0]).toMatchObject({ action: 'update', username: 'editor' })
    })

    it('does not come back where one of those would clash', async () => {
      const top = await make('Kept')
      const child = await make('KeptCascadeSoft', { parentId: idOf(top), code: 'one' })
      await send('DELETE', top)
      await make('KeptCascadeSoft', { code: 'one' })
      const refused = await send('POST', `${top}/restore`)
      expect([refused.status, refused.body.error_code]).toEqual([409, 'DUPLICATE'])
      // Who may restore the parent may still not read everything of the child.
      expect(refused.body).not.toHaveProperty('errors')
      expect([(await send('GET', top)).status, (await send('GET', child)).status]).toEqual([404, 404])
    })

    it.each(['Node', 'Bough'])('goes down a hierarchy of %ss, and round in circles once', async (name) => {
      const top = await make(name)
      const middle = await make(name, { parentId: idOf(top) })
      const low = await make(name, { parentId: idOf(middle) })
      const beside = await make(name)
      await send('PATCH', top, { parentId: idOf(low) })
      const own = await make(name)
      await send('PATCH', own, { parentId: idOf(own) })
      expect((await send('DELETE', top)).status).toBe(204)
      expect((await send('DELETE', own)).status).toBe(204)
      for (const path of [top, middle, low, own]) expect((await send('GET', path)).status).toBe(404)
      expect((await send('GET', beside)).status).toBe(200)
    })

    it('empties the key of one of two that refer to each other', async () => {
      const one = await make('Node')
      const two = await make('Node', { twinId: idOf(one) })
      await send('PATCH', one, { twinId: idOf(two) })
      expect((await send('DELETE', one)).status).toBe(204)
      expect((await read(two)).twinId).toBeNull()
    })

    it('takes along what has its very key, and is refused where that would have to be emptied', async () => {
      const [one, two] = [await make('Gone'), await make('Gone')]
      const face = await make('Face', { id: idOf(one) })
      await make('Mask', { id: idOf(two) })
      expect((await send('DELETE', one)).status).toBe(204)
      expect((await send('GET', `${face}?scope=all`)).status).toBe(404)
      expect(await outcome('DELETE', two)).toEqual([409, 'REFERENCED'])
      expect((await send('GET', two)).status).toBe(200)
    })

    it('reaches a record once to which two ways lead', async () => {
      const top = await make('Pair')
      const left = await make('Pair', { oneId: idOf(top) })
      const right = await make('Pair', { oneId: idOf(top), twoId: idOf(left) })
      server().clock.advance(1000)
      await send('DELETE', top)
      await send('POST', `${top}/restore`)
      expect((await send('GET', right)).status).toBe(200)
      expect((await audit(right)).map(({ action }: { action: string }) => action)).toEqual([
        'update',
        'delete',
        'create',
      ])
    })

    it.each(['cascade', 'nullify'])(
      'is refused where it would reach more than 10,000 by %s',
      async (kind) => {
        const resource = server().kernel.get(DomainsCapability).model('tree')!.resources.get('Node')!
        const field = kind === 'cascade' ? 'parentId' : 'twinId'
        const top = await make('Node')
        const { table } = resource
        const fill = (count: number) =>
          server()
            .kernel.get(StoreCapability)
            .transaction((transaction) => {
              const rows = Array.from({ length: count }, () => ({
                id: randomUUID(),
                name: 'many',
                [field]: idOf(top),
              }))
              return transaction.insertRows({ table, rows })
            })
        await fill(10_000)
        const before = (await read(`${segment('Node')}/count`)).total
        expect(await outcome('DELETE', top)).toEqual([409, 'CONFLICT'])
        expect((await read(`${segment('Node')}/count`)).total).toBe(before)
        expect((await read(`${segment('Node')}/count?filter[${field}]=${idOf(top)}`)).total).toBe(10_000)
      },
    )

    it('is refused as a whole where something below restricts it', async () => {
      const top = await make('Node')
      const low = await make('Node', { parentId: idOf(await make('Node', { parentId: idOf(top) })) })
      await make('Bud', { nodeId: idOf(low) })
      const before = (await send('GET', `${segment('Node')}/count`)).body.data.total
      expect(await outcome('DELETE', top)).toEqual([409, 'REFERENCED'])
      expect((await send('GET', `${segment('Node')}/count`)).body.data.total).toBe(before)
    })

    it('fails alone as one row of many', async () => {
      const { top } = await family('Gone', 'GoneRestrictHard')
      const free = await make('Gone')
      const { body } = await server().request('DELETE', `${segment('Gone')}/bulk`, {
        token: editor.token,
        body: { ids: [idOf(top), idOf(free)] },
      })
      expect(body.data).toMatchObject({ deleted: 1, failed: 1, errors: [{ error_code: 'REFERENCED' }] })
    })

    it('never leaves a live child behind that came at the same moment', async () => {
      for (const [parent, resource] of [
        ['Kept', 'KeptRestrictHard'],
        ['Kept', 'KeptCascadeSoft'],
        ['Gone', 'GoneCascadeHard'],
      ] as const) {
        for (let round = 0; round < 8; round += 1) {
          const top = await make(parent)
          const [gone, made] = await Promise.all([
            send('DELETE', top),
            send('POST', segment(resource), { parentId: idOf(top) }),
          ])
          expect([204, 409]).toContain(gone.status)
          expect([201, 409, 422]).toContain(made.status)
          const { items } = await read(`${segment(resource)}?filter[parentId]=${idOf(top)}`)
          const isThere = (await send('GET', top)).status === 200
          expect([isThere, items.length > 0]).toEqual(isThere ? [true, made.status === 201] : [false, false])
        }
      }
    })
  })
}
