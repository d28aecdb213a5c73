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
      observer = around
    },
  }
}
