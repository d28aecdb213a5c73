import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { closeGently } from './linger.ts'

/** A connection whose client sends what the test says. */
class Line extends EventEmitter {
  bytesRead = 0
  isEnded = false
  isCut = false
  resume = () => this
  end = () => ((this.isEnded = true), this)
  destroy = () => ((this.isCut = true), this.emit('close'), this)
}

describe('a connection that ends gently', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())
  const closing = () => {
    const line = new Line()
    closeGently(line as unknown as Socket)
    expect([line.isEnded, line.isCut]).toEqual([true, false])
    return line
  }

  it('is cut once its client has been quiet for two seconds', () => {
    const line = closing()
    vi.advanceTimersByTime(1900)
    line.bytesRead += 1
    vi.advanceTimersByTime(2000)
    expect(line.isCut).toBe(false)
    vi.advanceTimersByTime(600)
    expect(line.isCut).toBe(true)
  })

  it('is cut after ten seconds, however long its client goes on', () => {
    const line = closing()
    const sending = setInterval(() => (line.bytesRead += 1000), 100)
    vi.advanceTimersByTime(9900)
    expect(line.isCut).toBe(false)
    vi.advanceTimersByTime(200)
    expect(line.isCut).toBe(true)
    clearInterval(sending)
  })

  it('looks no longer where the client has closed too', () => {
    closing().emit('close')
    expect(vi.getTimerCount()).toBe(0)
  })
})
