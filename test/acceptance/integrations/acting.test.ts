import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

const definition = (as: string | undefined) =>
  JSON.stringify({
    domain: {
      name: 'depot',
      version: '1.0.0',
      resources: { Parcel: { object: { number: 'string' } } },
      integrations: {
        courier: {
          type: 'webhook',
          public: true,
          ...(as !== undefined && { as }),
          write: { resource: 'Parcel', action: 'create', mapping: { number: '$payload.number' } },
        },
      },
    },
  })

for (const store of STORES) {
  describe(`accounts as whom integrations write on ${store.name}`, () => {
    const server = useTestKernel({ store })
    const submit = async (as: string | undefined, path = '/api/v1/domains') => {
      const body = { content: definition(as) }
      const { status, body: said } = await server().request('POST', path, { token: server().admin, body })
      expect([200, 201]).toContain(status)
      return (said.warnings ?? []) as readonly { readonly rule: string; readonly message: string }[]
    }
    const account = (username: string) => ({
      username,
      email: `${username}@example.org`,
      password: 'Correct-horse-7',
    })
    const register = async (username: string, token?: string) => {
      const { status, body } = await server().request('POST', '/api/v1/auth/register', {
        ...(token !== undefined && { token }),
        body: account(username),
      })
      return [status, body.error_code]
    }
    const told = [
      {
        rule: 'no_account',
        message:
          "domain.integrations.courier.as: there is no active account 'robot', and what acts as it fails until there is: seed it, or register it as an administrator",
        severity: 'warning',
        regulation: null,
      },
    ]

    it('[5.5] a name that a definition acts by is not registered, and a submit warns until it is there', async () => {
      expect(await submit('robot')).toEqual(told)
      expect(await submit('robot', '/api/v1/domains/depot/preview')).toEqual(told)
      expect(await register('robot')).toEqual([409, 'USER_EXISTS'])
      expect(await register('RoBot')).toEqual([409, 'USER_EXISTS'])
      const { token } = await server().account('no-admin')
      expect(await register('robot', token)).toEqual([409, 'USER_EXISTS'])
      expect(await register('somebody')).toEqual([201, undefined])
      expect(await register('robot', server().admin)).toEqual([201, undefined])
      expect(await submit('robot')).toEqual([])
    })

    it('[5.5] an account that the server makes itself may have such a name', async () => {
      expect(await submit('seeded')).toMatchObject([{ rule: 'no_account' }])
      await server().account('seeded')
      expect(await submit('seeded')).toEqual([])
    })

    it('[5.5] a name is free again once no definition acts by it', async () => {
      expect(await submit('helper')).toMatchObject([{ rule: 'no_account' }])
      expect(await register('helper')).toEqual([409, 'USER_EXISTS'])
      expect(await submit(undefined)).toEqual([])
      expect(await register('helper')).toEqual([201, undefined])
    })
  })
}
