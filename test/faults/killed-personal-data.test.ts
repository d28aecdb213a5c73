import { describe, expect, it } from 'vitest'
import { about, BASE, clinic } from '../acceptance/privacy/practice.ts'
import { rowsKept } from '../kit/at-rest.ts'
import { size } from '../kit/size.ts'
import { STORES } from '../kit/stores.ts'
import { useKillableServer } from './killable-server.ts'

// What is asked of somebody's data, on a server that is killed at one of its writes and commits after the other.

/** Every restart is a whole start of the program: a smoke kills at one point of each. */
const FIRST = size('KILL_FIRST', { smoke: 7, whole: 0 })
const STEP = size('KILL_STEP', { smoke: 1000, whole: 1 })
/** Nothing here has so many points. */
const POINTS = 400
const PATIENCE_MS = 60_000 + (POINTS / STEP) * 20_000

interface Person {
  readonly word: string
  readonly patient: string
}

interface Asked {
  readonly method?: 'PATCH'
  path(email: string): string
  body(person: Person): object
  /** What stands for its being done in the rows of the domain, and for its not being done. */
  readonly done: (person: Person) => { readonly there: readonly string[]; readonly gone: readonly string[] }
}

const REASON = { reason: 'asked for' }
const ASKED: Readonly<Record<string, Asked>> = {
  'P10: an erase': {
    path: (email) => about(email, '/erase'),
    body: () => ({ account: true, ...REASON }),
    done: ({ word }) => ({
      there: ['"erase"'],
      gone: [`name-${word}`, `${word}@example.org`, `complaint-${word}`, `"${word}"`],
    }),
  },
  'P19: a rectification': {
    method: 'PATCH',
    path: (email) => about(email, '/rectify'),
    body: ({ word, patient }) => ({
      resource: 'Patient',
      recordId: patient,
      corrections: { name: `right-${word}`, phone: '+441632960001' },
      ...REASON,
    }),
    done: ({ word }) => ({ there: [`right-${word}`, '"rectify"', '+441632960001'], gone: [] }),
  },
  'P20: a restriction': {
    path: (email) => about(email, '/restrict'),
    body: () => ({ allowedOperations: ['get'], ...REASON }),
    // The log, and the places of the person's records.
    done: ({ patient }) => ({ there: ['"restrict"', patient], gone: [] }),
  },
  'P24: a sweep': {
    path: () => `${BASE}/privacy/retention`,
    body: () => ({}),
    done: ({ word }) => ({ there: ['"sweep"'], gone: [`${word}@example.org`] }),
  },
}

for (const store of STORES) {
  describe(`personal data on ${store.name}, on a server that is killed`, () => {
    const server = useKillableServer(
      store,
      clinic({
        privacy: 'retention: [{ category: contact, duration: 1d, action: anonymize, from: born }]',
      }).replaceAll('[dpo]', '[admin]'),
    )
    const send = (method: string, path: string, body: object) => server().send(method, path, body)
    const rows = async () => {
      const kept = [...(await rowsKept(server().database))].filter(([name]) =>
        /^(clinic_|svc_users)/.test(name),
      )
      return kept.map(([, text]) => text).join('\n')
    }

    it.each(Object.entries(ASKED))(
      '%s is done or not done, wherever that is, and done when it is asked for again',
      async (name, { method = 'POST', path, body, done }) => {
        for (let n = FIRST; n < POINTS; n += STEP) {
          const word = `w${Object.keys(ASKED).indexOf(name)}n${n}x`
          const email = `${word}@example.org`
          await send('POST', '/api/v1/admin/users', {
            username: word,
            email,
            password: 'Correct-horse-7',
          })
          const made = await send('POST', `${BASE}/patients`, {
            name: `name-${word}`,
            email,
            born: '2020-01-01',
          })
          expect([made.status, made.body.error_message]).toEqual([201, undefined])
          const person = { word, patient: made.body.data.id }
          await send('POST', `${BASE}/visits`, { complaint: `complaint-${word}`, patientId: person.patient })
          const before = await rows()
          const { there, gone } = done(person)
          const countIn = (text: string, words: readonly string[]) =>
            words.map((one) => text.split(one).length - 1)
          server().arm({ point: n })
          const answer = await send(method, path(email), body(person)).catch(() => undefined)
          const isDead = await server().revive(answer === undefined ? 10_000 : 500)
          if (n === FIRST) expect([n, isDead]).toEqual([n, true])
          const after = await rows()
          const isDone = countIn(after, gone).every((count) => count === 0)
          const isSaid = countIn(after, there).every((count, at) => count > countIn(before, there)[at]!)
          const isWhole = isDone && isSaid
          // Whoever was told of it finds it; what is not whole has changed nothing.
          if (answer !== undefined) expect([n, answer.status, isWhole]).toEqual([n, 200, true])
          if (!isWhole)
            expect([n, countIn(after, [...gone, ...there])]).toEqual([
              n,
              countIn(before, [...gone, ...there]),
            ])
          if (!isWhole) {
            const again = await send(method, path(email), body(person))
            expect([n, again.status]).toEqual([n, 200])
            expect([n, countIn(await rows(), gone)]).toEqual([n, gone.map(() => 0)])
          }
          if (!isDead) return
        }
      },
      PATIENCE_MS,
    )
  })
}
