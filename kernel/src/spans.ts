/** What a span is about, such as the table of a statement. */
export type SpanFacts = Readonly<Record<string, string | number>>

/**
 * Runs `work`, once, and answers what it answers or throws what it throws. Where that is a promise, the span lasts until
 * it is settled.
 */
export type Around = <T>(name: string, facts: SpanFacts, work: () => T) => T

/**
 * What happens in the server, part by part, for whoever measures or traces it: `request` with a `step.<name>` for each
 * step, `action.<name>`, `transaction`, `statement`, and what plugins name. Nothing is made of any of it while nobody
 * observes.
 */
export interface Spans {
  /** Runs `work` as a named part of what is under way. */
  readonly run: Around
  /** Who observes; asked where a closure for each span would cost what nobody uses. */
  readonly observer: Around | undefined
  /**
   * Has every span run by `observer` from now on. Which span is inside which is the observer's to know: work goes on in
   * the asynchronous context that it began in. One plugin observes; a second one is an error.
   */
  observe(observer: Around): void
}

/** Makes spans that nobody observes yet. */
export function createSpans(): Spans {
  let observer: Around | undefined
  return {
    run: (name, facts, work) => (observer === undefined ? work() : observer(name, facts, work)),
    get observer() {
      return observer
    },
    observe(around) {
      if (observer !== undefined) throw new Error('the spans are observed already, which one plugin can do')
      observer = unbroken(around)
    },
  }
}

/** A fault of who observes costs a span, never the work that it is about. */
function unbroken(around: Around): Around {
  return <T>(name: string, facts: SpanFacts, work: () => T): T => {
    let done: { readonly answer: T } | { readonly thrown: unknown } | undefined
    const once = (): T => {
      try {
        const answer = work()
        done = { answer }
        return answer
      } catch (thrown) {
        done = { thrown }
        throw thrown
      }
    }
    try {
      const observed = around(name, facts, once)
      if (observed instanceof Promise) void observed.catch(() => undefined)
    } catch {
      // What the work has thrown is thrown below.
    }
    if (done === undefined) return work()
    if ('answer' in done) return done.answer
    throw done.thrown
  }
}
