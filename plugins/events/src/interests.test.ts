import type { Trigger } from '@svc/automation/contract'
import type { Change, Model, Resource } from '@svc/domain/contract'
import type { Transaction } from '@svc/store/contract'
import { describe, expect, it } from 'vitest'
import type { EventReader } from './contract.ts'
import { Interests } from './interests.ts'

describe('interests', () => {
  it('are those of all readers for every write that asks for them at the same time', async () => {
    const resource = { name: 'Order' } as Resource
    const trigger = { resource, concerns: () => true } as unknown as Trigger
    const reader: EventReader = {
      name: 'slow',
      interests: async () => {
        await new Promise((resolve) => setTimeout(resolve, 5))
        return [trigger]
      },
      take: async () => undefined,
    }
    const interests = new Interests({} as Model, new Map([[reader.name, reader]]))
    expect(interests.isQuiet(resource)).toBe(false)
    const ask = () => interests.areIn({ resource } as Change, [], {} as Transaction)
    expect(await Promise.all([ask(), ask(), ask()])).toEqual([true, true, true])
    expect(interests.isQuiet({ name: 'Line' } as Resource)).toBe(true)
  })
})
