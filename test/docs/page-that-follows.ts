import { runInNewContext } from 'node:vm'

/** A page at work, as its reader sees it. */
export interface PageAtWork {
  submit(): void
  /** What it says about itself. */
  state(): string
  /** The texts of what it shows, the first at the top. */
  shown(): readonly string[]
  stop(): void
}

type Listener = (event: never) => void

/** An element of a page: only what this one asks of them. */
class Element {
  value = ''
  children: Element[] = []
  readonly #listeners = new Map<string, Listener[]>()
  #own = ''

  get textContent(): string {
    return this.#own + this.children.map(({ textContent }) => textContent).join('')
  }

  set textContent(text: string) {
    this.#own = text
  }

  append(...children: Element[]): void {
    this.children.push(...children)
  }

  prepend(child: Element): void {
    this.children.unshift(child)
  }

  addEventListener(name: string, listener: Listener): void {
    this.#listeners.set(name, [...(this.#listeners.get(name) ?? []), listener])
  }

  dispatch(name: string): void {
    for (const listener of this.#listeners.get(name) ?? [])
      listener({ preventDefault: () => undefined } as never)
  }
}

/** Reads a stream of server-sent events as the HTML standard has it; it does not come back by itself. */
class EventSource extends Element {
  onerror: () => void = () => undefined
  readonly #end = new AbortController()
  readonly #told = new Map<string, Listener[]>()

  constructor(url: string) {
    super()
    open.add(this)
    this.#read(url).then(
      () => this.#fail(),
      () => this.#fail(),
    )
  }

  override addEventListener(name: string, listener: Listener): void {
    this.#told.set(name, [...(this.#told.get(name) ?? []), listener])
  }

  close(): void {
    open.delete(this)
    this.#end.abort()
  }

  #fail(): void {
    if (!this.#end.signal.aborted) this.onerror()
  }

  async #read(url: string): Promise<void> {
    const headers = { accept: 'text/event-stream' }
    const { body, ok } = await fetch(url, { headers, signal: this.#end.signal })
    if (!ok || body === null) throw new Error('no stream')
    let rest = ''
    for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
      const blocks = (rest + chunk).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) this.#take(block)
    }
  }

  #take(block: string): void {
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1]
    const [event, data, lastEventId] = [field('event'), field('data'), field('id')]
    if (event === undefined || data === undefined) return
    for (const listener of this.#told.get(event) ?? []) listener({ data, lastEventId } as never)
  }
}

const open = new Set<EventSource>()

/** Starts the script of a page, with what its reader has put into its fields. */
export function startPage(script: string, values: Readonly<Record<string, string>>): PageAtWork {
  const elements = new Map<string, Element>()
  const getElementById = (id: string): Element => {
    const found = elements.get(id) ?? new Element()
    elements.set(id, found)
    return found
  }
  for (const [id, value] of Object.entries(values)) getElementById(id).value = value
  const timers = new Set<NodeJS.Timeout>()
  const later = (work: () => void, ms: number) => void timers.add(setTimeout(work, ms))
  const document = { getElementById, createElement: () => new Element() }
  runInNewContext(script, { document, EventSource, fetch, setTimeout: later, encodeURIComponent, JSON })
  return {
    submit: () => getElementById('form').dispatch('submit'),
    state: () => getElementById('state').textContent,
    shown: () => getElementById('list').children.map(({ textContent }) => textContent),
    stop() {
      for (const timer of timers) clearTimeout(timer)
      for (const one of open) one.close()
    },
  }
}
