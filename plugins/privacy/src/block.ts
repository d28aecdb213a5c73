import type { Accounts } from '@svc/auth/contract'
import { windows } from '@svc/automation/contract'
import type { DomainBlock, DomainPart, Site } from '@svc/domain/contract'
import { type Bus, type Caller, type Context, createUuidV7, SYSTEM } from '@svc/kernel'
import { failedJobs } from '@svc/jobs/contract'
import type { Media } from '@svc/media/contract'
import type { Store } from '@svc/store/contract'
import { restrictAction, unrestrictAction } from './actions/restrict.ts'
import { consentAction, grantAction, withdrawAction } from './actions/consent.ts'
import { createConsentStep } from './consent/step.ts'
import { retentionAction } from './actions/retention.ts'
import { rectifyAction } from './actions/rectify.ts'
import { eraseAction } from './actions/erase.ts'
import { accessAction, exportAction } from './actions/access.ts'
import { compilePrivacy, type Privacy } from './compile/privacy.ts'
import { PRIVACY } from './contract.ts'
import { PrivacyDefinition } from './definition.ts'
import { documentation } from './documentation.ts'
import type { Encrypting } from './encryption/start.ts'
import { logWindow } from './log.ts'
import { createGuard } from './erase/guard.ts'
import { personalResources } from './restriction/kept.ts'
import { createPassingOverGone } from './restriction/gone.ts'
import { createNarrow } from './restriction/narrow.ts'
import { openRestrictions, renewRestrictions } from './restriction/renew.ts'
import { lastMarks } from './restriction/state.ts'
import { createRestrictionStep } from './restriction/step.ts'
import type { DailySweeps } from './retention/daily.ts'
import { LINEAGE } from './resource-block.ts'
import type { Scrubs } from './scrub/scrubs.ts'
import type { Setting } from './setting.ts'
import { createFollowing } from './follow.ts'
import { createHoldings } from './subjects/holdings.ts'
import { type AtRest, createSubjectKey, type SubjectKey } from './subjects/key.ts'
import { CONSENT, ENTRY, SECRET, type Tables, tablesOf } from './tables.ts'

/** What the key needs of the server. */
export interface Means extends Pick<Context, 'env' | 'log'> {
  readonly accounts: Accounts
  readonly encrypting: Encrypting
  readonly media: Media | undefined
  readonly bus: Bus
  readonly store: Store
  readonly sweeps: DailySweeps
  readonly scrubs: Scrubs
  /** Takes note of the keys of domains. */
  readonly keys: Map<string, SubjectKey>
}

/** The key `privacy` of a domain. */
export const privacyBlock = (means: Means): DomainBlock<PrivacyDefinition, Privacy> => ({
  on: 'domain',
  key: PRIVACY.key,
  schema: PrivacyDefinition,
  after: [LINEAGE.key],
  compile(written, site) {
    const made = compilePrivacy(written, site)
    if (made === undefined || written === undefined) return undefined
    const { encrypting, scrubs } = means
    const encryption = encrypting.compile(written.encryption, site)
    if (made.enabled) warnOf(written, site)
    const describe = () => ({ schema: { privacy: shown(made) } })
    const { name } = site.model
    const atRest: AtRest = { seals: encryption?.seals, opens: encrypting.opens(name) }
    const part: DomainPart<Privacy> = made.enabled
      ? partOf(made, means, atRest)
      : {
          made,
          describe,
          ...secretsOf(tablesOf(name)),
          open: (data) => scrubs.enter({ data, tables: undefined }),
        }
    if (encryption === undefined) return part
    return {
      ...part,
      ready: encryption.ready,
      seals: encryption.seals,
      sealed: (writes) => scrubs.afterSealing(writes, name),
      async open(data) {
        const closes = [await part.open?.(data), encrypting.open(encryption)]
        return async () => {
          for (const close of closes) await close?.()
        }
      },
    }
  },
})

/** The key of a domain outlives a while in which nothing is in force, and is sealed and opened with all else. */
const secretsOf = ({ secrets }: Tables) => ({
  tables: { secrets },
  mixed: [{ table: secrets, columns: [SECRET.value] }],
})

