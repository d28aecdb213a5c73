import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Account } from '@svc/auth/contract'
import type { Environment, Redaction } from '@svc/kernel'
import type { KeptSecrets } from '@svc/outbound/contract'
import type { Condition, Row, Store, Table } from '@svc/store/contract'
import { CONNECTION } from '../../tables/connections.ts'
import { NotAuthorized } from '../failed.ts'
import { type Asking, Disconnected, type Tokens } from './endpoint.ts'

/** For how long others leave it to one to ask, in milliseconds. */
const HELD_MS = 60_000
/** How long who waits for the tokens of another looks away, in milliseconds. */
const LOOK_MS = 50
/**
 * How tokens are asked for: it goes on, whoever has gone. Others wait for the same tokens, and a refresh token that was spent is lost with
 * the answer that nobody has waited for. It is over before others may ask.
 */
const OWN: Asking = { signal: new AbortController().signal, timeoutMs: 30_000 }
/** How many tokens, former ones among them, are shown nowhere. */
const MOST_HIDDEN = 24

/** The tokens, for one who waits so long and no longer. */
async function waited<T>(tokens: Promise<T>, { signal, timeoutMs }: Asking): Promise<T> {
  const over = new AbortController()
  const ended = AbortSignal.any([signal, over.signal])
  const late = pause(timeoutMs, undefined, { signal: ended }).then(
    () => ({ kind: 'timeout', message: `no token was given within ${timeoutMs} ms` }) as const,
    () => ({ kind: 'cancelled', message: 'nobody waits for a token any more' }) as const,
  )
  const first = await Promise.race([tokens.then((found) => ({ found })), late]).finally(() => over.abort())
  if ('found' in first) return first.found
  throw new NotAuthorized({ ...first, mayHaveArrived: false })
}

/** Where tokens are kept, and by what. */
export interface KeeperParts {
  readonly store: Store
  readonly env: Environment
  readonly kept: KeptSecrets
  readonly redaction: Redaction
  readonly newId: () => string
}

/** Whose tokens they are. */
export interface Whose {
  readonly integration: string
  readonly table: Table
  /** What they are asked with. */
  readonly of: string
}

/** A connection as people are told of it. */
export interface Connection {
  readonly tokens: Tokens
  readonly connectedBy: string | null
  readonly connectedAt: string | null
}

/**
 * Keeps the tokens of one integration, for all servers: one of them asks for new ones, and the others wait for these. Two that spend
 * one refresh token would lose the connection (RFC 9700, section 4.14).
 */
export class Keeper {
  readonly #whose: Whose
  readonly #parts: KeeperParts
  #known: Tokens | undefined
  #asking: Promise<Tokens | undefined> | undefined
  /** What shows them again, the oldest first: the other side may honour former tokens still, and send them back. */
  readonly #shown: (() => void)[] = []

  constructor(whose: Whose, parts: KeeperParts) {
    this.#whose = { ...whose, of: createHash('sha256').update(whose.of).digest('base64url') }
    this.#parts = parts
  }

