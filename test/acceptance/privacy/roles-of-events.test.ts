import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

const DEFINITION = `
domain:
  name: clinic
  version: '1'
  privacy:
    permissions: { access: [officer, subject] }
    subjectIdentifier: { primary: email }
  resources:
    Patient:
      object:
        name: { type: string, privacy: { pii: true } }
        email: { type: email, unique: true, privacy: { pii: true, subjectIdentifier: true } }
        suspect: { type: boolean, default: false }
      permissions:
        { list: [staff], get: [staff, authenticated], create: [staff], update: [staff], fields: { suspect: { read: [staff] } } }
      history:
        events:
          flagged: { on: update, fields: [suspect], label: 'Reported to the police', roles: [staff] }
          renamed: { on: update, fields: [name], label: 'Renamed', capture: [name] }
`

for (const store of STORES) {
  describe(`what a person is told of their history on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: DEFINITION })

    it('P2 has no event that is for some roles alone, unless all of it is to be known', async () => {
      const { request, account } = server()
      const { token: staff } = await account('sue', ['staff'])
      const { token: ann } = await account('ann')
      const { token: officer } = await account('otto', ['officer'])
      const patients = '/api/v1/clinic/patients'
      const body = { name: 'Ann', email: 'ann@example.org' }
      const { id } = (await request('POST', patients, { token: staff, body })).body.data
      for (const change of [{ suspect: true }, { name: 'Anna' }])
        await request('PATCH', `${patients}/${id}`, { token: staff, body: change })
      const told = async (token: string) => {
        const answer = await request('GET', '/api/v1/clinic/privacy/subject/ann@example.org', { token })
        expect(answer.status, JSON.stringify(answer.body)).toBe(200)
        return answer.body.data.history.map(({ event }: { event: string }) => event)
      }
      expect(await told(ann)).toEqual(['renamed'])
      expect(await told(officer)).toEqual(['flagged', 'renamed'])
    })
  })
}
