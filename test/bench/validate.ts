// A process of its own: reads the large definition all the way to its model, and prints how long each time took.
import { createLanguage, readModel } from '@svc/domain/contract'
import { makeLargeDefinition } from './large-definition.ts'

/** Milliseconds of the first reading in the process, and of the ones after it. */
export interface Readings {
  readonly first: number
  readonly further: readonly number[]
}

const FURTHER = 5
const text = makeLargeDefinition()
const language = createLanguage()

async function read(): Promise<number> {
  const started = performance.now()
  await readModel({ text, format: 'yaml' }, language, () => undefined)
  return performance.now() - started
}

const first = await read()
const further: number[] = []
while (further.length < FURTHER) further.push(await read())
process.stdout.write(JSON.stringify({ first, further } satisfies Readings))