function partOf(
  privacy: Privacy,
  { env, accounts, media, bus, keys, sweeps, scrubs }: Means,
  atRest: AtRest,
): DomainPart<Privacy> {
  const tables = tablesOf(privacy.model.name)
  const key = createSubjectKey(tables, env, atRest)
  keys.set(privacy.model.name, key)
  const newId = createUuidV7(env)
  const exempt = new WeakSet<Caller>()
  const setting: Setting = {
    privacy,
    exempt,
    tables,
    key,
    accounts,
    env,
    media,
    newId,
    scrub: (writes) => scrubs.afterErase(writes, privacy.model.name),
    erased: (domain, id, records) => bus.emit(`svc.${domain}.privacy.erased`, { domain, id, records }),
  }
  const holdings = createHoldings(privacy, tables, key)
  const consent = createConsentStep(privacy, tables, key)
  const guard = createGuard(privacy)
  const around = { privacy, tables, key, exempt, newId }
  const persons = personalResources(privacy)
  const restriction = createRestrictionStep(persons, around)
  const following = createFollowing(setting)
  const log = windows(logWindow(setting))
  return {
    made: privacy,
    ...secretsOf(tables),
    tables: { ...tables },
    resources: new Set([...persons, ...consent.resources, ...guard.resources]),
    concerns: (change) =>
      consent.concerns(change) ||
      guard.concerns(change) ||
      holdings.concerns(change) ||
      restriction.concerns(change),
    passesOver: consent.passesOver,
    passesOverOf: consent.resources,
    passesOverGone: createPassingOverGone(persons, tables),
    narrow: createNarrow(persons, tables, exempt),
    narrowedBy: (reader) => lastMarks(tables, reader),
    selfContained: true,
    async beforeWrite(change, writes) {
      if (restriction.concerns(change))
        await restriction.check(
          change,
          writes,
          holdings.concerns(change) && (await following.takes(change, writes)),
        )
      if (guard.concerns(change)) await guard.check(change, writes)
      if (holdings.concerns(change)) await following.before(change, writes)
      if (consent.concerns(change)) await consent.check(change, writes)
    },
    async afterWrite(change, writes) {
      const isNaming = holdings.concerns(change)
      if (isNaming) await holdings.keep(change, writes)
      const met = restriction.concerns(change) ? await restriction.keep(change, writes) : new Set<string>()
      if (isNaming) await following.after(change, met, writes)
    },
    acted: [
      { table: tables.log, actor: { id: ENTRY.actorId, name: ENTRY.actorName } },
      { table: tables.consents, actor: { id: CONSENT.actorId, name: CONSENT.actorName } },
    ],
    mentions: [
      { kind: 'logEntry', table: tables.log, columns: [ENTRY.reason] },
      { kind: 'consent', table: tables.consents, columns: [CONSENT.reason] },
      { kind: 'job', table: failedJobs.table, columns: [failedJobs.error] },
    ],
    traces: {
      holds: holdings.holds,
      async renew(moves, transaction) {
        await holdings.renew(moves, transaction)
        await renewRestrictions(around, transaction)
      },
    },
    actions: [
      accessAction(setting),
      exportAction(setting),
      eraseAction(setting),
      consentAction(setting),
      grantAction(setting),
      withdrawAction(setting),
      rectifyAction(setting),
      retentionAction(setting),
      restrictAction(setting),
      unrestrictAction(setting),
      ...log.actions,
    ],
    describe: () => ({
      schema: { privacy: shown(privacy) },
      openapi: {
        schemas: log.openapi.schemas ?? {},
        operations: { ...documentation.operations, ...log.openapi.operations },
      },
    }),
    async open(data) {
      await data.write({ caller: SYSTEM }, (writes) => key.settle(writes))
      await key.read(data.reader)
      await openRestrictions(around, data)
      const closes = [sweeps.enter(setting, data), scrubs.enter({ data, tables })]
      return async () => {
        for (const close of closes) await close?.()
      }
    },
  }
}

/** What is less safe than it looks. */
function warnOf(written: PrivacyDefinition, site: Site): void {
  if (written.encryption === undefined)
    site.warning(
      [],
      'the key by which people are found, and of pseudonyms, lies in the database, for there is no encryption',
      "Declare 'encryption'",
    )
}

const shown = ({ enabled, classifications, purposes, permissions }: Privacy) => ({
  enabled,
  classifications: Object.fromEntries(classifications),
  consent: [...purposes.values()].map(({ resources, ...purpose }) => ({
    ...purpose,
    resources: resources.map(({ name }) => name),
  })),
  permissions,
})
