import type { Config, Plugin } from '@svc/kernel'
import { closeDesk, type Desk, openDesk, type Sent } from '../files/desk.ts'
import { PLACES } from '../files/places.ts'
import type { StoreUnderTest } from '../../kit/stores.ts'
import { afterAll, beforeAll } from 'vitest'
import { png } from './pictures.ts'

export const BASE = '/api/v1/shop'

/** What these tests do with a library. */
export interface Shelf extends Desk {
  /** Sends JSON as the administrator unless another token or none is given. */
  send(
    method: string,
    path: string,
    body?: unknown,
    ...token: readonly (string | undefined)[]
  ): Promise<Answer>
  /** Adds a file to the library of `base`. */
  add(sent?: Sent & { readonly base?: string }): ReturnType<Desk['upload']>
  /** Adds a picture that has to be taken; answers its item. */
  item(sent?: Sent & { readonly base?: string }): Promise<Item>
}

export interface Item {
  readonly id: string
  readonly filename: string
  readonly path: string
  readonly size: number
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  // Tests look into answers whose shape is the very thing under test.
  readonly body: any
}

const [disk] = PLACES

/** A server with libraries, for all tests of the surrounding `describe`. */
export function useShelf(
  store: StoreUnderTest,
  definition: string,
  files: object = {},
  sections: Config = {},
  plugins: readonly Plugin[] = [],
): () => Shelf {
  let shelf: Shelf | undefined
  beforeAll(async () => {
    const desk = await openDesk(store, disk!, files, sections, plugins)
    shelf = shelfOf(desk)
    await desk.server.submit(definition)
  })
  afterAll(() => shelf && closeDesk(shelf))
  return () => {
    if (shelf === undefined) throw new Error('the shelf is there inside tests only')
    return shelf
  }
}

function shelfOf(desk: Desk): Shelf {
  const { server } = desk
  const add: Shelf['add'] = ({ base = BASE, name = 'a.png', type = 'image/png', query, ...sent } = {}) =>
    desk.upload({
      token: server.admin,
      name,
      type,
      path: `${base}/media/upload`,
      query: query ?? { filename: name, mime_type: type },
      ...sent,
    })
  return {
    ...desk,
    send: (method, path, body, ...token) =>
      server.request(method, path, {
        ...(body !== undefined && { body: body as object }),
        ...((token.length === 0 ? server.admin : token[0]) !== undefined && {
          token: (token.length === 0 ? server.admin : token[0])!,
        }),
      }),
    add,
    async item(sent = {}) {
      const { status, body } = await add({ bytes: png(640, 480), ...sent })
      if (status !== 201 || body.warnings) throw new Error(`${status}: ${JSON.stringify(body)}`)
      return body.data
    },
  }
}