  /** Tokens that can be used; `renew` makes new ones of those that cannot any more. Undefined where it makes none. */
  async usable(
    renew: (old: Tokens | undefined, asking: Asking) => Promise<Tokens | undefined>,
    asking: Asking,
  ): Promise<Tokens | undefined> {
    if (this.#isUsable(this.#known)) return this.#known
    return waited((this.#asking ??= this.#begun(renew)), asking)
  }

  /** What is there, usable or not. */
  async connection(): Promise<Connection | undefined> {
    const row = await this.#row()
    const tokens = this.#opened(row)
    if (row === undefined || tokens === undefined) return undefined
    const text = (name: string) => (row[name] === null ? null : String(row[name]))
    return { tokens, connectedBy: text('connectedBy'), connectedAt: text('connectedAt') }
  }

  /** Keeps the tokens of a connection that somebody has made. */
  async connect(tokens: Tokens, by: Pick<Account, 'id' | 'username'> | undefined): Promise<void> {
    const { store, env } = this.#parts
    const connectedAt = new Date(env.now()).toISOString()
    const set = {
      ...this.#sealed(tokens),
      connectedBy: by?.username ?? null,
      connectedById: by?.id ?? null,
      connectedAt,
      holder: null,
      holderUntil: null,
    }
    await store.transaction(async (transaction) => {
      const { table, integration } = this.#whose
      const values = { integration, ...set }
      const isNew = (await transaction.insert({ table, values, onConflict: 'ignore' })) === 1
      if (!isNew) await transaction.update({ table, set, where: this.#isOurs })
    })
    this.#know(tokens)
  }

  /** These tokens were refused: new ones are asked for, unless there are some already. */
  async drop(access: string): Promise<void> {
    if (this.#known?.access === access) this.#known = { ...this.#known, until: 0 }
    const found = this.#opened(await this.#row())
    if (found?.access !== access) return
    await this.#parts.store.transaction(async (transaction) => {
      const { table } = this.#whose
      await transaction.update({ table, set: this.#sealed({ ...found, until: 0 }), where: this.#isOurs })
    })
  }

  /** Forgets all; answers what there was. */
  async disconnect(): Promise<Tokens | undefined> {
    const found = this.#opened(await this.#row())
    await this.#parts.store.transaction(async (transaction) => {
      await transaction.remove({ table: this.#whose.table, where: this.#isOurs })
    })
    this.#known = undefined
    return found
  }

  #begun(renew: (old: Tokens | undefined, asking: Asking) => Promise<Tokens | undefined>) {
    const begun = this.#find(renew, OWN).finally(() => {
      if (this.#asking === begun) this.#asking = undefined
    })
    return begun
  }

  async #find(
    renew: (old: Tokens | undefined, asking: Asking) => Promise<Tokens | undefined>,
    asking: Asking,
  ): Promise<Tokens | undefined> {
    for (;;) {
      const row = await this.#row()
      const found = this.#opened(row)
      if (this.#isUsable(found)) return this.#know(found)
      const holder = this.#parts.newId()
      if (await this.#hold(holder)) return this.#renewed(holder, renew, asking)
      await pause(LOOK_MS, undefined, { signal: asking.signal })
    }
  }

  async #renewed(
    holder: string,
    renew: (old: Tokens | undefined, asking: Asking) => Promise<Tokens | undefined>,
    asking: Asking,
  ): Promise<Tokens | undefined> {
    try {
      const found = this.#opened(await this.#row())
      if (this.#isUsable(found)) return this.#know(found)
      const fresh = await renew(found, asking)
      if (fresh === undefined) return undefined
      if (await this.#write(holder, this.#sealed(fresh))) return this.#know(fresh)
      // Somebody has connected anew meanwhile, or ended the connection.
      const instead = this.#opened(await this.#row())
      return instead && this.#know(instead)
    } catch (error) {
      if (!(error instanceof Disconnected)) throw error
      await this.#write(holder, { tokens: null })
      this.#known = undefined
      return undefined
    } finally {
      await this.#write(holder, { holder: null, holderUntil: null })
    }
  }

  /** Whether it is ours to ask now. */
  async #hold(holder: string): Promise<boolean> {
    const { store, env } = this.#parts
    const { table, integration, of } = this.#whose
    const now = env.now()
    const set = { holder, holderUntil: new Date(now + HELD_MS).toISOString() }
    return store.transaction(async (transaction) => {
      const none = { tokens: null, connectedBy: null, connectedById: null, connectedAt: null }
      const values = { integration, of, ...none, ...set }
      if ((await transaction.insert({ table, values, onConflict: 'ignore' })) === 1) return true
      const isFree: Condition = {
        op: 'or',
        of: [
          { op: 'null', column: CONNECTION.holder },
          { op: 'lt', column: CONNECTION.holderUntil, value: new Date(now).toISOString() },
        ],
      }
      const where: Condition = { op: 'and', of: [this.#isOurs, isFree] }
      return (await transaction.update({ table, set, where })).count > 0
    })
  }

  /** Writes for as long as it is ours; answers whether it is. */
  async #write(holder: string, set: Row): Promise<boolean> {
    const where: Condition = {
      op: 'and',
      of: [this.#isOurs, { op: 'eq', column: CONNECTION.holder, value: holder }],
    }
    const { table } = this.#whose
    return this.#parts.store.transaction(
      async (transaction) => (await transaction.update({ table, set, where })).count > 0,
    )
  }

  get #isOurs(): Condition {
    return { op: 'eq', column: CONNECTION.integration, value: this.#whose.integration }
  }

  async #row(): Promise<Row | undefined> {
    const { table } = this.#whose
    const [row] = await this.#parts.store.select({
      table,
      columns: table.columns,
      where: this.#isOurs,
      order: [],
    })
    return row
  }

  #sealed(tokens: Tokens): Row {
    const { of, integration, table } = this.#whose
    return { of, tokens: this.#parts.kept.seal(JSON.stringify(tokens), `${table.name} ${integration}`) }
  }

  #opened(row: Row | undefined): Tokens | undefined {
    const { of, integration, table } = this.#whose
    if (row === undefined || row['of'] !== of || typeof row['tokens'] !== 'string') return undefined
    const text = this.#parts.kept.open(row['tokens'], `${table.name} ${integration}`)
    return text === undefined ? undefined : (JSON.parse(text) as Tokens)
  }

  #isUsable(tokens: Tokens | undefined): tokens is Tokens {
    return tokens !== undefined && tokens.until > this.#parts.env.now()
  }

  /** Takes note of tokens, which are shown nowhere from now on. */
  #know(tokens: Tokens): Tokens {
    if (this.#known?.access !== tokens.access) {
      const { redaction } = this.#parts
      for (const one of [tokens.access, tokens.refresh])
        if (one !== undefined) this.#shown.push(redaction.add(one))
      while (this.#shown.length > MOST_HIDDEN) this.#shown.shift()?.()
    }
    this.#known = tokens
    // Whoever comes once these are over waits for others.
    this.#asking = undefined
    return tokens
  }
}
