import { SYSTEM } from '@svc/kernel'
import { expect, vi } from 'vitest'
import { SECRET, type TestKernel } from '../../kit/test-kernel.ts'

/** Where the domain of these tests answers. */
export const SHED = '/api/v1/shed'

const ALL = ['*']

const RESOURCES = {
  Tool: {
    object: {
      title: { type: 'string', required: true, maxLength: 40 },
      status: { type: 'string', default: 'new' },
      total: { type: 'integer', default: 0, min: 0, max: 1000 },
      note: 'string',
      dueOn: 'date',
      dueAt: 'datetime',
      deletedAt: 'datetime',
    },
    features: { softDelete: true },
    permissions: { list: ALL, get: ALL, create: ALL, update: ALL, delete: ALL },
  },
  Line: {
    object: {
      text: { type: 'string', maxLength: 200 },
      toolId: 'uuid',
      number: 'integer',
      at: 'datetime',
      on: 'date',
    },
    permissions: { list: ALL, get: ALL, create: ALL, update: ALL, delete: ALL },
  },
}

/** A domain with tools that have dates, and lines that schedules write. */
export const shed = (schedules: object, more: object = {}): string =>
  JSON.stringify({ domain: { name: 'shed', version: '1.0.0', resources: RESOURCES, schedules, ...more } })

/** Sections of a server whose clock is moved by months: tokens outlast that, and nothing is done but what `pass` does. */
export const PATIENT = {
  jobs: { enabled: false },
  auth: { jwt: { secret: SECRET, access_token_ttl_seconds: 1_000_000_000 } },
}

/** What these tests do with a server. */
export function shedOf(server: () => TestKernel) {
  const request = async (method: string, path: string, body?: object) => {
    const { status, body: answer } = await server().request(method, `${SHED}${path}`, {
      token: server().admin,
      ...(body && { body }),
    })
    return { status, body: answer, data: answer?.data }
  }
  const items = async (path: string) => {
    const { status, body, data } = await request('GET', path)
    expect([status, body]).toEqual([200, expect.anything()])
    return data.items
  }
  return {
    request,
    /** Puts schedules into force, and waits until they are. */
    async submit(schedules: object, more: object = {}) {
      await server().submit(shed(schedules, more), { allow_destructive: true })
      await vi.waitFor(
        async () => {
          const names = Object.keys(schedules)
          if (names[0] === undefined) return
          const { status } = await request('GET', `/schedules/${names[0]}/next`)
          expect(status).toBe(200)
        },
        { timeout: 5000, interval: 10 },
      )
      await server().kernel.callAs(SYSTEM)('jobs.tick', {})
    },
    /** Moves the clock, and does whatever is due by then. */
    async pass(ms: number) {
      server().clock.advance(ms)
      await server().kernel.callAs(SYSTEM)('jobs.tick', {})
    },
    now: () => new Date(server().clock.now()).toISOString(),
    async tool(values: object = {}): Promise<string> {
      const { data, status } = await request('POST', '/tools', { title: 'A saw', ...values })
      expect(status).toBe(201)
      return data.id
    },
    read: async (id: string) => (await request('GET', `/tools/${id}`)).data,
    lines: (query = ''): Promise<readonly Record<string, unknown>[]> =>
      items(`/lines?limit=500&sort=number${query}`),
    /** The firings of a schedule, the oldest first. */
    async firings(schedule: string, query = ''): Promise<readonly Record<string, unknown>[]> {
      return (await items(`/schedules/firings?schedule=${schedule}&limit=500${query}`)).reverse()
    },
  }
}

export const SECOND = 1000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR
