import type { Accounts } from '@svc/auth/contract'
import { assertAddable } from '@svc/expression/contract'
import type { AddedFunction } from '../contract/way.ts'
import { type Context, createUuidV7, errors, repeat, variablesOf } from '@svc/kernel'
import type { Management } from '@svc/management/contract'
import type { Reader, Store } from '@svc/store/contract'
import { assertOutside } from '../blocks/inside.ts'
import type { Block } from '../contract/block.ts'
import type { DomainConfig } from '../config.ts'
import type { Domains } from '../contract/domains.ts'
import type { Mentioning } from '../contract/mentions.ts'
import type { Model } from '../model/model.ts'
import { Engine } from './engine.ts'
import type { Aspect } from '../fields/aspect.ts'
import type { FieldType } from '../fields/field-type.ts'
import { actingNames } from '../lifecycle/acting.ts'
import { boot } from '../lifecycle/boot.ts'
import { definitionCommands } from '../lifecycle/commands.ts'
import { followFile } from '../lifecycle/follow-file.ts'
import { lifecycleActions } from '../lifecycle/index.ts'
import { createLanguage } from '../lifecycle/read-model.ts'
import { JOURNAL } from '../migrate/journal.ts'
import { COLUMNS } from '../overlay/rows.ts'
import type { Answers, Runtime } from '../runtime.ts'
import type { Speaker } from '../speech/speech.ts'
import { TURNS } from '../crossing/turn.ts'
import { COUNTERS } from '../write/counters.ts'
import { columnAuthors } from '../overlay/rows.ts'
import { mentioningOf } from '../data/data.ts'
import { renameAccount } from '../data/rename.ts'
import { releaseAccount } from '../write/account.ts'
import { IDEMPOTENCY, sweepKept } from '../write/idempotency.ts'

/** How often a server looks for changes that another one made, in milliseconds. */
const REFRESH_MS = 500
/** How often a watched file is looked at, in milliseconds. */
const FOLLOW_MS = 250
/** How often answers whose time is over are removed, in milliseconds. */
const SWEEP_MS = 60 * 60 * 1000

/** What this plugin is given at set-up. */
export type Given = Context & {
  readonly config: DomainConfig
  readonly store: Store
  readonly accounts: Accounts | undefined
  readonly management: Management | undefined
}

/**
 * Makes the engine. Definitions are read when everything is set up, not before: until then other plugins add to
 * the language.
 */
