import { AppError } from '@svc/kernel'
import type { Tally } from './contract.ts'

/** Makes things one after another and counts; a thing that is there already (409) is skipped. */
export async function tally<T>(
  things: readonly T[],
  make: (thing: T) => Promise<'skip' | void>,
): Promise<Tally> {
  let created = 0
  for (const thing of things) {
    try {
      if ((await make(thing)) !== 'skip') created++
    } catch (error) {
      if (!(error instanceof AppError) || error.status !== 409) throw error
    }
  }
  return { created, skipped: things.length - created }
}

/** What an error says, with the faults of each field. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof AppError)) return error instanceof Error ? error.message : String(error)
  const faults = (error.detail.errors ?? []).map((fault) => {
    const { field, message } = { field: '', message: '', ...fault }
    return field === '' ? message : `${field}: ${message}`
  })
  return faults.length === 0 ? error.message : `${error.message} (${faults.join('; ')})`
}

/** Whether the thing was there already. */
export const isThereAlready = (error: unknown): boolean => error instanceof AppError && error.status === 409
