import { readFileSync, readlinkSync } from 'node:fs'

/** The file in which the system counts the processor time of the calling thread; undefined where it counts none. */
export function ownClock(): string | undefined {
  try {
    const clock = `/proc/${readlinkSync('/proc/thread-self')}/schedstat`
    readFileSync(clock)
    return clock
  } catch {
    return undefined
  }
}

/**
 * The processor time that a thread has had so far, in milliseconds. Where threads have no clocks it is that of the
 * whole process, which is never less: a limit by it may end a script early beside a busy server, and never late.
 */
export function processorTime(clock: string | undefined): number {
  if (clock === undefined) {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1000
  }
  try {
    // "<ns on a processor> <ns waiting for one> <turns>"
    return Number.parseInt(readFileSync(clock, 'utf8'), 10) / 1e6
  } catch {
    // The thread is gone: it uses no more.
    return Infinity
  }
}