export async function startEngine(given: Given): Promise<Domains> {
  const { accounts, config, store, env, log, bus, actions, management, host, redaction, onOpen } = given
  const added: FieldType[] = []
  const aspects: Aspect[] = []
  const blocks: Block[] = []
  const functions = new Map<string, AddedFunction>()
  const mentioning: ((model: Model) => readonly Mentioning[])[] = []
  let engine: Engine | undefined
  let answers: Answers | undefined
  let speaker: Speaker | undefined
  await store.ensure([...JOURNAL, COLUMNS, COUNTERS, IDEMPOTENCY, TURNS])
  if (config.db_path !== undefined || config.app_db_path !== undefined) {
    const message = `'domain.db_path' and 'domain.app_db_path' have no effect: the store '${store.name}' keeps everything`
    log.warn({ message }, 'domain.paths_unused')
  }
  for (const command of definitionCommands(() => engine, store, config.domain_file)) management?.add(command)

  onOpen(
    async () => {
      const language = createLanguage({ types: added, aspects, blocks, functions, speaker, redaction })
      const runtime = runtimeOf(given, {
        answers,
        mentioning: (model) => mentioning.flatMap((of) => of(model)),
        confirm: async (reader) => engine?.assertCurrent(reader),
      })
      const opened = new Engine({
        runtime,
        actions,
        log,
        host,
        language,
        variables: { file: variablesOf(process.env), submitted: variablesOf(process.env, config.env_allow) },
      })
      actions.add(...lifecycleActions({ engine: opened, store, accounts, language, log }))
      await boot(opened, config, log)
      engine = opened
      const unhear = bus.on('auth.account.removing', (removing) =>
        opened.inForce.onEach(async (model) => {
          await releaseAccount(model, runtime, removing)
          const { id, erased, transaction } = removing
          if (erased === undefined) return
          const naming = { mentioning: mentioningOf(model, runtime), acted: [columnAuthors(model.name)] }
          await renameAccount(model, naming, { id, ...erased }, transaction)
        }),
      )
      const watching = config.watch ?? host.environment === 'development'
      const following = { engine: opened, allowDestructive: config.allow_destructive, log }
      const ends = [
        ...(watching ? config.domain_file : []).map((file) =>
          repeat(followFile(file, following), {
            everyMs: FOLLOW_MS,
            log,
            failure: 'domain.file_not_followed',
          }),
        ),
        repeat(() => opened.refresh(), { everyMs: REFRESH_MS, log, failure: 'domain.refresh_failed' }),
        repeat(() => sweepKept(store, env.now()), { everyMs: SWEEP_MS, log, failure: 'domain.sweep_failed' }),
      ]
      return async () => {
        unhear()
        await Promise.all(ends.map((end) => end()))
        await opened.inForce.end()
      }
      // Each part of a model has ten seconds of its own.
    },
    { patienceMs: Infinity },
  )

  const mounted = () => (engine?.inForce.list() ?? []).map(({ model }) => model)
  accounts?.reserve(() => actingNames(mounted()))
  return {
    list: mounted,
    described: () => (engine?.inForce.list() ?? []).map(({ described }) => described),
    model: (name) => mounted().find((model) => model.name === name),
    limits: { bulk: config.bulk_limit },
    fieldType(type) {
      if (engine !== undefined)
        throw new Error(`the field type '${type.name}' comes too late: add it during set-up`)
      added.push(type)
    },
    aspect(aspect) {
      if (engine !== undefined)
        throw new Error(`the attribute '${aspect.name}' comes too late: add it during set-up`)
      aspects.push(aspect)
    },
    block(block) {
      if (engine !== undefined) throw new Error(`the key '${block.key}' comes too late: add it during set-up`)
      blocks.push(block)
    },
    expressionFunction(name, given) {
      if (engine !== undefined) throw new Error(`the function '${name}' comes too late: add it during set-up`)
      assertAddable(name)
      if (functions.has(name)) throw new Error(`another plugin adds the function '${name}' already`)
      functions.set(name, given)
    },
    keep(keeper) {
      if (engine !== undefined || answers !== undefined)
        throw new Error('answers are kept in one place, which is named during set-up')
      answers = keeper
    },
    speak(given) {
      if (engine !== undefined || speaker !== undefined)
        throw new Error('one plugin chooses texts, and says so during set-up')
      speaker = given
    },
    mentioning(of) {
      if (engine !== undefined) throw new Error('what is kept is said during set-up')
      mentioning.push(of)
    },
    language: () => createLanguage({ types: added, aspects, blocks, functions, speaker, redaction }),
  }
}

interface Added extends Pick<Runtime, 'answers' | 'mentioning'> {
  /** Throws where another server has changed a definition. */
  confirm(reader: Reader): Promise<void>
}

function runtimeOf(
  { config, store, bus, env, log, accounts }: Given,
  { answers, mentioning, confirm }: Added,
): Runtime {
  const transaction: Runtime['transaction'] = accounts
    ? (caller, work, options) => accounts.transaction(caller, work, { ...options, confirm })
    : (_, work, options) => store.transaction(work, options)
  return {
    store,
    transaction: (caller, work, options) => {
      assertOutside()
      return transaction(caller, work, options)
    },
    foreignChanges: () => accounts?.foreignChanges ?? 0,
    define: accounts?.define ?? ((_, work) => store.define(work)),
    bus,
    env,
    log,
    newId: createUuidV7(env),
    bulkLimit: config.bulk_limit,
    running: new Set(),
    answers,
    mentioning,
    describeUsers: accounts?.describe ?? (() => Promise.resolve([])),
    hashPasswords: accounts?.hashSecrets ?? (() => Promise.reject(withoutAccounts())),
  }
}

const withoutAccounts = () =>
  errors.UNAVAILABLE({ message: 'Passwords cannot be stored: no plugin that hashes them is loaded' })
