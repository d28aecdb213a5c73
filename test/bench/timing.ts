import type { ServerProcess } from '../kit/server-process.ts'

/** Adds to `times` how many milliseconds some work takes. */
export async function timed(times: number[], work: () => Promise<unknown>): Promise<void> {
  const begin = performance.now()
  await work()
  times.push(performance.now() - begin)
}

/** Throws where an answer is no success. */
export async function must(
  { request }: ServerProcess,
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  options: { readonly token?: string; readonly body?: unknown },
) {
  const answer = await request(method, path, options)
  if (answer.status >= 300)
    throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer
}

/** Prints how long something took, by percentiles. */
export function print(what: string, times: readonly number[]): void {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!.toFixed(1)
  console.log(
    `  ${what.padEnd(30)} p50 ${at(0.5).padStart(8)}  p95 ${at(0.95).padStart(8)}  most ${at(1).padStart(8)}  of ${sorted.length}`,
  )
}
