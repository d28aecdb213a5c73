import { StoreCapability } from '@svc/store/contract'
import { describe, expect, it } from 'vitest'
import { about, BASE, clinic } from '../acceptance/privacy/practice.ts'
import { rowsKept } from '../kit/at-rest.ts'
import { size } from '../kit/size.ts'
import { STORES } from '../kit/stores.ts'
import { useTestKernel } from '../kit/test-kernel.ts'
import { Weak } from '../kit/weak.ts'

/** Every how many statements one fails. */
const STRIDE = size('STATEMENTS_STRIDE', { smoke: 9, whole: 1 })
/** Nothing here takes so many. */
const MANY = 300

interface Person {
  readonly email: string
  readonly patient: string
}

/** What is asked of a person's data. */
interface Asked {
  /** Whether the person has an account. */
  readonly hasAccount?: true
  /** What is asked for before, undisturbed. */
  readonly before?: string
  /** POST unless said. */
  readonly method?: 'PATCH'
  readonly path: string
  body(person: Person): object
}

const REASON = { reason: 'asked for' }
const erasing = (method: string): Asked => ({ path: '/erase', body: () => ({ method, ...REASON }) })

const ASKED: Readonly<Record<string, Asked>> = {
  'P10: an erase by anonymize': erasing('anonymize'),
  'P10: an erase by pseudonymize': erasing('pseudonymize'),
  'P10: an erase by delete': erasing('delete'),
  'P14: an erase with the account': {
    hasAccount: true,
    path: '/erase',
    body: () => ({ account: true, ...REASON }),
  },
  'P19: a rectification': {
    method: 'PATCH',
    path: '/rectify',
    body: ({ patient }) => ({
      resource: 'Patient',
      recordId: patient,
      corrections: { name: 'corrected', phone: '+441632960001' },
      ...REASON,
    }),
  },
  'P20: a restriction': { path: '/restrict', body: () => REASON },
  'P20: a restriction that is lifted': { before: '/restrict', path: '/unrestrict', body: () => REASON },
  'P21: a consent': { path: '/consent/grant', body: () => ({ purpose: 'survey', evidence: 'form' }) },
  'P21: a consent that is withdrawn': {
    path: '/consent/withdraw',
    body: () => ({ purpose: 'study', ...REASON }),
  },
}

for (const store of STORES) {
  describe(`where a statement fails, on ${store.name}`, () => {
    const definition = clinic({ privacy: 'consent: [{ purpose: study }, { purpose: survey }]' })
    const server = useTestKernel({ store, definition, config: { jobs: { enabled: false } } })
    const send = async (method: string, path: string, body: object, token = server().admin) =>
      server().request(method, path, { token, body })
    const done = async (path: string, body: object, token?: string) => {
      const answer = await send('POST', path, body, token)
      expect([path, answer.status < 300]).toEqual([path, true])
      return answer.body.data
    }
    /** All that the domain keeps. */
    const kept = async () =>
      new Map([...(await rowsKept(server().database))].filter(([name]) => /^(clinic_|svc_users)/.test(name)))

    it.each(Object.entries(ASKED))(
      '%s leaves all as it was, or is whole',
      async (name, { before: first, hasAccount, method = 'POST', path, body }) => {
        const word = name.replaceAll(/\W+/g, '-').toLowerCase()
        const { token } = await server().account(`keeper${Object.keys(ASKED).indexOf(name)}`, [
          'dpo',
          'admin',
        ])
        const own = hasAccount && (await server().account(word, ['dpo'])).token
        const email = `${word}@example.org`
        const { id: patient } = await done(`${BASE}/patients`, { name: `canary ${word}`, email }, own)
        const visit = await done(`${BASE}/visits`, { complaint: 'cough', patientId: patient })
        await done(`${BASE}/notes`, { text: 'noted', visitId: visit.id })
        await done(about(email, '/consent/grant'), { purpose: 'study', evidence: 'form' }, token)
        if (first !== undefined) await done(about(email, first), REASON, token)
        const before = await kept()
        expect(before.size).toBeGreaterThan(8)
        const weak = new Weak(server().kernel.get(StoreCapability))
        let refused = 0
        for (let n = 1; n < MANY; n += STRIDE) {
          const [{ status }, isMet] = await weak.failing(n, 'fails', () =>
            send(method, about(email, path), body({ email, patient }), token),
          )
          if (status === 500) {
            refused += 1
            expect([n, isMet]).toEqual([n, true])
            expect(await kept()).toEqual(before)
            continue
          }
          expect([n, status, refused > 0]).toEqual([n, status < 300 ? status : 200, true])
          const after = await kept()
          expect(after).not.toEqual(before)
          if (path === '/erase')
            expect([...after.values()].join(' ')).not.toMatch(new RegExp(`canary ${word}|${email}`))
          return
        }
        throw new Error('there is no end to the statements')
      },
      120_000,
    )
  })
}
