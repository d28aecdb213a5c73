import { SYSTEM } from '@svc/kernel'
import type { TestKernel } from '../../kit/test-kernel.ts'

const ALL = ['*']
export const OPEN = { list: ALL, get: ALL, create: ALL, update: ALL, delete: ALL }

/** A domain of tickets that strangers may open, with rules. */
export const tickets = (rules: object, more: object = {}): string =>
  JSON.stringify({
    domain: {
      name: 'shop',
      version: '1',
      resources: {
        Ticket: {
          object: {
            title: 'text',
            contact: 'text',
            others: { type: 'array', items: 'string' },
            amount: 'integer',
          },
          permissions: OPEN,
        },
      },
      rules,
      ...more,
    },
  })

/** A rule that tells of every new ticket. */
export const telling = (notification: object, more: object = {}): object => ({
  trigger: { resource: 'Ticket', on: 'create' },
  condition: 'true',
  action: 'log',
  message: 'opened',
  notification,
  ...more,
})

export const TEMPLATE = { subject: 'Ticket {title}', body: 'Ticket {title} of {contact}' }

/** Does all that is due by the clock of the test. */
export const tick = ({ kernel }: Pick<TestKernel, 'kernel'>): Promise<unknown> =>
  kernel.callAs(SYSTEM)('jobs.tick', {})

/** Nothing runs but by `tick`. */
export const STILL = { jobs: { enabled: false } } as const

/** What is written of one message, the newest first. */
export interface Entry {
  readonly id: string
  readonly channel: string
  readonly status: string
  readonly recipient: string | null
  readonly subject: string | null
  readonly body: string
  readonly attempts: number
  readonly error: { readonly code: string; readonly message: string } | null
  readonly resendOf: string | null
}

export async function messages({
  request,
  admin,
}: Pick<TestKernel, 'request' | 'admin'>): Promise<readonly Entry[]> {
  const { status, body } = await request('GET', '/api/v1/shop/notifications?limit=100', { token: admin })
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body.data.items
}

/** Submits a definition, whether it is taken or not. */
export const submitting = ({ request, admin }: Pick<TestKernel, 'request' | 'admin'>, content: string) =>
  request('POST', '/api/v1/domains', { token: admin, body: { content } })
