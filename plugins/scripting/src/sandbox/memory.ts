const MIB = 1024 * 1024
const PAGE = 64 * 1024

/** What of WebAssembly's interface is used here; the platform's types leave it out. */
interface Growing {
  readonly buffer: ArrayBuffer
  grow(pages: number): number
}
declare const WebAssembly: { readonly Memory: { readonly prototype: Growing } }

/** How much memory the interpreter of this thread may hold. */
export interface MemoryBound {
  /** Whether more was asked for since the last question, and refused. */
  wasPassed(): boolean
}

/**
 * Refuses WebAssembly memory of this thread that grows past `mib` MiB. The interpreter's own limit does not hold: it
 * is told the size of no block, and counts only how many there are. A refusal becomes its "out of memory".
 */
export function boundMemory(mib: number): MemoryBound {
  const { prototype } = WebAssembly.Memory
  const { grow } = prototype
  let isPassed = false
  prototype.grow = function (this: Growing, pages: number) {
    isPassed = this.buffer.byteLength + pages * PAGE > mib * MIB
    if (isPassed) throw new RangeError(`at most ${mib} MiB`)
    return grow.call(this, pages)
  }
  return {
    wasPassed() {
      const answer = isPassed
      isPassed = false
      return answer
    },
  }
}
