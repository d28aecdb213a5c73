// What authors of actions, events and errors can and cannot write; checked by the compiler alone.
import { type Action, type Bus, type CallAction, defineAction, defineErrors, Reply } from '@svc/kernel'
import { z } from 'zod'

declare module '@svc/kernel' {
  interface ActionMap {
    'test.double': { input: { value: number }; output: { doubled: number } }
  }
  interface EventMap {
    'test.doubled': { value: number }
  }
}

export const double = defineAction({
  name: 'test.double',
  access: ['authenticated'],
  input: z.strictObject({ value: z.number() }),
  routes: ['POST /double/:value'],
  handle({ value }) {
    const input: number = value
    return { doubled: input * 2 }
  },
})

export const replying = defineAction({
  name: 'test.reply',
  access: 'record',
  output: z.object({ doubled: z.number() }),
  handle: () => Reply.created({ doubled: 2 }),
})

export const misread = defineAction({
  name: 'test.misread',
  access: ['*'],
  input: z.strictObject({ value: z.number() }),
  handle(input) {
    // @ts-expect-error the schema has no such field
    return input.amount
  },
})

// @ts-expect-error every action says who may run it
export const open: Action = { name: 'test.open', routes: ['GET /open'], handle: () => null }

export const misrouted: Action = {
  name: 'test.misrouted',
  access: ['*'],
  // @ts-expect-error a route is a known verb and a path
  routes: ['FETCH /x', 'GET x'],
  handle: () => null,
}

export const shy: Action = {
  name: 'test.shy',
  // @ts-expect-error access is a list of roles or 'record'
  access: 'admin',
  handle: () => null,
}

export async function calls(call: CallAction): Promise<void> {
  const { doubled } = await call('test.double', { value: 2 })
  const result: number = doubled
  void result
  // @ts-expect-error the input of a known action is checked
  await call('test.double', { value: 'two' })
  const unknown: unknown = await call('svc.shop.order.get', { id: '7' })
  void unknown
  // @ts-expect-error the answer of an unlisted action has no known shape
  ;(await call('svc.shop.order.get', { id: '7' })).id
}

export function events(bus: Bus): void {
  bus.on('test.doubled', ({ value }) => void value.toFixed())
  bus.emit('test.doubled', { value: 4 })
  // @ts-expect-error the payload of a known event is checked
  bus.emit('test.doubled', { value: 'four' })
  // @ts-expect-error the payload has no such field
  bus.on('test.doubled', ({ amount }) => void amount)
}

const errors = defineErrors({ TOO_LATE: [409, 'It is too late'] })
export const thrown = errors.TOO_LATE({ message: 'Closed at noon' })
// @ts-expect-error the table has no such row
export const unlisted = errors.TOO_EARLY()
