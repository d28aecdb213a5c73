import { AsyncResource } from 'node:async_hooks'
import type { Around, SpanFacts, Spans } from '@svc/kernel'
import type { Definition, Store, Transaction, TransactionOptions } from './contract.ts'
import type { Table } from './plan.ts'

type Observers = Pick<Spans, 'observer'>

/** A statement as a span; its facts are what is done and to which table. */
const around = <T>(observer: Around, operation: string, table: Table, work: () => T): T =>
  observer('statement', { operation, table: table.name }, work)

/** Apart: a function that may make a closure pays for what it would hold each time that it is called. */
const aroundPlan = <P extends { readonly table: Table }, R>(
  observer: Around,
  operation: string,
  run: (plan: P) => R,
  plan: P,
): R => around(observer, operation, plan.table, () => run(plan))

/** `store`, whose transactions and statements are spans while somebody observes; nothing is made while nobody does. */
export function observed(store: Store, spans: Observers): Store {
  const { name, dialect, features, wanting } = store
  const journal = store.journal === store ? undefined : observed(store.journal, behindRequests(spans))

  const statement = <P extends { readonly table: Table }, R>(operation: string, run: (plan: P) => R) => {
    return (plan: P): R => {
      const { observer } = spans
      return observer === undefined ? run(plan) : aroundPlan(observer, operation, run, plan)
    }
  }

  return {
    name,
    dialect,
    features,
    wanting,
    compareGeometries: (test) => store.compareGeometries(test),
    get journal() {
      return journal ?? this
    },
    select: statement('select', (plan) => store.select(plan)),
    ...(store.selectSync && { selectSync: statement('select', store.selectSync.bind(store)) }),
    count: statement('count', (plan) => store.count(plan)),
    aggregate: statement('aggregate', (plan) => store.aggregate(plan)),
    stream(plan, size) {
      const chunks = store.stream(plan, size)
      const { observer } = spans
      return observer === undefined ? chunks : observedChunks(chunks, observer, plan.table)
    },
    transaction(work, options) {
      const { observer } = spans
      return observer === undefined
        ? store.transaction(work, options)
        : transactionOf(observer, store, work, options)
    },
    define(work, options) {
      const { observer } = spans
      return observer === undefined
        ? store.define(work, options)
        : definitionOf(observer, store, work, options)
    },
    ensure: (tables) => store.ensure(tables),
    state: () => store.state(),
    explain: (step) => store.explain(step),
    catalog: () => store.catalog(),
    scrub: (tables) => store.scrub(tables),
    size: () => store.size(),
  }
}

/** Spans that are inside no other: what a journal writes belongs to none of the requests that it is about. */
function behindRequests(spans: Observers): Observers {
  const context = new AsyncResource('svc.journal')
  const outside: Around = (name, facts, work) =>
    context.runInAsyncScope(() => spans.observer!(name, facts, work))
  return {
    get observer() {
      return spans.observer && outside
    },
  }
}

const NO_FACTS: SpanFacts = Object.freeze({})

const transactionOf = <T>(
  observer: Around,
  store: Store,
  work: (transaction: Transaction) => Promise<T>,
  options: TransactionOptions | undefined,
): Promise<T> =>
  observer('transaction', NO_FACTS, () =>
    store.transaction(within(observedTransaction, work, observer), options),
  )

const definitionOf = <T>(
  observer: Around,
  store: Store,
  work: (definition: Definition) => Promise<T>,
  options: TransactionOptions | undefined,
): Promise<T> =>
  observer('transaction', NO_FACTS, () => store.define(within(observedDefinition, work, observer), options))

/** `work` in the asynchronous context in which its transaction was asked for: it runs when its turn has come. */
function within<R, T>(
  observe: (reader: R, observer: Around) => R,
  work: (reader: R) => Promise<T>,
  observer: Around,
): (reader: R) => Promise<T> {
  const context = new AsyncResource('svc.transaction')
  return (reader) => context.runInAsyncScope(() => work(observe(reader, observer)))
}

function observedTransaction(transaction: Transaction, observer: Around): Transaction {
  const statement =
    <P extends { readonly table: Table }, R>(operation: string, run: (plan: P) => R) =>
    (plan: P): R =>
      around(observer, operation, plan.table, () => run(plan))
  return {
    select: statement('select', (plan) => transaction.select(plan)),
    count: statement('count', (plan) => transaction.count(plan)),
    aggregate: statement('aggregate', (plan) => transaction.aggregate(plan)),
    insert: statement('insert', (plan) => transaction.insert(plan)),
    append: statement('append', (plan) => transaction.append(plan)),
    insertRows: statement('insertRows', (plan) => transaction.insertRows(plan)),
    update: statement('update', (plan) => transaction.update(plan)),
    updateRows: statement('updateRows', (plan) => transaction.updateRows(plan)),
    claim: statement('claim', (plan) => transaction.claim(plan)),
    remove: statement('remove', (plan) => transaction.remove(plan)),
    exclusiveLock: (name) => transaction.exclusiveLock(name),
    savepoint: (work) => transaction.savepoint(work),
    afterCommit: (listener) => transaction.afterCommit(listener),
  }
}

const observedDefinition = (definition: Definition, observer: Around): Definition => ({
  ...observedTransaction(definition, observer),
  apply: (step) => around(observer, step.kind, step.table, () => definition.apply(step)),
})

/** Each chunk is a statement of its own: what its reader does with it is not. */
async function* observedChunks<Rows>(
  chunks: AsyncIterable<Rows>,
  observer: Around,
  table: Table,
): AsyncGenerator<Rows, void> {
  const iterator = chunks[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = await around(observer, 'stream', table, () => iterator.next())
      if (next.done === true) return
      yield next.value
    }
  } finally {
    await iterator.return?.()
  }
}
