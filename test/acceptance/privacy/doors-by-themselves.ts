import { createHmac } from 'node:crypto'
import type { Case, Door } from './door.ts'
import { POST } from './house.ts'

/** A message that comes in, and writes or is put aside as refused. */
const arrives = (integration: string, message: (one: Case) => object) => async (one: Case) => {
  const body = JSON.stringify(message(one))
  const signature = createHmac('sha256', POST.secret).update(body).digest('hex')
  const answer = await one.server.request('POST', `/api/v1/house/webhooks/${integration}`, {
    body,
    headers: { 'content-type': 'application/json', 'x-signature': signature },
  })
  if (answer.status === 200) return answer.body.data.written.length === 0
  const { deadLetterId } = answer.body.data ?? {}
  const letter = await one.send('GET', `integrations/${integration}/deadletter/${deadLetterId}`)
  return letter.body.data?.error.code === 'RESTRICTED' || `${answer.status} ${JSON.stringify(letter.body)}`
}

/** What a workflow, and a schedule, was set off by for somebody. */
const begun = new Map<Case, string>()
const scheduled = new Map<Case, string>()

/** What comes in, or runs by itself, and writes a record of somebody, or one that would be somebody's. */
export const BY_ITSELF: Readonly<Record<string, Door>> = {
  'message that changes': {
    kept: ['update', 'automate'],
    isKept: arrives('changing', (one) => ({ note: one.note('arrived'), role: 'arrived' })),
  },
  'message that makes': {
    kept: ['create', 'automate'],
    isKept: arrives('making', ({ person }) => ({ person, role: 'made by a message' })),
  },
  'message that links': {
    kept: ['update', 'automate'],
    async isKept(one) {
      const free = (await one.send('POST', 'notes', { text: 'free' })).body.data.id
      return arrives('linking', ({ person }) => ({ note: free, person }))(one)
    },
  },
  'workflow that makes': {
    kept: ['create', 'automate'],
    async begin(one) {
      const { body } = await one.send('POST', 'lines', { text: 'to board', of: one.person })
      begun.set(one, body.data.id)
    },
    async isKept(one) {
      const { body } = await one.send(
        'GET',
        `workflows/instances?workflow=boarding&recordId=${begun.get(one)}`,
      )
      const [{ status, error }] = body.data.items
      return status === 'failed'
        ? error.code === 'RESTRICTED' || error.code
        : status !== 'completed' && status
    },
  },
  'schedule that makes': {
    kept: ['create', 'automate'],
    async begin(one) {
      const { body } = await one.send('POST', 'lines', { text: 'to be boarded', of: one.person })
      scheduled.set(one, body.data.id)
      await one.send('POST', 'schedules/boarded/run', { recordId: body.data.id })
    },
    async isKept(one) {
      const { body } = await one.send(
        'GET',
        `schedules/firings?schedule=boarded&recordId=${scheduled.get(one)}`,
      )
      const [{ status, error }] = body.data.items
      return status === 'failed' ? error.code === 'RESTRICTED' || error.code : status !== 'fired' && status
    },
  },
  'message that moves': {
    kept: ['transition', 'automate'],
    isKept: arrives('moving', (one) => ({ note: one.note('arrivedMoved') })),
  },
}
