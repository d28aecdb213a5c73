import type { Domains } from '@svc/domain/contract'
import { type Action, defineAction, errors } from '@svc/kernel'
import { z } from 'zod'
import type { Outside } from './outside.ts'

const query = z.object({
  domain: z.string().describe('Name of the domain'),
  resource: z.string().optional().describe('Events of these resources alone: names with commas between them'),
  action: z
    .string()
    .optional()
    .describe('These actions alone, such as `created,updated`; `removed` is what leaves your sight'),
  id: z.string().optional().describe('Events about the records with these keys alone'),
  after: z.string().optional().describe('The id of the event after which it begins'),
  limit: z.string().optional().describe('How many a page has, 1 to 1000; 100 unless said'),
  ticket: z.string().max(200).optional().describe('A ticket in place of a token'),
})

export interface OutsideActions {
  readonly domains: Domains
  /** The events of a domain that is open. */
  readonly of: (domain: string) => Outside | undefined
  readonly isEnabled: boolean
}

/** The addresses at which events are read and followed. */
export function outsideActions({ domains, of, isEnabled }: OutsideActions): readonly Action[] {
  const outside = (domain: string): Outside => {
    if (domains.model(domain) === undefined)
      throw errors.NOT_FOUND({ message: `There is no domain '${domain}'` })
    if (!isEnabled)
      throw errors.UNAVAILABLE({ message: 'This server keeps no events: events.enabled is false' })
    const found = of(domain)
    if (found) return found
    throw errors.UNAVAILABLE({
      message: 'The definition is being exchanged: try again',
      headers: { 'Retry-After': '1' },
    })
  }
  return [
    defineAction({
      name: 'events.list',
      summary: 'Read what happened to records, or follow it live',
      access: ['*'],
      routes: ['GET /api/v1/domains/:domain/events'],
      input: query,
      async handle({ domain, ...asked }, call) {
        const events = outside(domain)
        const wantsStream = /\btext\/event-stream\b/i.test(call.request?.meta('accept') ?? '')
        return wantsStream ? events.stream(asked, call) : events.page(asked, call)
      },
    }),
    defineAction({
      name: 'events.ticket',
      summary: 'Get a ticket by which a browser opens one live stream',
      access: ['authenticated'],
      routes: ['POST /api/v1/domains/:domain/events/ticket'],
      input: z.strictObject({ domain: z.string() }),
      output: z.object({ ticket: z.string(), expiresAt: z.string() }),
      notes: { status: 201 },
      handle: ({ domain }, call) => outside(domain).ticket(call),
    }),
  ]
}
