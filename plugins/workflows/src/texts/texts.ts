import { createHash } from 'node:crypto'
import type { Condition, Reader, Transaction, Value } from '@svc/store/contract'
import { z } from 'zod'
import type { Workflow } from '../graph/step.ts'
import type { EventWait, HearingText } from '../waits/wait.ts'
import type { Tables } from '../tables/tables.ts'
import { TEXT_OF } from '../tables/texts.ts'

/** The texts of a domain's workflows: those in force, and those that instances keep to. */
export interface Texts {
  /** The workflows in force, by name. */
  readonly inForce: ReadonlyMap<string, Workflow>
  /** What an instance keeps to: the text of a version, compiled against the model in force. */
  of(reader: Reader, name: string, version: number): Promise<Workflow>
  /** The version of a workflow in force; a text that is new is kept with the transaction. */
  version(transaction: Transaction, workflow: Workflow): Promise<number>
  /** The same to be shown; null where no instance has kept to it so far. */
  knownVersion(reader: Reader, name: string): Promise<number | null>
  /** Keeps the texts in force that are not kept yet. */
  keep(transaction: Transaction): Promise<void>
  /** What waits of any text listen to. */
  awaited(reader: Reader): Promise<readonly EventWait[]>
  /** The texts that are kept and wait for events. */
  hearing(reader: Reader): Promise<readonly HearingText[]>
}

export interface TextsOptions {
  readonly tables: Tables
  readonly inForce: ReadonlyMap<string, Workflow>
  /** What is written of a workflow in force, with variables as they are written. */
  written(name: string): Value
  /** Compiles a text that was in force once against the model in force now. */
  compile(name: string, text: Value): Workflow
  now(): string
}

/** Makes the texts of a model. */
export function createTexts({ tables, inForce, written, compile, now }: TextsOptions): Texts {
  const table = tables.texts
  const versions = new Map<string, number>()
  const pinned = new Map<string, Workflow>()
  let listening: Promise<readonly EventWait[]> | undefined

  const find = async (reader: Reader, name: string) => {
    const checksum = checksumOf(written(name))
    const former = formerChecksumOf(written(name))
    const rows = await reader.select({
      table,
      columns: [TEXT_OF.version, TEXT_OF.checksum],
      where: { op: 'eq', column: TEXT_OF.workflow, value: name },
      order: [{ column: TEXT_OF.version, descending: true }],
    })
    const known =
      rows.find((row) => row['checksum'] === checksum) ?? rows.find((row) => row['checksum'] === former)
    return {
      checksum,
      last: Number(rows[0]?.['version'] ?? 0),
      known: known && Number(known['version']),
      isFormer: known !== undefined && known['checksum'] !== checksum,
    }
  }
  /** Of two that enter a text at once, the key lets one be the first; the other finds it. */
  const entered = async (transaction: Transaction, name: string): Promise<number> => {
    for (;;) {
      const { checksum, last, known, isFormer } = await find(transaction, name)
      const text = JSON.stringify(written(name))
      if (isFormer)
        await transaction.update({ table, set: { checksum, text }, where: versionIs(name, known ?? 0) })
      if (known !== undefined) return known
      const values = { workflow: name, version: last + 1, checksum, text, at: now() }
      if ((await transaction.insert({ table, values, onConflict: 'ignore' })) === 1) return last + 1
    }
  }
  const versionOf = async (transaction: Transaction, name: string): Promise<number> => {
    const kept = versions.get(name)
    if (kept !== undefined) return kept
    const version = await entered(transaction, name)
    transaction.afterCommit(() => void versions.set(name, version))
    return version
  }
  const load = async (reader: Reader, name: string, version: number): Promise<Workflow> => {
    const [row] = await reader.select({
      table,
      columns: [TEXT_OF.text, TEXT_OF.checksum],
      where: versionIs(name, version),
      order: [],
    })
    if (row === undefined) throw new Error(`no text ${version} of the workflow '${name}' is kept`)
    const current = inForce.get(name)
    return current !== undefined && row['checksum'] === checksumOf(written(name))
      ? current
      : compile(name, readText(row['text'] ?? null))
  }
  const of = async (reader: Reader, name: string, version: number): Promise<Workflow> => {
    const current = inForce.get(name)
    if (current !== undefined && versions.get(name) === version) return current
    const key = `${name} ${version}`
    const known = pinned.get(key) ?? (await load(reader, name, version))
    pinned.set(key, known)
    return known
  }
  const keptTexts = async (reader: Reader) => {
    const columns = [TEXT_OF.workflow, TEXT_OF.version]
    const order = columns.map((column) => ({ column, descending: false }))
    const rows = await reader.select({ table, columns, where: { op: 'always' }, order })
    const texts: { readonly name: string; readonly version: number; readonly workflow: Workflow }[] = []
    for (const row of rows) {
      const [name, version] = [String(row['workflow']), Number(row['version'])]
      texts.push({ name, version, workflow: await of(reader, name, version) })
    }
    return texts
  }
  const awaited = async (reader: Reader): Promise<readonly EventWait[]> => {
    const kept = await keptTexts(reader)
    return [...new Set([...inForce.values(), ...kept.map(({ workflow }) => workflow)])].flatMap(waitsOf)
  }
  return {
    inForce,
    of,
    version: (transaction, { name }) => versionOf(transaction, name),
    async knownVersion(reader, name) {
      return versions.get(name) ?? (await find(reader, name)).known ?? null
    },
    async keep(transaction) {
      for (const name of inForce.keys()) await versionOf(transaction, name)
    },
    awaited(reader) {
      listening ??= awaited(reader).catch((error: unknown) => {
        listening = undefined
        throw error
      })
      return listening
    },
    async hearing(reader) {
      const hearing = (await keptTexts(reader)).map(({ name, version, workflow }) => ({
        workflow: name,
        version,
        resources: new Set(waitsOf(workflow).map(({ trigger }) => trigger.resource.name)),
      }))
      return hearing.filter(({ resources }) => resources.size > 0)
    },
  }
}

/** What the waits of a workflow listen to; none where it waits for nothing but time. */
export const waitsOf = ({ steps }: Workflow): readonly EventWait[] =>
  [...steps.values()].flatMap((step) => (step.kind === 'wait' && step.wait ? [step.wait] : []))

const versionIs = (name: string, version: number): Condition => ({
  op: 'and',
  of: [
    { op: 'eq', column: TEXT_OF.workflow, value: name },
    { op: 'eq', column: TEXT_OF.version, value: version },
  ],
})

/** A text as it was kept: at first as a map, of which the store may have changed the order. */
const readText = (kept: Value): Value => (typeof kept === 'string' ? z.json().parse(JSON.parse(kept)) : kept)

/** Texts with the same one say the same: the order of steps counts, that of all other keys does not. */
const checksumOf = (text: Value): string => digestOf(sorted(text, 'steps'))

/** The same of texts that were kept when no order counted yet: what is in force stands for them. */
const formerChecksumOf = (text: Value): string => digestOf(sorted(text))

const digestOf = (value: Value): string => createHash('sha256').update(JSON.stringify(value)).digest('hex')

/** A value whose maps have their keys in order; those below the key `kept` stay as they are. */
function sorted(value: Value, kept?: string, at?: string): Value {
  if (Array.isArray(value)) return value.map((one) => sorted(one, kept))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
  const inOrder = at !== undefined && at === kept ? entries : entries.toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(inOrder.map(([key, one]) => [key, sorted(one, kept, key)]))
}
