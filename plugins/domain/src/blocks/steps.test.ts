import type { Transaction } from '@svc/store/contract'
import { expect, test } from 'vitest'
import type { Part } from '../contract/part.ts'
import type { Writes } from '../contract/writes.ts'
import type { Model } from '../model/model.ts'
import type { Resource } from '../model/resource.ts'
import type { Change } from '../write/change.ts'
import { assertOutside } from './inside.ts'
import { blockSteps } from './steps.ts'

const resource = {} as Resource
const change = { resource } as Change

/** Runs the steps of parts as a write would. */
async function write(...parts: Part[]): Promise<void> {
  const model = {
    parts: parts.map((part) => ({ resource: undefined, part })),
    resources: new Map([['Order', resource]]),
  } as unknown as Model
  await blockSteps(model, () => ({}) as Writes).afterWrite(change, {} as Transaction)
}

const beginning: Part = {
  async afterWrite() {
    await Promise.resolve()
    assertOutside()
  },
}
const quiet: Part = { afterWrite: () => undefined }

test('a step that begins a transaction is refused, whoever stands beside it', async () => {
  const refusal = /a transaction was begun inside another/
  await expect(write(beginning)).rejects.toThrow(refusal)
  await expect(write({ ...quiet, selfContained: true }, beginning)).rejects.toThrow(refusal)
})

test('steps that call nothing of the kind are not watched', async () => {
  await write({ ...beginning, selfContained: true }, { ...quiet, selfContained: true })
})

test('a part that is not about a change has nobody watched', async () => {
  await write({ ...beginning, selfContained: true }, { ...quiet, concerns: () => false })
})
