import { fileURLToPath } from 'node:url'
import { type Data, DomainsCapability } from '@svc/domain/contract'
import { definePlugin } from '@svc/kernel'
import { StoreCapability } from '@svc/store/contract'
import { expect, it } from 'vitest'
import { newKey } from '../acceptance/privacy/clinic.ts'
import { STORES } from '../kit/stores.ts'
import { startTestKernel } from '../kit/test-kernel.ts'

const EXAMPLE = fileURLToPath(new URL('../../apps/server/examples/workshop/domain.yaml', import.meta.url))
process.env['SVC_DOMAIN_WORKSHOP_KEYS'] ??= newKey('one')

/** Tables that hold no value of a record, and what they hold instead. */
const HOLDS_NONE: Readonly<Record<string, string>> = {
  localization_revisions: 'marks of imports',
  localization_texts: 'texts of translators',
  svc_api_key_roles: 'names of roles',
  svc_api_keys: 'names and hashes of keys',
  svc_audit: 'the log of requests: who asked, whose name and address go with `account: true`',
  svc_audit_erased: 'hashes and pseudonyms',
  svc_auth_changes: 'a number',
  svc_columns: 'what users call columns',
  svc_counters: 'numbers',
  svc_domains: 'definitions',
  svc_encryption_keys: 'wrapped keys',
  svc_file_secrets: 'a secret',
  svc_job_marks: 'names of jobs',
  svc_media_references: 'ids',
  svc_migrations: 'definitions, and steps between them',
  svc_refresh_tokens: 'hashes',
  svc_roles: 'names of roles',
  svc_schedule_beats: 'names of schedules',
  svc_sessions: 'sessions of accounts',
  svc_switches: 'names of the definition',
  svc_turns: 'names of domains and resources',
  svc_tokens: 'hashes',
  svc_user_roles: 'names of roles',
  svc_users: 'accounts, which go with `account: true`',
  svc_webhook_endpoints: 'addresses of receivers',
  workshop__event_tickets: 'hashes, and who holds them',
  workshop__events__keys_8c6c7fb5: 'digests',
  workshop__events__positions_195b7426: 'positions of readers',
  workshop__integrations__breakers: 'names of integrations, and moments',
  workshop__integrations__buckets: 'names of integrations, and moments',
  workshop__integrations__seen: 'digests',
  workshop__integrations__connections: 'tokens, sealed, and who connected',
  workshop__integrations__states: 'digests',
  workshop__integrations__occasions: 'names of operations, recurrences and moments',
  workshop__integrations__consumers: 'names of operations, and whether they listen',
  workshop__privacy__holdings: 'hashes and ids, which an erase takes away',
  workshop__privacy__pseudonyms: 'hashes and pseudonyms',
  workshop__privacy__restricted: 'hashes and ids',
  workshop__privacy__restricting: 'a mark',
  workshop__privacy__restrictions: 'hashes',
  workshop__privacy__secrets: 'a key',
  workshop__privacy__standing: 'hashes',
  workshop__privacy__swept: 'ids',
  workshop__schedules__due: 'ids and moments',
  workshop__schedules__marks: 'digests',
  workshop__schedules__states: 'texts of schedules',
  workshop__workflows__asking: 'ids',
  workshop__workflows__found: 'ids',
  workshop__workflows__texts: 'texts of workflows',
  workshop__workflows__waits: 'ids',
}

/** What columns are called that have the name of an account. */
const NAMES_ACCOUNTS: ReadonlySet<string> = new Set([
  'actor',
  'actor_name',
  'actorName',
  'createdBy',
  'username',
])
/** The log of requests, the columns that users add, and the accounts themselves. */
const RENAMED_OTHERWISE = ['svc_audit', 'svc_columns', 'svc_users']

it('P14: of every table it is said whether it holds values of records', async () => {
  let data: Data | undefined
  const looking = definePlugin({
    name: 'looking',
    phase: 'domain',
    requires: { domains: DomainsCapability },
    setup({ domains }) {
      domains.block({
        on: 'domain',
        key: 'looking',
        compile: () => ({
          open(given) {
            data = given
          },
        }),
      })
    },
  })
  const server = await startTestKernel({
    store: STORES[0]!,
    plugins: [looking],
    config: { domain: { domain_file: EXAMPLE }, jobs: { enabled: false } },
  })
  try {
    await expect.poll(() => data !== undefined).toBe(true)
    const { model, keeps, mentioning } = data!
    const holds = new Set(
      [
        ...model.tables,
        ...mentioning.map(({ table }) => table),
        ...[...model.resources.values()].flatMap((resource) => keeps(resource).map(({ table }) => table)),
      ].map(({ name }) => name),
    )
    const acted = new Set(model.parts.flatMap(({ part }) => part.acted ?? []).map(({ table }) => table.name))
    const { tables } = await server.kernel.get(StoreCapability).catalog()
    const journal = await server.kernel.get(StoreCapability).journal.catalog()
    const all = [...new Set([...tables, ...journal.tables].map(({ name }) => name))]
    expect(all.length).toBeGreaterThan(60)
    expect(all.filter((name) => !holds.has(name) && HOLDS_NONE[name] === undefined)).toEqual([])
    const naming = [...tables, ...journal.tables].filter(({ name, columns }) =>
      columns.some((column) => NAMES_ACCOUNTS.has(column.name) && !acted.has(name)),
    )
    expect(naming.map(({ name }) => name).toSorted()).toEqual(RENAMED_OTHERWISE)
    // What is said here is about tables that are there, and contradicts nobody.
    expect(Object.keys(HOLDS_NONE).filter((name) => holds.has(name) || !all.includes(name))).toEqual([])
  } finally {
    await server.stop()
  }
})
