import { type Data, domainAction, listItems, type RecordInput, type Site } from '@svc/domain/contract'
import { errors, nearest } from '@svc/kernel'
import type { Row, Value } from '@svc/store/contract'
import { z } from 'zod'
import { listAnswer, schemaOf } from '../ledgers/schema.ts'
import type { Window } from '../ledgers/window.ts'
import type { Switch, Switched, SwitchedKey, Switches } from './switch.ts'

/** An entry of a key that can be switched: a rule, a workflow, a schedule. */
export interface SwitchedEntry {
  readonly name: string
  /** What the definition says. */
  readonly declared: boolean
  readonly switch: Switch
  /** As it is declared, with defaults filled in: what is shown of it beside `name`, `enabled` and `overridden`. */
  readonly shown: Row
  /** What lists are narrowed by besides what is shown, by the names of their filters. */
  readonly narrowed?: Readonly<Record<string, string>>
}

/** A key whose entries administrators look at, and switch. */
export interface SwitchPlace<E extends SwitchedEntry> {
  readonly key: SwitchedKey
  readonly domain: string
  /** The place of the key: what an entry shows of variables is how they are written, since they may hold secrets. */
  readonly site?: Pick<Site, 'asWritten'>
  readonly switches: Switches
  /** In the order in which lists show them. */
  readonly entries: readonly E[]
  /** The name of an entry's schema in documents, and what it is in words: `{ schema: 'Rule', one: 'a rule' }`. */
  readonly schema: string
  readonly one: string
  /** What an entry shows beside `name`, `enabled` and `overridden`, with a description for each key. */
  readonly shape: z.ZodRawShape
  /** By what a list can be narrowed, each with a description: what entries have as `narrowed`, or show as a text. */
  readonly filters: Readonly<Record<string, string>>
  /** What is known of entries now, such as counts, by their names; asked once for a page. */
  facts?(entries: readonly E[], data: Data): Promise<ReadonlyMap<string, Row>>
}

/** The actions by which administrators look at the entries of a key, and switch them on and off. */
export function switchWindow<E extends SwitchedEntry>(
  place: SwitchPlace<E>,
): Window & {
  /** To be run by `open` of the part: switches that the definition has overtaken are taken back. */
  settle(): Promise<void>
} {
  const { key, domain, switches, schema, one, filters, site } = place
  const entries = place.entries.map((known) => ({
    ...known,
    shown: site?.asWritten([known.name], known.shown) ?? known.shown,
  }))
  const entry = z.object({
    name: z.string().describe('Its name in the definition.'),
    enabled: z.boolean().describe('Whether it is in force.'),
    overridden: z.boolean().describe('Whether it was switched, so that the definition does not count.'),
    ...place.shape,
  })
  const byName = new Map(entries.map((known) => [known.name, known]))
  const find = (name: string): E => {
    const found = byName.get(name)
    if (found !== undefined) return found
    const meant = nearest(name, byName.keys())
    const hint = meant === undefined ? '' : `: did you mean '${meant}'?`
    throw errors.NOT_FOUND({
      message: `There is no ${one.replace(/^an? /, '')} '${name.slice(0, 63)}'${hint}`,
    })
  }
  const present = async (shown: readonly E[], data: Data): Promise<readonly Row[]> => {
    const facts = await place.facts?.(shown, data)
    return shown.map((known) => ({
      name: known.name,
      ...known.shown,
      enabled: known.switch.enabled,
      overridden: known.switch.overridden,
      ...facts?.get(known.name),
    }))
  }
  const answer = async (name: string, data: Data) => (await present([find(name)], data))[0]
  const reference = { $ref: `#/components/schemas/${schema}` }
  const data = { description: `It is ${one}`, data: reference }

  return {
    actions: [
      domainAction<RecordInput>({
        name: 'list',
        summary: `List the ${key}`,
        access: ['admin'],
        routes: [`GET /${key}`],
        output: listAnswer(entry),
        handle: ({ query = {} }, call, records) =>
          listItems(
            narrowed(entries, query, Object.keys(filters)),
            {
              query,
              parameters: ['enabled', ...Object.keys(filters)],
              present: (page) => present(page, records),
            },
            call,
          ),
      }),
      domainAction<RecordInput>({
        name: 'get',
        summary: `Read ${one}`,
        access: ['admin'],
        routes: [`GET /${key}/:name`],
        output: entry,
        handle: ({ path = {} }, _, records) => answer(path['name'] ?? '', records),
      }),
      domainAction({
        name: 'switch',
        summary: `Switch ${one} on or off`,
        access: ['admin'],
        routes: [`PATCH /${key}/:name`],
        input: Switching,
        output: entry,
        async handle({ name, enabled }, _, records) {
          await switches.set(switchedOf(find(name), place), enabled)
          return answer(name, records)
        },
      }),
    ],
    openapi: {
      schemas: { [schema]: schemaOf(entry) },
      operations: {
        list: {
          query: {
            enabled: { type: 'boolean', description: 'Only what is in force, or what is not.' },
            ...Object.fromEntries(
              Object.entries(filters).map(([name, description]) => [name, { type: 'string', description }]),
            ),
          },
          answers: { description: `One part of the ${key}`, items: reference },
          failures: [400],
        },
        get: { answers: data, failures: [404] },
        switch: {
          description:
            'Counts at once here, and within a second on other servers of the database. It outlives restarts and submits, until the definition says something else of this name than now.',
          answers: data,
          failures: [404],
        },
      },
    },
    settle: () =>
      switches.settle(
        entries.map((known) => ({ ...switchedOf(known, { domain, key }), switch: known.switch })),
      ),
  }
}

const Switching = z.strictObject({
  name: z.string().describe('Its name in the definition.'),
  enabled: z
    .boolean()
    .nullable()
    .describe('Whether it is in force; null takes a switch back: what the definition says counts again.'),
})

const switchedOf = (
  { name, declared }: SwitchedEntry,
  { domain, key }: Pick<Switched, 'domain' | 'key'>,
): Switched => ({ domain, key, name, declared })

/** The entries that a query asks for. Throws INVALID_QUERY. */
function narrowed<E extends SwitchedEntry>(
  entries: readonly E[],
  query: Readonly<Record<string, string>>,
  filters: readonly string[],
): readonly E[] {
  const { enabled } = query
  if (enabled !== undefined && enabled !== 'true' && enabled !== 'false')
    throw errors.INVALID_QUERY({ message: `'enabled' must be true or false, not '${enabled.slice(0, 50)}'` })
  const isAsked = ({ switch: now, shown, narrowed: by }: E) =>
    (enabled === undefined || now.enabled === (enabled === 'true')) &&
    filters.every((name) => query[name] === undefined || isIn(query[name], by?.[name] ?? shown[name]))
  return entries.filter(isAsked)
}

/** Whether a text is a value, or one of a list of them. */
const isIn = (text: string, value: Value | undefined): boolean =>
  Array.isArray(value) ? value.includes(text) : value === text
