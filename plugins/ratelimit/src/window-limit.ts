import { LRUCache } from 'lru-cache'
import type { Clock } from './steady-clock.ts'

/** A window slides in steps of one tenth: a count leaves with its step, so up to a tenth of the window early. */
const STEPS = 10

/** What a key has used of its window. */
export interface Usage {
  /** Whether one more fits. */
  readonly isFree: boolean
  readonly remaining: number
  /** Milliseconds until one more fits, or, where one does now, until the oldest count leaves. */
  readonly waitMs: number
}

/** Counts by key over a sliding window; what one key costs does not grow with its counts. */
export interface WindowLimit {
  /** Counts one where it fits; `isFree` says whether it did. */
  take(key: string): Usage
  /** Counts one, fit or not. */
  add(key: string): void
  look(key: string): Usage
  forget(key: string): void
}

export interface WindowLimitOptions {
  readonly max: number
  readonly windowMs: number
  /** Keys that are remembered; beyond it the one that was silent for longest is dropped. */
  readonly maxKeys: number
  readonly clock: Clock
}

/** Makes a limit that knows no key yet. */
export function createWindowLimit({ max, windowMs, maxKeys, clock }: WindowLimitOptions): WindowLimit {
  const windows = new LRUCache<string, SlidingWindow>({ maxSize: maxKeys, sizeCalculation: () => 1 })

  /** The window of `key` as it is now. */
  const touch = (key: string): SlidingWindow => {
    const now = clock()
    const window = windows.get(key) ?? open(key, now)
    window.moveTo(now)
    return window
  }

  const open = (key: string, now: number): SlidingWindow => {
    dropSilent(now)
    const window = new SlidingWindow(windowMs, now)
    windows.set(key, window)
    return window
  }

  /** A window in which nothing is counted any more is none; the first that is met still counts, as do all after it. */
  const dropSilent = (now: number) => {
    for (const key of windows.rkeys()) {
      const window = windows.peek(key)
      if (window === undefined || now - window.movedAt < windowMs) return
      windows.delete(key)
    }
  }

  return {
    take(key) {
      const window = touch(key)
      const isFree = window.total < max
      if (isFree) window.count()
      return { isFree, remaining: max - window.total, waitMs: window.msUntilBelow(window.total) }
    },
    add: (key) => touch(key).count(),
    look(key) {
      if (!windows.has(key)) return { isFree: true, remaining: max, waitMs: 0 }
      const window = touch(key)
      const isFree = window.total < max
      return {
        isFree,
        remaining: Math.max(0, max - window.total),
        waitMs: window.msUntilBelow(isFree ? window.total : max),
      }
    },
    forget: (key) => void windows.delete(key),
  }
}

/** The counts of the last STEPS steps in a ring; the first step begins with the first count. */
class SlidingWindow {
  total = 0
  movedAt: number
  readonly #stepMs: number
  readonly #counts: number[] = Array.from({ length: STEPS }, () => 0)
  #beganAt: number
  #step = 0

  constructor(windowMs: number, now: number) {
    this.#stepMs = windowMs / STEPS
    this.#beganAt = now
    this.movedAt = now
  }

  /** Drops the steps that have left the window; an empty window begins anew. */
  moveTo(now: number): void {
    this.movedAt = now
    const step = Math.floor((now - this.#beganAt) / this.#stepMs)
    const left = Math.min(step - this.#step, STEPS)
    for (let i = 1; i <= left; i++) {
      const at = (this.#step + i) % STEPS
      this.total -= this.#counts[at]!
      this.#counts[at] = 0
    }
    this.#step = step
    if (this.total > 0) return
    this.#beganAt = now
    this.#step = 0
  }

  count(): void {
    this.total++
    this.#counts[this.#step % STEPS]!++
  }

  /** Milliseconds until fewer than `limit` are counted; 0 when that is so now. */
  msUntilBelow(limit: number): number {
    let rest = this.total
    let step = this.#step - STEPS
    while (rest >= limit && rest > 0) rest -= this.#counts[(++step + STEPS) % STEPS]!
    if (rest === this.total) return 0
    return this.#beganAt + (step + STEPS) * this.#stepMs - this.movedAt
  }
}
