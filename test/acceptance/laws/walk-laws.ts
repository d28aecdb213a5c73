import type { TestAnswer } from '../../kit/request.ts'
import type { Parameter } from './queries.ts'
import { keysOf, type ListLaw, UNSAID, unsorted, type WholeList } from './whole-list.ts'

/** Reads a list part by part; `next` answers the parameters of the part after the last answer, or undefined. */
async function walked(
  list: WholeList,
  next: (data: TestAnswer['body'], read: number) => readonly Parameter[] | undefined,
): Promise<readonly unknown[]> {
  const keys: unknown[] = []
  let part = next(undefined, 0)
  while (part !== undefined) {
    const { body } = await list.ask('', [...list.parameters, ...part])
    keys.push(...keysOf(list, body.data.items))
    // More records than there are is a walk in circles.
    part = keys.length > list.items.length ? undefined : next(body.data, keys.length)
  }
  return keys
}

const own = (list: WholeList) => keysOf(list, list.items)

/** A size of parts that takes at most four of them. */
const sizeFor = ({ items, random }: WholeList) =>
  String(Math.max(1, Math.ceil(items.length / (1 + random.int(4)))))

/** A list has the same records in the same order, however it is read. */
export const WALK_LAWS = {
  async 'count counts what is listed'(list) {
    const { body } = await list.ask('/count', unsorted(list))
    return [body.data.total, list.items.length]
  },

  async 'a walk by cursor meets every record once, in order'(list) {
    const limit: Parameter = ['limit', sizeFor(list)]
    const keys = await walked(list, (data) => {
      const cursor: unknown = data === undefined ? '' : data.nextCursor
      return typeof cursor === 'string' ? [['cursor', cursor], limit] : undefined
    })
    return [keys, own(list)]
  },

  async 'a walk by page does too'(list) {
    const limit: Parameter = ['limit', sizeFor(list)]
    const keys = await walked(list, (data) => {
      if (data !== undefined && !data.meta.has_next) return undefined
      return [['page', String((data?.meta.page ?? 0) + 1)], limit]
    })
    return [keys, own(list)]
  },

  async 'a walk by offset does too'(list) {
    const limit: Parameter = ['limit', sizeFor(list)]
    const keys = await walked(list, (data, read) =>
      data !== undefined && data.count === 0 ? undefined : [['offset', String(read)], limit],
    )
    return [keys, own(list)]
  },

  async 'an export has a line for each record'(list) {
    const { status, body } = await list.ask('/export', list.parameters)
    if (status === 404) return UNSAID
    const lines = String(body)
      .replace(/"(?:[^"]|"")*"/g, 'quoted')
      .split('\r\n')
    return [lines.length - 2, list.items.length]
  },
} satisfies Record<string, ListLaw>
